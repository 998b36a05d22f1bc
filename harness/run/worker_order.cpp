#include "harness/run/worker_order.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "harness/contract/profile_json.h"
#include "harness/plan/json.h"

namespace assay {

// The worker travels as a plan that has it alone.
std::string to_json(const WorkerOrder& order) {
  Plan plan{"worker", {{"nobody", Role::worker}}, {}};
  plan.workers = {order.worker};
  nlohmann::json object{{"driver", order.driver}, {"namespace", order.name_space},
                        {"engine", order.engine}, {"seed", order.seed},
                        {"plan", to_json(plan)},  {"profile", to_json(order.profile)}};
  if (order.url) object["url"] = *order.url;
  return object.dump();
}

Result<WorkerOrder> worker_order_from(std::string_view json) {
  const auto object = nlohmann::json::parse(json, nullptr, false);
  if (!object.is_object()) return invalid("an order is a JSON object");
  try {
    const auto plan = plan_from_json(object.at("plan").get<std::string>());
    if (!plan.ok()) return plan.error();
    const auto profile = profile_from_json(object.at("profile").get<std::string>());
    if (!profile.ok()) return profile.error();
    if (plan->workers.size() != 1) return invalid("an order is for one worker");
    WorkerOrder order;
    order.driver = object.at("driver").get<std::string>();
    if (object.contains("url")) order.url = object.at("url").get<std::string>();
    order.name_space = object.at("namespace").get<std::string>();
    order.engine = object.at("engine").get<std::string>();
    order.seed = object.at("seed").get<std::uint64_t>();
    order.profile = *profile;
    order.worker = plan->workers.front();
    return order;
  } catch (const nlohmann::json::exception& wrong) {
    return invalid(wrong.what());
  }
}

std::string stamped(std::int64_t stamp, std::string_view event) {
  return fmt::format("{} {}", stamp, event);
}

std::optional<StampedLine> stamped_line(std::string_view line) {
  StampedLine read;
  const auto [end, wrong] = std::from_chars(line.data(), line.data() + line.size(), read.stamp);
  const auto at = static_cast<std::size_t>(end - line.data());
  if (wrong != std::errc{} || at >= line.size() || line[at] != ' ') return std::nullopt;
  read.event = line.substr(at + 1);
  return read;
}

}  // namespace assay

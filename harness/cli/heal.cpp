#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "faults/toxiproxy/client.h"
#include "harness/cli/commands.h"
#include "harness/cli/healing.h"
#include "harness/cli/scratch.h"
#include "harness/cli/usage.h"
#include "reports/text.h"

namespace assay::cli {

static bool is_here(const std::string& url) {
  return url.starts_with("http://127.") || url.starts_with("http://localhost:") ||
         url.starts_with("http://[::1]");
}

static Result<std::string> remove_proxy(const Remedy& remedy) {
  const std::string& url = remedy.fields.at("url");
  const std::string& proxy = remedy.fields.at("proxy");
  const auto client = toxiproxy::Client::to(url);
  if (!client) return client.error();
  const Status removed = client->remove(proxy);
  // A Toxiproxy keeps its proxies in memory.
  if (!removed && removed.error().code == ErrorCode::unavailable && is_definite(removed.error()) &&
      is_here(url) && !client->version())
    return fmt::format("the Toxiproxy at {} is gone, and the proxy {} with it", url, proxy);
  if (!removed && removed.error().code != ErrorCode::not_found)
    return Error{ErrorCode::unavailable, fmt::format("the proxy {} of {} cannot be removed: {}",
                                                     proxy, url, removed.error().message)};
  return fmt::format("the proxy {} of {} was removed", proxy, url);
}

Result<std::string> carry_out(const Remedy& remedy) {
  if (remedy.kind == "remove_proxy" && remedy.fields.contains("url") &&
      remedy.fields.contains("proxy"))
    return remove_proxy(remedy);
  return Error{ErrorCode::unsupported,
               fmt::format("its journal asks for {}, which this assay does not know", remedy.kind)};
}

Carry carrier() {
  return [silent = std::map<std::string, Error>()](const Remedy& remedy) mutable {
    const auto url = remedy.fields.find("url");
    const std::string whom = url == remedy.fields.end() ? "" : url->second;
    if (const auto known = silent.find(whom); known != silent.end())
      return Result<std::string>(known->second);
    Result<std::string> done = carry_out(remedy);
    if (!done && done.error().code == ErrorCode::unavailable) silent.emplace(whom, done.error());
    return done;
  };
}

std::string sentence(const Healed& healed) {
  std::string text = fmt::format("the run of process {} was killed", healed.owner);
  if (!healed.faults.empty())
    text += fmt::format(" while {} {} on", fmt::join(healed.faults, ", "),
                        healed.faults.size() == 1 ? "was" : "were");
  std::vector<std::string> what = healed.done;
  for (const std::string& failed : healed.failed) what.push_back("NOT PUT RIGHT: " + failed);
  if (healed.failed.empty()) what.push_back(fmt::format("{} was removed", healed.folder));
  return fmt::format("{}: {}", text, fmt::join(what, "; "));
}

void tell(const std::vector<Healed>& all) {
  for (const Healed& healed : all)
    if (!healed.is_plain())
      std::cerr << text::wrapped("assay: " + text::printable(sentence(healed)), 100, 0, 2);
}

int heal_command(const HealArguments& arguments) {
  std::vector<Healed> all;
  for (const auto& place : places_for_scratch())
    for (Healed& healed : heal(place, carrier())) all.push_back(std::move(healed));
  bool failed = false;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Healed& healed : all) {
    failed = failed || !healed.failed.empty();
    json.push_back({{"folder", healed.folder},
                    {"process", healed.owner},
                    {"faults", healed.faults},
                    {"done", healed.done},
                    {"failed", healed.failed}});
    if (!arguments.json) std::cout << text::wrapped(text::printable(sentence(healed)), 100, 0, 2);
  }
  if (arguments.json)
    std::cout << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
  else if (all.empty())
    std::cout << "nothing to heal: no run that was killed has left anything behind\n";
  return failed ? exit_trouble : 0;
}

}  // namespace assay::cli

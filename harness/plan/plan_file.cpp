#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/contract/detail/json_reader.h"
#include "harness/contract/detail/json_writer.h"
#include "harness/contract/profile_json.h"
#include "harness/contract/version.h"
#include "harness/plan/detail/json_parts.h"
#include "harness/plan/json.h"
#include "harness/plan/token.h"

namespace assay {

using detail::Fields;
using detail::JsonObject;
using Json = nlohmann::ordered_json;

// The built-in profile's name and what differs from it.
static std::string differences(const Profile& profile) {
  const auto base = built_in_profile(profile.name);
  if (base == profile) return Json{{"base", profile.name}}.dump();
  const std::string whole = to_json(profile);
  if (!base) return whole;
  const Json mine = Json::parse(whole);
  const Json theirs = Json::parse(to_json(*base));
  Json different{{"base", profile.name}};
  for (const auto& [name, value] : mine.items())
    if (name != "base" && (!theirs.contains(name) || theirs.at(name) != value))
      different[name] = value;
  const std::string text = different.dump();
  const auto back = profile_from_json(text);
  return back.ok() && *back == profile ? text : whole;
}

std::string plan_file_text(const ReplayToken& token) {
  std::string out;
  JsonObject object(out);
  object.text("kind", "assay-plan");
  object.text("assay_version", token.assay_version);
  object.text("driver", token.driver);
  object.member("profile") += differences(token.profile);
  if (!token.engine.empty()) object.text("engine", token.engine);
  if (!token.replica.empty()) object.text("replica", token.replica);
  object.text("driver_seed", fmt::format("{:016x}", token.driver_seed));
  if (!token.rule.empty()) object.text("rule", token.rule);
  if (token.history_hash != 0)
    object.text("history_hash", fmt::format("{:016x}", token.history_hash));
  if (!token.history_trace.empty()) object.text("history_trace", token.history_trace);
  if (token.plan_seed) object.text("plan_seed", fmt::format("{:016x}", *token.plan_seed));
  if (token.plan_free) object.flag("plan_free", true);
  if (token.schedule) detail::write_schedule(object.member("schedule"), *token.schedule);
  if (token.plan) object.member("plan") += to_json(*token.plan);
  object.end();
  return out;
}

static ReplayToken read_token(const nlohmann::json& parsed) {
  Fields fields(parsed, "");
  if (fields.text("kind") != "assay-plan") fields.wrong("kind", "must be assay-plan");
  ReplayToken token;
  token.assay_version = fields.text("assay_version");
  if (token.assay_version != version())
    fields.wrong("assay_version",
                 fmt::format("made by Assay {}, this is Assay {}", token.assay_version, version()));
  token.driver = fields.text("driver");
  auto profile = profile_from_json(fields.any("profile").dump());
  if (!profile.ok()) throw detail::Malformed{"", profile.error().message};
  token.profile = std::move(*profile);
  token.engine = fields.maybe_text("engine").value_or("");
  token.replica = fields.maybe_text("replica").value_or("");
  token.driver_seed = detail::read_hex(fields, "driver_seed");
  token.rule = fields.maybe_text("rule").value_or("");
  if (fields.has("history_hash")) token.history_hash = detail::read_hex(fields, "history_hash");
  token.history_trace = fields.maybe_text("history_trace").value_or("");
  if (fields.has("plan_seed")) token.plan_seed = detail::read_hex(fields, "plan_seed");
  token.plan_free = fields.flag_or("plan_free", false);
  if (fields.has("schedule")) token.schedule = detail::read_schedule(fields.object("schedule"));
  if (fields.has("plan")) {
    auto plan = plan_from_json(fields.any("plan").dump());
    if (!plan.ok()) throw detail::Malformed{"", "plan." + plan.error().message};
    token.plan = std::move(*plan);
  }
  if (!token.plan && !token.plan_seed) fields.wrong("plan", "is missing, and so is plan_seed");
  fields.finish();
  return token;
}

Result<ReplayToken> read_plan_file_text(std::string_view text) {
  const auto parsed = nlohmann::json::parse(text, nullptr, false);
  if (parsed.is_discarded()) return invalid("is not valid JSON");
  try {
    return read_token(parsed);
  } catch (const detail::Malformed& malformed) {
    return invalid(malformed.text());
  }
}

}  // namespace assay

#include "harness/plan/detail/json_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "harness/contract/detail/json_writer.h"

namespace assay::detail {

static constexpr std::array<std::string_view, 4> base_names{"now", "absolute", "due", "expiry"};

static void write_claim_ref(std::string& out, const ClaimRef& claim) {
  out += claim.index == 0 ? fmt::format("{}", claim.slot)
                          : fmt::format("[{},{}]", claim.slot, claim.index);
}

void write_job_ref(std::string& out, const JobRef& job) {
  JsonObject object(out);
  if (job.kind == JobRef::Kind::made) object.number("made", job.slot);
  if (job.kind == JobRef::Kind::claimed) write_claim_ref(object.member("claimed"), job.claim);
  if (job.kind == JobRef::Kind::literal) object.text("id", job.literal);
  object.end();
}

void write_token_ref(std::string& out, const TokenRef& token) {
  JsonObject object(out);
  if (token.kind == TokenRef::Kind::forged)
    object.text("forged", token.forged);
  else
    write_claim_ref(object.member("claim"), token.claim);
  object.end();
}

void write_when(std::string& out, const When& when) {
  JsonObject object(out);
  object.text("base", base_names[static_cast<std::size_t>(when.base)]);
  if (when.base == When::Base::due) write_job_ref(object.member("job"), when.job);
  if (when.base == When::Base::expiry) write_claim_ref(object.member("claim"), when.claim);
  if (when.offset != Duration(0)) object.duration("offset_ms", when.offset);
  object.end();
}

void write_payload(std::string& out, const PayloadSpec& payload) {
  if (payload.kind == PayloadSpec::Kind::text) return append_text(out, payload.text);
  JsonObject object(out);
  object.unsigned_number("size", payload.size);
  if (payload.seed != 0) object.unsigned_number("seed", payload.seed);
  object.end();
}

static ClaimRef read_claim_ref(Fields& fields, std::string_view name) {
  const auto& value = fields.any(name);
  if (!value.is_array()) return {fields.small(name), 0};
  if (value.size() != 2) fields.wrong(name, "must be a slot, or [slot, index]");
  const auto slot = number_of(value[0], fields.path(name));
  const auto index = number_of(value[1], fields.path(name));
  if (slot != static_cast<int>(slot) || index != static_cast<int>(index))
    fields.wrong(name, "is out of range");
  return {static_cast<int>(slot), static_cast<int>(index)};
}

JobRef read_job_ref(Fields fields) {
  JobRef job;
  if (fields.has("made")) {
    job.kind = JobRef::Kind::made;
    job.slot = fields.small("made");
  } else if (fields.has("claimed")) {
    job.kind = JobRef::Kind::claimed;
    job.claim = read_claim_ref(fields, "claimed");
  } else {
    job.kind = JobRef::Kind::literal;
    job.literal = fields.text("id");
  }
  fields.finish();
  return job;
}

TokenRef read_token_ref(Fields fields) {
  TokenRef token;
  if (fields.has("forged")) {
    token.kind = TokenRef::Kind::forged;
    token.forged = fields.text("forged");
  } else {
    token.claim = read_claim_ref(fields, "claim");
  }
  fields.finish();
  return token;
}

When read_when(Fields fields) {
  When when;
  const std::string base = fields.text("base");
  const auto found = std::find(base_names.begin(), base_names.end(), base);
  if (found == base_names.end())
    fields.wrong("base", fmt::format("\"{}\" is none of now, absolute, due, expiry", base));
  when.base = static_cast<When::Base>(found - base_names.begin());
  if (when.base == When::Base::due) when.job = read_job_ref(fields.object("job"));
  if (when.base == When::Base::expiry) when.claim = read_claim_ref(fields, "claim");
  when.offset = fields.maybe_duration("offset_ms").value_or(Duration(0));
  fields.finish();
  return when;
}

PayloadSpec read_payload(Fields& step, std::string_view name) {
  const auto& value = step.any(name);
  if (!value.is_object() || value.contains("base64")) return {.text = step.text(name)};
  Fields fields = step.object(name);
  PayloadSpec payload{.kind = PayloadSpec::Kind::pattern};
  payload.size = fields.unsigned_number("size");
  if (fields.has("seed")) payload.seed = fields.unsigned_number("seed");
  fields.finish();
  return payload;
}

void write_schedule(std::string& out, const Schedule& schedule) {
  JsonObject object(out);
  object.text("by", name_of(schedule.kind));
  if (schedule.kind == Schedule::Kind::choices || !schedule.choices.empty())
    object.text("choices", assay::text_of(schedule.choices));
  if (schedule.kind != Schedule::Kind::choices)
    object.text("seed", fmt::format("{:016x}", schedule.seed));
  if (schedule.kind == Schedule::Kind::pct) {
    object.number("depth", schedule.depth);
    object.number("moves", static_cast<std::int64_t>(schedule.moves));
  }
  object.end();
}

std::uint64_t read_hex(Fields& fields, std::string_view name) {
  const std::string text = fields.text(name);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || end != text.data() + text.size())
    fields.wrong(name, "must be a hexadecimal number of at most 16 digits");
  return value;
}

Schedule read_schedule(Fields fields) {
  Schedule schedule;
  const std::string by = fields.text("by");
  const bool by_choices = by == name_of(Schedule::Kind::choices);
  if (by_choices || fields.has("choices")) {
    auto choices = choices_from(fields.text("choices"));
    if (!choices) fields.wrong("choices", choices.error().message);
    schedule.choices = std::move(*choices);
  }
  if (by_choices) {
    schedule.kind = Schedule::Kind::choices;
  } else if (by == name_of(Schedule::Kind::random_walk) || by == name_of(Schedule::Kind::pct)) {
    const bool pct = by == name_of(Schedule::Kind::pct);
    schedule.kind = pct ? Schedule::Kind::pct : Schedule::Kind::random_walk;
    schedule.seed = read_hex(fields, "seed");
    if (pct) {
      schedule.depth = fields.small("depth");
      if (schedule.depth < 1 || schedule.depth > 100) fields.wrong("depth", "must be 1 to 100");
      const std::int64_t moves = fields.number("moves");
      if (moves < 1) fields.wrong("moves", "must be 1 or more");
      schedule.moves = static_cast<std::uint64_t>(moves);
    }
  } else {
    fields.wrong("by", "must be random_walk, pct or choices");
  }
  fields.finish();
  return schedule;
}

}  // namespace assay::detail

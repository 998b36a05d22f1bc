#include "engine/detail/flow_records.h"

#include <array>

#include "engine/detail/packed.h"
#include "engine/failure.h"

namespace assay::engine::detail {

std::string_view name_of(Outcome outcome) {
  static constexpr std::array<std::string_view, 4> names{"succeeded", "dead", "cancelled",
                                                         "skipped"};
  return names[static_cast<std::size_t>(outcome)];
}

namespace {

std::optional<std::int64_t> ms_of(const std::optional<Duration>& length) {
  return length ? std::optional(length->count()) : std::nullopt;
}
std::optional<Duration> from_ms(const std::optional<std::int64_t>& ms) {
  return ms ? std::optional(Duration{*ms}) : std::nullopt;
}

OnFailure policy_from(std::int64_t number) {
  return number == 0 ? OnFailure::fail_fast : OnFailure::go_on;
}

template <class What>
std::optional<What> unless_bad(const Unpacker& unpacker, What what) {
  return unpacker.is_bad() ? std::nullopt : std::optional(std::move(what));
}

}  // namespace

std::string packed(const Header& header) {
  Packer packer;
  packer.add(header.is_whole ? 1 : 0).add(header.fingerprint).add(header.nonce);
  packer.add(static_cast<std::int64_t>(header.policy)).add(header.shape).add(header.steps);
  packer.add(header.queue).add(to_ms(header.at));
  for (const std::string& queue : header.queues) packer.add(queue);
  return packer.take();
}

std::optional<Header> unpacked_header(std::string_view text) {
  Unpacker in(text);
  Header header;
  header.is_whole = in.number() == 1;
  header.fingerprint = in.text();
  header.nonce = in.text();
  header.policy = policy_from(in.number());
  header.shape = in.text();
  header.steps = in.number();
  header.queue = in.text();
  header.at = instant_from_ms(in.number());
  while (in.has_more()) header.queues.push_back(in.text());
  return unless_bad(in, std::move(header));
}

std::string packed(const Step& step) {
  Packer packer;
  packer.add(step.type).add(step.payload).add(step.queue.value_or("")).add(ms_of(step.delay));
  return packer.add(step.limit).add(ms_of(step.timeout)).add(step.priority).take();
}

std::optional<Step> unpacked_step(std::string_view text) {
  Unpacker in(text);
  Step step;
  step.type = in.text();
  step.payload = in.text();
  step.queue = in.text();
  step.delay = from_ms(in.maybe());
  step.limit = in.maybe();
  step.timeout = from_ms(in.maybe());
  step.priority = in.maybe();
  return unless_bad(in, std::move(step));
}

std::string packed(const Join& join) {
  Packer packer;
  packer.add(static_cast<std::int64_t>(join.policy)).add(join.from).add(join.queue);
  packer.add(join.only_end).add(join.launch.value_or(""));
  for (const NamedStep& start : join.starts) packer.add(start.path).add(packed(start.step));
  return packer.take();
}

std::optional<Join> unpacked_join(std::string_view text) {
  Unpacker in(text);
  Join join;
  join.policy = policy_from(in.number());
  join.from = in.number();
  join.queue = in.text();
  join.only_end = in.text();
  if (std::string launch = in.text(); !launch.empty()) join.launch = std::move(launch);
  while (in.has_more()) {
    NamedStep start;
    start.path = in.text();
    auto step = unpacked_step(in.bytes());
    if (!step) return std::nullopt;
    start.step = std::move(*step);
    join.starts.push_back(std::move(start));
  }
  return unless_bad(in, std::move(join));
}

std::string packed(const Member& member) {
  Packer packer;
  packer.add(static_cast<std::int64_t>(member.outcome)).add(member.job_id);
  return packer.add(member.result_bytes).add(member.error).take();
}

std::optional<Member> unpacked_member(std::string_view text) {
  Unpacker in(text);
  Member member;
  const std::int64_t outcome = in.number();
  if (outcome < 0 || outcome > 3) return std::nullopt;
  member.outcome = static_cast<Outcome>(outcome);
  member.job_id = in.text();
  member.result_bytes = in.maybe();
  member.error = in.text();
  return unless_bad(in, std::move(member));
}

std::string packed(const Stop& stop) {
  return Packer().add(stop.is_cancelled ? 1 : 0).add(stop.by).add(to_ms(stop.at)).take();
}

std::optional<Stop> unpacked_stop(std::string_view text) {
  Unpacker in(text);
  Stop stop;
  stop.is_cancelled = in.number() == 1;
  stop.by = in.text();
  stop.at = instant_from_ms(in.number());
  return unless_bad(in, std::move(stop));
}

std::string packed(const Launch& launch) {
  return Packer().add(launch.done).add(launch.all).take();
}

std::optional<Launch> unpacked_launch(std::string_view text) {
  Unpacker in(text);
  Launch launch;
  launch.done = in.number();
  launch.all = in.number();
  return unless_bad(in, launch);
}

Enqueue job_of(const std::string& flow, const NamedStep& start, Instant now) {
  const Step& step = start.step;
  NewJob job;
  job.id = job.key = member_name(flow, start.path);
  job.queue = step.queue.value_or("");
  job.type = step.type;
  job.payload = step.payload;
  if (step.delay) job.run_at = later(now, *step.delay);
  if (step.limit.value_or(0) > 0) job.max_attempts = step.limit;
  job.timeout = step.timeout;
  job.priority = step.priority;
  return {job};
}

Enqueue errand_of(const std::string& flow, const std::string& errand, const std::string& path,
                  const std::string& queue) {
  NewJob job;
  job.id = job.key = errand_name(flow, errand, path);
  job.queue = queue;
  job.type = steward_type;
  return {job};
}

Result<Records*> records_of(Session& session) {
  if (Records* records = session.records()) return records;
  return unsupported("this driver keeps no records, so there are no flows and no outputs here");
}

}  // namespace assay::engine::detail

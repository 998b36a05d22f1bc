#include "harness/cli/queue/stress_board.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/text.h"

namespace assay::cli::queue {

static std::string grouped(std::int64_t number) {
  return text::grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(number, 0)));
}

void StressBoard::see(const Event& event) {
  if (const auto* call = std::get_if<CallEvent>(&event)) {
    ++calls_;
    open_[call->op] = {call->request, call->now};
  } else if (const auto* end = std::get_if<ReturnEvent>(&event)) {
    const auto open = open_.find(end->op);
    if (open == open_.end()) return;
    refused_ += end->outcome == OutcomeKind::refused;
    unknown_ += end->outcome == OutcomeKind::unknown;
    if (end->outcome == OutcomeKind::ok) returned(open->second, *end);
    open_.erase(open);
  }
}

void StressBoard::returned(const Open& call, const ReturnEvent& end) {
  if (const auto* made = std::get_if<Enqueued>(&end.response)) {
    made_.try_emplace(made->id, Seen{call.since});
  } else if (const auto* claims = std::get_if<Claims>(&end.response)) {
    for (const Claim& claim : claims->claims) {
      Seen& seen = made_.try_emplace(claim.job.id, Seen{call.since}).first->second;
      const Instant due = std::max(seen.made_at, claim.job.run_at.value_or(seen.made_at));
      if (!std::exchange(seen.was_claimed, true)) keep(waits_, call.since - due);
      held_since_[claim.job.id] = call.since;
    }
  } else if (const auto* ack = std::get_if<Ack>(&call.request)) {
    this->end(ack->hold.job_id, done_, call.since);
  } else if (const auto* fail = std::get_if<Fail>(&call.request)) {
    this->end(fail->hold.job_id, dead_, call.since);
  } else if (const auto* nack = std::get_if<Nack>(&call.request)) {
    const auto* answer = std::get_if<Nacked>(&end.response);
    if (answer && answer->state == JobState::dead)
      this->end(nack->hold.job_id, dead_, call.since);
    else
      ++retried_;
  } else if (std::holds_alternative<Retry>(call.request)) {
    ++retried_;
  }
}

void StressBoard::end(const JobId& id, std::int64_t& count, Instant at) {
  if (const auto held = held_since_.find(id); held != held_since_.end()) {
    keep(runs_, at - held->second);
    held_since_.erase(held);
  }
  Seen& seen = made_.try_emplace(id, Seen{at}).first->second;
  count += !std::exchange(seen.has_ended, true);  // it may be settled twice
}

void StressBoard::keep(std::vector<Duration>& samples, Duration value) {
  constexpr std::size_t most = 2'000;
  value = std::max(value, Duration{0});  // clocks of two callers may be a little apart
  if (samples.size() < most)
    samples.push_back(value);
  else
    samples[++samples_ % most] = value;
}

std::vector<JobId> StressBoard::jobs() const {
  std::vector<JobId> ids;
  for (const auto& [id, seen] : made_) ids.push_back(id);
  std::ranges::sort(ids);
  return ids;
}

std::vector<JobId> StressBoard::not_ended() const {
  std::vector<JobId> ids;
  for (const auto& [id, seen] : made_)
    if (!seen.has_ended) ids.push_back(id);
  std::ranges::sort(ids);
  return ids;
}

static std::string middle_and_most(std::vector<Duration> samples) {
  if (samples.empty()) return "-";
  std::ranges::sort(samples);
  return fmt::format("{} / {} ms", samples[samples.size() / 2].count(),
                     samples[samples.size() * 99 / 100].count());
}

std::string StressBoard::dashboard(double seconds) {
  const double passed = std::max(seconds - last_.at, 0.001);
  const auto rate = [&](std::int64_t now, std::int64_t before) {
    return grouped(static_cast<std::int64_t>(static_cast<double>(now - before) / passed));
  };
  std::string out = fmt::format("  {:<9}{} of {} jobs have ended: {} done, {} dead; {} run\n",
                                fmt::format("{:.1f} s", seconds), grouped(ended()),
                                grouped(std::max(jobs_, made())), grouped(done_), grouped(dead_),
                                held_since_.size());
  out +=
      fmt::format("  rates    {}/s enqueued, {}/s ended, {}/s retried\n", rate(made(), last_.made),
                  rate(ended(), last_.ended), rate(retried_, last_.retried));
  out += fmt::format(
      "  latency  {} until the first claim, {} from a claim to the end (median / 99 of 100)\n",
      middle_and_most(waits_), middle_and_most(runs_));
  out +=
      fmt::format("  calls    {}/s, {} in all: {} refused, {} without an answer\n",
                  rate(calls_, last_.calls), grouped(calls_), grouped(refused_), grouped(unknown_));
  last_ = {seconds, made(), ended(), retried_, calls_};
  return out;
}

std::string StressBoard::line(double seconds) const {
  return fmt::format("{:.1f} s: {} of {} jobs have ended ({} done, {} dead), {} retries, {} calls",
                     seconds, grouped(ended()), grouped(std::max(jobs_, made())), grouped(done_),
                     grouped(dead_), grouped(retried_), grouped(calls_));
}

}  // namespace assay::cli::queue

#include <fmt/format.h>

#include <algorithm>

#include "harness/contract/check.h"
#include "harness/contract/profile.h"

namespace assay {

namespace {

// The sentence of the value that the profile chose.
std::string_view chosen(const Profile& profile, std::string_view knob_name) {
  const auto knob = std::ranges::find(knobs(), knob_name, &Knob::name);
  CHECK(knob != knobs().end());
  return knob->values[static_cast<std::size_t>(knob->get(profile))].promise;
}

// 90'000 ms: "90 s".
std::string in_words(Duration length) {
  const std::int64_t ms = to_ms(length);
  if (ms > 0 && ms % 3'600'000 == 0) return fmt::format("{} h", ms / 3'600'000);
  if (ms > 120'000 && ms % 60'000 == 0) return fmt::format("{} min", ms / 60'000);
  if (ms > 0 && ms % 1'000 == 0) return fmt::format("{} s", ms / 1'000);
  return fmt::format("{} ms", ms);
}

std::string times(std::int64_t count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

std::string deliveries(const Profile& profile) {
  return fmt::format(
      "Deliveries: every accepted job is delivered at least once, and again only with a cause: a "
      "lost lease, a recorded failure, a lost reply or a replay. {} {}",
      chosen(profile, "durability"), chosen(profile, "dup_id"));
}

std::string claims(const Profile& profile) {
  std::string text = fmt::format("Claims: of any number of claimers one gets a job. {}",
                                 chosen(profile, "claim_style"));
  if (profile.claim_style == ClaimStyle::next)
    text += fmt::format(" One claim may ask for up to {} job{} of {}.", profile.claim_batch,
                        profile.claim_batch == 1 ? "" : "s",
                        profile.has("queue_set_claim") ? "a set of queues" : "one queue");
  if (profile.visibility_lag_max > Duration{0})
    text += fmt::format(" A runnable job may stay unseen for up to {}.",
                        in_words(profile.visibility_lag_max));
  if (profile.has("pause")) text += " Nothing is claimed from a paused queue, and nothing is lost.";
  if (profile.has("cancel"))
    text += " A cancelled job is never handed out, and its holder's later settle is refused.";
  return text;
}

std::string leases(const Profile& profile) {
  std::string text = fmt::format(
      "Leases: a claim gives a token and an expiry, the claim's instant plus the lease asked for "
      "(usually {}); until then nobody else gets the job, and an extension with the token moves "
      "the "
      "expiry to now plus the lease, never back. {} {} {}",
      in_words(profile.lease_ttl), chosen(profile, "lease_edge"), chosen(profile, "expiry_to"),
      chosen(profile, "expiry_counts"));
  if (profile.reclaim_lag_max > Duration{0})
    text += fmt::format(" Being claimable again may take up to {} longer.",
                        in_words(profile.reclaim_lag_max));
  if (profile.has("worker_id")) text += " The lease shows its holder.";
  return text;
}

std::string fencing(const Profile& profile) {
  return fmt::format("Fencing: {} {} {} {} A refused settle changes nothing.",
                     chosen(profile, "fence"), chosen(profile, "late_settle"),
                     chosen(profile, "resettle"), chosen(profile, "resettle_foreign"));
}

std::string retries(const Profile& profile) {
  return fmt::format(
      "Retries: {} {} {} A job without a limit of its own may fail {}; then it is dead. Retry "
      "delays grow from "
      "{} to {} at most, with full jitter. {}",
      chosen(profile, "decider"), chosen(profile, "counter"), chosen(profile, "limit_unit"),
      times(runs_allowed(profile, std::nullopt)), in_words(profile.backoff.base),
      in_words(profile.backoff.cap), chosen(profile, "retry_view"));
}

std::string keys(const Profile& profile) {
  std::string text = fmt::format("Keys: {}", chosen(profile, "idem"));
  if (profile.idem != Idem::none) text += fmt::format(" {}", chosen(profile, "idem_scope"));
  return text;
}

std::string order(const Profile& profile) {
  std::string text = fmt::format("Order: {}", chosen(profile, "order"));
  if (profile.has("priority")) text += " A higher priority goes first within its queue.";
  return text;
}

std::string dead_letters(const Profile& profile) {
  std::string text = fmt::format(
      "Dead letters: {} It keeps the reason, the last error and the time, and is never handed out "
      "by an ordinary claim.",
      chosen(profile, "dead_view"));
  if (!profile.has("dlq_ops")) return text + " There are no calls to list or requeue them.";
  return fmt::format("{} They can be listed. {}", text, chosen(profile, "replay"));
}

std::string time(const Profile& profile) {
  std::string text =
      fmt::format("Time: {} A job is due at its run time, never before; times are kept to {}.",
                  chosen(profile, "clock"), in_words(profile.time_resolution));
  if (!profile.has("schedule_at_enqueue"))
    text += " A job cannot be enqueued for later; only retries wait.";
  if (profile.done_retention)
    text += fmt::format(" A done job can be inspected for {}.", in_words(*profile.done_retention));
  return text;
}

std::string not_promised(const Profile& profile) {
  std::vector<std::string> list{"that a job runs exactly once", "any order between queues",
                                "how late a due job runs"};
  if (profile.order != Order::fifo) list.push_back("any order within a queue");
  if (profile.idem == Idem::none) list.push_back("that keys prevent duplicates");
  if (profile.dup_id == DupId::undefined) list.push_back("anything about an id enqueued twice");
  if (profile.expiry_counts == ExpiryCounts::no)
    list.push_back("an end to a job that kills every worker it reaches");
  if (profile.late_settle == LateSettle::unfenced || profile.fence == Fence::none)
    list.push_back("that a late worker cannot overwrite a newer one's result");
  if (profile.durability == Durability::none) list.push_back("that jobs survive a restart");
  if (profile.durability == Durability::restart) list.push_back("that jobs survive a crash");
  for (const auto& [name, what] : {std::pair{"cancel", "cancelling"},
                                   {"pause", "pausing"},
                                   {"inspect", "looking at a job"},
                                   {"list_paged", "listings"}})
    if (!profile.has(name)) list.emplace_back(what);
  return fmt::format("Not promised: {}.", fmt::join(list, "; "));
}

}  // namespace

std::vector<std::string> describe(const Profile& profile) {
  return {deliveries(profile), claims(profile),      leases(profile), fencing(profile),
          retries(profile),    keys(profile),        order(profile),  dead_letters(profile),
          time(profile),       not_promised(profile)};
}

}  // namespace assay

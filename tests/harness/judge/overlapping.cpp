#include "tests/harness/judge/overlapping.h"

#include <gtest/gtest.h>

#include "drivers/all.h"
#include "harness/contract/clock.h"
#include "harness/contract/random.h"
#include "harness/plan/generate.h"
#include "harness/run/run.h"

namespace assay::told {

History faithful(const Profile& profile, std::uint64_t seed) {
  VirtualClock clock(run_epoch);
  const auto& memory = all_drivers().front();
  auto driver =
      memory.make({.profile = profile, .clock = clock, .seed = seed, .url = {}, .scratch = {}});
  EXPECT_TRUE(driver.ok());
  return run(generate(profile, seed), *driver.value(), memory.name).history;
}

static int client_of(const Event& event, const std::map<OpId, int>& clients) {
  if (const auto* call = std::get_if<CallEvent>(&event)) return call->client;
  if (const auto* end = std::get_if<ReturnEvent>(&event)) return clients.at(end->op);
  return -1;
}

static bool is_call(const Event& event) { return std::holds_alternative<CallEvent>(event); }
static bool is_end(const Event& event) { return std::holds_alternative<ReturnEvent>(event); }

History stretched(const History& history, std::uint64_t seed) {
  History made = history;
  Random random(seed);
  std::map<OpId, int> clients;
  for (const Event& event : history.events)
    if (const auto* call = std::get_if<CallEvent>(&event)) clients[call->op] = call->client;
  std::vector<Event>& events = made.events;
  // An end goes behind a beginning of somebody else, again and again: both then overlap. (An end
  // never goes before another end's place in time, nor a call behind another call's.)
  for (int round = 0; round < 6; ++round)
    for (std::size_t i = 0; i + 1 < events.size(); ++i)
      if (is_end(events[i]) && is_call(events[i + 1]) && random.below(2) == 0 &&
          client_of(events[i], clients) != client_of(events[i + 1], clients))
        std::swap(events[i], events[i + 1]);
  // Ends among each other, and beginnings, in any order.
  for (int round = 0; round < 3; ++round)
    for (std::size_t i = 0; i + 1 < events.size(); ++i)
      if (((is_end(events[i]) && is_end(events[i + 1])) ||
           (is_call(events[i]) && is_call(events[i + 1]))) &&
          random.below(2) == 0)
        std::swap(events[i], events[i + 1]);
  return made;
}

History blurred(History history, Duration most, std::uint64_t seed) {
  Random random(seed);
  const auto some = [&] {
    return Duration{
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most.count()) + 1))};
  };
  history.profile.clock = ClockKnob::store;
  std::map<OpId, Instant> instants;
  for (Event& event : history.events) {
    if (auto* call = std::get_if<CallEvent>(&event)) {
      instants[call->op] = call->now;
      call->now -= some();
    } else if (auto* end = std::get_if<ReturnEvent>(&event)) {
      end->now = instants.at(end->op) + some();
    }
  }
  return history;
}

}  // namespace assay::told

// One history out of what several processes saw.
#include "harness/run/detail/merged.h"

#include <gtest/gtest.h>

#include "harness/history/jsonl.h"

namespace assay::detail {
namespace {

std::vector<StampedLine> lines_of(const std::vector<StampedEvent>& events,
                                  const std::vector<std::string>& clients) {
  std::vector<StampedLine> lines;
  for (const StampedEvent& one : events)
    lines.push_back({one.stamp, event_line(one.event, clients)});
  return lines;
}

std::vector<StampedEvent> a_call(std::int64_t begins, std::int64_t ends) {
  return {{begins, CallEvent{0, 0, run_epoch, Get{"j"}}},
          {ends, ReturnEvent{0, OutcomeKind::refused, Done{}, {ErrorCode::not_found, "no"}, {}}}};
}

TEST(Merged, PutsEventsInTheOrderOfTheirStamps) {
  Merged merged;
  merged.add(a_call(10, 40), {"a"});
  ASSERT_TRUE(merged.add(lines_of(a_call(20, 30), {"b"})).ok());
  History history;
  merged.into(history);
  EXPECT_EQ(history.clients, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(history.events.size(), 4U);
  EXPECT_EQ(std::get<CallEvent>(history.events[0]).client, 0);
  EXPECT_EQ(std::get<CallEvent>(history.events[1]).client, 1);
  EXPECT_EQ(std::get<CallEvent>(history.events[1]).op, 1U);
  EXPECT_EQ(std::get<ReturnEvent>(history.events[2]).op, 1U);
  EXPECT_EQ(std::get<ReturnEvent>(history.events[3]).op, 0U);
}

TEST(Merged, KeepsProcessesThatNameTheirClientsAlikeApart) {
  Merged merged;
  for (const std::int64_t at : {10, 20})
    ASSERT_TRUE(merged.add(lines_of(a_call(at, at + 5), {"w1/0"})).ok());
  History history;
  merged.into(history);
  EXPECT_EQ(history.clients, (std::vector<std::string>{"w1/0", "w1/0 #2"}));
  EXPECT_EQ(std::get<CallEvent>(history.events[2]).client, 1);
}

TEST(Merged, KeepsACallWhoseProcessDiedInIt) {
  Merged merged;
  auto events = a_call(10, 20);
  events.pop_back();
  ASSERT_TRUE(merged.add(lines_of(events, {"w"})).ok());
  History history;
  merged.into(history);
  ASSERT_EQ(history.events.size(), 1U);
}

TEST(Merged, RefusesWhatIsNoEvent) {
  Merged merged;
  auto lines = lines_of(a_call(10, 20), {"w"});
  lines[0].event = "{\"kind\": \"cal";
  EXPECT_FALSE(merged.add(lines).ok());
}

TEST(StampedLines, AreReadAsTheyWereWritten) {
  const auto read = stamped_line(stamped(42, "{}"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->stamp, 42);
  EXPECT_EQ(read->event, "{}");
  EXPECT_FALSE(stamped_line("{}"));
  EXPECT_FALSE(stamped_line("42"));
}

TEST(WorkerOrders, AreReadAsTheyWereWritten) {
  WorkerOrder order;
  order.driver = "redis";
  order.url = "unix:///s";
  order.name_space = "n";
  order.profile = *built_in_profile("trace");
  order.engine = "mutant:no_heartbeats";
  order.worker = {.name = "w1", .queues = {"q", "p"}, .concurrency = 3};
  order.worker.lease = Duration{700};
  order.seed = 18'000'000'000'000'000'000ULL;
  const auto read = worker_order_from(to_json(order));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->driver, order.driver);
  EXPECT_EQ(read->url, order.url);
  EXPECT_EQ(read->name_space, order.name_space);
  EXPECT_EQ(read->profile, order.profile);
  EXPECT_EQ(read->engine, order.engine);
  EXPECT_EQ(read->worker, order.worker);
  EXPECT_EQ(read->seed, order.seed);
  EXPECT_FALSE(worker_order_from("{}").ok());
  EXPECT_FALSE(worker_order_from("not JSON").ok());
}

}  // namespace
}  // namespace assay::detail

#include "harness/history/jsonl.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

#include "tests/fakes/arbitrary.h"

namespace assay {
namespace {

std::string written(const History& history) {
  std::ostringstream out;
  write_jsonl(history, out);
  return out.str();
}

Result<History> read(const std::string& text) {
  std::istringstream in(text);
  return read_jsonl(in);
}

std::string error_of(const std::string& text) {
  const auto history = read(text);
  return history.ok() ? "read" : history.error().message;
}

History small() {
  return {
      "memory",
      {},
      "scenario/x",
      {"w1"},
      {CallEvent{7, 0, run_epoch, Ack{{"j1", "t1", std::nullopt}}},
       ReturnEvent{7, OutcomeKind::refused, Done{}, lease_lost(LeaseReason::expired, "too late")},
       ClockEvent{run_epoch}}};
}

RC_GTEST_PROP(Jsonl, ReadsBackWhatItWrote, ()) {
  const History history = fakes::any_history();
  const auto back = read(written(history));
  if (!back.ok()) RC_FAIL(back.error().message);
  RC_ASSERT(back->driver == history.driver);
  RC_ASSERT(back->profile == history.profile);
  RC_ASSERT(back->plan == history.plan);
  RC_ASSERT(back->clients == history.clients);
  RC_ASSERT(back->events == history.events);
  RC_ASSERT(written(*back) == written(history));
  RC_ASSERT(history_hash(*back) == history_hash(history));
}

TEST(Jsonl, WritesLinesThatPeopleKnowFromTheProtocol) {
  const std::vector<std::string> clients{"w1"};
  const auto events = small().events;
  EXPECT_EQ(event_line(events[0], clients),
            R"({"kind":"call","op":7,"client":"w1","now_ms":1893456000000,"request":"ack",)"
            R"("job_id":"j1","token":"t1"})");
  EXPECT_EQ(event_line(events[1], clients),
            R"({"kind":"return","op":7,"outcome":"refused","error":{"code":"lease_lost",)"
            R"("reason":"expired","message":"too late"}})");
  EXPECT_EQ(event_line(events[2], clients), R"({"kind":"clock","now_ms":1893456000000})");
  EXPECT_EQ(event_line(events[0]).substr(0, 33), R"({"kind":"call","op":7,"client":0,)");
}

TEST(Jsonl, ReadsBackWhatAnEngineDid) {
  History history;
  history.clients = {"w/0"};
  for (const std::string_view name : engine_event_names()) {
    EngineEvent event;
    event.kind = engine_event_from(name).value();
    const auto kind = static_cast<int>(event.kind);
    event.now = run_epoch + Duration{kind};
    event.worker = "w";
    event.client = 0;
    event.job_id = "job";
    event.run = kind;
    event.word = "because";
    event.row = "row";
    event.numbers = {{"lease_ms", 30'000}};
    history.events.emplace_back(std::move(event));
  }
  history.events.emplace_back(EngineEvent{});
  std::stringstream text;
  write_jsonl(history, text);
  const auto back = read_jsonl(text);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->events, history.events);
}

TEST(Jsonl, HashesTheEventsAndNothingElse) {
  History other = small();
  other.driver = "sqlite";
  EXPECT_EQ(history_hash(other), history_hash(small()));
  other.events.pop_back();
  EXPECT_NE(history_hash(other), history_hash(small()));
}

TEST(Jsonl, SaysThatAFileIsCutShort) {
  const std::string text = written(small());
  EXPECT_EQ(error_of(text.substr(0, text.size() - 9)),
            "line 4: the file is cut short: its last line is incomplete");
  EXPECT_EQ(error_of(""), "line 1: there is no history: the file is empty");
}

TEST(Jsonl, NamesTheLineAndTheField) {
  const std::string header = header_line(small()) + '\n';
  EXPECT_EQ(error_of(header + "{]\n"), "line 2: is not valid JSON");
  EXPECT_EQ(error_of("{\"kind\":\"clock\",\"now_ms\":1}\n"),
            "line 1: kind: the first line must be the history's header");
  EXPECT_EQ(error_of(header + "{\"kind\":\"clock\",\"now_ms\":\"1\"}\n"),
            "line 2: now_ms: must be a whole number, is string");
  EXPECT_EQ(error_of(header + "{\"kind\":\"clock\",\"now_ms\":1,\"x\":2}\n"),
            "line 2: x: is not a known field");
  EXPECT_EQ(error_of(header + "{\"kind\":\"return\",\"op\":3,\"outcome\":\"ok\",\"ok\":{}}\n"),
            "line 2: op: operation 3 has not begun, or has ended already");
  const std::string call = "{\"kind\":\"call\",\"op\":0,\"now_ms\":1,\"request\":\"close\",";
  EXPECT_EQ(error_of(header + call + "\"client\":\"w9\"}\n"),
            "line 2: client: the header names no client \"w9\"");
  EXPECT_EQ(error_of(header + call + "\"client\":1}\n"), "line 2: client: there is no client 1");
}

TEST(Jsonl, RefusesASchemaItDoesNotKnow) {
  std::string text = written(small());
  text.replace(text.find("\"schema\":1"), 10, "\"schema\":2");
  EXPECT_EQ(error_of(text), "line 1: schema: is 2; this version reads 1");
}

}  // namespace
}  // namespace assay

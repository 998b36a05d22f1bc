#include "harness/history/reader.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

#include "harness/history/jsonl.h"
#include "tests/fakes/arbitrary.h"

namespace assay {
namespace {

struct Read {
  std::string error;  // of open()
  HistoryHead head;
  std::vector<Event> events;
  std::vector<HistoryNote> notes;
  std::vector<std::string> clients;

  // The only note there is: "line 3: ...".
  std::string note() const {
    if (notes.size() != 1) return std::to_string(notes.size()) + " notes";
    return "line " + std::to_string(notes[0].line) + ": " + notes[0].what;
  }
};

// Read in batches, into events that were something else before.
std::vector<Event> read_in_batches(const std::string& text) {
  std::istringstream in(text);
  HistoryReader reader(in);
  std::vector<Event> all, batch(3, ReturnEvent{7, OutcomeKind::refused, Claims{}, invalid("no")});
  if (!reader.open()) return all;
  while (reader.next(batch) && !batch.empty()) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

Read read(const std::string& text) {
  std::istringstream in(text);
  HistoryReader reader(in);
  Read read;
  const auto head = reader.open();
  if (!head) {
    read.error = head.error().message;
    return read;
  }
  read.head = *head;
  for (;;) {
    auto event = reader.next();
    if (!event) ADD_FAILURE() << event.error().message;
    if (!event || !*event) break;
    read.events.push_back(std::move(**event));
  }
  read.notes = reader.notes();
  read.clients = reader.clients();
  EXPECT_EQ(read_in_batches(text), read.events);
  return read;
}

const std::string head = "{\"kind\":\"history\",\"profile\":\"reference\"}\n";

std::string ack(int op, int now = 5) {
  return "{\"kind\":\"call\",\"op\":" + std::to_string(op) +
         ",\"client\":\"w\",\"now_ms\":" + std::to_string(now) +
         ",\"request\":\"ack\",\"job_id\":\"j\",\"token\":\"t\"}\n";
}
std::string ok(int op) {
  return "{\"kind\":\"return\",\"op\":" + std::to_string(op) + ",\"outcome\":\"ok\"}\n";
}

Instant sane(Instant any) {
  return instant_from_ms(static_cast<std::int64_t>(static_cast<std::uint64_t>(to_ms(any)) % 1000));
}

RC_GTEST_PROP(HistoryReader, ReadsTheEventsOfAWrittenHistory, ()) {
  History history = fakes::any_history();
  for (Event& event : history.events) {
    if (auto* call = std::get_if<CallEvent>(&event)) call->now = sane(call->now);
    if (auto* end = std::get_if<ReturnEvent>(&event); end && end->now) end->now = sane(*end->now);
    if (auto* clock = std::get_if<ClockEvent>(&event)) clock->now = sane(clock->now);
  }
  std::ostringstream out;
  write_jsonl(history, out);
  const Read back = read(out.str());
  RC_ASSERT(back.error == "");
  RC_ASSERT(back.head.profile == history.profile);
  RC_ASSERT(back.events == history.events);
}

TEST(HistoryReader, TakesWhatGoesWithoutSaying) {
  const Read short_one = read(
      head +
      "{\"kind\":\"call\",\"op\":1,\"now_ms\":5,\"request\":\"reserve\",\"queues\":[\"q\"],"
      "\"lease_ms\":9,\"trace\":\"x\"}\n\n"
      "{\"kind\":\"return\",\"op\":1,\"outcome\":\"ok\",\"ok\":{\"claims\":[{\"job\":{\"id\":\"j\","
      "\"queue\":\"q\",\"type\":\"t\"},\"token\":\"a\",\"expires_at_ms\":14}]}}\n" +
      ack(2) + ok(2));
  EXPECT_EQ(short_one.notes.size(), 0u);
  ASSERT_EQ(short_one.events.size(), 4u);
  EXPECT_EQ(short_one.clients, (std::vector<std::string>{"somebody", "w"}));
  const auto& claims = std::get<Claims>(std::get<ReturnEvent>(short_one.events[1]).response);
  EXPECT_EQ(claims.claims[0].job.state, JobState::leased);
}

TEST(HistoryReader, RefusesWhatIsNoHistory) {
  EXPECT_EQ(read("").error, "there is no history: the file is empty");
  EXPECT_EQ(read("\n\n").error, "there is no history: the file is empty");
  EXPECT_EQ(read("hello\n").error, "line 1: is not a JSON object: this is not a history");
  EXPECT_EQ(read("[1]\n").error, "line 1: is not a JSON object: this is not a history");
  EXPECT_EQ(read("\n{\"a\":1}\n").error, "line 2: has no \"kind\": this is not a history");
  EXPECT_EQ(read(std::string(1'000'000, '[')).error,
            "line 1: is not a JSON object: this is not a history");
  EXPECT_EQ(read("{\"kind\":\"history\",\"schema\":2}\n").error,
            "line 1: schema: is 2; this version of Assay reads 1");
  EXPECT_EQ(read("{\"kind\":\"history\",\"profile\":\"nobody\"}\n").error,
            "line 1: profile: is not the name of a built-in profile");
}

TEST(HistoryReader, NeedsNoHeader) {
  const Read bare = read(ack(1) + ok(1));
  EXPECT_FALSE(bare.head.profile);
  EXPECT_EQ(bare.events.size(), 2u);
}

TEST(HistoryReader, ReadsUpToWhereTheFileIsCutShort) {
  const Read cut = read(head + ack(1) + ok(1) + ack(2).substr(0, 30));
  EXPECT_EQ(cut.note(),
            "line 4: the file is cut short: its last line is incomplete; judged up to there");
  EXPECT_FALSE(cut.notes[0].gap);
  EXPECT_EQ(cut.events.size(), 2u);
  EXPECT_EQ(read(head + ack(1) + ok(1).substr(0, ok(1).size() - 1)).notes.size(), 0u);
}

TEST(HistoryReader, LeavesOutAndCountsKindsItDoesNotKnow) {
  const std::string strange = "{\"kind\":\"metric\",\"x\":1}\n";
  const Read read_on = read(head + strange + ack(1) + strange + ok(1));
  EXPECT_EQ(read_on.note(), "line 2: \"metric\" is not a kind of line that Assay knows: left out");
  EXPECT_EQ(read_on.notes[0].count, 2u);
  EXPECT_FALSE(read_on.notes[0].gap);
  EXPECT_EQ(read_on.events.size(), 2u);
}

TEST(HistoryReader, LeavesOutARequestItDoesNotKnowWithItsAnswer) {
  const Read read_on =
      read(head + "{\"kind\":\"call\",\"op\":1,\"now_ms\":5,\"request\":\"purge\"}\n" + ok(1));
  EXPECT_EQ(read_on.note(), "line 2: \"purge\" is not a request that the contract knows: left out");
  EXPECT_TRUE(read_on.notes[0].gap);
  EXPECT_EQ(read_on.events.size(), 0u);
}

TEST(HistoryReader, SaysThatAnOperationEndsBeforeItBegins) {
  const Read read_on =
      read(head +
           "{\"kind\":\"call\",\"op\":1,\"now_ms\":9,\"request\":\"pause\",\"queue\":\"q\"}\n"
           "{\"kind\":\"return\",\"op\":1,\"now_ms\":4,\"outcome\":\"ok\"}\n");
  EXPECT_EQ(read_on.note(),
            "line 3: time runs backwards: operation 1 begins at 9 and ends at 4; it is taken to "
            "have happened when it began");
  EXPECT_EQ(read_on.events.size(), 2u);
}

TEST(HistoryReader, SaysThatAnOperationNeverEnds) {
  const Read open = read(head + ack(1) + ack(2) + ok(2));
  EXPECT_EQ(open.note(), "line 2: operation 1 never ends: its outcome is taken as unknown");
  EXPECT_EQ(open.events.size(), 3u);
}

TEST(HistoryReader, SaysThatAClocksTimeRunsBackwards) {
  EXPECT_EQ(read(head + ack(1, 9) + ok(1) + ack(2, 8) + ok(2)).note(),
            "line 4: time runs backwards: the clock of w goes from 9 to 8");
  EXPECT_EQ(
      read(head + "{\"kind\":\"clock\",\"now_ms\":9}\n{\"kind\":\"clock\",\"now_ms\":3}\n").note(),
      "line 3: time runs backwards: the clock is put back from 9 to 3");
}

TEST(HistoryReader, LeavesOutAnAnswerToNothing) {
  const Read orphan = read(head + ack(1) + ok(1) + ok(1));
  EXPECT_EQ(orphan.note(),
            "line 4: operation 1 ends, but it has not begun or has ended already: left out");
  EXPECT_TRUE(orphan.notes[0].gap);
}

TEST(HistoryReader, TakesNoAnswerForEitherOfTwoOpenOperationsOfOneNumber) {
  const Read doubled = read(head + ack(1) + ack(1) + ok(1) + ok(1) + ack(1) + ok(1));
  ASSERT_EQ(doubled.notes.size(), 2u);
  EXPECT_EQ(doubled.notes[0].what,
            "operation 1 has begun already, at line 2: the outcome of both is taken as unknown");
  EXPECT_TRUE(doubled.notes[0].gap);
  EXPECT_EQ(doubled.notes[1].what,
            "the number of operation 1 was used before; stories may mix the two up");
  ASSERT_EQ(doubled.events.size(), 4u);
  EXPECT_NE(std::get<CallEvent>(doubled.events[0]).op, std::get<CallEvent>(doubled.events[1]).op);
}

TEST(HistoryReader, LeavesOutWhatItCannotRead) {
  const Read broken = read(head + "{]\n" + ack(1) + ok(1));
  EXPECT_EQ(broken.note(), "line 2: is not valid JSON: left out");
  EXPECT_TRUE(broken.notes[0].gap);
  EXPECT_EQ(broken.events.size(), 2u);

  const Read lacking =
      read(head + "{\"kind\":\"call\",\"op\":1,\"now_ms\":5,\"request\":\"ack\"}\n" + ok(1));
  EXPECT_EQ(lacking.note(), "line 2: job_id: is missing: left out");
  EXPECT_EQ(lacking.events.size(), 0u);

  EXPECT_EQ(read(head + "{\"kind\":\"clock\",\"now_ms\":-1}\n").note(),
            "line 2: now_ms: is no time of this world: left out");
}

TEST(HistoryReader, TakesAnAnswerThatItCannotReadAsUnknown) {
  const Read strange =
      read(head + ack(1) + "{\"kind\":\"return\",\"op\":1,\"outcome\":\"perhaps\"}\n");
  EXPECT_EQ(strange.note(),
            "line 3: outcome: must be ok, refused or unknown: the outcome of operation 1 is taken "
            "as unknown");
  EXPECT_FALSE(strange.notes[0].gap);
  ASSERT_EQ(strange.events.size(), 2u);
  EXPECT_EQ(std::get<ReturnEvent>(strange.events[1]).outcome, OutcomeKind::unknown);
}

TEST(HistoryReader, EndsWhereAnotherHistoryBegins) {
  const Read two = read(head + ack(1) + ok(1) + head + ack(1) + ok(1));
  EXPECT_EQ(two.note(), "line 4: another history begins here; judged up to there");
  EXPECT_EQ(two.events.size(), 2u);
}

// Makes every line one that is not plain, without another meaning.
std::string unusual(const std::string& text) {
  std::string made;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line); made += in.eof() ? line : line + '\n')
    if (const auto brace = line.find('{'); brace != std::string::npos && line.size() > brace + 1) {
      const auto next = line.find_first_not_of(" \t\r", brace + 1);
      const bool is_empty = next == std::string::npos || line[next] == '}';
      line.insert(brace + 1, is_empty ? "\"?\":null" : "\"?\":null,");
    }
  return made;
}

void expect_alike(const std::string& text) {
  const Read plain = read(text), other = read(unusual(text));
  RC_ASSERT(plain.error.empty() == other.error.empty());
  RC_ASSERT(plain.events == other.events);
  RC_ASSERT(plain.clients == other.clients);
  RC_ASSERT(plain.notes.size() == other.notes.size());
  for (std::size_t i = 0; i < plain.notes.size(); ++i) {
    RC_ASSERT(plain.notes[i].line == other.notes[i].line);
    RC_ASSERT(plain.notes[i].what == other.notes[i].what);
    RC_ASSERT(plain.notes[i].count == other.notes[i].count);
    RC_ASSERT(plain.notes[i].gap == other.notes[i].gap);
  }
}

RC_GTEST_PROP(HistoryReader, ReadsPlainLinesAsAllOthers, ()) {
  const History history = fakes::any_history();
  std::string text = head;
  for (const Event& event : history.events) text += event_line(event, history.clients) + "\n";
  expect_alike(text);
}

// Whatever stands beside it, and however long it is.
TEST(HistoryReader, ReadsNumbersAndTextsOfAllLengths) {
  const auto call = [](const std::string& op, const std::string& token, char after) {
    return head + "{\"kind\":\"call\",\"op\":" + op + after +
           "\"now_ms\":1893456000000,\"request\":\"ack\",\"job_id\":\"j\",\"token\":\"" + token +
           "\"}\n";
  };
  for (std::size_t size = 1; size <= 20; ++size)
    for (int after = 1; after < 256; ++after) {
      if (after == '\n') continue;
      const auto character = static_cast<char>(after);
      const std::string op = std::string("98765432109876543210").substr(0, size);
      for (const std::string& text :
           {call(op, "t", character), call("1", std::string(size, 'x') + character, ','),
            call("1", std::string(size, 'x') + character + std::string(size, 'y'), ',')}) {
        const Read plain = read(text), other = read(unusual(text));
        ASSERT_EQ(plain.events, other.events) << text;
        ASSERT_EQ(plain.notes.size(), other.notes.size()) << text;
      }
    }
}

// What somebody may do to a file: change, drop, double or add a few bytes or whole members.
RC_GTEST_PROP(HistoryReader, ReadsBrokenLinesAlikeHoweverPlainTheyAre, ()) {
  const History history = fakes::any_history();
  std::string text;
  for (const Event& event : history.events) text += event_line(event, history.clients) + "\n";
  const int changes = *rc::gen::inRange(1, 6);
  for (int i = 0; i < changes && !text.empty(); ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        text[at] = *rc::gen::element('0', '-', '9', '.', 'e', '"', '{', '}', '[', ']', ',', ':',
                                     ' ', 'n', '\\', '\xc3', '\x01');
        break;
      case 1:
        text.erase(at, *rc::gen::inRange<std::size_t>(1, 12));
        break;
      case 2:
        text.insert(at, text.substr(at, *rc::gen::inRange<std::size_t>(1, 40)));
        break;
      default:
        // A member twice, of another type, or of a name that nobody knows.
        if (const auto comma = text.find(',', at); comma != std::string::npos)
          text.insert(comma, *rc::gen::element<std::string>(
                                 ",\"op\":1", ",\"kind\":\"call\"", ",\"op\":-0", ",\"max\":1.0",
                                 ",\"max\":12345678901234567890", ",\"x\":[1,{\"y\":true}]",
                                 ",\"token\":\"t\"", ",\"token\":7", ",\"attempts\":007",
                                 ",\"outcome\":\"ok\"", ",\"ok\":{}", ",\"state\":\"done\"",
                                 ",\"now_ms\":\"5\"", ",\"client\":0"));
    }
  }
  expect_alike(head + text);
}

}  // namespace
}  // namespace assay

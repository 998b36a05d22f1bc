// What is seen of the rows of an outbox in the commits that write, change and drop them.
#include "harness/run/detail/outbox_watch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace assay::detail {
namespace {

using Texts = std::vector<std::string>;

// "row_written w a 2 r: announce_task ack q", "row_changed ... 3 tries"
std::string told_as(const EngineEvent& event) {
  std::string text = fmt::format("{} {} {} {} {}", name_of(event.kind), event.worker, event.job_id,
                                 event.run, event.row);
  if (!event.word.empty()) text += ": " + event.word;
  if (event.numbers.contains("tries")) text += fmt::format(" {} tries", event.numbers.at("tries"));
  return text;
}

// Rows are records "row/ID" and "parked/ID"; what one says is its first letter, a or e, and then
// its tries. They are about run 2 of job "a", and for queue "q" or target "t".
EngineInfo engine() {
  EngineInfo info;
  info.row_in = [](const std::string& key,
                   const std::string* value) -> std::optional<EngineRow> {
    EngineRow row;
    row.is_parked = key.starts_with("parked/");
    if (!row.is_parked && !key.starts_with("row/")) return std::nullopt;
    row.id = key.substr(key.find('/') + 1);
    if (!value || value->empty()) return row;
    const bool announces = value->front() == 'a';
    row.kind = announces ? "announce_task" : "route_event";
    row.task = "a";
    row.run = 2;
    row.target = announces ? "q" : "t";
    row.body = announces ? "" : "body";
    row.tries = std::stoll("0" + value->substr(1));
    return row;
  };
  return info;
}

class Watch {
 public:
  // A commit of that session, which the store answers so.
  Result<Committed> commit(const Commit& commit, Result<Committed> answer = Committed{},
                           const std::string& session = "w/slot0") {
    const Interception by = watch.interception();
    return by.commit({session, Role::worker}, run_epoch, commit,
                     [&](Instant, const Commit&) { return answer; });
  }
  void put(const std::string& key, const std::string& value,
           std::optional<std::int64_t> if_version = {}) {
    Commit one;
    one.puts.push_back({key, value, if_version});
    EXPECT_TRUE(commit(one).ok());
  }
  void drop(const std::string& key, const std::vector<NewJob>& jobs = {}) {
    Commit one;
    one.drops.push_back({key, {}});
    for (const NewJob& job : jobs) one.enqueues.push_back({job});
    EXPECT_TRUE(commit(one).ok());
  }

  Texts told;
  const EngineInfo its_engine = engine();
  OutboxWatch watch{its_engine, [this](const EngineEvent& event) {
                      told.push_back(told_as(event));
                    }};
};

TEST(OutboxWatch, TellsWithWhatARowWasCommitted) {
  const std::vector<std::pair<CommitSettle, std::string>> settles{
      {Ack{}, "ack"}, {Retry{}, "retry"}, {Fail{}, "fail"}, {Nack{}, "nack"}, {{}, "alone"}};
  for (const auto& [settle, companion] : settles) {
    Watch watch;
    Commit commit;
    commit.settle = settle;
    commit.puts.push_back({"row/r", "a", {}});
    EXPECT_TRUE(watch.commit(commit).ok());
    EXPECT_EQ(watch.told, Texts{"row_written w a 2 r: announce_task " + companion + " q"});
  }
}

TEST(OutboxWatch, TellsThatARowWasCommittedWithAJob) {
  Watch watch;
  Commit commit;
  commit.enqueues.push_back({});
  commit.puts.push_back({"row/r", "a", {}});
  EXPECT_TRUE(watch.commit(commit, Committed{}, "client").ok());
  EXPECT_EQ(watch.told, Texts{"row_written client a 2 r: announce_task enqueue q"});
}

TEST(OutboxWatch, TellsOfEachRowOfACommit) {
  Watch watch;
  Commit commit;
  commit.settle = Ack{};
  commit.puts = {{"row/r", "e", {}}, {"else/r", "e", {}}, {"row/s", "e", {}}};
  EXPECT_TRUE(watch.commit(commit).ok());
  EXPECT_EQ(watch.told, (Texts{"row_written w a 2 r: route_event ack t",
                               "row_written w a 2 s: route_event ack t"}));
}

TEST(OutboxWatch, TellsNothingOfWhatWasNotDone) {
  Watch watch;
  Commit commit;
  commit.puts.push_back({"row/r", "a", {}});
  const auto refused = watch.commit(commit, Error{ErrorCode::conflict, "no"});
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  const auto repeated = watch.commit(commit, Committed{.applied = false});
  EXPECT_TRUE(repeated.ok() && !repeated->applied);
  EXPECT_EQ(watch.told, Texts{});
  EXPECT_FALSE(watch.watch.has_pending());
}

TEST(OutboxWatch, TellsOfARowThatIsChangedByHowOftenItFailed) {
  Watch watch;
  watch.put("row/r", "a");
  watch.put("row/r", "a3", 1);
  EXPECT_EQ(watch.told.back(), "row_changed w a 2 r 3 tries");
}

TEST(OutboxWatch, TakesOneThatIsWrittenWhateverIsThereAsWrittenAnew) {
  Watch watch;
  watch.put("row/r", "a");
  watch.put("row/r", "a");
  watch.put("row/r", "a", 0);
  EXPECT_EQ(watch.told, Texts(3, "row_written w a 2 r: announce_task alone q"));
}

TEST(OutboxWatch, TakesAChangeOfARowThatItDoesNotKnowAsItsWriting) {
  Watch watch;
  watch.put("row/r", "a", 5);
  EXPECT_EQ(watch.told, Texts{"row_written w a 2 r: announce_task alone q"});
}

TEST(OutboxWatch, TellsOnceOfARowThatIsDropped) {
  Watch watch;
  watch.put("row/r", "a");
  watch.drop("row/r");
  watch.drop("row/r");
  EXPECT_EQ(watch.told, (Texts{"row_written w a 2 r: announce_task alone q",
                               "row_dropped w a 2 r"}));
}

TEST(OutboxWatch, TellsThatTheJobOfAnEventWasMadeWithItsDrop) {
  Watch watch;
  const NewJob right{.queue = "t", .payload = "body"};
  const NewJob wrong_queue{.queue = "q", .payload = "body"}, wrong_body{.queue = "t"};
  watch.put("row/r", "e");
  watch.drop("row/r", {wrong_queue, wrong_body});
  EXPECT_EQ(watch.told.back(), "row_dropped w a 2 r");
  watch.put("row/r", "e");
  watch.drop("row/r", {right});
  EXPECT_EQ(watch.told.back(), "row_dropped w a 2 r: enqueue");
}

TEST(OutboxWatch, TellsOfARowThatIsParkedAndNotThatItWasDropped) {
  Watch watch;
  watch.put("row/r", "a");
  Commit parks;
  parks.puts.push_back({"parked/r", "a9", {}});
  parks.drops.push_back({"row/r", 1});
  EXPECT_TRUE(watch.commit(parks).ok());
  watch.drop("parked/r");
  EXPECT_EQ(watch.told,
            (Texts{"row_written w a 2 r: announce_task alone q", "row_parked w a 2 r"}));
}

TEST(OutboxWatch, KnowsWhetherARowWaits) {
  Watch watch;
  EXPECT_FALSE(watch.watch.has_pending());
  watch.put("else/r", "a");
  EXPECT_FALSE(watch.watch.has_pending());
  watch.put("row/r", "a");
  watch.put("row/s", "e");
  watch.drop("row/r");
  EXPECT_TRUE(watch.watch.has_pending());
  watch.put("parked/s", "e");
  EXPECT_FALSE(watch.watch.has_pending());
}

TEST(OutboxWatch, StandsInNobodysWayWhereTheEngineHasNoOutbox) {
  const EngineInfo without;
  OutboxWatch watch(without, [](const EngineEvent&) { ADD_FAILURE(); });
  EXPECT_FALSE(watch.interception().is_any());
}

}  // namespace
}  // namespace assay::detail

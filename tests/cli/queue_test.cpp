// assay queue: a queue for the shell, used as a person uses it.
#include "tests/cli/queue_test.h"

#include <algorithm>
#include <sstream>

#include "harness/backend/backend.h"
#include "harness/contract/clock.h"

namespace assay::cli {
namespace {

TEST_F(QueueTest, SaysWhatItCanDo) {
  const std::string help = done({"--help"});
  for (const char* word :
       {"enqueue", "work", "list", "inspect", "cancel", "retry", "pause", "resume", "dead", "flow",
        "schedule", "stats", "stress", "reset", "ASSAY_QUEUE_URL"})
    EXPECT_TRUE(has(help, word)) << word;
  EXPECT_TRUE(has(done({"dead", "--help"}), "purge"));
  EXPECT_TRUE(has(done({"work", "--help"}), "exec:"));
  EXPECT_TRUE(has(assay({"--help"}).out, "queue"));
  EXPECT_EQ(queue({}).status, 64);
  EXPECT_EQ(queue({"dead"}).status, 64);
}

TEST_F(QueueTest, RefusesWhatItDoesNotKnowWithTheNearestName) {
  refused({"enqeue", "echo"}, "did you mean `enqueue`");
  refused({"dead", "lst"}, "did you mean `list`");
  refused({"list", "--stat", "ready"}, "did you mean `--state`");
  refused({"list", "--state", "redy"}, "did you mean `ready`");
  refused({"stats", "surplus"}, "one argument too many");
  refused({"inspect"}, "needs a job");
  refused({"work", "--handler", "x=ecko"}, "did you mean `echo`");
  refused({"work", "--handler", "nonsense"}, "TYPE=HANDLER");
  refused({"work", "--handler", "x=exec:"}, "needs a program");
  refused({"work", "--queues", "a,,b"}, "without a name");
  refused({"work", "--concurrency", "0"}, "--concurrency");
  refused({"work", "--lease", "-1s"}, "--lease");
}

TEST_F(QueueTest, WantsToKnowWhichQueueIsMeant) {
  environment_.extra["ASSAY_QUEUE_URL"] = "";
  refused({"stats"}, "which queue?");
  refused({"stats", "--driver", "memory"}, "forgets everything");
  refused({"stats", "--driver", "sqlite"}, "needs a file");
  refused({"stats", "--driver-url", "ftp://x"}, "is no queue");
  refused({"stats", "--driver", "sqlit", "--driver-url", "x"}, "did you mean `sqlite`");
  refused({"stats", "--driver-url", "sqlite:x", "--namespace", "No!"}, "--namespace");
  const Ended away = queue({"stats", "--driver-url", "redis://127.0.0.1:1"});
  EXPECT_EQ(away.status, 3);
  EXPECT_TRUE(tests::is_one_line(away.err)) << away.err;
  const std::string path = (home_ / "by_option.db").string();
  EXPECT_EQ(done({"stats", "--driver-url", "sqlite:" + path}), "no queues\n");
  EXPECT_EQ(done({"stats", "--driver", "sqlite", "--driver-url", path}), "no queues\n");
}

TEST_F(QueueTest, WorksOffWhatWasEnqueued) {
  const std::string id = enqueued({"echo", "hello, world"});
  EXPECT_EQ(inspected(id)["payload"], "hello, world");
  EXPECT_EQ(state(id), "ready");
  const Ended worked = drained();
  EXPECT_EQ(worked.status, 0) << worked.err;
  EXPECT_TRUE(has(worked.out, id + " echo run 1: began")) << worked.out;
  EXPECT_TRUE(has(worked.out, "| hello, world")) << worked.out;
  EXPECT_TRUE(has(worked.out, id + " echo run 1: succeeded")) << worked.out;
  EXPECT_TRUE(has(worked.err, "1 run: 1 succeeded, 0 failed")) << worked.err;
  EXPECT_EQ(state(id), "done");
  EXPECT_EQ(stats().at(0)["done"], 1);
}

TEST_F(QueueTest, LivesInTheTimeOfThisWorld) {
  const Instant before = RealClock().now();
  const std::string id = enqueued({"echo", "--delay", "1h"});
  const Instant after = RealClock().now();
  const Json job = inspected(id);
  EXPECT_EQ(job["state"], "scheduled");
  EXPECT_GE(job["created_at_ms"], to_ms(before));
  EXPECT_LE(job["created_at_ms"], to_ms(after));
  EXPECT_GE(job["run_at_ms"], to_ms(before) + 3'600'000);
}

TEST_F(QueueTest, TakesAPayloadOfAnyBytesFromAFile) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  const std::string id = enqueued({"copy", "--payload-file", file("in", bytes)});
  EXPECT_EQ(done({"inspect", id, "--payload"}), bytes);
  const std::string out = (home_ / "out").string();
  EXPECT_EQ(drained({"--handler", "copy=exec:sh -c 'cat > " + out + "'"}).status, 0);
  std::ifstream copy(out, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(copy), {}), bytes);
}

TEST_F(QueueTest, RefusesBadJobsBeforeAnyStoreIsAsked) {
  refused({"enqueue"}, "needs a type");
  refused({"enqueue", ""}, "the type is empty");
  refused({"enqueue", std::string(300, 't')}, "300 bytes");
  refused({"enqueue", "t", "--queue", ""}, "queue's name is empty");
  refused({"enqueue", "t", "--limit", "-1"}, "--limit");
  refused({"enqueue", "t", "--limit", "99999999999999999999"}, "--limit");
  refused({"enqueue", "t", "--timeout", "0s"}, "--timeout");
  refused({"enqueue", "t", "--delay", "soon"}, "--delay");
  refused({"enqueue", "t", "--at", "tomorrow"}, "--at");
  refused({"enqueue", "t", "--at", "2026-02-30T00:00:00Z"}, "--at");
  refused({"enqueue", "t", "--at", "9000-01-01T00:00:00Z"}, "ahead");
  refused({"enqueue", "t", "--delay", "1s", "--at", "2026-12-24T18:00:00Z"}, "both");
  refused({"enqueue", "t", "--count", "0"}, "--count");
  refused({"enqueue", "t", "--count", "2", "--key", "k"}, "cannot share");
  refused({"enqueue", "t", "--priority", "high"}, "--priority");
  refused({"enqueue", "t", "p", "--payload-file", "f"}, "twice");
  refused({"enqueue", "t", "--payload-file", "nowhere"}, "cannot be read");
  refused({"enqueue", "t", "--payload-file", file("large", std::string((1 << 20) + 1, 'x'))},
          "more than 1048576 bytes");
  EXPECT_FALSE(std::filesystem::exists(home_ / "jobs.db"));
}

TEST_F(QueueTest, MakesOneJobOfAKey) {
  const std::string id = enqueued({"echo", "--key", "hourly"});
  EXPECT_EQ(enqueued({"echo", "--key", "hourly"}), id + " (was there already)");
  EXPECT_EQ(stats().at(0)["ready"], 1);
}

TEST_F(QueueTest, ListsByStateAndQueueHoweverManyThereAre) {
  done({"enqueue", "echo", "--count", "450", "--queue", "many"});
  done({"enqueue", "echo", "--delay", "1h"});
  EXPECT_EQ(Json::parse(done({"list", "--json", "--all"})).size(), 451U);
  EXPECT_EQ(Json::parse(done({"list", "--json", "--queue", "many", "--limit", "7"})).size(), 7U);
  EXPECT_EQ(Json::parse(done({"list", "--json", "--state", "scheduled"})).size(), 1U);
  EXPECT_EQ(done({"list", "--state", "dead"}), "no jobs\n");
  const std::string table = done({"list"});
  EXPECT_EQ(std::ranges::count(table, '\n'), 52) << table;
  EXPECT_TRUE(has(table, "there are more"));
  const Ended nowhere = queue({"list", "--queue", "mnay"});
  EXPECT_EQ(nowhere.status, 1);
  EXPECT_TRUE(has(nowhere.err, "there is no queue `mnay`")) << nowhere.err;
  EXPECT_TRUE(has(nowhere.err, "known are default, many")) << nowhere.err;
}

TEST_F(QueueTest, LetsTheExitStatusOfAProgramDecide) {
  const std::string good = enqueued({"good"}), bad = enqueued({"bad", "--limit", "2"}),
                    worse = enqueued({"worse"}), absent = enqueued({"absent", "--limit", "1"});
  const Ended worked = drained(
      {"--handler", "good=exec:true", "--handler", "bad=exec:sh -c 'echo no luck >&2; exit 7'",
       "--handler", "worse=exec:sh -c 'exit 65'", "--handler", "absent=exec:/nowhere/at/all"});
  EXPECT_EQ(worked.status, 0) << worked.err;
  EXPECT_EQ(state(good), "done");
  const Json died = inspected(bad);
  EXPECT_EQ(died["state"], "dead");
  EXPECT_EQ(died["attempts"], 2);
  EXPECT_TRUE(has(died["dead"]["error"], "no luck")) << died;
  EXPECT_EQ(inspected(worse)["attempts"], 1);
  EXPECT_EQ(state(worse), "dead");
  EXPECT_EQ(state(absent), "dead");
}

TEST_F(QueueTest, KeepsTheMischiefOfAProgramWithItsOwnJob) {
  const std::string flood = enqueued({"flood"}), forks = enqueued({"forks"}),
                    hangs = enqueued({"hangs", "--limit", "1", "--timeout", "300ms"}),
                    deaf = enqueued({"deaf", "--limit", "1", "--timeout", "300ms"});
  const std::string pid = (home_ / "pid").string();
  const Ended worked = drained(
      {"--concurrency", "4", "--handler", "flood=exec:head -c 300000000 /dev/zero", "--handler",
       "forks=exec:sh -c 'sleep 1000 & echo $! > " + pid + "'", "--handler",
       "hangs=exec:sleep 1000", "--handler", "deaf=exec:sh -c \"trap '' TERM; sleep 1000\""});
  EXPECT_EQ(worked.status, 0) << worked.err;
  EXPECT_LT(worked.out.size(), 1'000'000U);
  EXPECT_EQ(state(flood), "done");
  EXPECT_EQ(state(forks), "done");
  EXPECT_EQ(state(hangs), "dead");
  EXPECT_EQ(state(deaf), "dead");
  int left = 0;
  std::ifstream(pid) >> left;
  ASSERT_GT(left, 0);
  EXPECT_FALSE(std::filesystem::exists("/proc/" + std::to_string(left))) << "it outlived its job";
}

TEST_F(QueueTest, MovesDeadJobsByHand) {
  const std::string one = enqueued({"fail", "first", "--limit", "1"}),
                    two = enqueued({"fail", "second", "--limit", "1"}),
                    keyed = enqueued({"fail", "third", "--limit", "1", "--key", "k"});
  EXPECT_EQ(drained().status, 0);
  EXPECT_EQ(Json::parse(done({"dead", "list", "--json"})).size(), 3U);
  EXPECT_TRUE(has(done({"dead", "list"}), "second"));

  EXPECT_EQ(done({"retry", one}), one + "\n");
  EXPECT_EQ(inspected(one)["state"], "ready");
  EXPECT_EQ(inspected(one)["attempts"], 1) << "what it counted stays";
  EXPECT_EQ(queue({"retry", one}).status, 1) << "it is not dead";
  EXPECT_EQ(queue({"retry", "nobody"}).status, 1);
  EXPECT_EQ(drained().status, 0);
  EXPECT_EQ(state(one), "dead");

  EXPECT_EQ(done({"dead", "requeue", two}), two + "\n");
  EXPECT_EQ(inspected(two)["attempts"], 0);
  EXPECT_EQ(done({"cancel", two}), two + " cancelled\n");
  EXPECT_EQ(queue({"cancel", two, "nobody"}).status, 1);

  const Ended unsaid = queue({"dead", "purge"});
  EXPECT_EQ(unsaid.status, 64);
  EXPECT_TRUE(has(unsaid.out, "1 dead job would be purged")) << unsaid.out;
  EXPECT_EQ(state(one), "dead");
  EXPECT_TRUE(has(done({"dead", "purge", "--yes"}), "1 dead job purged; 1 left"));
  EXPECT_EQ(state(one), "cancelled");
  EXPECT_EQ(state(keyed), "dead");
  EXPECT_TRUE(has(done({"dead", "purge", "--yes", "--keyed"}), "1 dead job purged"));
  EXPECT_EQ(done({"dead", "list"}), "nobody is dead\n");
  EXPECT_EQ(done({"dead", "requeue", "--all"}), "");
}

TEST_F(QueueTest, PausesAQueue) {
  const std::string id = enqueued({"echo"});
  EXPECT_EQ(done({"pause", "default"}), "default paused\n");
  EXPECT_EQ(queue({"pause", "nowhere"}).status, 1);
  // Long enough to have claimed it twice over.
  const std::string other = enqueued({"sleep", "700", "--queue", "other"});
  environment_.after = {other + " sleep run 1: succeeded"};
  EXPECT_EQ(queue({"work", "--queues", "default,other", "--concurrency", "2"}).status, 0);
  environment_.after = {};
  EXPECT_EQ(state(id), "ready");
  EXPECT_EQ(done({"resume", "default"}), "default resumed\n");
  EXPECT_EQ(drained().status, 0);
  EXPECT_EQ(state(id), "done");
}

TEST_F(QueueTest, LetsJobsEndWhenItIsStopped) {
  const std::string runs = enqueued({"sleep", "800"}), waits = enqueued({"sleep", "800"});
  environment_.after = {runs + " sleep run 1: began"};
  const Ended ended = queue({"work"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(has(ended.out, "claims no more")) << ended.out;
  environment_.after = {};
  EXPECT_EQ(state(runs), "done");
  EXPECT_EQ(state(waits), "ready");
}

TEST_F(QueueTest, PutsJobsBackWhenItIsStoppedTwice) {
  // A second signal that comes at once is taken for the first.
  const std::string other = enqueued({"sleep", "1500"}), id = enqueued({"hangs"});
  environment_.after = {id + " hangs run 1: began", other + " sleep run 1: succeeded"};
  const Stopwatch watch;
  const Ended ended = queue({"work", "--concurrency", "2", "--handler", "hangs=exec:sleep 1000"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_LT(watch.seconds(), 20) << "less than the grace";
  EXPECT_TRUE(has(ended.out, "interrupted: shutdown")) << ended.out;
  environment_.after = {};
  const Json job = inspected(id);
  EXPECT_EQ(job["state"], "ready");
  EXPECT_EQ(job["attempts"], 0) << "no failure of its own";
}

TEST_F(QueueTest, LeavesTheJobOfAKilledWorkerToAnotherWhenItsLeaseIsOver) {
  const std::string id = enqueued({"job", "payload"});
  environment_.after = {id + " job run 1: began"};
  environment_.signal = 9;
  const Ended killed =
      queue({"work", "--lease", "2s", "--name", "first", "--handler", "job=exec:sleep 1000"});
  EXPECT_EQ(killed.status, 128 + 9);
  environment_.after = {};
  const Json held = inspected(id);
  EXPECT_EQ(held["state"], "leased");
  EXPECT_EQ(held["lease"]["worker"], "first");
  const std::int64_t until = held["lease"]["expires_at_ms"];
  const Ended heir = drained({"--name", "second", "--handler", "job=echo", "--json"});
  EXPECT_EQ(heir.status, 0) << heir.err;
  EXPECT_EQ(state(id), "done");
  std::istringstream lines(heir.out);
  std::int64_t began = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json event = Json::parse(line);
    if (event["event"] == "began") began = event["at_ms"];
  }
  EXPECT_GE(began, until);
}

TEST_F(QueueTest, PrintsEventsForPrograms) {
  const std::string id = enqueued({"echo", "said"});
  const Ended worked = drained({"--json"});
  std::istringstream lines(worked.out);
  std::vector<std::string> events;
  for (std::string line; std::getline(lines, line);) {
    const Json event = Json::parse(line);
    events.push_back(event["event"]);
    if (event["event"] == "output") {
      EXPECT_EQ(event["output"], "said");
    }
  }
  for (const char* name : {"started", "claimed", "began", "output", "succeeded", "settle_answered",
                           "draining", "ended"})
    EXPECT_EQ(std::ranges::count(events, name), 1) << name << "\n" << worked.out;
  enqueued({"echo", "said"});
  EXPECT_EQ(drained({"--quiet"}).out, "");
}

TEST_F(QueueTest, UsesADriverBehindTheProtocolAsWell) {
  at("exec:" ASSAY_BINARY " serve sqlite --driver-url " + (home_ / "served.db").string());
  const std::string id = enqueued({"echo", "hello"});
  EXPECT_EQ(state(id), "ready") << "the second call did not empty it";
  EXPECT_EQ(drained().status, 0);
  EXPECT_EQ(state(id), "done");
  EXPECT_EQ(Json::parse(done({"stats", "--queue", "default", "--json"})).at(0)["done"], 1);
  EXPECT_EQ(queue({"stats", "--queue", "nowhere"}).status, 1);
}

TEST_F(QueueTest, MakesANamespaceAnewOnlyWhenToldTwice) {
  const std::string id = enqueued({"echo"});
  refused({"reset"}, "--yes");
  EXPECT_EQ(state(id), "ready");
  EXPECT_EQ(done({"reset", "--yes"}), "the namespace default is empty\n");
  EXPECT_EQ(queue({"inspect", id}).status, 1);
}

TEST_F(QueueTest, JudgesAStressOfADriverThatKeepsTheContract) {
  for (const char* driver : {"memory", "sqlite"}) {
    environment_.extra["ASSAY_QUEUE_URL"] = "";
    const Ended ended = queue({"stress", "--driver", driver, "--jobs", "200", "--seed", "11",
                               "--flaky", "20", "--failing", "10"});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_TRUE(has(ended.out, "seed     11")) << ended.out;
    EXPECT_TRUE(has(ended.out, "HOLDS")) << ended.out;
    EXPECT_FALSE(std::filesystem::exists(home_ / "runs") &&
                 !std::filesystem::is_empty(home_ / "runs"))
        << "a history that holds is not kept";
  }
  EXPECT_TRUE(scratch_is_empty());
}

TEST_F(QueueTest, LosesNothingWithTheWorkersThatAStressKills) {
  environment_.extra["ASSAY_QUEUE_URL"] = "";
  Words words{"stress", "--jobs",  "300", "--seed", "5",    "--kill",
              "3",      "--lease", "1s",  "--work", "20ms", "--driver"};
  words.push_back("memory");
  const Ended ended = queue(words);
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "PASS          DUR-7")) << ended.out;
  words.back() = "mutant:job_dies_with_its_worker";
  const Ended lost = queue(words);
  EXPECT_EQ(lost.status, 1) << lost.out << lost.err;
  EXPECT_TRUE(has(lost.out, "FAIL DUR-7") || has(lost.out, "FAIL          DUR-7")) << lost.out;
}

TEST_F(QueueTest, ShowsOnATerminalHowAStressStands) {
  environment_.extra["ASSAY_QUEUE_URL"] = "";
  environment_.terminal = true;
  const Ended ended =
      queue({"stress", "--driver", "memory", "--jobs", "300", "--seed", "5", "--work", "20ms"});
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_TRUE(has(ended.out, "/s enqueued")) << ended.out;
  EXPECT_TRUE(has(ended.out, "\x1b[4A")) << "it is drawn in place";
}

TEST_F(QueueTest, StressesADriverUnderEveryProfile) {
  environment_.extra["ASSAY_QUEUE_URL"] = "";
  for (const char* profile : {"taskharbor", "trace", "upnext", "weave"}) {
    const Ended ended = queue({"stress", "--driver", "memory", "--profile", profile, "--jobs",
                               "100", "--seed", "4", "--flaky", "0", "--failing", "0", "--quiet"});
    EXPECT_EQ(ended.status, 0) << profile << ended.out << ended.err;
    EXPECT_TRUE(has(ended.out, "HOLDS")) << ended.out;
  }
}

TEST_F(QueueTest, ConvictsADriverThatBreaksItUnderStress) {
  environment_.extra["ASSAY_QUEUE_URL"] = "";
  const std::string history = (home_ / "history.jsonl").string();
  const Ended ended = queue({"stress", "--driver", "mutant:enqueue_drops_some", "--jobs", "300",
                             "--seed", "3", "--lease", "1s", "--out", history});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "FAIL")) << ended.out;
  EXPECT_TRUE(has(ended.out, "judge " + history)) << ended.out;
  EXPECT_EQ(assay({"judge", history}).status, 1);
}

TEST_F(QueueTest, RefusesAStressThatMakesNoSense) {
  refused({"stress", "--driver", "memory", "--jobs", "0"}, "--jobs");
  refused({"stress", "--driver", "memory", "--flaky", "101"}, "--flaky");
  refused({"stress", "--driver", "memory", "--flaky", "60", "--failing", "60"}, "a hundred");
  refused({"stress", "--driver", "memory", "--namespace", "mine"}, "of its own");
  refused({"stress", "--driver", "memory", "--profile", "trace", "--delayed", "5"}, "for later");
}

// Of a real server, started for the test.
class QueueOnServer : public QueueTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    QueueTest::SetUp();
    auto started = start_backend(GetParam(), {.scratch = (home_ / "tmp").string()});
    if (!started.ok()) GTEST_SKIP() << started.error().message;
    server_ = std::move(*started);
    at(server_->url());
  }
  std::unique_ptr<Backend> server_;
};

TEST_P(QueueOnServer, WorksOffWhatWasEnqueued) {
  const std::string good = enqueued({"echo", "hello"}),
                    bad = enqueued({"fail", "no", "--limit", "1", "--queue", "other"});
  const Ended worked = drained({"--queues", "default,other", "--concurrency", "2"});
  EXPECT_EQ(worked.status, 0) << worked.err;
  EXPECT_EQ(state(good), "done");
  EXPECT_EQ(state(bad), "dead");
  const Json counted = stats();
  ASSERT_EQ(counted.size(), 2U);
  EXPECT_EQ(counted[1]["dead"], 1);
  EXPECT_TRUE(has(done({"dead", "purge", "--yes"}), "1 dead job purged"));
  EXPECT_EQ(state(bad), "cancelled");
}

TEST_P(QueueOnServer, LeavesTheJobOfAKilledWorkerToAnotherWhenItsLeaseIsOver) {
  const std::string id = enqueued({"job"});
  environment_.after = {id + " job run 1: began"};
  environment_.signal = 9;
  EXPECT_EQ(queue({"work", "--lease", "2s", "--handler", "job=exec:sleep 1000"}).status, 128 + 9);
  environment_.after = {};
  EXPECT_EQ(state(id), "leased");
  EXPECT_EQ(drained({"--handler", "job=echo"}).status, 0);
  EXPECT_EQ(state(id), "done");
}

// A clock that is moved by a harness would stand still.
TEST_P(QueueOnServer, LivesByTheClockOfItsServerWhereTheProfileSaysSo) {
  const Words as{"--profile", "weave", "--namespace", "woven"};
  const auto with = [&](Words words) {
    words.insert(words.end(), as.begin(), as.end());
    return words;
  };
  for (int i = 0; i < 2; ++i) {
    const std::int64_t before = to_ms(RealClock().now());
    const std::string id = enqueued(with({"echo"}));
    const std::int64_t after = to_ms(RealClock().now());
    const Json job = Json::parse(done(with({"inspect", id, "--json"})));
    EXPECT_GE(job["created_at_ms"], before);
    EXPECT_LE(job["created_at_ms"], after);
  }
  EXPECT_EQ(drained(as).status, 0);
}

TEST_P(QueueOnServer, JudgesAStress) {
  const Ended ended = queue({"stress", "--jobs", "300", "--seed", "5"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "HOLDS")) << ended.out;
}

INSTANTIATE_TEST_SUITE_P(Servers, QueueOnServer, testing::Values("postgres", "redis"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace assay::cli

// The handlers that come with the engine.
#include <signal.h>
#include <stdlib.h>

#include <filesystem>

#include "engine/handlers/echo.h"
#include "engine/handlers/exec.h"
#include "engine/handlers/fail.h"
#include "engine/handlers/flaky.h"
#include "engine/handlers/sleeper.h"
#include "tests/engine/shop.h"

namespace assay::engine {
namespace {

using namespace handlers;

struct Once {
  Job job;
  VirtualClock clock;
  std::stop_source stop;
  std::atomic<Interruption> why = Interruption::none;
  std::int64_t run = 1;

  explicit Once(std::string payload = {}) {
    job.id = "j";
    job.type = "t";
    job.queue = "q";
    job.payload = std::move(payload);
  }
  HandlerResult of(const Handler& handler) {
    Context context(job, run, clock, stop.get_token(), why);
    return handler(context);
  }
};

std::string error_of(const HandlerResult& result) {
  const auto* failure = std::get_if<Failure>(&result);
  return failure ? failure->error : "";
}
bool is_final(const HandlerResult& result) { return std::get<Failure>(result).unrecoverable; }

TEST(HandlersTest, EchoHandsThePayloadOn) {
  std::string heard;
  EXPECT_EQ(Once("hello").of(echo([&](const Job& job) { heard = job.payload; })),
            HandlerResult(Success{}));
  EXPECT_EQ(heard, "hello");
  EXPECT_EQ(Once("hello").of(echo()), HandlerResult(Success{}));
}

TEST(HandlersTest, SleeperTakesAsLongAsItWasTold) {
  Once once("1500");
  EXPECT_EQ(once.of(sleeper()), HandlerResult(Success{}));
  EXPECT_EQ(once.clock.now(), run_epoch + 1500ms);
  once.stop.request_stop();
  EXPECT_EQ(error_of(once.of(sleeper())), "interrupted");
  for (const auto bad : {"", "x", "-1", "1.5", "99999999999999999999"})
    EXPECT_TRUE(is_final(Once(bad).of(sleeper()))) << bad;
}

TEST(HandlersTest, FailFails) {
  EXPECT_EQ(Once("why").of(fail()), HandlerResult(Failure{"why", false}));
  EXPECT_EQ(Once("").of(fail(true)), HandlerResult(Failure{"it always fails", true}));
}

TEST(HandlersTest, FlakyFailsAsOftenAsItWasToldByJobAndRun) {
  int failed = 0;
  for (int i = 0; i < 1000; ++i) {
    Once once;
    once.job.id = std::to_string(i);
    const auto result = once.of(flaky(7, 30));
    EXPECT_EQ(result, once.of(flaky(7, 30)));
    failed += std::holds_alternative<Failure>(result);
  }
  EXPECT_GT(failed, 240);
  EXPECT_LT(failed, 360);
  EXPECT_EQ(Once().of(flaky(1, 0)), HandlerResult(Success{}));
  EXPECT_NE(Once().of(flaky(1, 100)), HandlerResult(Success{}));
}

// --- exec ---

struct Ran {
  HandlerResult result = Success{};
  Execution execution = {};
};

Ran shell(std::string script, std::string payload = {}, std::size_t bytes = 1000) {
  Ran ran;
  ExecOptions options;
  options.words = {"/bin/sh", "-c", std::move(script)};
  options.output_bytes = bytes;
  options.listener = [&](const Job&, const Execution& execution) { ran.execution = execution; };
  ran.result = Once(std::move(payload)).of(exec(options));
  return ran;
}

bool is_gone(pid_t pid) {
  for (int tries = 0; tries < 300; ++tries) {
    if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
    RealClock().sleep_until(RealClock().now() + 10ms, {});
  }
  return false;
}

TEST(ExecTest, GivesThePayloadToTheProgramAndKeepsWhatItSays) {
  const Ran ran = shell("cat; echo $JOB_ID $JOB_TYPE $JOB_QUEUE $JOB_RUN; echo oops >&2", "in\n");
  EXPECT_EQ(ran.result, HandlerResult(Success{}));
  EXPECT_EQ(ran.execution.output, "in\nj t q 1\n");
  EXPECT_EQ(ran.execution.log, "oops\n");
  EXPECT_TRUE(ran.execution.is_whole);
}

TEST(ExecTest, FailsByTheStatusOfTheProgram) {
  EXPECT_EQ(shell("exit 3").result, HandlerResult(Failure{"the program ended with status 3"}));
  EXPECT_EQ(shell("echo first >&2; echo last >&2; exit 3").result,
            HandlerResult(Failure{"the program ended with status 3: last"}));
  EXPECT_EQ(shell("echo said; exit 65").result,
            HandlerResult(Failure{"the program ended with status 65: said", true}));
  EXPECT_EQ(shell("kill -9 $$").result,
            HandlerResult(Failure{"the program was killed by signal 9"}));
}

TEST(ExecTest, FailsWhereThereIsNoSuchProgram) {
  ExecOptions options;
  options.words = {"/no/such/program"};
  EXPECT_NE(error_of(Once().of(exec(options))).find("/no/such/program"), std::string::npos);
  EXPECT_NE(error_of(Once().of(exec({}))), "");
}

TEST(ExecTest, FeedsMoreThanAPipeHoldsToOneThatAnswersAsItReads) {
  const std::string payload(5 << 20, 'x');
  const Ran ran = shell("cat", payload, 8 << 20);
  EXPECT_EQ(ran.result, HandlerResult(Success{}));
  EXPECT_EQ(ran.execution.output.size(), payload.size());
}

TEST(ExecTest, IsNotEndedByAProgramThatDoesNotReadItsInput) {
  EXPECT_EQ(shell("exec <&-; sleep 0.05; exit 0", std::string(5 << 20, 'x')).result,
            HandlerResult(Success{}));
}

TEST(ExecTest, ForgetsWhatIsMoreThanItsBound) {
  const Ran ran = shell("head -c 100000000 /dev/zero; echo done >&2");
  EXPECT_EQ(ran.result, HandlerResult(Success{}));
  EXPECT_EQ(ran.execution.output.size(), 1000u);
  EXPECT_EQ(ran.execution.log, "done\n");
  EXPECT_FALSE(ran.execution.is_whole);
}

TEST(ExecTest, LeavesNothingBehindThatTheProgramForked) {
  const Ran ran = shell("setsid sleep 1000 & echo $!; exit 0");
  EXPECT_EQ(ran.result, HandlerResult(Success{}));
  const pid_t child = std::stoi(ran.execution.output);
  ASSERT_GT(child, 0);
  EXPECT_TRUE(is_gone(child));
}

// A file that a program makes when it is ready.
class Sign {
 public:
  Sign() { EXPECT_NE(::mkdtemp(folder_.data()), nullptr); }
  ~Sign() { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/ready"; }
  void wait() const {
    for (int tries = 0; tries < 3000 && !std::filesystem::exists(path()); ++tries)
      RealClock().sleep_until(RealClock().now() + 10ms, {});
  }

 private:
  std::string folder_ = "/tmp/exec_test.XXXXXX";
};

TEST(ExecTest, AsksTheProgramToEndWhenItIsInterruptedAndKillsOneThatDoesNot) {
  struct Row {
    const char* script;
    const char* error;
    double polite_seconds;
  };
  for (const Row& row :
       {Row{"trap 'echo bye >&2; exit 7' TERM; echo $$; touch $READY; while :; do sleep 0.01; done",
            "the program ended with status 7: bye", 30},
        Row{"trap '' TERM; (while :; do sleep 0.01; done) & echo $!; touch $READY; wait; wait",
            "the program was killed, since it did not end when asked to", 0.2}}) {
    const auto runtime = real_runtime();
    const Sign sign;
    Once once;
    Execution execution;
    ExecOptions options;
    options.words = {"/bin/sh", "-c", row.script};
    options.environment = {{"READY", sign.path()}};
    options.polite_seconds = row.polite_seconds;
    options.listener = [&](const Job&, const Execution& e) { execution = e; };
    HandlerResult result;
    const auto task =
        runtime->start("exec", [&](std::stop_token) { result = once.of(exec(options)); });
    sign.wait();
    once.stop.request_stop();
    EXPECT_TRUE(task->join_until(runtime->clock().now() + 60s));
    EXPECT_EQ(error_of(result), row.error);
    EXPECT_TRUE(is_gone(std::stoi(execution.output)));
  }
}

}  // namespace
}  // namespace assay::engine

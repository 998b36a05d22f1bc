// The preloaded clock in a program that knows nothing of it.
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "harness/clock/faketime.h"
#include "harness/clock/process_clock.h"
#include "harness/contract/clock.h"
#include "harness/remote/process.h"
#include "tests/harness/backend/fixture.h"

namespace assay {
namespace {

using backend_test::Folder;
using std::chrono::hours;
using std::chrono::milliseconds;

constexpr Instant noon = run_epoch + hours(12) + milliseconds(345);

// A teller (teller.cpp) that was started, to be asked.
class Teller {
 public:
  explicit Teller(const std::vector<std::pair<std::string, std::string>>& environment) {
    auto process = Process::start({{ASSAY_TELLER}, environment, {}});
    EXPECT_TRUE(process.ok());
    if (process.ok()) process_ = std::move(*process);
  }

  void say(std::string line) {
    line += '\n';
    ASSERT_EQ(::write(process_->input(), line.data(), line.size()),
              static_cast<ssize_t>(line.size()));
  }

  // The next line of its own, within half a minute.
  std::string hear() {
    for (;;) {
      if (const auto end = heard_.find('\n'); end != heard_.npos) {
        std::string line = heard_.substr(0, end);
        heard_.erase(0, end + 1);
        return line;
      }
      pollfd ready{process_->output(), POLLIN, 0};
      char bytes[4096];
      if (::poll(&ready, 1, 30'000) <= 0) return "silence";
      const ssize_t size = ::read(process_->output(), bytes, sizeof bytes);
      if (size <= 0) return "it ended";
      heard_.append(bytes, static_cast<std::size_t>(size));
    }
  }

  std::string ask(const std::string& line) {
    say(line);
    return hear();
  }

  bool has_more_to_say() {
    pollfd ready{process_->output(), POLLIN, 0};
    return !heard_.empty() || ::poll(&ready, 1, 0) > 0;
  }

  pid_t pid() const { return process_->pid(); }

 private:
  std::unique_ptr<Process> process_;
  std::string heard_;
};

std::string ms(Instant at) { return std::to_string(to_ms(at)); }

class PreloadedClock : public testing::Test {
 protected:
  const Folder folder_;
  const std::unique_ptr<ProcessClock> clock_ = ProcessClock::make(folder_.text()).value();
};

TEST_F(PreloadedClock, TellsTheSameTimeInEveryWay) {
  Teller teller(clock_->environment());
  for (const Instant at : {noon, run_epoch, instant_from_ms(1), noon + hours(24 * 365 * 200)}) {
    clock_->stand_at(at);
    std::ostringstream expected;
    for (int way = 0; way < 5; ++way) expected << to_ms(at) << " ";
    expected << to_ms(at) / 1000;
    EXPECT_EQ(teller.ask("all"), expected.str());
  }
}

TEST_F(PreloadedClock, IsTheMachinesUntilItIsSetAndWhereItIsToldSo) {
  Teller teller(clock_->environment());
  EXPECT_EQ(teller.ask("kernel"), "1 1");
  clock_->stand_at(noon);
  EXPECT_EQ(teller.ask("kernel"), "0 1");
  clock_->follow_machine();
  EXPECT_EQ(teller.ask("kernel"), "1 1");
}

TEST_F(PreloadedClock, MovesBackAndForth) {
  Teller teller(clock_->environment());
  for (const int step : {0, 3600, -7200, 1, -1, 86'400 * 365, -86'400 * 3650}) {
    clock_->stand_at(noon + std::chrono::seconds(step));
    EXPECT_EQ(teller.ask("fork"), ms(noon + std::chrono::seconds(step)));
  }
}

TEST_F(PreloadedClock, IsInheritedByChildrenProgramsAndSignalHandlers) {
  clock_->stand_at(noon);
  Teller teller(clock_->environment());
  for (const std::string way : {"fork", "program", "signal"}) {
    clock_->stand_at(noon);
    EXPECT_EQ(teller.ask(way), ms(noon)) << way;
    clock_->stand_at(noon + hours(1));
    EXPECT_EQ(teller.ask(way), ms(noon + hours(1))) << way;
  }
}

TEST_F(PreloadedClock, RunsAtItsRateFromWhereItWasSet) {
  Teller teller(clock_->environment());
  for (const double rate : {1.0, 0.5, 2.0, 1000.0, -1.0}) {
    ASSERT_TRUE(clock_->skew(hours(-1), rate).ok());
    std::int64_t before[2], at[2], after[2];
    for (int i = 0; i < 2; ++i)
      std::istringstream(teller.ask("rate")) >> before[i] >> at[i] >> after[i];
    const auto least = static_cast<double>(before[1] - after[0]) * rate;
    const auto most = static_cast<double>(after[1] - before[0]) * rate;
    const auto passed = static_cast<double>(at[1] - at[0]);
    EXPECT_GE(passed, std::min(least, most) - 2) << rate;
    EXPECT_LE(passed, std::max(least, most) + 2) << rate;
  }
}

TEST_F(PreloadedClock, IsOffByWhatItWasToldTo) {
  Teller teller(clock_->environment());
  ASSERT_TRUE(clock_->skew(hours(-1)).ok());
  const Instant before = RealClock().now() - hours(1);
  std::int64_t seen = 0;
  std::istringstream(teller.ask("fork")) >> seen;
  EXPECT_GE(instant_from_ms(seen), before - milliseconds(1));
  EXPECT_LE(instant_from_ms(seen), RealClock().now() - hours(1) + milliseconds(1));
}

// The same by other people's library.
class FaketimeClock : public testing::Test {
 protected:
  void SetUp() override {
    if (!faketime::library()) GTEST_SKIP() << "libfaketime is not installed";
  }
  void TearDown() override { ::unsetenv("ASSAY_CLOCK"); }

  const Folder folder_;
};

TEST_F(FaketimeClock, IsOffByWhatItWasToldToInAProcessThatRuns) {
  ASSERT_EQ(::setenv("ASSAY_CLOCK", "libfaketime", 1), 0);
  const auto clock = ProcessClock::make(folder_.text());
  ASSERT_TRUE(clock.ok()) << clock.error().message;
  EXPECT_EQ((*clock)->source(), "libfaketime");
  Teller teller((*clock)->environment());
  for (const auto offset : {milliseconds(0), milliseconds(-3'600'250), milliseconds(86'400'000)}) {
    ASSERT_TRUE((*clock)->skew(offset).ok());
    const Instant before = RealClock().now() + offset;
    std::int64_t seen = 0;
    std::istringstream(teller.ask("fork")) >> seen;
    EXPECT_GE(instant_from_ms(seen), before - milliseconds(2));
    EXPECT_LE(instant_from_ms(seen), RealClock().now() + offset + milliseconds(2));
    EXPECT_TRUE((*clock)->is_in(teller.pid()).ok());
  }
  EXPECT_FALSE((*clock)->is_in(::getpid()).ok());
  EXPECT_EQ((*clock)->skew(hours(1), 2).error().code, ErrorCode::unsupported);
}

TEST_F(FaketimeClock, IsNoneWhereTheEnvironmentNamesAnother) {
  ASSERT_EQ(::setenv("ASSAY_CLOCK", "sundial", 1), 0);
  const auto clock = ProcessClock::make(folder_.text());
  ASSERT_FALSE(clock.ok());
  EXPECT_EQ(clock.error().code, ErrorCode::invalid);
}

class Waiting : public PreloadedClock, public testing::WithParamInterface<std::string> {};

TEST_P(Waiting, EndsWhenTheClockGetsThere) {
  clock_->stand_at(noon);
  Teller teller(clock_->environment());
  ASSERT_EQ(teller.ask("wait " + GetParam() + " 3600000"), "waiting");
  clock_->stand_at(noon + hours(1) - milliseconds(1));
  // Two looks of its own go by meanwhile.
  EXPECT_EQ(teller.ask("monotonic"), "timeout");
  EXPECT_FALSE(teller.has_more_to_say());
  clock_->stand_at(noon + hours(1));
  EXPECT_EQ(teller.hear(), "timeout " + ms(noon + hours(1)));
}

TEST_P(Waiting, DoesNotBeginForWhatIsPast) {
  clock_->stand_at(noon);
  Teller teller(clock_->environment());
  ASSERT_EQ(teller.ask("wait " + GetParam() + " -3600000"), "waiting");
  EXPECT_EQ(teller.hear(), "timeout " + ms(noon));
}

TEST_P(Waiting, KeepsToAClockThatRuns) {
  ASSERT_TRUE(clock_->skew(hours(1), 1000).ok());
  Teller teller(clock_->environment());
  ASSERT_EQ(teller.ask("wait " + GetParam() + " 60000"), "waiting");
  EXPECT_TRUE(teller.hear().starts_with("timeout "));
}

INSTANTIATE_TEST_SUITE_P(PreloadedClock, Waiting,
                         testing::Values("condition", "condition_clock", "semaphore",
                                         "semaphore_clock", "mutex", "mutex_clock", "sleep"),
                         [](const auto& info) { return info.param; });

TEST_F(PreloadedClock, DoesNotKeepAWaiterFromBeingWoken) {
  clock_->stand_at(noon);
  Teller teller(clock_->environment());
  ASSERT_EQ(teller.ask("wait condition 3600000"), "waiting");
  EXPECT_EQ(teller.ask("wake"), "Success " + ms(noon));
}

TEST_F(PreloadedClock, LeavesConditionsOfMonotonicTimeAlone) {
  clock_->stand_at(noon);
  EXPECT_EQ(Teller(clock_->environment()).ask("monotonic"), "timeout");
}

TEST_F(PreloadedClock, LetsShortTimersComeTrueInTheirHandlerAlone) {
  Teller teller(clock_->environment());
  clock_->stand_at(noon);
  EXPECT_EQ(teller.ask("alarm"), "ours rang due 0");
}

TEST_F(PreloadedClock, DoesNotHastenALongTimerAtItsEnd) {
  Teller teller(clock_->environment());
  clock_->stand_at(noon);
  ASSERT_EQ(teller.ask("hour"), "set");
  clock_->stand_at(noon + hours(1) - milliseconds(1));
  ::kill(teller.pid(), SIGALRM);
  EXPECT_EQ(teller.hear(), "early");
  clock_->stand_at(noon + hours(1));
  EXPECT_EQ(teller.hear(), ms(noon + hours(1)));
}

TEST_F(PreloadedClock, IsNeverReadInTwoHalves) {
  // The fraction of each instant is its second's last three digits, in milliseconds.
  const auto instant = [](std::int64_t second) {
    return instant_from_ms(second * 1000 + second % 1000);
  };
  clock_->stand_at(instant(1'893'456'000));
  Teller teller(clock_->environment());
  teller.say("torn 3000000");
  const std::jthread mover([&](const std::stop_token& stop) {
    for (std::int64_t i = 0; !stop.stop_requested(); ++i)
      clock_->stand_at(instant(1'893'456'000 + i % 1000));
  });
  EXPECT_EQ(teller.hear(), "0");
}

TEST_F(PreloadedClock, CanBeSeenInItsProcess) {
  Teller teller(clock_->environment()), free({});
  EXPECT_EQ(teller.ask("kernel"), "1 1");
  EXPECT_EQ(free.ask("kernel"), "1 1");
  EXPECT_TRUE(clock_->is_in(teller.pid()).ok());
  EXPECT_FALSE(clock_->is_in(free.pid()).ok());
}

TEST_F(PreloadedClock, IsTheMachinesWhereItsFileIsMissingOrIsNone) {
  const auto bytes = [](const ClockControl& control) {
    return std::string(reinterpret_cast<const char*>(&control), sizeof control);
  };
  ClockControl whole{clock_magic, 0, {{1, 5, 5, 0, 0}, {}}};
  ClockControl odd{clock_magic, 77, {{1, 5, 5, 0, 0}, {-3, 1, 1, 1, 1}}};
  const std::string good = bytes(whole);
  for (const std::string& text : {std::string(), good.substr(0, 95), std::string(96, '\xff'),
                                  std::string(100'000, 'x'), bytes(odd)}) {
    const auto path = (folder_ / "file").string();
    std::ofstream(path, std::ios::binary) << text;
    Teller teller({clock_->environment()[0], {clock_variable, path}});
    EXPECT_EQ(teller.ask("kernel"), "1 1") << text.size();
  }
  for (const std::string& path : {std::string("/nonexistent"), folder_.text(), std::string()}) {
    Teller teller({clock_->environment()[0], {clock_variable, path}});
    EXPECT_EQ(teller.ask("kernel"), "1 1") << path;
  }
  Teller teller({clock_->environment()[0]});
  EXPECT_EQ(teller.ask("kernel"), "1 1");
}

TEST_F(PreloadedClock, OutlivesItsFile) {
  Teller teller(clock_->environment());
  clock_->stand_at(noon);
  EXPECT_EQ(teller.ask("fork"), ms(noon));
  backend_test::fs::remove(clock_->environment()[1].second);
  clock_->stand_at(run_epoch);
  EXPECT_EQ(teller.ask("fork"), ms(run_epoch));
}

}  // namespace
}  // namespace assay

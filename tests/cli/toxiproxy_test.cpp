// `--toxiproxy`: runs whose clients go to their store through a Toxiproxy of somebody else's, one
// that was started for them, or the embedded one; and what is left of such a run that was killed.
#include <signal.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "faults/toxiproxy/server.h"
#include "harness/remote/process.h"
#include "tests/cli/cli_test.h"
#include "tests/cli/processes.h"
#include "tests/faults/toxiproxy/real_server.h"

namespace assay::tests {
namespace {

using Json = nlohmann::json;

enum class Whose { ours, real };

class ToxiproxyOption : public CliTest, public testing::WithParamInterface<Whose> {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    if (std::system("command -v redis-server >/dev/null") != 0)
      GTEST_SKIP() << "no redis-server here";
    if (GetParam() == Whose::ours) {
      auto started = toxiproxy::Server::start({"127.0.0.1", 0, 42});
      ASSERT_TRUE(started.ok());
      server_ = std::move(*started);
    } else {
      real_ = toxiproxy::real_server();
      if (!real_) GTEST_SKIP() << toxiproxy::no_real_server;
    }
  }

  std::string url() const { return server_ ? server_->url() : real_->client().url(); }
  std::size_t proxies() const {
    const auto client = toxiproxy::Client::to(url());
    const auto all = client->proxies();
    return all.ok() ? all->size() : 0;
  }
  void end_server() {
    server_.reset();
    real_.reset();
  }

  // A run that goes on until it is ended.
  std::unique_ptr<Process> long_run() const {
    auto running =
        Process::start({{ASSAY_BINARY, "chaos", "redis", "--faults", "partition,slow_network",
                         "--clients", "4", "--for", "5m", "--seed", "5", "--toxiproxy", url()},
                        {{"TMPDIR", (home_ / "tmp").string()}},
                        home_.string()});
    EXPECT_TRUE(running.ok());
    return std::move(*running);
  }

  std::unique_ptr<toxiproxy::Server> server_;
  std::unique_ptr<toxiproxy::Instance> real_;
};

TEST_P(ToxiproxyOption, NamesWhatTheLinesOfClientsGoThrough) {
  const Ended ended = assay({"chaos", "redis", "--faults", "partition,slow_network", "--clients",
                             "6", "--for", "4s", "--seed", "5", "--json", "--toxiproxy", url()});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  const Json report = Json::parse(ended.out);
  EXPECT_NE(report["network"].get<std::string>().find(url()), std::string::npos);
  std::size_t proven = 0;  // a fault may meet nobody
  for (const Json& fault : report["faults"]) proven += fault["proven"].get<std::size_t>();
  EXPECT_GT(proven, 0u) << ended.out;
  EXPECT_EQ(proxies(), 0u);
  EXPECT_TRUE(scratch_is_empty());
}

TEST_P(ToxiproxyOption, LeadsToACertificate) {
  const Ended ended = assay({"certify", "redis", "--level", "chaos", "--seed", "7", "--cases", "40",
                             "--json", "--toxiproxy", url()});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const Json report = Json::parse(ended.out);
  EXPECT_TRUE(report["certified"]);
  EXPECT_NE(report["network"].get<std::string>().find(url()), std::string::npos);
  EXPECT_NE(ended.err.find("  network  "), std::string::npos) << ended.err;
  std::map<std::string, int> proven;
  for (const Json& fault : report["faults"]) proven[fault["fault"]] = fault["proven"];
  for (const char* name : {"partition", "half_open", "lose_replies", "slow_network",
                           "reset_connections", "cut_at_byte", "refuse_connections"})
    EXPECT_GT(proven[name], 0) << name;
  EXPECT_EQ(proxies(), 0u);
}

TEST_P(ToxiproxyOption, OfOneThatEndsInTheMiddleIsTroubleOfOurOwn) {
  const auto running = long_run();
  ASSERT_TRUE(wait_until([&] { return proxies() > 3; }));
  const std::string named = url();
  end_server();
  const auto ending = running->ending(60);
  EXPECT_EQ(ending, "ended with status 3");
  char said[4096] = "";
  const ssize_t size = ::read(running->log(), said, sizeof said - 1);
  const std::string text(said, size > 0 ? static_cast<std::size_t>(size) : 0);
  EXPECT_NE(text.find("the Toxiproxy at " + named), std::string::npos) << text;
  EXPECT_TRUE(is_one_line(text)) << text;
}

TEST_P(ToxiproxyOption, OfARunThatWasKilledIsPutRight) {
  const auto running = long_run();
  ASSERT_TRUE(wait_until([&] { return proxies() > 3; }));
  ::kill(running->pid(), SIGKILL);
  ASSERT_TRUE(running->ending(10));
  ASSERT_GT(proxies(), 3u) << "nobody has removed them";

  const Ended healed = assay({"heal"});
  EXPECT_EQ(healed.status, 0) << healed.out << healed.err;
  EXPECT_NE(healed.out.find("was removed"), std::string::npos) << healed.out;
  EXPECT_EQ(proxies(), 0u);
  EXPECT_TRUE(scratch_is_empty());
}

TEST_P(ToxiproxyOption, OfARunThatWasKilledIsPutRightEvenIfTheServerIsGoneToo) {
  const auto running = long_run();
  ASSERT_TRUE(wait_until([&] { return proxies() > 3; }));
  ::kill(running->pid(), SIGKILL);
  ASSERT_TRUE(running->ending(10));
  end_server();
  const Ended healed = assay({"heal"});
  EXPECT_EQ(healed.status, 0) << healed.out << healed.err;
  EXPECT_TRUE(scratch_is_empty());
}

// Again and again for longer than a client waits.
TEST_P(ToxiproxyOption, OfOneThatStandsStillBlamesNoDriver) {
  if (!real_) GTEST_SKIP() << "our server lives in this process";
  const std::string port = url().substr(url().rfind(':') + 1);
  pid_t server = 0;
  for (const auto& [pid, words] : processes_with("LOG_LEVEL=fatal"))
    if (words.find("toxiproxy-server") != std::string::npos &&
        words.find(port) != std::string::npos)
      server = pid;
  ASSERT_GT(server, 0);
  std::jthread stalls([&](const std::stop_token& stop) {
    RealClock clock;
    while (!stop.stop_requested()) {
      clock.sleep_until(clock.now() + Duration{500}, stop);
      ::kill(server, SIGSTOP);
      clock.sleep_until(clock.now() + Duration{800}, {});
      ::kill(server, SIGCONT);
    }
  });
  const Ended ended = assay({"chaos", "redis", "--faults", "slow_network", "--clients", "6",
                             "--for", "6s", "--seed", "5", "--json", "--toxiproxy", url()});
  const Json report = Json::parse(ended.out);
  EXPECT_FALSE(report.contains("driver_trouble")) << report["driver_trouble"];
  EXPECT_EQ(report["violations"], 0);
  EXPECT_TRUE(ended.status == 0 || ended.status == 2) << ended.status;
}

INSTANTIATE_TEST_SUITE_P(Of, ToxiproxyOption, testing::Values(Whose::ours, Whose::real),
                         [](const auto& info) -> std::string {
                           return info.param == Whose::ours ? "OurServer" : "TheRealToxiproxy";
                         });

class ToxiproxyWords : public CliTest {};

TEST_F(ToxiproxyWords, ThatAreNoUrlAreWrongUsage) {
  for (const char* command : {"certify", "chaos"})
    expect_usage({command, "memory", "--toxiproxy", "nonsense"}, "--toxiproxy takes a url");
  environment_.extra["ASSAY_TOXIPROXY_URL"] = "ftp://x";
  expect_usage({"chaos", "memory"}, "ASSAY_TOXIPROXY_URL takes a url");
}

TEST_F(ToxiproxyWords, ThatNameNobodyAreTrouble) {
  if (std::system("command -v redis-server >/dev/null") != 0)
    GTEST_SKIP() << "no redis-server here";
  for (const std::vector<std::string>& run :
       {std::vector<std::string>{"certify", "redis", "--level", "chaos"},
        std::vector<std::string>{"chaos", "redis", "--faults", "partition"}}) {
    std::vector<std::string> words = run;
    words.insert(words.end(), {"--toxiproxy", "http://127.0.0.1:1"});
    const Ended ended = assay(words);
    EXPECT_EQ(ended.status, 3) << ended.out << ended.err;
    EXPECT_TRUE(is_one_line(ended.err)) << ended.err;
    EXPECT_NE(ended.err.find("127.0.0.1:1 does not answer"), std::string::npos) << ended.err;
    EXPECT_TRUE(scratch_is_empty());
  }
}

TEST_F(ToxiproxyWords, MayAskForTheEmbeddedOne) {
  if (std::system("command -v redis-server >/dev/null") != 0)
    GTEST_SKIP() << "no redis-server here";
  environment_.extra["ASSAY_TOXIPROXY_URL"] = "http://127.0.0.1:1";
  const Ended ended = assay({"chaos", "redis", "--faults", "partition", "--clients", "4", "--for",
                             "2s", "--seed", "5", "--json", "--toxiproxy", "embedded"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_EQ(Json::parse(ended.out)["network"], "the embedded proxy, as --toxiproxy says");
}

TEST_F(ToxiproxyWords, AreNotNeededWhereOneIsOnPathAndItDiesWithTheRun) {
  const auto real = toxiproxy::real_server();
  if (!real) GTEST_SKIP() << toxiproxy::no_real_server;
  const std::filesystem::path program = toxiproxy::real_program();
  std::string path = std::getenv("PATH");
  if (program.has_parent_path()) path = program.parent_path().string() + ":" + path;
  auto running = Process::start(
      {{ASSAY_BINARY, "chaos", "redis", "--faults", "partition", "--clients", "4", "--for", "5m"},
       {{"TMPDIR", (home_ / "tmp").string()}, {"PATH", path}},
       home_.string()});
  ASSERT_TRUE(running.ok());
  const std::string mark = "TMPDIR=" + (home_ / "tmp").string();
  const auto has_server = [&] {
    for (const auto& [pid, words] : processes_with(mark))
      if (words.find("toxiproxy-server") != std::string::npos) return true;
    return false;
  };
  ASSERT_TRUE(wait_until(has_server));
  ::kill((*running)->pid(), SIGKILL);
  ASSERT_TRUE((*running)->ending(10));
  EXPECT_TRUE(wait_until([&] { return !has_server(); }));
  EXPECT_EQ(assay({"heal"}).status, 0);
}

}  // namespace
}  // namespace assay::tests

// `assay proxy`: the embedded proxy as a program of its own.
#include <csignal>
#include <regex>

#include "tests/cli/cli_test.h"
#include "tests/harness/proxy/wire.h"

namespace assay::cli {
namespace {

class ProxyTest : public tests::CliTest {
 protected:
  tests::Ended ended_by(int signal, const std::vector<std::string>& arguments) {
    environment_.after = {"Toxiproxy's API is at "};
    environment_.signal = signal;
    return assay(arguments);
  }
};

TEST_F(ProxyTest, SaysWhereItIsAndByWhichSeedAndRunsUntilItIsEnded) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const tests::Ended ended =
        ended_by(signal, {"proxy", "--listen", "127.0.0.1:0", "--seed", "42"});
    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(ended.err, "");
    EXPECT_TRUE(std::regex_match(
        ended.out,
        std::regex("Toxiproxy's API is at http://127\\.0\\.0\\.1:[1-9]\\d* \\(seed 42\\)\n")))
        << ended.out;
  }
}

TEST_F(ProxyTest, TakesANameForItsHost) {
  EXPECT_NE(ended_by(SIGTERM, {"proxy", "--listen", "localhost:0"}).out.find("http://127.0.0.1:"),
            std::string::npos);
}

TEST_F(ProxyTest, SaysInASentenceThatItsPortIsTaken) {
  const proxy_test::Store taken;
  const tests::Ended ended = assay({"proxy", "--listen", taken.place()});
  EXPECT_EQ(ended.status, 3);
  EXPECT_EQ(ended.out, "");
  EXPECT_TRUE(tests::is_one_line(ended.err)) << ended.err;
  EXPECT_NE(ended.err.find("cannot listen on " + taken.place() + ": Address already in use"),
            std::string::npos)
      << ended.err;
}

TEST_F(ProxyTest, RefusesWhatItCannotRead) {
  expect_usage({"proxy", "--listen", "nowhere"}, "--listen: ");
  expect_usage({"proxy", "--listen", "127.0.0.1:99999"}, "--listen: ");
  expect_usage({"proxy", "--seed", "x"}, "--seed");
  expect_usage({"proxy", "--sede", "1"}, "did you mean `--seed`?");
  expect_usage({"proxy", "extra"}, "one argument too many");
}

}  // namespace
}  // namespace assay::cli

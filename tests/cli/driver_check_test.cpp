#include "tests/cli/cli_test.h"

namespace assay::cli {
namespace {

class DriverCheckTest : public tests::CliTest {
 protected:
  static std::string fake(const std::string& fault) {
    return "exec:python3 '" ASSAY_SOURCE_DIR "/tests/fakes/fake_driver.py' " + fault;
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(DriverCheckTest, ADriverWithoutProblemsIsZero) {
  const tests::Ended ended = assay({"driver", "check", fake("")});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, ": fake 1, profile reference")) << ended.out;
  EXPECT_TRUE(has(ended.out, "\nhello ")) << ended.out;
  EXPECT_TRUE(has(ended.out, "unsupported\n")) << ended.out;
  EXPECT_TRUE(has(ended.out, "No problems")) << ended.out;
  EXPECT_EQ(ended.err, "");
}

TEST_F(DriverCheckTest, ProblemsAreOneAndTold) {
  const tests::Ended ended = assay({"driver", "check", fake("dies")});
  EXPECT_EQ(ended.status, 1);
  EXPECT_TRUE(has(ended.out, "PROBLEM 1\n")) << ended.out;
  EXPECT_TRUE(has(ended.out, "\n1. reserve\n   expected  an answer\n   found     ")) << ended.out;
  EXPECT_TRUE(has(ended.out, "\n   sent      {\"id\":")) << ended.out;
  EXPECT_TRUE(has(ended.out, "Its stderr ends:\n   boom\\x1b[2J\n")) << ended.out;
  EXPECT_TRUE(has(ended.out, "1 problem;")) << ended.out;
}

TEST_F(DriverCheckTest, ADriverThatDoesNotStartIsOne) {
  const tests::Ended ended = assay({"driver", "check", "exec:/no/such/program"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_TRUE(has(ended.out, "/no/such/program: No such file")) << ended.out;
  EXPECT_EQ(assay({"driver", "check", "tcp:127.0.0.1:1"}).status, 1);
}

TEST_F(DriverCheckTest, TheTraceShowsBothSidesAndTheLog) {
  const tests::Ended ended = assay({"driver", "check", fake("dies"), "--trace"});
  EXPECT_EQ(ended.err.find("> {\"id\":1,\"op\":\"hello\",\"protocol\":1}\n"), 0u) << ended.err;
  EXPECT_TRUE(has(ended.err, "\n< {\"id\": 1, \"ok\": ")) << ended.err;
  EXPECT_TRUE(has(ended.err, "\n! boom\\x1b[2J\n")) << ended.err;
}

TEST_F(DriverCheckTest, WordsAndOptionsReachTheDriver) {
  const tests::Ended ended = assay({"driver", "check", fake(""), "--driver-url", "x://y", "--trace",
                                    "--driver-timeout", "2s", "--", "silent"});
  EXPECT_EQ(ended.status, 1) << ended.out;
  EXPECT_TRUE(has(ended.out, "no answer within 2 s")) << ended.out;
  EXPECT_TRUE(has(ended.err, "\"url\":\"x://y\"")) << ended.err;
}

TEST_F(DriverCheckTest, WrongUsageIsTold) {
  expect_usage({"driver"}, "assay driver check");
  expect_usage({"driver", "chekc"}, "did you mean `check`?");
  expect_usage({"driver", "check"}, "needs a driver");
  expect_usage({"driver", "check", "memory"}, "exec:COMMAND");
  expect_usage({"driver", "check", "exec:"}, "names no command");
  expect_usage({"driver", "check", "tcp:nowhere"}, "nowhere");
  expect_usage({"driver", "check", "exec:true", "--driver-timeout", "soon"}, "`soon`");
  expect_usage({"driver", "check", "exec:true", "--trase"}, "did you mean `--trace`?");
}

}  // namespace
}  // namespace assay::cli

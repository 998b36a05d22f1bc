// CliTest: a test in an empty folder that is gone afterwards.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/cli/program.h"

namespace assay::tests {

class CliTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = test->name();
    std::ranges::replace(name, '/', '.');
    // In memory where there is such a place: stores that sync every change are slow on a disk.
    const std::filesystem::path memory = "/dev/shm";
    const bool fits = access(memory.c_str(), W_OK) == 0 &&
                      std::filesystem::space(memory).available > 1'000'000'000;
    home_ = (fits ? memory : std::filesystem::temp_directory_path()) /
            ("cli_test." + name + "." + std::to_string(getpid()));
    std::filesystem::create_directories(home_ / "tmp");
    environment_.folder = home_.string();
    environment_.extra["TMPDIR"] = (home_ / "tmp").string();
  }
  void TearDown() override { std::filesystem::remove_all(home_); }

  Ended assay(const std::vector<std::string>& arguments) const {
    return run_assay(arguments, environment_);
  }

  // Wrong usage: exit 64, nothing on stdout, one sentence with this text in it.
  void expect_usage(const std::vector<std::string>& arguments, const std::string& part) const {
    const Ended ended = assay(arguments);
    EXPECT_EQ(ended.status, 64) << ended.out << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_TRUE(is_one_line(ended.err)) << ended.err;
    EXPECT_NE(ended.err.find(part), std::string::npos) << ended.err;
  }

  bool scratch_is_empty() const { return std::filesystem::is_empty(home_ / "tmp"); }

  std::filesystem::path home_;
  Environment environment_;
};

}  // namespace assay::tests

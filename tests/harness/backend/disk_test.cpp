// A disk whose power fails, where one can be had.
#include "harness/backend/disk.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "tests/harness/backend/fixture.h"

namespace assay {
namespace {

using namespace backend_test;

class PowerlessDisk : public testing::Test {
 protected:
  void SetUp() override {
    auto made = Disk::make(scratch_.text());
    if (!made.ok()) GTEST_SKIP() << made.error().message;
    disk_ = std::move(*made);
  }

  std::string path(const std::string& name) const { return disk_->path() + "/" + name; }

  void write(const std::string& name, bool is_synced) const {
    const int file = ::open(path(name).c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    ASSERT_GE(file, 0);
    ASSERT_EQ(::write(file, "text", 4), 4);
    if (is_synced) {
      ASSERT_EQ(::fsync(file), 0);
    }
    ::close(file);
  }

  const Folder scratch_;
  std::unique_ptr<Disk> disk_;
};

TEST_F(PowerlessDisk, ForgetsWhatWasNotSyncedAndNothingElse) {
  for (int round = 0; round < 3; ++round) {
    write("synced" + std::to_string(round), true);
    write("unsynced" + std::to_string(round), false);
    ASSERT_TRUE(disk_->lose_power().ok());
    for (int before = 0; before <= round; ++before) {
      EXPECT_EQ(read_file(path("synced" + std::to_string(before))), "text");
      EXPECT_EQ(read_file(path("unsynced" + std::to_string(before))), "");
    }
  }
  EXPECT_EQ(disk_->losses(), 3u);
}

TEST_F(PowerlessDisk, KeepsWhatWasThereWhenAllOfItWasSynced) {
  write("file", false);
  ASSERT_TRUE(disk_->sync().ok());
  ASSERT_TRUE(disk_->lose_power().ok());
  EXPECT_EQ(read_file(path("file")), "text");
}

TEST_F(PowerlessDisk, TakesWithItWhoeverHasAFileOfItOpen) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::open(path("mine").c_str(), O_CREAT | O_WRONLY, 0600);
    while (true) ::pause();
  }
  while (!fs::exists(path("mine"))) shell("sleep 0.01");
  ASSERT_TRUE(disk_->lose_power().ok());
  int status = 0;
  bool is_gone = false;
  for (int tries = 0; tries < 100 && !is_gone; ++tries) {
    is_gone = ::waitpid(child, &status, WNOHANG) == child;
    if (!is_gone) shell("sleep 0.02");
  }
  EXPECT_TRUE(is_gone);
  if (!is_gone) {
    ::kill(child, SIGTERM);
    ::waitpid(child, &status, 0);
  }
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST_F(PowerlessDisk, IsGoneWithItsMountAndItsFiles) {
  const std::string mounted = disk_->path();
  EXPECT_NE(shell("cat /proc/self/mounts").out.find(mounted), std::string::npos);
  disk_.reset();
  EXPECT_EQ(shell("cat /proc/self/mounts").out.find(mounted), std::string::npos);
  EXPECT_TRUE(fs::is_empty(scratch_.text()));
}

TEST(Disks, SayWhatIsMissingToWhoIsNotRoot) {
  if (::geteuid() != 0) {
    EXPECT_NE(Disk::why_not_here(), std::nullopt);
    return;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    const bool is_dropped = ::setuid(65534) == 0;
    const auto missing = Disk::why_not_here();
    const auto made = Disk::make("/tmp");
    ::_exit(is_dropped && missing == "needs root, to mount a disk of its own" && !made.ok() &&
                    made.error().message.find("needs root") != std::string::npos
                ? 0
                : 1);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace assay

#include "harness/clock/library.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "harness/clock/process_clock.h"
#include "tests/harness/backend/fixture.h"

namespace assay {
namespace {

using backend_test::Folder;
namespace fs = backend_test::fs;

TEST(ClockLibrary, LiesWhereItWasToldTo) {
  const Folder folder;
  const auto library = ClockLibrary::write(folder.text());
  ASSERT_TRUE(library.ok());
  EXPECT_EQ((*library)->path(), folder.text() + "/libassay_clock.so");
}

TEST(ClockLibrary, LiesElsewhereWhereTheLoaderCouldNotNameIt) {
  const Folder folder;
  const std::string named = (folder / "with a space").string();
  fs::create_directory(named);
  std::string path;
  {
    const auto library = ClockLibrary::write(named);
    ASSERT_TRUE(library.ok());
    path = (*library)->path();
    EXPECT_EQ(path.find(' '), path.npos);
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(fs::path(path).parent_path()));
  EXPECT_TRUE(fs::is_empty(named));
}

bool is_had_elsewhere_than(const std::string& folder) {
  const auto library = ClockLibrary::write(folder);
  if (!library.ok() || (*library)->path().starts_with(folder) || !fs::is_empty(folder))
    return false;
  const auto clock = ProcessClock::make(folder);
  if (!clock.ok()) return false;
  const auto& environment = (*clock)->environment();
  clock.value()->stand_at(run_epoch);
  const backend_test::Variable preload("LD_PRELOAD", environment[0].second);
  const backend_test::Variable file(clock_variable, environment[1].second);
  return backend_test::shell("date +%s").out == "1893456000\n";
}

// In a process of its own, which alone sees the mount.
TEST(ClockLibrary, LiesElsewhereWhereAMountForbidsPrograms) {
  const Folder folder;
  const pid_t other = ::fork();
  if (other == 0) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("", "/", "", MS_REC | MS_PRIVATE, "") != 0 ||
        ::mount("none", folder.text().c_str(), "tmpfs", MS_NOEXEC, "") != 0)
      ::_exit(77);
    ::_exit(is_had_elsewhere_than(folder.text()) ? 0 : 1);
  }
  int status = 0;
  ::waitpid(other, &status, 0);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "nothing can be mounted here";
  EXPECT_EQ(status, 0);
  for (const auto& left : fs::directory_iterator("/tmp"))
    EXPECT_FALSE(left.path().filename().string().starts_with("assay-" + std::to_string(other)));
}

TEST(ClockLibrary, IsNotWrittenWhereThereIsNoFolder) {
  EXPECT_FALSE(ProcessClock::make("/nonexistent").ok());
}

}  // namespace
}  // namespace assay

#include "harness/clock/clock_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>

namespace assay {

namespace {

using namespace std::chrono;

Error cannot(const char* what, const std::string& path) {
  return {ErrorCode::unavailable,
          fmt::format("cannot {} the clock {}: {}", what, path, std::strerror(errno))};
}

// The processes' own: std::chrono's steady_clock is the same one on Linux.
std::int64_t monotonic_ns() {
  timespec at{};
  ::clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * std::int64_t{1'000'000'000} + at.tv_nsec;
}

ClockSetting setting_at(Instant at) {
  const auto whole = floor<seconds>(at);
  ClockSetting setting;
  setting.is_set = 1;
  setting.base_seconds = whole.time_since_epoch().count();
  setting.base_ns = nanoseconds(at - whole).count();
  return setting;
}

Result<ClockControl*> map(int file, const std::string& path) {
  struct stat about {};
  const bool fits = file >= 0 && ::fstat(file, &about) == 0 &&
                    about.st_size >= static_cast<off_t>(sizeof(ClockControl));
  void* at =
      fits ? ::mmap(nullptr, sizeof(ClockControl), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
           : MAP_FAILED;
  const int failed = errno;
  if (file >= 0) ::close(file);
  errno = failed;
  if (at == MAP_FAILED) return cannot("open", path);
  return static_cast<ClockControl*>(at);
}

}  // namespace

Result<std::unique_ptr<ClockFile>> ClockFile::create(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  ClockControl fresh;
  fresh.magic = clock_magic;
  if (file < 0 || ::fchmod(file, 0644) != 0 ||
      ::write(file, &fresh, sizeof fresh) != sizeof fresh) {
    const Error failed = cannot("make", path);
    if (file >= 0) ::close(file);
    return failed;
  }
  const auto mapped = map(file, path);
  if (!mapped) return mapped.error();
  return std::unique_ptr<ClockFile>(new ClockFile(*mapped));
}

Result<std::unique_ptr<ClockFile>> ClockFile::open(const std::string& path) {
  const auto mapped = map(::open(path.c_str(), O_RDWR | O_CLOEXEC), path);
  if (!mapped) return mapped.error();
  auto file = std::unique_ptr<ClockFile>(new ClockFile(*mapped));
  if (file->control_->magic != clock_magic)
    return Error{ErrorCode::unavailable, fmt::format("{} is no clock", path)};
  return file;
}

ClockFile::~ClockFile() { ::munmap(control_, sizeof(ClockControl)); }

// Each part is released, so that it stays behind the raise of `sequence` that ended the last move:
// a reader that sees it then sees that `sequence` is no longer what it began with.
void ClockFile::set(const ClockSetting& setting) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t next = __atomic_load_n(&control_->sequence, __ATOMIC_RELAXED) + 1;
  ClockSetting& to = control_->settings[next % 2];
  __atomic_store_n(&to.is_set, setting.is_set, __ATOMIC_RELEASE);
  __atomic_store_n(&to.base_seconds, setting.base_seconds, __ATOMIC_RELEASE);
  __atomic_store_n(&to.base_ns, setting.base_ns, __ATOMIC_RELEASE);
  __atomic_store_n(&to.anchor_ns, setting.anchor_ns, __ATOMIC_RELEASE);
  __atomic_store_n(&to.rate, setting.rate, __ATOMIC_RELEASE);
  __atomic_store_n(&control_->sequence, next, __ATOMIC_RELEASE);
}

void ClockFile::stand_at(Instant at) { set(setting_at(at)); }

void ClockFile::run_from(Instant at, double rate) {
  ClockSetting setting = setting_at(at);
  setting.anchor_ns = monotonic_ns();
  setting.rate = std::llround(rate * static_cast<double>(rate_one));
  set(setting);
}

void ClockFile::follow_machine() { set({}); }

std::optional<Instant> ClockFile::base() const {
  const std::lock_guard lock(mutex_);
  const ClockSetting setting = setting_of(*control_);
  if (setting.is_set != 1) return std::nullopt;
  return instant_from_ms(setting.base_seconds * 1000 + setting.base_ns / 1'000'000);
}

}  // namespace assay

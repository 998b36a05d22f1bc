#include "harness/remote/detail/process_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace assay::detail {

static constexpr std::size_t tail_bytes = 4096;
static constexpr std::size_t file_bytes = 1024 * 1024;
static constexpr int rounds_at_once = 64;  // a process may write faster than we read

ProcessLog::~ProcessLog() {
  if (file_ >= 0) ::close(file_);
}

std::string ProcessLog::tail() const {
  const std::lock_guard lock(mutex_);
  return tail_;
}

void ProcessLog::drain() {
  const std::lock_guard lock(mutex_);
  char bytes[64 * 1024];
  for (int round = 0; stream_ >= 0 && round < rounds_at_once; ++round) {
    const ssize_t size = ::read(stream_, bytes, sizeof bytes);
    if (size < 0) return;
    if (size == 0) {
      stream_ = -1;
      return;
    }
    const std::string_view text(bytes, static_cast<std::size_t>(size));
    if (told_) told_(text);
    keep(text);
    tail_.append(text);
    if (tail_.size() > tail_bytes) tail_.erase(0, tail_.size() - tail_bytes);
  }
}

// A log that cannot be kept is no reason to stop.
void ProcessLog::keep(std::string_view text) {
  if (file_name_.empty()) return;
  if (file_ < 0) {
    std::error_code failed;
    std::filesystem::create_directories(std::filesystem::path(file_name_).parent_path(), failed);
    file_ = ::open(file_name_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file_ < 0) return file_name_.clear();
  }
  const off_t size = ::lseek(file_, 0, SEEK_END);
  const auto used = size < 0 ? file_bytes : std::min(file_bytes, static_cast<std::size_t>(size));
  const std::string_view kept = text.substr(0, file_bytes - used);
  [[maybe_unused]] const auto written = ::write(file_, kept.data(), kept.size());
}

}  // namespace assay::detail

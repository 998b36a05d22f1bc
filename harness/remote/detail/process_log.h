// ProcessLog: what a process writes to its stderr: read so that it never has to wait, the first of
// it kept in a file, the last of it here.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace assay::detail {

class ProcessLog {
 public:
  // The stream stays the process's; -1: there is none. The file is made for the first bytes, with
  // its folder, and added to; an empty name: none is kept.
  ProcessLog(int stream, std::string file, std::function<void(std::string_view)> told)
      : stream_(stream), file_name_(std::move(file)), told_(std::move(told)) {}
  ~ProcessLog();
  ProcessLog(const ProcessLog&) = delete;
  ProcessLog& operator=(const ProcessLog&) = delete;

  int stream() const { return stream_; }  // to be polled; -1 once it has ended

  // Takes what is there, without waiting.
  void drain();
  std::string tail() const;

 private:
  void keep(std::string_view text);

  std::atomic<int> stream_;
  std::string file_name_;
  std::function<void(std::string_view)> told_;
  mutable std::mutex mutex_;
  std::string tail_;
  int file_ = -1;
};

}  // namespace assay::detail

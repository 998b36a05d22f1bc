#include "harness/clock/process_clock.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "harness/contract/clock.h"

namespace assay {

namespace fs = std::filesystem;

Result<std::unique_ptr<ProcessClock>> ProcessClock::make(const std::string& folder) {
  std::string own = fs::absolute(folder).string() + "/clock-XXXXXX";
  if (!::mkdtemp(own.data()))
    return Error{ErrorCode::unavailable, fmt::format("cannot make a folder in {}", folder)};
  auto clock = std::unique_ptr<ProcessClock>(new ProcessClock);
  clock->path_ = own + "/clock";
  auto library = ClockLibrary::write(own);
  if (!library) return library.error();
  clock->library_ = std::move(*library);
  auto file = ClockFile::create(clock->path_);
  if (!file) return file.error();
  clock->file_ = std::move(*file);
  const char* others = ::getenv("LD_PRELOAD");
  clock->environment_ = {{"LD_PRELOAD", clock->library_->path() +
                                            (others && *others ? fmt::format(":{}", others) : "")},
                         {clock_variable, clock->path_}};
  return clock;
}

void ProcessClock::skew(Duration offset, double rate) {
  file_->run_from(RealClock().now() + offset, rate);
}

Status ProcessClock::is_in(pid_t process) const {
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  for (std::string line; std::getline(maps, line);)
    if (line.ends_with(" " + path_)) return Done{};
  return Error{ErrorCode::unavailable,
               fmt::format("process {} does not live by the clock it was started under", process)};
}

}  // namespace assay

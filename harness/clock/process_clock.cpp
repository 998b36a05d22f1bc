#include "harness/clock/process_clock.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string_view>

#include "harness/clock/faketime.h"
#include "harness/contract/clock.h"

namespace assay {

namespace fs = std::filesystem;

Result<std::unique_ptr<ProcessClock>> ProcessClock::make(const std::string& folder) {
  std::string own = fs::absolute(folder).string() + "/clock-XXXXXX";
  if (!::mkdtemp(own.data()))
    return Error{ErrorCode::unavailable, fmt::format("cannot make a folder in {}", folder)};
  auto clock = std::unique_ptr<ProcessClock>(new ProcessClock);
  clock->path_ = own + "/clock";
  if (const char* source = ::getenv("ASSAY_CLOCK"); source && *source) {
    if (std::string_view(source) == "libfaketime") {
      if (const Status used = clock->use_faketime(); !used.ok()) return used.error();
      return clock;
    }
    if (std::string_view(source) != "own")
      return invalid(fmt::format("ASSAY_CLOCK is `{}`: it may be own or libfaketime", source));
  }
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

Status ProcessClock::use_faketime() {
  const auto library = faketime::library();
  if (!library) return unsupported("ASSAY_CLOCK asks for libfaketime, and that is not installed");
  faketime_ = *library;
  environment_ = faketime::environment(faketime_, path_);
  return faketime::write(path_, Duration{0});
}

Status ProcessClock::skew(Duration offset, double rate) {
  if (!faketime_.empty())
    return rate == 1 ? faketime::write(path_, offset)
                     : Status(unsupported("libfaketime's clock does not begin to drift when told"));
  file_->run_from(RealClock().now() + offset, rate);
  return Done{};
}

void ProcessClock::follow_machine() {
  if (faketime_.empty())
    file_->follow_machine();
  else
    static_cast<void>(faketime::write(path_, Duration{0}));
}

Status ProcessClock::is_in(pid_t process) const {
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  const std::string& seen = faketime_.empty() ? path_ : faketime_;
  for (std::string line; std::getline(maps, line);)
    if (line.ends_with(" " + seen)) return Done{};
  return Error{ErrorCode::unavailable,
               fmt::format("process {} does not live by the clock it was started under", process)};
}

}  // namespace assay

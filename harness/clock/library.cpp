#include "harness/clock/library.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/clock/detail/library_bytes.h"

namespace assay {

namespace fs = std::filesystem;

namespace {

// What a loader does with it.
bool is_loadable(const std::string& path) {
  if (path.find_first_of(" :") != path.npos) return false;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  void* at = ::mmap(nullptr, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
  ::close(file);
  if (at == MAP_FAILED) return false;
  ::munmap(at, 1);
  return true;
}

bool put_into(const std::string& folder, std::string& path) {
  path = folder + "/libassay_clock.so";
  {
    std::ofstream file(path, std::ios::binary);
    if (!(file << detail::clock_library_bytes() << std::flush)) return false;
  }
  return ::chmod(path.c_str(), 0755) == 0 && is_loadable(path);
}

}  // namespace

Result<std::unique_ptr<ClockLibrary>> ClockLibrary::write(const std::string& folder) {
  std::string path;
  if (put_into(folder, path))
    return std::unique_ptr<ClockLibrary>(new ClockLibrary(std::move(path), ""));
  std::error_code ignored;
  fs::remove(path, ignored);
  for (const char* parent : {"/tmp", "/var/tmp", "/dev/shm"}) {
    // A name that leftovers are known by.
    std::string own = fmt::format("{}/assay-{}-XXXXXX", parent, ::getpid());
    if (!::mkdtemp(own.data())) continue;
    auto library = std::unique_ptr<ClockLibrary>(new ClockLibrary("", own));
    if (::chmod(own.c_str(), 0711) == 0 && put_into(own, library->path_)) return library;
  }
  return Error{ErrorCode::unavailable,
               fmt::format("the virtual clock cannot be had: neither {} nor /tmp, /var/tmp and "
                           "/dev/shm let a library be loaded from them",
                           folder)};
}

ClockLibrary::~ClockLibrary() {
  std::error_code ignored;
  if (!own_folder_.empty()) fs::remove_all(own_folder_, ignored);
}

}  // namespace assay

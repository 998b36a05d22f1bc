#include "harness/clock/faketime.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace assay::faketime {

namespace fs = std::filesystem;

// The one for programs with threads first; below every folder of libraries, whatever the machine's
// kind is called there.
std::optional<std::string> library() {
  std::error_code missing;
  for (const char* folder : {"/usr/lib", "/usr/local/lib", "/usr/lib64"})
    for (const char* name : {"libfaketimeMT.so.1", "libfaketime.so.1"}) {
      const std::string direct = fmt::format("{}/faketime/{}", folder, name);
      if (fs::exists(direct, missing)) return direct;
      for (const auto& kind : fs::directory_iterator(folder, missing)) {
        const std::string path = kind.path().string() + "/faketime/" + name;
        if (kind.path().filename().string().find("-linux-") != std::string::npos &&
            fs::exists(path, missing))
          return path;
      }
    }
  return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> environment(const std::string& library,
                                                             const std::string& file) {
  const char* others = ::getenv("LD_PRELOAD");
  return {{"LD_PRELOAD", library + (others && *others ? fmt::format(":{}", others) : "")},
          {"FAKETIME_TIMESTAMP_FILE", file},
          {"FAKETIME_NO_CACHE", "1"},
          // Waits of a length keep to real time.
          {"FAKETIME_DONT_FAKE_MONOTONIC", "1"},
          {"NO_FAKE_STAT", "1"}};
}

Status write(const std::string& file, Duration offset) {
  const std::string fresh = file + ".new";
  {
    std::ofstream out(fresh);
    out << fmt::format("{}{}.{:03}\n", offset.count() < 0 ? '-' : '+',
                       std::abs(offset.count()) / 1000, std::abs(offset.count()) % 1000);
    if (!out.flush()) return Error{ErrorCode::unavailable, fmt::format("cannot write {}", fresh)};
  }
  if (std::rename(fresh.c_str(), file.c_str()) != 0)
    return Error{ErrorCode::unavailable, fmt::format("cannot put {} in its place", fresh)};
  return Done{};
}

}  // namespace assay::faketime

// Bed: for a bench, the four drivers that ship, each on a store of its own that is gone with it.
#pragma once

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "drivers/all.h"
#include "harness/backend/backend.h"
#include "harness/contract/check.h"

namespace assay::bench {

// A folder that is gone with it, and that servers' accounts can reach.
class Folder {
 public:
  Folder() {
    CHECK(::mkdtemp(path_.data()));
    std::filesystem::permissions(path_, std::filesystem::perms(0755));
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/assay_bench.XXXXXX";
};

// A driver in a fresh namespace, on the machine's time.
class Bed {
 public:
  Bed(const DriverInfo& info, const std::optional<std::string>& url, Clock& clock) {
    DriverOptions options{*built_in_profile("reference"), clock};
    options.scratch = folder_.path();
    options.url = url;
    driver_ = std::move(info.make(options)).value();
    CHECK(driver_->setup({"bench"}).ok());
  }
  ~Bed() { CHECK(driver_->teardown().ok()); }
  Bed(const Bed&) = delete;
  Bed& operator=(const Bed&) = delete;
  Driver& driver() { return *driver_; }

 private:
  Folder folder_;
  std::unique_ptr<Driver> driver_;
};

// Calls it for each of these drivers, with the url of a server that is started for it, if it needs
// one; says so where it cannot be had.
inline void for_each_driver(
    std::initializer_list<std::string_view> names,
    const std::function<void(const DriverInfo&, const std::optional<std::string>& url)>& measure) {
  const Folder scratch;
  for (const std::string_view name : names)
    for (const DriverInfo& info : all_drivers()) {
      if (info.name != name) continue;
      std::unique_ptr<Backend> backend;
      if (!info.backend.empty()) {
        auto started =
            start_backend(info.backend, {.kind = BackendKind::native, .scratch = scratch.path()});
        if (!started.ok()) {
          fmt::print("{:<10} {}\n", name, started.error().message);
          continue;
        }
        backend = std::move(*started);
      }
      measure(info, backend ? std::optional(backend->url()) : std::nullopt);
    }
}

}  // namespace assay::bench

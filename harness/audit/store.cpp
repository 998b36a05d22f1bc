#include "harness/audit/detail/store.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "harness/contract/profile_json.h"
#include "harness/remote/remote_driver.h"

namespace assay::detail {
namespace {

std::string with_option(const std::string& url, const std::string& option) {
  if (option.empty()) return url;
  return url + (url.find('?') == std::string::npos ? "?" : "&") + option;
}

class ServerStore final : public AuditedStore {
 public:
  ServerStore(const DriverInfo& info, const AuditOptions& options, const AuditSetting& setting,
              Disk* disk)
      : info_(info), options_(options), setting_(setting), disk_(disk) {}

  Status start() {
    BackendOptions wanted;
    wanted.kind = options_.backend;
    wanted.scratch = disk_ ? disk_->path() : options_.scratch;
    wanted.settings = setting_.server;
    auto backend = start_backend(info_.backend, wanted);
    if (!backend) return backend.error();
    backend_ = std::move(*backend);
    if (disk_ && backend_->kind() != BackendKind::native)
      return Error{ErrorCode::unavailable, "a container's disk is not ours to cut off"};
    return disk_ ? disk_->sync() : Status(Done{});
  }

  Result<std::unique_ptr<Driver>> driver(std::uint64_t seed, bool safe) override {
    const std::string url = with_option(backend_->url(), safe ? "" : setting_.url);
    return info_.make({options_.profile, clock_, seed, url, options_.scratch});
  }

  Status crash() override { return backend_->crash(); }

  Status restart() override {
    if (disk_)
      if (Status lost = disk_->lose_power(); !lost) return lost;
    if (Status again = backend_->restart(); !again) return again;
    // What the scripts wrote of themselves is not part of the stage.
    return disk_ ? disk_->sync() : Status(Done{});
  }

 private:
  const DriverInfo& info_;
  const AuditOptions& options_;
  const AuditSetting& setting_;
  Disk* disk_;
  VirtualClock clock_;
  std::unique_ptr<Backend> backend_;
};

// A file, and a process that has it open for all clients.
class FileStore final : public AuditedStore {
 public:
  FileStore(const DriverInfo& info, const AuditOptions& options, const AuditSetting& setting,
            Disk* disk)
      : info_(info), options_(options), setting_(setting), disk_(disk) {}

  Status start() {
    auto file = info_.private_store(disk_ ? disk_->path() : options_.scratch);
    if (!file) return file.error();
    file_ = *file;
    {
      const auto made = driver(0, true);  // it makes its tables
      if (!made) return made.error();
    }
    if (disk_)
      if (Status synced = disk_->sync(); !synced) return synced;
    return serve();
  }

  Result<std::unique_ptr<Driver>> driver(std::uint64_t seed, bool safe) override {
    if (safe) return info_.make({options_.profile, clock_, seed, file_, options_.scratch});
    RemoteOptions remote{*address_,   {}, options_.profile, with_option(file_, setting_.url),
                         seed >> 12U, {}, std::nullopt};
    return remote_driver(std::move(remote));
  }

  Status crash() override {
    ::kill(process_->pid(), SIGKILL);
    if (!process_->ending(30))
      return Error{ErrorCode::unavailable, "a process was killed and still runs"};
    return Done{};
  }

  Status restart() override {
    process_.reset();
    if (disk_)
      if (Status lost = disk_->lose_power(); !lost) return lost;
    return serve();
  }

 private:
  Status serve() {
    Command command{options_.serve, {}, {}};
    const std::string url = with_option(file_, setting_.url);
    command.words.insert(command.words.end(), {"--profile", to_json(options_.profile),
                                               "--driver-url", url, "--listen", "127.0.0.1:0"});
    auto process = Process::start(command);
    if (!process) return process.error();
    process_ = std::move(*process);
    return hear_address();
  }

  // "listening on 127.0.0.1:PORT"
  Status hear_address() {
    std::string said;
    while (said.find('\n') == std::string::npos) {
      pollfd ready{process_->log(), POLLIN, 0};
      char bytes[512];
      const bool spoke = ::poll(&ready, 1, 60'000) > 0;
      const ssize_t got = spoke ? ::read(process_->log(), bytes, sizeof bytes) : 0;
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (got <= 0) break;
      said.append(bytes, static_cast<std::size_t>(got));
    }
    const std::size_t at = said.rfind(' ');
    auto address = address_from(said.substr(at + 1, said.find('\n') - at - 1));
    if (!said.starts_with("listening on ") || !address)
      return Error{ErrorCode::unavailable,
                   fmt::format("the driver's process does not start: {}", said)};
    address_ = *address;
    return Done{};
  }

  const DriverInfo& info_;
  const AuditOptions& options_;
  const AuditSetting& setting_;
  Disk* disk_;
  VirtualClock clock_;
  std::string file_;
  std::optional<Address> address_;
  std::unique_ptr<Process> process_;
};

template <class Store>
Result<std::unique_ptr<AuditedStore>> started(const DriverInfo& info, const AuditOptions& options,
                                              const AuditSetting& setting, Disk* disk) {
  auto store = std::make_unique<Store>(info, options, setting, disk);
  if (Status started = store->start(); !started) return started.error();
  return std::unique_ptr<AuditedStore>(std::move(store));
}

}  // namespace

Result<std::unique_ptr<AuditedStore>> AuditedStore::start(const DriverInfo& info,
                                                          const AuditOptions& options,
                                                          const AuditSetting& setting, Disk* disk) {
  return info.backend.empty() ? started<FileStore>(info, options, setting, disk)
                              : started<ServerStore>(info, options, setting, disk);
}

}  // namespace assay::detail

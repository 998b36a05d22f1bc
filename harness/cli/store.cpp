#include "harness/cli/store.h"

#include <fmt/format.h>

#include <cstdlib>

#include "harness/backend/url.h"

namespace assay::cli {

void RunStore::end() noexcept {
  if (backend) static_cast<void>(backend->stop());
}

std::string url_variable(const std::string& backend) {
  std::string name = "ASSAY_";
  for (const char c : backend) name += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name + "_URL";
}

std::optional<std::string> named_by_environment(const DriverInfo& driver) {
  if (driver.backend.empty()) return std::nullopt;
  const char* url = std::getenv(url_variable(driver.backend).c_str());
  return url && *url ? std::optional<std::string>(url) : std::nullopt;
}

static Status check_replica(const StoreWanted& wanted, const DriverInfo& driver) {
  if (!wanted.replica) return Done{};
  const bool is_postgres = driver.backend == "postgres";
  if (driver.backend.empty())
    return invalid(fmt::format("--replica makes no sense for {}: it needs no server", driver.name));
  const auto replica = replica_from(*wanted.replica);
  if (replica != Replica::async && replica != (is_postgres ? Replica::sync : Replica::sentinel))
    return invalid(fmt::format("--replica takes async or {} for {}, not `{}`",
                               is_postgres ? "sync" : "sentinel", driver.backend, *wanted.replica));
  if (wanted.url)
    return invalid(
        "--replica and --driver-url contradict each other: only a server that is started for the "
        "run gets a replica");
  if (wanted.backend && backend_kind_from(*wanted.backend) == BackendKind::docker)
    return invalid("--replica is for a server of this machine, not for one in a container");
  return Done{};
}

Status check(const StoreWanted& wanted, const DriverInfo& driver) {
  if (Status sound = check_replica(wanted, driver); !sound) return sound;
  if (!wanted.backend) return Done{};
  if (!backend_kind_from(*wanted.backend))
    return invalid(
        fmt::format("--backend takes native, docker or auto, not `{}`", *wanted.backend));
  if (driver.backend.empty())
    return invalid(fmt::format("--backend makes no sense for {}: it needs no server", driver.name));
  if (wanted.url) return invalid("--backend and --driver-url contradict each other; leave one out");
  return Done{};
}

// The disk is there afterwards, or the store says why not.
static void add_disk(RunStore& store, const DriverInfo& driver, const StoreWanted& wanted,
                     const std::string& scratch) {
  if (!wanted.disk) return;
  if (store.url) {
    store.why_no_disk = "the store's data are where its url leads, on no disk of ours";
  } else if (driver.backend.empty() && !driver.private_store) {
    store.why_no_disk = "where the driver keeps its data is not known";
  } else {
    auto disk = Disk::make(scratch);
    if (disk)
      store.disk = std::move(*disk);
    else
      store.why_no_disk = disk.error().message;
  }
}

// What was made with it must not be lost with the first failure of its power.
static Status settle_on_disk(RunStore& store) {
  if (!store.disk) return Done{};
  if (store.backend->kind() == BackendKind::native) return store.disk->sync();
  store.disk.reset();
  store.why_no_disk = "a container's disk is not ours to take the power from";
  return Done{};
}

static Result<RunStore> find_store(const DriverInfo& driver, const StoreWanted& wanted,
                                   const std::string& scratch, const std::stop_token& stop) {
  RunStore store;
  if (driver.backend.empty() || wanted.url) {
    store.url = wanted.url;
    add_disk(store, driver, wanted, scratch);
    return store;
  }
  // Who names a backend wants one, whatever the environment says.
  if (auto url = wanted.backend || wanted.clock || wanted.replica ? std::nullopt
                                                                  : named_by_environment(driver)) {
    store.described = fmt::format("{}: {}", url_variable(driver.backend), without_password(*url));
    store.url = std::move(url);
    add_disk(store, driver, wanted, scratch);
    return store;
  }
  add_disk(store, driver, wanted, scratch);
  BackendOptions options;
  if (store.disk) options.data_folder = store.disk->path();
  if (wanted.backend) options.kind = *backend_kind_from(*wanted.backend);
  options.scratch = scratch;
  options.stop = stop;
  options.settings = wanted.settings;
  options.virtual_clock = wanted.clock != nullptr;
  if (wanted.replica) options.replica = *replica_from(*wanted.replica);
  auto backend = start_backend(driver.backend, options);
  if (!backend)
    return Error{backend.error().code,
                 fmt::format("{} needs a server: {}, or set {}", driver.name,
                             backend.error().message, url_variable(driver.backend))};
  store.url = (*backend)->url();
  store.described = (*backend)->description();
  if (wanted.clock) {
    store.described += ", under a clock of ours";
    wanted.clock->set = [server = backend->get()](Instant at) { return server->set_clock(at); };
  }
  store.backend = std::move(*backend);
  if (Status settled = settle_on_disk(store); !settled) return settled.error();
  return store;
}

Result<RunStore> store_for(const DriverInfo& driver, const StoreWanted& wanted,
                           const std::string& scratch, std::stop_token stop) {
  Result<RunStore> store = find_store(driver, wanted, scratch, stop);
  if (stop.stop_requested()) return Error{ErrorCode::closed, "stopped before the run began"};
  return store;
}

}  // namespace assay::cli

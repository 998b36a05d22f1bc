// RunStore: where a run's driver finds its store. A driver that needs a server gets, in this order:
// the url that the person gave, the one in ASSAY_POSTGRES_URL or ASSAY_REDIS_URL, a server that is
// started for the run and gone after it. Other drivers get what the person gave.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "harness/backend/backend.h"
#include "harness/backend/disk.h"
#include "harness/contract/driver.h"
#include "harness/run/store_clock.h"

namespace assay::cli {

struct StoreWanted {
  std::optional<std::string> url;      // what the person gave
  std::optional<std::string> backend;  // native, docker or auto, as the person typed it
  // Of a server that is started for the run, over its durable ones.
  std::vector<std::pair<std::string, std::string>> settings = {};
  // The server lives by this clock, which moves it once it is started.
  std::shared_ptr<StoreClock> clock = {};
  std::optional<std::string> replica = {};  // async, sync or sentinel, as the person typed it
  bool disk = false;  // its data are to be on a disk of ours, where one can be had
};

struct RunStore {
  std::optional<std::string> url;
  std::string described;             // for people, without the password; empty: nothing to say
  std::unique_ptr<Disk> disk;        // with the data of what was started, or for a private store's
  std::string why_no_disk;           // where one was wanted: a sentence
  std::unique_ptr<Backend> backend;  // where one was started; gone before its disk

  // To be called before the scratch folder goes. Twice is harmless, also from another thread.
  void end() noexcept;
};

// "ASSAY_POSTGRES_URL" for "postgres".
std::string url_variable(const std::string& backend);

// The url in that variable, where the driver needs a server and the variable is set.
std::optional<std::string> named_by_environment(const DriverInfo& driver);

// What is wrong with what was typed; a sentence for wrong usage.
Status check(const StoreWanted& wanted, const DriverInfo& driver);

// The error says in a sentence why there is no server, and how to get one. Requires: check().
Result<RunStore> store_for(const DriverInfo& driver, const StoreWanted& wanted,
                           const std::string& scratch, std::stop_token stop = {});

}  // namespace assay::cli

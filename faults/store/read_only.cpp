// read_only: the store can be read and takes no writes.
//
// Postgres: default_transaction_read_only, which open sessions take up with their next statement.
// Redis: it wants more replicas than it has.
#include <poll.h>

#include "faults/all.h"
#include "faults/store/detail/settings.h"

namespace assay::faults {
namespace {

class ReadOnly final : public Fault {
 public:
  explicit ReadOnly(Surroundings& around) : around_(around) {}
  ~ReadOnly() override { static_cast<void>(end()); }

  Status begin() override {
    const auto store = around_.store();
    if (!store.ok()) return store.error();
    if (!*store) return unsupported("the store has no server that could be told to take no writes");
    server_ = *store;
    return set(true);
  }

  Result<std::string> proof() override {
    const std::string word = is_postgres() ? "25006" : "NOREPLICAS";
    if (!says(word)) return unsupported("the server still takes writes");
    return "a write of ours was refused with " + word;
  }

  Status end() override {
    if (!server_ || is_another_going_) return Done{};
    const Status back = server_->is_running() ? set(false) : Status(Done{});
    const bool is_whole = !back.ok() || !server_->is_running() || says("");
    server_ = nullptr;
    if (!is_whole) return unsupported("the server takes no writes any more");
    return back;
  }

 private:
  static constexpr const char* many = "1000";

  bool is_postgres() const { return server_->name() == "postgres"; }

  Status set(bool is_on) {
    if (!is_postgres()) {
      auto before = set_redis(*server_, "min-replicas-to-write", is_on ? many : usual_);
      if (before.ok() && is_on) {
        is_another_going_ = *before == many;
        usual_ = *before;
      }
      return before.ok() ? Status(Done{}) : Status(before.error());
    }
    const std::string change = is_on ? "ALTER SYSTEM SET default_transaction_read_only = on"
                                     : "ALTER SYSTEM RESET default_transaction_read_only";
    const auto said = server_->ask({"-XqAt", "-c", change, "-c", "SELECT pg_reload_conf()"});
    return said.ok() ? Status(Done{}) : Status(said.error());
  }

  // Within a moment: who is asked to read its settings again does so when it has the time.
  bool says(const std::string& word) {
    constexpr int tries = 100;
    for (int i = 0; i < tries; ++i) {
      if (refusal_of_write(*server_) == word) return true;
      ::poll(nullptr, 0, 20);
    }
    return false;
  }

  Surroundings& around_;
  Backend* server_ = nullptr;  // while it takes no writes
  std::string usual_ = "0";
  bool is_another_going_ = false;  // of this fault: that one puts all right
};

}  // namespace

FaultInfo read_only() {
  return {.name = "read_only",
          .family = "store",
          .summary = "the store's server can be read, and takes no writes",
          .needs = "shared_storage",
          .drawn_from = Level::durability,
          .needs_server = true,
          .make = [](const FaultSpec&, int, Surroundings& around) -> std::unique_ptr<Fault> {
            return std::make_unique<ReadOnly>(around);
          }};
}

}  // namespace assay::faults

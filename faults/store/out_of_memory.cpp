// out_of_memory: the store's server gets no more memory.
//
// Redis: its maxmemory is less than it uses. Postgres: each of its processes has little more than
// it had (RLIMIT_AS), so what is small goes on, and what is not is refused.
#include "faults/all.h"
#include "faults/store/detail/settings.h"

namespace assay::faults {
namespace {

constexpr std::uint64_t left_bytes = 4 << 20;

class OutOfMemory final : public Fault {
 public:
  explicit OutOfMemory(Surroundings& around) : around_(around) {}
  ~OutOfMemory() override { static_cast<void>(end()); }

  Status begin() override {
    const auto store = around_.store();
    if (!store.ok()) return store.error();
    if (!*store) return unsupported("the store has no server that could be short of memory");
    server_ = *store;
    if (is_postgres()) return server_->limit_memory(left_bytes);
    auto before = set_redis(*server_, "maxmemory", none);
    if (!before.ok()) return before.error();
    is_another_going_ = *before == none;
    usual_ = *before;
    return Done{};
  }

  Result<std::string> proof() override {
    if (is_postgres()) {
      if (refusal_of(*server_, large) == "53200")
        return std::string("a statement of ours was refused with 53200, out of memory");
      return unsupported("the server still gets the memory that it wants");
    }
    if (refusal_of_write(*server_) == "OOM") return std::string("a write of ours was refused: OOM");
    return unsupported("the server still takes writes");
  }

  Status end() override {
    Backend* const server = std::exchange(server_, nullptr);
    if (!server || !server->is_running() || is_another_going_) return Done{};
    if (server->name() == "postgres") {
      // Twice: one that was just made has its parent's limit.
      static_cast<void>(server->limit_memory(std::nullopt));
      return server->limit_memory(std::nullopt);
    }
    const auto back = set_redis(*server, "maxmemory", usual_);
    return back.ok() ? Status(Done{}) : Status(back.error());
  }

 private:
  static constexpr const char* none = "1";
  static constexpr const char* large = "SELECT length(repeat('x', 100000000))";

  bool is_postgres() const { return server_->name() == "postgres"; }

  Surroundings& around_;
  Backend* server_ = nullptr;  // while it is short of memory
  std::string usual_ = "0";
  bool is_another_going_ = false;  // of this fault: that one puts all right
};

}  // namespace

FaultInfo out_of_memory() {
  return {.name = "out_of_memory",
          .family = "store",
          .summary = "the store's server gets no more memory",
          .needs = "shared_storage",
          .drawn_from = Level::durability,
          .needs_server = true,
          .make = [](const FaultSpec&, int, Surroundings& around) -> std::unique_ptr<Fault> {
            return std::make_unique<OutOfMemory>(around);
          }};
}

}  // namespace assay::faults

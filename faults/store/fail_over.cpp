// fail_over: the primary is killed whole (SIGKILL) and its replica promoted in its place, at the
// same url. Until it ends the primary serves on; with a lag, what it acknowledges from the
// beginning on does not reach an asynchronous replica, and is lost with it.
#include "faults/all.h"
#include "harness/backend/backend.h"
#include "harness/backend/disk.h"

namespace assay::faults {
namespace {

class FailOver final : public Fault {
 public:
  FailOver(bool lags, Surroundings& around) : lags_(lags), around_(around) {}
  ~FailOver() override { static_cast<void>(end()); }

  Status begin() override {
    const auto store = around_.store();
    if (!store.ok()) return store.error();
    if (!*store) return unsupported("the store has no server that we started: there is no replica");
    if ((*store)->replica() == Replica::none)
      return unsupported("the server was started without a replica: --replica gives it one");
    // From here on the end puts it right, also where only half of it was done.
    server_ = *store;
    return server_->hold_back(lags_);
  }

  Result<std::string> proof() override {
    if (done_) return done_->proof;
    return unsupported("nobody was promoted");
  }

  std::string measured() const override { return done_ ? done_->measured : ""; }

  Status end() override {
    Backend* server = std::exchange(server_, nullptr);
    if (!server) return Done{};
    auto done = server->fail_over();
    if (!done.ok()) return done.error();
    done_ = std::move(*done);
    // What was promoted came from elsewhere: a loss of power that follows finds it on the disk.
    if (const auto disk = around_.disk(); disk.ok())
      if (const Status synced = (*disk)->sync(); !synced.ok()) return synced;
    return around_.store_is_back();
  }

 private:
  const bool lags_;
  Surroundings& around_;
  std::optional<FailedOver> done_;
  Backend* server_ = nullptr;  // while it is on
};

}  // namespace

FaultInfo fail_over() {
  return {.name = "fail_over",
          .family = "store",
          .summary =
              "the store's server is killed whole when this ends, and its replica, which "
              "may lag until then, is promoted in its place",
          .effect = FaultEffect::store_away,
          .with = {{"lag", 1}},
          .shows_at_end = true,
          .drawn_from = Level::durability,
          .weight = FaultInfo::usual_weight / 2,  // it takes seconds
          .drawn_between = {{"lag", 0, 1}},
          .outage = Outage{"failover", "failovers"},
          .needs_server = true,
          .needs_replica = true,
          .make = [](const FaultSpec& spec, int, Surroundings& around) -> std::unique_ptr<Fault> {
            return std::make_unique<FailOver>(number_of(fail_over(), spec, "lag") != 0, around);
          }};
}

}  // namespace assay::faults

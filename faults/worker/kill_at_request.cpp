// kill_at_request: a client dies in the middle of its next call (SIGKILL), when it has sent its
// n-th request to the store: that is not delivered, or delivered, or done and answered, and nobody
// is there any more.
#include <fmt/format.h>

#include "faults/all.h"

namespace assay::faults {
namespace {

class KillAtRequest final : public Fault {
 public:
  KillAtRequest(Cut cut, int client, Surroundings& around)
      : cut_(cut), client_(client), around_(around) {}
  ~KillAtRequest() override { static_cast<void>(end()); }

  Status begin() override { return around_.kill_at(client_, cut_); }

  Result<std::string> proof() override {
    const auto ending = around_.killed_at(client_);
    if (!ending) return met_nobody("no call of its came to that request");
    return fmt::format("its process {} at request {} of a call, {}", *ending, cut_.at,
                       cut_.where == CutPoint::before_delivery  ? "which was not delivered"
                       : cut_.where == CutPoint::after_delivery ? "which was delivered"
                                                                : "which was done and answered");
  }

  Status end() override {
    around_.spare(client_);
    return Done{};
  }

 private:
  const Cut cut_;
  const int client_;
  Surroundings& around_;
};

}  // namespace

FaultInfo kill_at_request() {
  return {.name = "kill_at_request",
          .family = "worker",
          .summary = "a client dies in its next call, at its n-th request to the store (SIGKILL)",
          .effect = FaultEffect::client_died,
          .with = {{"request", 1}, {"point", 0}},
          .needs = "shared_storage",
          .at_requests = true,
          .drawn_between = {{"request", 1, 3}, {"point", 0, 2}},
          .make = [](const FaultSpec& spec, int client,
                     Surroundings& around) -> std::unique_ptr<Fault> {
            const FaultInfo info = kill_at_request();
            const auto point = number_of(info, spec, "point");
            const CutPoint where = point <= 0   ? CutPoint::before_delivery
                                   : point == 1 ? CutPoint::after_delivery
                                                : CutPoint::after_effect;
            const auto request = static_cast<int>(number_of(info, spec, "request"));
            return std::make_unique<KillAtRequest>(Cut{request, where}, client, around);
          }};
}

}  // namespace assay::faults

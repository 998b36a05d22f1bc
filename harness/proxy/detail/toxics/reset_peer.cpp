// reset_peer: `timeout` milliseconds after the first data or the end both sides are cut off.
#include "harness/proxy/detail/toxics/all.h"

namespace assay::proxy {
namespace {

class ResetPeer final : public Toxic {
 public:
  void set(const Attributes& attributes) override {
    timeout_ = milliseconds_of(attributes, "timeout");
  }

  std::optional<Moment> work(Stage stage) override {
    if (!begun_ && stage.in.chunks.empty() && stage.in.end == End::none) return std::nullopt;
    if (!begun_) begun_ = stage.now;
    stage.drop();
    const Moment when = *begun_ + timeout_;
    if (when > stage.now) return when;
    stage.out.end = End::reset;
    return std::nullopt;
  }

 private:
  Moment timeout_{};
  std::optional<Moment> begun_;
};

}  // namespace

std::unique_ptr<Toxic> reset_peer(Random) { return std::make_unique<ResetPeer>(); }

}  // namespace assay::proxy

// slow_close: the end of the stream goes on `delay` milliseconds late.
#include "harness/proxy/detail/toxics/all.h"

namespace assay::proxy {
namespace {

class SlowClose final : public Toxic {
 public:
  void set(const Attributes& attributes) override { delay_ = milliseconds_of(attributes, "delay"); }

  std::optional<Moment> work(Stage stage) override {
    while (!stage.in.chunks.empty() && stage.has_room()) stage.out.push(stage.in.pop());
    if (!stage.in.chunks.empty() || stage.in.end == End::none) return std::nullopt;
    if (!ended_) ended_ = stage.now;
    const Moment when = *ended_ + delay_;
    if (when > stage.now) return when;
    if (stage.out.end == End::none && delay_ > Moment(0)) ++stage.effects.delayed_ends;
    stage.pass_end();
    return std::nullopt;
  }

 private:
  Moment delay_{};
  std::optional<Moment> ended_;
};

}  // namespace

std::unique_ptr<Toxic> slow_close(Random) { return std::make_unique<SlowClose>(); }

}  // namespace assay::proxy

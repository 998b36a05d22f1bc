// noop: nothing is wrong.
#include "harness/proxy/detail/toxics/all.h"

namespace assay::proxy {
namespace {

class Noop final : public Toxic {
 public:
  void set(const Attributes&) override {}

  std::optional<Moment> work(Stage stage) override {
    while (!stage.in.chunks.empty() && stage.has_room()) stage.out.push(stage.in.pop());
    stage.pass_end();
    return std::nullopt;
  }
};

}  // namespace

std::unique_ptr<Toxic> noop(Random) { return std::make_unique<Noop>(); }

}  // namespace assay::proxy

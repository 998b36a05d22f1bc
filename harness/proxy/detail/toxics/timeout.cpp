// timeout: nothing goes on. When nothing came for `timeout` milliseconds the connection is closed;
// with 0 it never is. Without this toxic it is closed too: what it swallowed would be missing.
#include "harness/proxy/detail/toxics/all.h"

namespace assay::proxy {
namespace {

class Timeout final : public Toxic {
 public:
  void set(const Attributes& attributes) override {
    timeout_ = milliseconds_of(attributes, "timeout");
    quiet_since_.reset();
  }

  std::optional<Moment> work(Stage stage) override {
    if (!quiet_since_ || !stage.in.chunks.empty()) quiet_since_ = stage.now;
    stage.drop();
    stage.pass_end();
    if (timeout_ == Moment(0) || stage.out.end != End::none) return std::nullopt;
    const Moment when = *quiet_since_ + timeout_;
    if (when > stage.now) return when;
    stage.out.end = End::close;
    return std::nullopt;
  }

  bool breaks_when_removed() const override { return true; }

 private:
  Moment timeout_{};
  std::optional<Moment> quiet_since_;
};

}  // namespace

std::unique_ptr<Toxic> timeout(Random) { return std::make_unique<Timeout>(); }

}  // namespace assay::proxy

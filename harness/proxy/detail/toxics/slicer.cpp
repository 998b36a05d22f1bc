// slicer: what comes is cut into pieces of about `average_size` bytes, give or take
// `size_variation`, and `delay` microseconds lie between one and the next.
#include <algorithm>

#include "harness/proxy/detail/toxics/all.h"

namespace assay::proxy {
namespace {

class Slicer final : public Toxic {
 public:
  explicit Slicer(Random random) : random_(random) {}

  void set(const Attributes& attributes) override {
    constexpr std::int64_t most = 1LL << 40;
    average_ = std::clamp<std::int64_t>(attribute(attributes, "average_size"), 1, most);
    variation_ = std::clamp<std::int64_t>(attribute(attributes, "size_variation"), 0, most);
    delay_ = Moment(std::clamp<std::int64_t>(attribute(attributes, "delay"), 0, most));
  }

  std::optional<Moment> work(Stage stage) override {
    while (!stage.in.chunks.empty() && stage.has_room()) {
      if (next_ > stage.now) return next_;
      if (pieces_.empty()) {
        cut(static_cast<std::int64_t>(stage.in.chunks.front().bytes.size()));
        if (pieces_.size() > 1) ++stage.effects.split_chunks;
      }
      const std::size_t piece = pieces_.front();
      pieces_.pop_front();
      stage.out.push(pieces_.empty() ? stage.in.pop() : stage.in.pop_part(piece));
      if (delay_ > Moment(0)) ++stage.effects.delayed_chunks;
      next_ = stage.now + delay_;
    }
    if (!stage.in.chunks.empty() || stage.in.end == End::none) return std::nullopt;
    if (next_ > stage.now) return next_;
    stage.pass_end();
    return std::nullopt;
  }

 private:
  // In about two, and each of them again, so that no piece is small because it is the last.
  void cut(std::int64_t size) {
    if (size - average_ <= variation_ || size < 2) {
      pieces_.push_back(static_cast<std::size_t>(size));
      return;
    }
    std::int64_t middle = size / 2;
    if (variation_ > 0)
      middle +=
          static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(2 * variation_))) -
          variation_;
    middle = std::clamp<std::int64_t>(middle, 1, size - 1);
    cut(middle);
    cut(size - middle);
  }

  Random random_;
  std::int64_t average_ = 1, variation_ = 0;
  Moment delay_{}, next_{};
  std::deque<std::size_t> pieces_;  // of the first chunk
};

}  // namespace

std::unique_ptr<Toxic> slicer(Random random) { return std::make_unique<Slicer>(random); }

}  // namespace assay::proxy

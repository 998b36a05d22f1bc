// bandwidth: `rate` kilobytes (of 1,000) go on in a second, in slices of a tenth of one; with a
// rate of 0 nothing does.
#include <algorithm>

#include "harness/proxy/detail/toxics/all.h"

namespace assay::proxy {
namespace {

class Bandwidth final : public Toxic {
 public:
  void set(const Attributes& attributes) override {
    constexpr std::int64_t most = 1'000'000'000;  // a terabyte a second
    rate_ = std::clamp<std::int64_t>(attribute(attributes, "rate"), 0, most);
  }

  std::optional<Moment> work(Stage stage) override {
    while (!stage.in.chunks.empty()) {
      // Time in which nothing could go on is not made up for.
      if (rate_ == 0 || !stage.has_room()) {
        free_ = std::max(free_, stage.now);
        return std::nullopt;
      }
      const Chunk& first = stage.in.chunks.front();
      const std::size_t size =
          std::min(first.bytes.size(), static_cast<std::size_t>(rate_) * slice_ms);
      const Moment done =
          std::max(free_, first.arrived) + Moment(static_cast<std::int64_t>(size) * 1000 / rate_);
      if (done > stage.now) return done;
      Chunk chunk = size < first.bytes.size() ? stage.in.pop_part(size) : stage.in.pop();
      free_ = chunk.arrived = done;
      stage.out.push(std::move(chunk));
      ++stage.effects.delayed_chunks;
    }
    if (rate_ > 0) stage.pass_end();
    return std::nullopt;
  }

 private:
  static constexpr std::size_t slice_ms = 100;

  std::int64_t rate_ = 0;
  Moment free_{};  // the line carries nothing from then on
};

}  // namespace

std::unique_ptr<Toxic> bandwidth(Random) { return std::make_unique<Bandwidth>(); }

}  // namespace assay::proxy

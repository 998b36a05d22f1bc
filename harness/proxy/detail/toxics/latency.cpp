// latency: each chunk goes on `latency` milliseconds after it came, give or take `jitter`. What
// comes meanwhile is not kept from coming: it is a long line, not a thin one.
#include <algorithm>

#include "harness/proxy/detail/toxics/all.h"

namespace assay::proxy {
namespace {

class Latency final : public Toxic {
 public:
  explicit Latency(Random random) : random_(random) {}

  void set(const Attributes& attributes) override {
    latency_ = milliseconds_of(attributes, "latency");
    jitter_ = milliseconds_of(attributes, "jitter");
    delay_.reset();
  }

  std::optional<Moment> work(Stage stage) override {
    while (!stage.in.chunks.empty() && stage.has_room()) {
      if (!delay_) delay_ = drawn();
      const Moment when = stage.in.chunks.front().arrived + *delay_;
      if (when > stage.now) return when;
      Chunk chunk = stage.in.pop();
      chunk.arrived = when;
      stage.out.push(std::move(chunk));
      if (*delay_ > Moment(0)) ++stage.effects.delayed_chunks;
      delay_.reset();
    }
    stage.pass_end();
    return std::nullopt;
  }

  std::size_t patience() const override { return 32 * 1024 * 1024; }

 private:
  // In whole milliseconds, from latency - jitter to latency + jitter, the last one excluded.
  Moment drawn() {
    if (jitter_ == Moment(0)) return latency_;
    const auto jitter = std::chrono::duration_cast<std::chrono::milliseconds>(jitter_);
    const auto width = static_cast<std::uint64_t>(2 * jitter.count());
    const std::chrono::milliseconds more(static_cast<std::int64_t>(random_.below(width)));
    return std::max(latency_ - jitter + more, Moment(0));
  }

  Random random_;
  Moment latency_{}, jitter_{};
  std::optional<Moment> delay_;  // of the first chunk
};

}  // namespace

std::unique_ptr<Toxic> latency(Random random) { return std::make_unique<Latency>(random); }

}  // namespace assay::proxy

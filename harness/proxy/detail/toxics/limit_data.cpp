// limit_data: after `bytes` bytes the connection is closed; with 0, when the first one comes.
#include "harness/proxy/detail/toxics/all.h"

namespace assay::proxy {
namespace {

class LimitData final : public Toxic {
 public:
  void set(const Attributes& attributes) override { limit_ = attribute(attributes, "bytes"); }

  std::optional<Moment> work(Stage stage) override {
    while (!stage.in.chunks.empty() && stage.has_room()) {
      const std::int64_t left = limit_ > passed_ ? limit_ - passed_ : 0;
      const auto size = static_cast<std::int64_t>(stage.in.chunks.front().bytes.size());
      if (left > 0) {
        Chunk chunk =
            size > left ? stage.in.pop_part(static_cast<std::size_t>(left)) : stage.in.pop();
        passed_ += static_cast<std::int64_t>(chunk.bytes.size());
        stage.out.push(std::move(chunk));
      }
      if (size < left) continue;
      stage.drop();
      stage.out.end = End::close;
      return std::nullopt;
    }
    stage.pass_end();
    return std::nullopt;
  }

 private:
  std::int64_t limit_ = 0, passed_ = 0;
};

}  // namespace

std::unique_ptr<Toxic> limit_data(Random) { return std::make_unique<LimitData>(); }

}  // namespace assay::proxy

#include "harness/plan/generate_flows.h"

#include <fmt/format.h>

#include "harness/plan/flow_text.h"

namespace assay {
namespace {

class FlowDraft {
 public:
  FlowDraft(Random& random, Duration lease) : random_(random), lease_(lease) {}

  FlowText draw(const std::string& id) {
    FlowText flow{id, one_in(3), {}};
    flow.root = one_in(20) ? large() : part(1);
    return flow;
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  std::string act() {
    static constexpr std::string_view ends[] = {"ok", "ok", "ok", "ok", "fail", "throw"};
    std::string text = draw_outputs(random_);
    if (one_in(2))
      text += fmt::format("{} ", to_ms(lease_) * static_cast<std::int64_t>(1 + below(8)) / 10);
    if (one_in(4)) text += draw_outputs(random_);
    return text + std::string(one_in(12) ? "unrecoverable" : ends[below(std::size(ends))]);
  }

  // It succeeds sooner or later, mostly.
  FlowPart step(std::string script = "") {
    FlowPart part;
    part.name = fmt::format("s{}", ++steps_);
    if (script.empty()) script = act() + (one_in(8) ? "" : " | ok");
    part.script = std::move(script);
    return part;
  }

  FlowPart part(int depth) {
    using Kind = FlowPart::Kind;
    if (depth > 3 || steps_ > 10 || (depth > 1 && one_in(2))) return step();
    FlowPart part;
    part.kind = static_cast<Kind>(1 + below(3));
    for (std::uint64_t more = 1 + below(3); more > 0; --more)
      part.parts.push_back(this->part(depth + 1));
    if (part.kind == Kind::chord) {
      const FlowPart last = step();
      part.name = last.name;
      part.script = last.script;
    }
    return part;
  }

  // More than whoever ends a step carries along.
  FlowPart large() {
    FlowPart first{FlowPart::Kind::group, "", "", {step(), step()}};
    FlowPart many{FlowPart::Kind::chord, "last", "ok", {}};
    for (int i = 0; i < 34; ++i) many.parts.push_back(step(one_in(8) ? "fail | ok" : "ok"));
    return {FlowPart::Kind::chain, "", "", {std::move(first), std::move(many)}};
  }

  Random& random_;
  const Duration lease_;
  int steps_ = 0;
};

}  // namespace

std::string draw_flow(Random& random, const std::string& id, Duration lease) {
  return text_of(FlowDraft(random, lease).draw(id));
}

std::string draw_outputs(Random& random) {
  static constexpr std::string_view all[] = {"put p ", "put q ", "append l ", "commit c ",
                                             "commit d "};
  std::string text;
  if (random.below(3) > 0) return text;
  for (std::uint64_t more = 1 + random.below(3); more > 0; --more)
    text += all[random.below(std::size(all))];
  return text;
}

}  // namespace assay

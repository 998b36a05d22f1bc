#include "harness/proxy/detail/toxics/all.h"

#include "harness/contract/check.h"

namespace assay::proxy {

const std::vector<ToxicMaker>& toxic_makers() {
  static const std::vector<ToxicMaker> all = {
      {{"bandwidth", {"rate"}}, bandwidth},
      {{"latency", {"latency", "jitter"}}, latency},
      {{"limit_data", {"bytes"}}, limit_data},
      {{"noop", {}}, noop},
      {{"reset_peer", {"timeout"}}, reset_peer},
      {{"slicer", {"average_size", "size_variation", "delay"}}, slicer},
      {{"slow_close", {"delay"}}, slow_close},
      {{"timeout", {"timeout"}}, timeout},
  };
  return all;
}

std::unique_ptr<Toxic> make_toxic(const std::string& type, const Attributes& attributes,
                                  Random random) {
  for (const ToxicMaker& maker : toxic_makers()) {
    if (maker.type.name != type) continue;
    auto toxic = maker.make(random);
    toxic->set(attributes);
    return toxic;
  }
  CHECK(!"there is such a type");
  return nullptr;
}

}  // namespace assay::proxy

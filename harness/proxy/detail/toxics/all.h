// All toxics there are: one file each, and one line in all.cpp.
#pragma once

#include <memory>
#include <vector>

#include "harness/contract/random.h"
#include "harness/proxy/detail/toxic.h"

namespace assay::proxy {

// What is random about a toxic comes from `random`, its own.
using MakeToxic = std::unique_ptr<Toxic> (*)(Random random);

struct ToxicMaker {
  ToxicType type;
  MakeToxic make;
};

const std::vector<ToxicMaker>& toxic_makers();

// Requires: there is such a type.
std::unique_ptr<Toxic> make_toxic(const std::string& type, const Attributes& attributes,
                                  Random random);

std::unique_ptr<Toxic> bandwidth(Random random);
std::unique_ptr<Toxic> latency(Random random);
std::unique_ptr<Toxic> limit_data(Random random);
std::unique_ptr<Toxic> noop(Random random);
std::unique_ptr<Toxic> reset_peer(Random random);
std::unique_ptr<Toxic> slicer(Random random);
std::unique_ptr<Toxic> slow_close(Random random);
std::unique_ptr<Toxic> timeout(Random random);

}  // namespace assay::proxy

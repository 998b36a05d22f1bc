// within_memory: a mutant of the memory driver that answers one of its Decisions wrongly.
#pragma once

#include <string>
#include <utility>

#include "drivers/memory/memory.h"
#include "drivers/mutants/mutant.h"

namespace assay::mutants {

using namespace memory_queue;

// `D` is a Decisions with its constructor.
template <class D>
Mutant within_memory(Mutant mutant) {
  mutant.driver = [name = std::string(mutant.name), summary = std::string(mutant.summary),
                   profile = std::string(mutant.profile)] {
    DriverInfo info = memory_that_decides<D>(name, summary);
    info.default_profile = profile;
    return info;
  };
  return mutant;
}

}  // namespace assay::mutants

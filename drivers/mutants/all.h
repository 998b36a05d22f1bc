// all_mutants: the catalogue. Adding a mutant is its file and one line in all.cpp.
#pragma once

#include <span>

#include "drivers/mutants/mutant.h"

namespace assay {

// In the order of their names.
std::span<const Mutant> all_mutants();

const Mutant* find_mutant(std::string_view name);

// The one that every run of ours must convict.
const Mutant& canary();

}  // namespace assay

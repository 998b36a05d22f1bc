// The reference engine as something that is certified, and the same with one planted bug each.
#pragma once

#include <functional>
#include <span>

#include "engine/worker.h"
#include "harness/run/engine.h"
#include "harness/run/intercepted_driver.h"

namespace assay::engine {

// What a mutant changes: what it says to the store and hears from it, what its handlers see, what
// it lives by, and what it tells.
struct Alterations {
  std::function<void(WorkerOptions&, const Profile&)> options = {};
  Interception driver = {};
  std::function<ActResult(const Errand&, const Acting&)> act = {};
  std::function<bool(const EngineEvent&)> tells = {};  // false: keeps it to itself
  // In the place of a shutdown in good order.
  std::function<void(Worker&)> shutdown = {};
};

EngineInfo reference();
// `alter` is asked for each worker that starts: what it gives may remember.
EngineInfo mutant(std::string name, std::vector<std::string_view> broken, std::string summary,
                  std::function<Alterations()> alter);

// The reference first, then its mutants, "mutant:NAME", in the order of their names.
std::span<const EngineInfo> all_engines();

// The mutant that every run of ours must convict.
const EngineInfo& engine_canary();

}  // namespace assay::engine

// The reference engine as something that is certified, and the same with one planted bug each.
#pragma once

#include <functional>
#include <span>

#include "engine/dispatcher.h"
#include "engine/flow.h"
#include "engine/worker.h"
#include "harness/run/engine.h"
#include "harness/run/intercepted_driver.h"

namespace assay::engine {

// What a mutant changes: what it says to the store and hears from it, what its handlers see, what
// it lives by, what it announces and hears of announcements, and what it tells.
struct Alterations {
  std::function<void(WorkerOptions&, const Profile&)> options = {};
  Interception driver = {};
  std::function<ActResult(const Errand&, const Acting&)> act = {};
  std::function<bool(const EngineEvent&)> tells = {};  // false: keeps it to itself
  std::function<Flow(Flow)> flow = {};                 // that is handed in
  std::function<void(const EngineTerms&)> given = {};  // before all else; good for its life
  // Of a dispatcher: what it lives by. Of everybody: the channel in the place of the one given,
  // which outlives it.
  std::function<void(DispatcherOptions&)> dispatcher = {};
  std::function<std::unique_ptr<Channel>(Channel&)> channel = {};
  // In the place of a shutdown in good order.
  std::function<void(Worker&)> shutdown = {};
};

EngineInfo reference();
// `alter` is asked for each worker, dispatcher and client that starts: what it gives may remember.
EngineInfo mutant(std::string name, std::vector<std::string_view> broken, std::string summary,
                  std::function<Alterations()> alter);

// Where people hand flows in to it, and look at what is kept.
Result<std::unique_ptr<EngineDesk>> make_desk(Runtime& runtime, Driver& driver,
                                              const std::string& name, std::uint64_t seed,
                                              Alterations alterations);

// The reference first, then its mutants, "mutant:NAME", in the order of their names.
std::span<const EngineInfo> all_engines();

// The mutant that every run of ours must convict.
const EngineInfo& engine_canary();

}  // namespace assay::engine

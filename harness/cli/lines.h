// RunLines: what carries the clients of a run to their store, so that faults of the network can
// befall them: a Toxiproxy that the person or the environment names, one that is started for the
// run, or the embedded proxy.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "faults/toxiproxy/instance.h"
#include "harness/proxy/lines.h"

namespace assay::cli {

struct RunLines {
  std::string described;                            // for people; empty: no lines are needed
  proxy::MakeLines make;                            // empty: the embedded proxy
  std::unique_ptr<toxiproxy::Instance> instance{};  // outlives what `make` makes
};

// What is wrong with what was typed, or stands in the environment; a sentence for wrong usage.
Status check_toxiproxy(const std::optional<std::string>& typed);

// To the store at that url; none where it is not reached by TCP. What is made on a Toxiproxy that
// is not ours is written into the journal in the scratch folder. The error says in a sentence which
// one cannot be used, and why. Requires: check_toxiproxy().
Result<RunLines> lines_for(const std::optional<std::string>& store_url,
                           const std::optional<std::string>& typed, const std::string& scratch);

}  // namespace assay::cli

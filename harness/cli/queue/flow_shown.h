// How flows are shown: to people as a tree, to programs as JSON.
#pragma once

#include <string>

#include "engine/flows.h"

namespace assay::cli::queue {

std::string flow_tree(const engine::FlowView& flow, Instant now);
std::string flow_json(const engine::FlowView& flow);
std::string summary_json(const engine::FlowSummary& flow);

}  // namespace assay::cli::queue

// The references, instants and payloads of a plan's steps, as JSON.
//
//   job    {"made": 2} | {"claimed": 3} | {"id": "..."}
//   token  {"claim": 3} | {"forged": "..."}
//   when   {"base": "due", "job": {...}, "offset_ms": -1}
//   payload  "text" | {"size": 5000, "seed": 7}
// A claim is the number of its slot, or [slot, index] where it is not the first.
#pragma once

#include <string>

#include "harness/contract/detail/json_reader.h"
#include "harness/plan/plan.h"

namespace assay::detail {

void write_job_ref(std::string& out, const JobRef& job);
void write_token_ref(std::string& out, const TokenRef& token);
void write_when(std::string& out, const When& when);
void write_payload(std::string& out, const PayloadSpec& payload);

// These throw Malformed.
JobRef read_job_ref(Fields fields);
TokenRef read_token_ref(Fields fields);
When read_when(Fields fields);
PayloadSpec read_payload(Fields& step, std::string_view name);

}  // namespace assay::detail

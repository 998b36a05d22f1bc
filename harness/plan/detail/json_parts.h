// The references, instants and payloads of a plan's steps, and its schedule, as JSON.
//
//   job    {"made": 2} | {"claimed": 3} | {"id": "..."}
//   token  {"claim": 3} | {"forged": "..."}
//   when   {"base": "due", "job": {...}, "offset_ms": -1}
//   payload  "text" | {"size": 5000, "seed": 7}
//   schedule {"by": "choices", "choices": "0*3 1 0"} | {"by": "random_walk", "seed": "00c0ffee"}
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
void write_schedule(std::string& out, const Schedule& schedule);

// These throw Malformed.
JobRef read_job_ref(Fields fields);
TokenRef read_token_ref(Fields fields);
When read_when(Fields fields);
PayloadSpec read_payload(Fields& step, std::string_view name);
Schedule read_schedule(Fields fields);
// Seeds and hashes are written in hexadecimal: other programs damage large JSON numbers.
std::uint64_t read_hex(Fields& fields, std::string_view name);

}  // namespace assay::detail

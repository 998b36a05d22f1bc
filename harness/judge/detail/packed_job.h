// PackedJob: what is known of a job in as few bytes as it takes: most jobs of a long history have
// ended, and nobody asks for them any more.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "harness/judge/job_facts.h"

namespace assay {

// Its id comes first, so that it can be read without the rest. `out` is cleared.
void pack(const JobFacts& job, std::string& out);
void unpack(const char* packed, JobFacts& to);
std::string_view id_in(const char* packed);

}  // namespace assay

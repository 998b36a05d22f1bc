// PackedJob: what is known of a job in as few bytes as it takes: most jobs of a long history have
// ended, and nobody asks for them any more.
#pragma once

#include <string_view>
#include <vector>

#include "harness/judge/job_facts.h"

namespace assay {

// Gives back how much of `out`, which grows as needed, it takes. Its id comes first, so that it can
// be read without the rest.
std::size_t pack(const JobFacts& job, std::vector<char>& out);
// Gives back how much it took.
std::size_t unpack(const char* packed, JobFacts& to);
std::string_view id_in(const char* packed);

}  // namespace assay

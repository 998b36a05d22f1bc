// Words: how findings speak of jobs, tokens, instants and operations.
#pragma once

#include <string>

#include "harness/judge/property.h"

namespace assay::words {

std::string job(const JobFacts& job);
std::string token(const Token& token);
std::string op(OpId op);  // "step 7", as the story numbers them
// Seconds since the history began.
std::string at(const Moment& moment, Instant instant);
std::string state(JobState state);
// "ok", or "refused with lease_lost (expired)".
std::string outcome(const Moment& moment);
std::string phase(const Facts& facts, const JobFacts& job, Instant now);

}  // namespace assay::words

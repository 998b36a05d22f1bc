// What of a job must come back as it was given.
#pragma once

#include "harness/judge/property.h"

namespace assay {

// The name of the first field that differs, or null: queue, type, payload, limit, timeout, key,
// priority, creation time. Run time and counter change with a job's life and are not compared.
const char* differing_field(const Moment& moment, const JobFacts& job, const Job& shown);

// Whether a look shows what the accepted calls left behind: state, counter, run time and live
// lease.
bool as_left(const Moment& moment, const Sighting& sighting);

// Whether the failure that a nack reports now is the last that the limit allows.
bool at_limit(const Moment& moment, const JobFacts& job);

}  // namespace assay

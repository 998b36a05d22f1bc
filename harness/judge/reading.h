// Readings: what an operation means beside the facts, worked out once for all properties.
#pragma once

#include "harness/judge/property.h"

namespace assay {

// The hold that the request shows, and what it wants with it; null for calls that show none.
const Hold* hold_of(const Request& request, Change& kind);

// Nobody was told the token of a claim whose answer was lost: it may be any that is not known, if
// the store takes it.
HoldUse standing_of(const Facts& facts, const JobFacts& job, const Hold& hold, Change kind,
                    Instant now, bool accepted);

// The states that a look at the job may show, a bit a JobState.
unsigned allowed_states(const Facts& facts, const JobFacts& job, Instant now);

// Arguments that every contract refuses: empty names, negative numbers, a lease of nothing.
bool is_malformed(const Request& request);

// Whether the profile claims the call at all.
bool is_claimed(const Profile& profile, const Request& request, Instant now);

// A job that this reserve had to find and did not; null if there is none.
const JobFacts* missed_by(const Facts& facts, const CallEvent& call, const ReturnEvent& end,
                          Instant now);

}  // namespace assay

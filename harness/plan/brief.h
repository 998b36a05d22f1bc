// brief: the same plan for a store whose clock runs by itself, so that a day is over in a second.
#pragma once

#include "harness/plan/plan.h"

namespace assay {

// Waits and leases become short, the longer ones still the longer. What the profile says itself (a
// store's longest backoff, how late it may be) is waited for as it is, up to a few seconds. A tick
// before a lease or a wait ends is some more before it.
Plan brief(Plan plan, const Profile& profile);

// Nobody waits longer than this at a time.
inline constexpr Duration longest_wait{6'000};

}  // namespace assay

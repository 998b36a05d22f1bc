// Histories whose calls overlap, made of ones in which nobody waits for anybody: every call is
// begun earlier and ended later than it was, so that what really happened is still one of the
// orders that explain them.
#pragma once

#include "harness/history/history.h"

namespace assay::told {

// By chance, from the seed. No call passes another of its own client, nor a move of the clock.
History stretched(const History& history, std::uint64_t seed);

// The same on a store whose clock runs by itself: of each call is only known that it took effect at
// some instant between two, of which neither is farther than `most` from the true one.
History blurred(History history, Duration most, std::uint64_t seed);

// What a faithful driver did with a generated plan.
History faithful(const Profile& profile, std::uint64_t seed);

}  // namespace assay::told

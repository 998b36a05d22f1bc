// generate_chaos: a plan drawn from a seed in the middle of which things go wrong, and are put
// right; it ends with an account of every job. So what happens under faults is judged, and then
// that everything goes on once they are over.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/fault/fault.h"

namespace assay {

// Some of them, as the seed says, at least one where there is one: what one run is about. Others
// meet other mixtures.
std::vector<const FaultInfo*> draw_mix(std::span<const FaultInfo* const> all, std::uint64_t seed);

// Same profile, seed and mix: same plan. One client moves at a time. Requires: the mix is not
// empty.
Plan generate_chaos(const Profile& profile, std::uint64_t seed,
                    std::span<const FaultInfo* const> mix);

// The same with clients that move at once, faults among their calls: so many clients that produce
// or work, a few where nobody says how many.
Plan generate_free_chaos(const Profile& profile, std::uint64_t seed,
                         std::span<const FaultInfo* const> mix,
                         std::optional<int> clients = std::nullopt);

}  // namespace assay

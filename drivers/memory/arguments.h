// Arguments: which requests are wrong whatever the store holds, and which need an ability that the
// profile does not claim.
#pragma once

#include <optional>

#include "harness/contract/operation.h"
#include "harness/contract/profile.h"

namespace assay::memory_queue {

using Objection = std::optional<Error>;

Objection objection_to(const Enqueue& request);
Objection objection_to(const Reserve& request, ClaimStyle style);
Objection objection_to(const Hold& hold);
Objection objection_to_lease(Duration lease);
Objection objection_to_attempts(std::int64_t attempts);
Objection objection_to_queue(const std::string& queue);
Objection objection_to_limit(std::int64_t limit);

Objection objection_to_lack_of(const Profile& profile, std::string_view capability);
Objection objection_to_decider(const Profile& profile, Decider needed);

}  // namespace assay::memory_queue

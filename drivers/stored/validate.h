// What is refused without a look at the store: calls that the profile does not have, then bad
// arguments.
#pragma once

#include <optional>

#include "harness/contract/operation.h"
#include "harness/contract/profile.h"

namespace assay::stored {

using Refusal = std::optional<Error>;

Refusal refusal(const Profile& profile, const Enqueue& request);
Refusal refusal(const Profile& profile, const Reserve& request);
Refusal refusal(const Profile& profile, const Extend& request);
Refusal refusal(const Profile& profile, const Ack& request);
Refusal refusal(const Profile& profile, const Retry& request);
Refusal refusal(const Profile& profile, const Fail& request);
Refusal refusal(const Profile& profile, const Nack& request);
Refusal refusal(const Profile& profile, const Cancel& request);
Refusal refusal(const Profile& profile, const Pause& request);
Refusal refusal(const Profile& profile, const Resume& request);
Refusal refusal(const Profile& profile, const Get& request);
Refusal refusal(const Profile& profile, const List& request);
Refusal refusal(const Profile& profile, const Dead& request);
Refusal refusal(const Profile& profile, const Requeue& request);

}  // namespace assay::stored

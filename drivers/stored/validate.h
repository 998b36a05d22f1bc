// What is refused without a look at the store: calls that the profile does not have, then bad
// arguments.
#pragma once

#include <optional>

#include "harness/contract/operation.h"
#include "harness/contract/profile.h"
#include "harness/contract/records.h"

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
Refusal refusal(const Profile& profile, const Commit& request);
Refusal refusal(const Profile& profile, const Scan& request);

// A record to be read.
struct RecordKey {
  const std::string& key;
};
Refusal refusal(const Profile& profile, const RecordKey& request);

// Why a record that is at a version (0: there is none) cannot be written or dropped, if it cannot.
Refusal version_conflict(const std::string& key, std::int64_t version,
                         const std::optional<std::int64_t>& wanted);
Error countdown_conflict(const std::string& key);
Error no_countdown_conflict(const std::string& key);

}  // namespace assay::stored

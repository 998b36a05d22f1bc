// RuleCases: three histories for each rule that a family judges, told from the contract's words.
//
// Each begins as `given` says. A convicting history ends with the answer that cannot be.
#pragma once

#include <chrono>
#include <span>
#include <string_view>

#include "tests/properties/told.h"

namespace assay::told {

using namespace std::chrono_literals;
using enum ErrorCode;
using enum LeaseReason;
using enum JobState;

using Story = void (*)(Told&);

struct RuleCases {
  std::string_view rule;
  std::string_view profile;
  Story given;
  Story holds;     // triggers the rule; nothing is wrong
  Story convicts;  // breaks the rule
  Story unknown;   // would break it, if the answers that are missing were known
};

using Cases = std::span<const RuleCases>;

Cases ack_cases();
Cases admin_cases();
Cases argument_cases();
Cases backoff_cases();
Cases cancel_cases();
Cases claim_cases();
Cases clock_cases();
Cases closing_cases();
Cases dead_letter_cases();
Cases delivery_cases();
Cases durability_cases();
Cases enqueue_cases();
Cases error_cases();
Cases fence_cases();
Cases heartbeat_cases();
Cases idempotency_cases();
Cases lease_cases();
Cases order_cases();
Cases pause_cases();
Cases retry_cases();
Cases schedule_cases();
Cases state_cases();

inline std::vector<RuleCases> all_cases() {
  std::vector<RuleCases> all;
  for (const auto cases :
       {ack_cases(),         admin_cases(),     argument_cases(),    backoff_cases(),
        cancel_cases(),      claim_cases(),     clock_cases(),       closing_cases(),
        dead_letter_cases(), delivery_cases(),  enqueue_cases(),     error_cases(),
        fence_cases(),       heartbeat_cases(), idempotency_cases(), lease_cases(),
        order_cases(),       pause_cases(),     retry_cases(),       schedule_cases(),
        state_cases(),       durability_cases()})
    all.insert(all.end(), cases.begin(), cases.end());
  return all;
}

// What the contract permits: histories that a hasty judge would convict.
struct Permission {
  std::string_view rule;
  std::string_view profile;
  Story story;
};
std::span<const Permission> permissions();

}  // namespace assay::told

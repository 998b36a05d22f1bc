// Instants: when a call may have taken effect, where the store lives by a clock that runs.
//
// Then a history tells two instants of a call, and somewhere between them the store read its clock.
#pragma once

#include <string_view>
#include <vector>

#include "harness/judge/detail/window.h"

namespace assay::judging {

// Whether there is more than one.
inline bool is_blurred(const Facts& facts, const Operation& operation) {
  return facts.latest(*operation.call, *operation.end) != operation.now();
}

// The one job that the call names; empty where it names none, or many.
std::string_view subject_of(const Operation& operation);

// Those that matter for what is known of the job: between two that follow each other nothing that a
// rule compares them with begins or ends. The first and the last are among them.
std::vector<Instant> instants_of(const Facts& facts, const Operation& operation,
                                 std::string_view id);

// When a lease or a wait of the job ends, as the call or its answer says.
void add_ends_given(const Operation& operation, std::string_view id, std::vector<Instant>& to);

// What a call with a lease, whose answer was lost, may have been late for: the instants from which
// its lease would just reach, or just not reach, one of the others.
void add_instants_before(const std::vector<Instant>& others, Duration lease,
                         std::vector<Instant>& to);

}  // namespace assay::judging

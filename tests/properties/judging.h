// What tests of the judge ask of a history and a judgement.
#pragma once

#include <string>
#include <string_view>

#include "harness/judge/judge.h"
#include "tests/properties/cases.h"

namespace assay::told {

// `given` may be null.
History tell(std::string_view profile, Story given, Story story);

// Makes the outcome of the event unknown; false if it is not the end of a call.
bool hide(History& history, std::size_t at);

// All findings, a line each; empty if there are none.
std::string findings_of(const Judgement& judgement);
std::string tallies_of(const Judgement& judgement);

// "FENCE-2" as the name of a test.
std::string test_name(std::string_view rule);

}  // namespace assay::told

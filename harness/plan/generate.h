// generate: a plan drawn from a seed by RapidCheck, biased towards what triggers the rules of a
// profile.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/plan/plan.h"

namespace assay {

struct GenerateOptions {
  int steps = 60;  // about
};

// Same profile, seed and options: same plan.
Plan generate(const Profile& profile, std::uint64_t seed, const GenerateOptions& options = {});

struct FreeOptions {
  std::optional<int> clients;  // so many that produce or work; absent: a few, drawn
  // Each has more to do in a round, on more queues, and there are jobs enough: what goes wrong in
  // the middle of it meets somebody.
  bool is_busy = false;
};

// One whose clients move at once, for the rules that need it; it ends with an account of every job,
// taken by one client at a time.
Plan generate_free(const Profile& profile, std::uint64_t seed, const FreeOptions& options = {});

}  // namespace assay

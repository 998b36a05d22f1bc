// Token: short text that carries a whole plan, or the seed of one, with what is needed to run it
// again.
//
// `assay1-<base64url>`: deflated JSON with a checksum. Plans that make it longer than
// token_max_length go to a file; the token is then the file's path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/plan/plan.h"

namespace assay {

inline constexpr std::size_t token_max_length = 1500;

struct ReplayToken {
  std::string assay_version;
  std::string driver;  // as given to certify: "sqlite", "mutant:ack_takes_stale_token"
  Profile profile;
  std::string engine;                      // that the plan's workers are of; empty: it has none
  std::string replica;                     // how the store that we started is followed by another
  std::uint64_t driver_seed = 0;           // DriverOptions::seed
  std::optional<Plan> plan;                // the plan itself, ...
  std::optional<std::uint64_t> plan_seed;  // ... or the seed that draws it
  bool plan_free = false;                  // by generate_free
  std::optional<Schedule> schedule;        // of the plan that is drawn
  std::string rule;                        // the rule that it convicts; empty: none
  std::uint64_t history_hash = 0;          // 0: not known yet
  std::string history_trace;               // where a replay first differs: see trace_of
  bool operator==(const ReplayToken&) const = default;
};

// Requires: the plan, if any, is valid.
std::string encode(const ReplayToken& token);

// Says what the text is and what is wrong with it: not a token, cut short, altered, of another
// version.
Result<ReplayToken> decode_token(std::string_view text);

// The same as a plan file's text, for people to read and edit; and back.
std::string plan_file_text(const ReplayToken& token);
Result<ReplayToken> read_plan_file_text(std::string_view text);

// The text as it is, or where it is too long the path of a file in `folder` that holds what it
// carries: written completely or not at all. The folder is made if need be. Invalid where it is too
// long and no token.
Result<std::string> store_token(const std::string& text, const std::string& folder);

// From a token's text or a plan file's path.
Result<ReplayToken> load_token(const std::string& text_or_path);

}  // namespace assay

// The messages of the protocol as lines, in both directions.
//
// What others wrote is read tolerantly; the reading functions throw Malformed unless they say
// otherwise.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "harness/contract/driver.h"

namespace assay::detail {

inline constexpr int protocol_version = 1;

// Requests, without a line feed.
std::string hello_line(std::uint64_t id);
struct SetupFields {
  std::string name_space;
  std::optional<std::string> url;
  bool create = true;
  std::uint64_t seed = 0;
};
std::string setup_line(std::uint64_t id, const SetupFields& setup);
std::string teardown_line(std::uint64_t id, std::string_view name_space);
std::string open_line(std::uint64_t id, std::string_view session, Role role);
std::string now_line(std::uint64_t id);
std::string advance_line(std::uint64_t id, Duration by);
std::string request_line(std::uint64_t id, std::string_view session, Instant now,
                         const Request& request);

// Answers.
std::string ok_line(std::uint64_t id, const Response& response);
std::string ok_line(std::uint64_t id, std::string_view object);
std::string error_line(std::uint64_t id, const Error& error);

// The id of an answer. Nothing is thrown.
Result<std::uint64_t> answered_id(std::string_view line);

nlohmann::json parsed(std::string_view line);

// What an answer says: its `ok`, or the refusal. The answer is borrowed.
Result<const nlohmann::json*> outcome_of(const nlohmann::json& answer);

}  // namespace assay::detail

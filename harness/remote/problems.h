// Problems of a line: every way in which an answer or a request is not what docs/protocol.md says,
// each with the field it is about.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::protocol {

struct Problem {
  std::string path;      // "ok.claims[0].job.payload"; empty: the line as a whole
  std::string expected;  // "base64"
  std::string found;     // what is there instead, shortened; "nothing" where it is missing

  bool operator==(const Problem&) const = default;
};

// "ok.claims[0].job.payload: expected base64, found \"?\""
std::string told(const Problem& problem);

// What is wrong with this line as the answer to request `id` of the operation `op`; empty: nothing.
// Fields that the protocol does not know are no problem. Of an operation that it does not know only
// the envelope is looked at. Never more than `most_problems`.
std::vector<Problem> problems_of_answer(std::string_view op, std::string_view line,
                                        std::int64_t id);

// The same of a request.
std::vector<Problem> problems_of_request(std::string_view line);

inline constexpr std::size_t most_problems = 20;

// Whether its objects and lists stand in each other deeper than anybody means: what walks through
// them by recursion would never come back.
bool nests_too_deep(std::string_view line);

// At most about 80 columns of a text, printable: for showing somebody what a driver sent.
std::string excerpt(std::string_view text, std::size_t width = 80);

}  // namespace assay::protocol

// Wording: how a story calls things. Jobs A, B, ...; tokens T1, T2, ...; times since the beginning.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "harness/contract/job.h"

namespace assay::detail {

// In quotation marks, on one line, at most a few words of it.
std::string quoted(std::string_view text);

// A client's name: bare where that reads as one word, quoted otherwise.
std::string person(std::string_view name);

// "30 s", "0.700 s"
std::string length(Duration duration);

class Wording {
 public:
  explicit Wording(Instant start) : start_(start) {}

  Instant start() const { return start_; }
  // "+30.000 s"
  std::string at(Instant when) const;

  // As the driver shows it: a name from now on, with the real text when first seen.
  std::string shown_job(const JobId& id);
  std::string shown_token(const Token& token);

  // As a caller names it: what nobody was shown is told as it is.
  std::string named_job(const JobId& id) const;
  std::string named_token(const Token& token) const;

  // Sentences in which "job" and "token" stand before the real texts, with the names instead. A
  // text may be cut short there by "...".
  std::string renamed(std::string_view sentences) const;

 private:
  Instant start_;
  std::map<JobId, std::string> jobs_;
  std::map<Token, std::string> tokens_;
};

}  // namespace assay::detail

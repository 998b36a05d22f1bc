// Line: a session that is opened when it is needed, and anew after trouble.
//
// Not thread-safe.
#pragma once

#include <memory>
#include <utility>

#include "harness/contract/driver.h"

namespace assay::engine::detail {

// The store may answer the same call later: it gave no answer, or the session is gone.
inline bool is_trouble(const Error& error) {
  return !is_definite(error) || error.code == ErrorCode::closed ||
         error.code == ErrorCode::unavailable;
}

class Line {
 public:
  // The driver is borrowed for life.
  Line(Driver& driver, std::string name) : driver_(&driver), name_(std::move(name)) {}
  Line(Line&&) = default;
  Line& operator=(Line&&) = default;
  ~Line() { hang_up(); }

  // The error of the opening, where the call could not be made at all: that one is definite.
  template <class Call>
  auto call(Call make) -> decltype(make(std::declval<Session&>())) {
    if (auto trouble = open()) return *trouble;
    auto answer = make(*session_);
    if (!answer.ok() && is_trouble(answer.error())) hang_up();
    return answer;
  }

  // Absent where there is none; then `trouble` says why.
  Session* session(std::optional<Error>& trouble) {
    trouble = open();
    return session_.get();
  }

  void hang_up();

 private:
  std::optional<Error> open();

  Driver* driver_;
  std::string name_;
  std::unique_ptr<Session> session_;
};

}  // namespace assay::engine::detail

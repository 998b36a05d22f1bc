// Result<T>: a value, or the Error that stands in its place.
#pragma once

#include <utility>
#include <variant>

#include "harness/contract/check.h"
#include "harness/contract/error.h"

namespace assay {

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Requires: ok().
  T& value() & { return CHECK(ok()), std::get<0>(state_); }
  const T& value() const& { return CHECK(ok()), std::get<0>(state_); }
  T&& value() && { return CHECK(ok()), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Requires: !ok().
  const Error& error() const { return CHECK(!ok()), std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// Success with nothing to say.
struct Done {
  bool operator==(const Done&) const = default;
};

using Status = Result<Done>;

}  // namespace assay

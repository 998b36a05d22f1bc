#include "engine/detail/line.h"

namespace assay::engine::detail {

void Line::hang_up() {
  if (!session_) return;
  // What it still had to say was answered, or never will be.
  static_cast<void>(session_->close());
  session_.reset();
}

std::optional<Error> Line::open() {
  if (session_) return std::nullopt;
  auto opened = driver_->open({name_, Role::worker});
  if (!opened.ok()) {
    Error error = opened.error();
    error.code = ErrorCode::unavailable;  // whatever it is, another time it may open
    error.definite = true;                // and nothing was asked of the store
    return error;
  }
  session_ = std::move(*opened);
  return std::nullopt;
}

}  // namespace assay::engine::detail

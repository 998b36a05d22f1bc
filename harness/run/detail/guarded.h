// guarded: whatever a driver throws against its promise is an answer that nobody understands.
#pragma once

#include <fmt/format.h>

#include <exception>

#include "harness/contract/error.h"

namespace assay::detail {

template <class Call>
auto guarded(Call&& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception& thrown) {
    return Error{ErrorCode::internal, fmt::format("the driver threw: {}", thrown.what())};
  } catch (...) {
    return Error{ErrorCode::internal, "the driver threw something that is no exception"};
  }
}

}  // namespace assay::detail

// CHECK: a condition that only a bug of ours can break. On in every build; says where, then aborts.
#pragma once

namespace assay::detail {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}

#define CHECK(condition)              \
  ((condition) ? static_cast<void>(0) \
               : ::assay::detail::check_failed(#condition, __FILE__, __LINE__))

#include "harness/contract/check.h"

#include <cstdio>
#include <cstdlib>

namespace assay::detail {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "assay: a bug of Assay's own: CHECK(%s) failed at %s:%d\n", condition, file,
               line);
  std::abort();
}

}  // namespace assay::detail

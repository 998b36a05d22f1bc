// Load: how hard a store is driven while it is measured.
#pragma once

#include <cstddef>

namespace assay {

struct Load {
  int clients = 1;
  int batch = 1;  // jobs a call
  int seconds = 1;
  std::size_t payload_bytes = 100;
};

}  // namespace assay

// Small disks, to fill: whether they can be had here.
#pragma once

#include <cstdlib>

namespace assay {

// Only root can mount one, and not in every container.
inline bool can_mount_small_disks() {
  static const bool can =
      std::system("unshare --mount mount -t tmpfs -o size=1m tmpfs /mnt >/dev/null 2>&1") == 0;
  return can;
}

}  // namespace assay

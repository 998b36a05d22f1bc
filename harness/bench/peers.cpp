#include "harness/bench/peers.h"

#include <array>

namespace assay {

std::span<const Peer> peers() {
  static constexpr std::array all{
      Peer{"postgres", "pg-boss 10", 1, 1092, 279},
      Peer{"postgres", "pg-boss 10", 8, 1984, 603},
      Peer{"postgres", "pg-boss 10", 32, 2421, 674},
      Peer{"postgres", "pg-boss 12", 1, 1003, 791},
      Peer{"postgres", "pg-boss 12", 8, 1658, 1204},
      Peer{"postgres", "pg-boss 12", 32, 2012, 1145},
      Peer{"postgres", "graphile-worker 0.17", 1, 825, 1239},
      Peer{"postgres", "graphile-worker 0.17", 8, 816, 1561},
      Peer{"postgres", "graphile-worker 0.17", 32, 769, 1834},
      Peer{"redis", "BullMQ, getNextJob", 1, 5438, 2586},
      Peer{"redis", "BullMQ, getNextJob", 8, 13100, 5994},
      Peer{"redis", "BullMQ, getNextJob", 32, 19600, 9499},
      Peer{"redis", "BullMQ, Worker", 1, 0, 3810},
      Peer{"redis", "BullMQ, Worker", 8, 0, 10700},
      Peer{"redis", "BullMQ, Worker", 32, 0, 12800},
  };
  return all;
}

}  // namespace assay

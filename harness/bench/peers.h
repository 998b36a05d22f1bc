// Peers: what queues that people would use instead did when they were measured on a machine of two
// cores, to be read beside a driver's own figures, in the same order of magnitude and no closer.
#pragma once

#include <span>
#include <string_view>

namespace assay {

struct Peer {
  std::string_view backend;  // "postgres", "redis"
  std::string_view name;     // with how it was used
  int clients;
  int enqueue, settle;  // jobs a second, the better of two runs; 0: not measured
};

// One job a call, payloads of 100 bytes; Postgres durable, Redis without an append-only file.
std::span<const Peer> peers();

}  // namespace assay

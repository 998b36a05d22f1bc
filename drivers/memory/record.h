// Record: what the memory store keeps of one job.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "harness/contract/operation.h"

namespace assay::memory_queue {

// Where a job stands. Whether a waiting one is scheduled or ready is a question of time alone.
enum class Stage { waiting, leased, done, dead, cancelled };

enum class SettleKind { ack, retry, fail, nack };

struct Lease {
  Token token = {};
  std::int64_t attempt = 0;
  Instant expires_at = {};
  std::string worker = {};
};

// The settle that ended the last lease, so that repeating it is harmless.
struct LastSettle {
  SettleKind kind = SettleKind::ack;
  Token token = {};
  std::int64_t attempt = 0;
  Nacked answer = {};
};

// The place in the line of a queue: smaller is served first.
struct OrderKey {
  std::int64_t rank = 0;  // higher priority, smaller rank
  Instant runnable_at = {};
  std::int64_t sequence = 0;

  auto operator<=>(const OrderKey&) const = default;
};

struct Record;
class Queue;
using Line = std::multimap<OrderKey, Record*>;
using Leases = std::multimap<Instant, Record*>;
using Graves = std::map<std::pair<Instant, JobId>, Record*>;

struct Record {
  Job job = {};  // its state is not kept here: it is shown, see Decisions
  std::optional<Instant> given_run_at = {};
  std::int64_t sequence = 0;
  Queue* queue = nullptr;

  Stage stage = Stage::waiting;
  bool awaits_retry = false;
  std::int64_t lease_losses = 0;
  std::int64_t version = 0;
  std::optional<Lease> lease = {};
  std::optional<LastSettle> settled = {};
  std::optional<DeadView> dead = {};
  bool replayed = false;  // a fresh job took its place: no longer among the dead letters

  // Where its queue holds it; at most one of the first two.
  std::optional<Line::iterator> in_line = {};
  std::optional<Leases::iterator> in_leases = {};
  std::optional<Graves::iterator> in_graves = {};
  bool runnable_before_its_key = false;
};

}  // namespace assay::memory_queue

// Run: one delivery of a job, from the claim to its settle.
//
// Guarded by the floor's monitor, but for what is constant and for the two that the handler reads.
#pragma once

#include <atomic>
#include <stop_token>

#include "engine/events.h"

namespace assay::engine::detail {

enum class Stage { claimed, running, settling };

struct Run {
  Run(Claim taken, std::int64_t number, int of_slot)
      : claim(std::move(taken)), number(number), slot(of_slot) {}

  Delivery delivery() const { return {claim.job.id, claim.token, number}; }
  // Its lease must be kept.
  bool is_kept() const { return stage != Stage::settling && !is_lost && why == Interruption::none; }

  const Claim claim;
  const std::int64_t number;
  const int slot;

  Stage stage = Stage::claimed;
  // By our own clock: when the call that granted it was sent, and the lease on top. The store
  // granted it later than that, whatever its clock says.
  Instant expires_at = {};
  bool is_lost = false;
  Instant last_beat = {}, next_beat = {};
  std::optional<Instant> time_limit = {};  // of its handler, once that runs

  std::vector<OutgoingEvent> events = {};  // to be sent with its ack

  std::atomic<Interruption> why = Interruption::none;
  std::stop_source stop;
};

}  // namespace assay::engine::detail

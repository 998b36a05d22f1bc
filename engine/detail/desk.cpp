#include "engine/detail/desk.h"

namespace assay::engine::detail {

std::optional<Error> Desk::enter() {
  const Held held(*floor_.monitor);
  Slot& slot = floor_.slot(run_.slot);
  while (slot.in_call && !slot.is_left) floor_.monitor->wait_until(std::nullopt);
  if (slot.is_left)
    return Error{ErrorCode::closed, "the worker has ended", LeaseReason::unstated, true};
  if (run_.is_lost) return lease_lost(LeaseReason::expired, "the lease is lost");
  slot.in_call = true;
  return std::nullopt;
}

void Desk::leave() {
  const Held held(*floor_.monitor);
  floor_.slot(run_.slot).in_call = false;
  floor_.monitor->notify_all();
}

bool Desk::waits(Duration pause) {
  {
    const Held held(*floor_.monitor);
    const bool is_over = run_.is_lost || floor_.slot(run_.slot).is_left || floor_.gives_up ||
                         later(floor_.now(), pause) >= run_.expires_at;
    if (is_over || run_.stop.stop_requested()) return false;
  }
  floor_.clock.sleep_until(later(floor_.now(), pause), run_.stop.get_token());
  return true;
}

void Desk::tell(Happening what) {
  const Held held(*floor_.monitor);
  if (!floor_.slot(run_.slot).is_left) floor_.tell(run_, std::move(what));
}

}  // namespace assay::engine::detail

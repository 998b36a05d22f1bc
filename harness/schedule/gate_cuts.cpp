#include "harness/schedule/gate_cuts.h"

namespace assay {

void GateCuts::begin_call(int client, const std::optional<Cut>& cut, std::function<void()> on_cut) {
  const std::lock_guard lock(mutex_);
  calls_[client] = {cut, {}, std::move(on_cut)};
  current_ = client;
}

CallCuts::Ended GateCuts::end_call(int client) {
  const std::lock_guard lock(mutex_);
  current_ = -1;
  const auto call = calls_.extract(client);
  return call ? call.mapped().so_far : Ended{};
}

bool GateCuts::is_cut_here(int client) {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(client);
  if (found == calls_.end()) return false;
  auto& [cut, so_far, on_cut] = found->second;
  ++so_far.gates;
  if (!cut || cut->at != so_far.gates) return false;
  so_far.was_cut = true;
  so_far.loses_answer = true;
  if (on_cut) on_cut();
  return cut->where == CutPoint::before_delivery;
}

// Others may have moved before it comes back.
void GateCuts::pass(const char* where) {
  const int me = current_;
  if (me >= 0 && is_cut_here(me)) throw CutOff{};
  carrier_.pass(where);
  current_ = me;
}

bool GateCuts::wait(const char* for_what, const void* what) {
  const int me = current_;
  const bool goes_on = carrier_.on() && carrier_.wait(for_what, what);
  current_ = me;
  return goes_on;
}

}  // namespace assay

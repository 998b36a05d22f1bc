#include "drivers/memory/session.h"

#include <thread>

namespace assay::memory_queue {

// Where nobody decides who moves, it takes a while until another thread is there.
void Namespace::let_others_in() {
  constexpr int turns = 64;
  mutex.unlock();
  for (int i = 0; i < turns && !mutex.is_gate(); ++i) std::this_thread::yield();
  mutex.lock();
}

// Makes the call on the store, alone, at the time that counts.
template <class Act>
auto MemorySession::locked(Instant callers_now, Act act) {
  using Answer = decltype(act(std::declval<Store&>(), callers_now));
  if (closed_) return Answer(Error{ErrorCode::closed, "the session is closed"});
  const std::lock_guard lock(namespace_->mutex);
  const Instant stores_now = namespace_->clock.now() + namespace_->offset;
  const Instant now = namespace_->decisions->now(callers_now, stores_now);
  const bool is_heard = namespace_->bell.is_heard();
  namespace_->store.watch_lines(is_heard);
  Answer answer = act(namespace_->store, now);
  if (is_heard)
    for (const Record* job : namespace_->store.take_arrivals(now))
      namespace_->bell.ring(job->job.queue, job->job.id);
  return answer;
}

Result<Enqueued> MemorySession::enqueue(Instant now, const Enqueue& request) {
  return locked(now, [&](Store& store, Instant at) { return store.enqueue(at, request); });
}
Result<Claims> MemorySession::reserve(Instant now, const Reserve& request) {
  return locked(now, [&](Store& store, Instant at) { return store.reserve(at, request); });
}
Result<Extended> MemorySession::extend(Instant now, const Extend& request) {
  return locked(now, [&](Store& store, Instant at) { return store.extend(at, request); });
}
Status MemorySession::ack(Instant now, const Ack& request) {
  return locked(now, [&](Store& store, Instant at) { return store.ack(at, request); });
}
Status MemorySession::retry(Instant now, const Retry& request) {
  return locked(now, [&](Store& store, Instant at) { return store.retry(at, request); });
}
Status MemorySession::fail(Instant now, const Fail& request) {
  return locked(now, [&](Store& store, Instant at) { return store.fail(at, request); });
}
Result<Nacked> MemorySession::nack(Instant now, const Nack& request) {
  return locked(now, [&](Store& store, Instant at) { return store.nack(at, request); });
}
Result<Cancelled> MemorySession::cancel(Instant now, const Cancel& request) {
  return locked(now, [&](Store& store, Instant at) { return store.cancel(at, request); });
}
Status MemorySession::pause(Instant now, const Pause& request) {
  return locked(now, [&](Store& store, Instant) { return store.pause(request); });
}
Status MemorySession::resume(Instant now, const Resume& request) {
  return locked(now, [&](Store& store, Instant) {
    Status resumed = store.resume(request);
    if (resumed.ok()) namespace_->bell.ring(request.queue);
    return resumed;
  });
}
Result<JobView> MemorySession::get(Instant now, const Get& request) {
  return locked(now, [&](Store& store, Instant at) { return store.get(at, request); });
}
Result<JobPage> MemorySession::list(Instant now, const List& request) {
  return locked(now, [&](Store& store, Instant at) { return store.list(at, request); });
}
Result<DeadPage> MemorySession::dead(Instant now, const Dead& request) {
  return locked(now, [&](Store& store, Instant at) { return store.dead(at, request); });
}
Result<Requeued> MemorySession::requeue(Instant now, const Requeue& request) {
  return locked(now, [&](Store& store, Instant at) { return store.requeue(at, request); });
}

Result<Committed> MemorySession::commit(Instant now, const Commit& commit) {
  return locked(now, [&](Store& store, Instant at) { return store.commit(at, commit); });
}
Result<std::optional<assay::Record>> MemorySession::read(Instant now, const std::string& key) {
  return locked(now, [&](Store& store, Instant) { return store.read(key); });
}
Result<RecordPage> MemorySession::scan(Instant now, const Scan& scan) {
  return locked(now, [&](Store& store, Instant) { return store.scan(scan); });
}

Status MemorySession::close() {
  closed_ = true;
  return Done{};
}

}  // namespace assay::memory_queue

// Told: a history told by hand, one call a line. It fills in what a faithful store would answer, so
// that a test says only what matters; edits and refusals say what an unfaithful one answered.
//
// Jobs are told by id; unless said otherwise they are of queue "q", type "t" and payload "p". The
// n-th claim of job "a" has the token "a#n". A lease lasts 30 s.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history/history.h"

namespace assay::told {

inline constexpr Duration lease_length{30'000};

// A job as it is told so far: what a look at it shows now.
struct ToldJob {
  JobView view;
  bool waiting = false;
  bool retried = false;  // it waits for a retry
  int claims = 0;
};

class Told;

// A call that has begun. One verb ends it; without any it stays open.
class [[nodiscard]] Asked {
 public:
  Asked(Told& told, OpId op, Request request);

  // As a faithful store answers; the job changes with it.
  Told& ok();
  Told& ok(void (*edit)(Response&));
  Told& claims(const std::vector<JobId>& ids, void (*edit)(Claim&) = nullptr);
  Told& nothing() { return claims({}); }
  Told& shows(void (*edit)(JobView&) = nullptr);
  Told& lists(const std::vector<JobId>& ids, void (*edit)(JobPage&) = nullptr);
  Told& buries(const std::vector<JobId>& ids, void (*edit)(DeadPage&) = nullptr);
  Told& existed(const JobId& id);
  Told& waits(Duration delay);  // a nack
  Told& dies();                 // a nack
  Told& replays(const JobId& fresh);

  // And these leave the job as it is.
  Told& answers(Response response);
  Told& refused(ErrorCode code, LeaseReason reason = LeaseReason::unstated);
  Told& lost(LeaseReason reason) { return refused(ErrorCode::lease_lost, reason); }
  Told& unknown();
  void open() {}

 private:
  ToldJob& job() const;

  Told& told_;
  OpId op_;
  Request request_;
};

class Told {
 public:
  explicit Told(std::string_view profile);

  Profile profile;  // may be altered before the first call
  Instant now = run_epoch;

  Told& as(int client);  // who makes the next calls
  Told& advance(Duration by);
  Told& hide();  // the last answer was lost: nobody knows how its call ended
  Told& dies(int client);
  Told& store_goes();
  Told& store_comes_back();

  Asked enqueue(NewJob job) { return ask(Enqueue{std::move(job)}); }
  Asked enqueue(const JobId& id) {
    return enqueue(NewJob{.id = id, .queue = "q", .type = "t", .payload = "p"});
  }
  Asked enqueue(const JobId& id, Duration delay);
  Asked reserve(const std::string& queue = "q", std::int64_t max = 1);
  Asked reserve_for(Duration lease);
  Asked seek(const JobId& id);  // a reserve that could find the job: on its queue, or by its id
  Told& claim(const JobId& id, void (*edit)(Claim&) = nullptr) {
    return seek(id).claims({id}, edit);
  }
  // An empty token: that of the job's last claim.
  Asked extend(const JobId& id, const Token& token = {}, Duration lease = lease_length);
  Asked ack(const JobId& id, const Token& token = {}) { return ask(Ack{hold(id, token)}); }
  Asked retry(const JobId& id, Duration delay, std::int64_t attempts, const Token& token = {});
  Asked fail(const JobId& id, std::int64_t attempts, const Token& token = {});
  Asked nack(const JobId& id, const Token& token = {}, bool unrecoverable = false);
  Asked cancel(const JobId& id) { return ask(Cancel{id}); }
  Asked pause(const std::string& queue = "q") { return ask(Pause{queue}); }
  Asked resume(const std::string& queue = "q") { return ask(Resume{queue}); }
  Asked get(const JobId& id) { return ask(Get{id}); }
  Asked list(List list = {.queue = "q"}) { return ask(std::move(list)); }
  Asked dead(Dead dead = {.queue = "q"}) { return ask(std::move(dead)); }
  Asked requeue(const JobId& id, bool reset = false) { return ask(Requeue{id, {}, reset}); }
  Asked close() { return ask(Close{}); }
  Asked ask(Request request);
  Told& happens(EngineEvent event);  // now

  // Short for jobs on their way.
  Told& held(const JobId& id) { return enqueue(id).ok().claim(id); }
  Told& done(const JobId& id) { return held(id).ack(id).ok(); }
  Told& buried(const JobId& id) { return held(id).fail(id, 1).ok(); }
  Told& cancelled(const JobId& id) { return enqueue(id).ok().cancel(id).ok(); }
  Told& retried(const JobId& id, Duration delay) { return held(id).retry(id, delay, 1).ok(); }
  Told& lapsed(const JobId& id) { return held(id).advance(lease_length); }

  Hold hold(const JobId& id, const Token& token) const;
  JobView view(const JobId& id) const;
  const History& history();

 private:
  friend class Asked;
  Told& end(OpId op, OutcomeKind outcome, Response response, Error error);
  Claim claimed(const JobId& id, const Reserve& request);
  JobId enqueued(const NewJob& given);

  History history_;
  std::map<JobId, ToldJob> jobs_;
  int client_ = 0;
  OpId next_op_ = 1;
};

}  // namespace assay::told

// Mailbox: the wake-ups of one listener until it reads them. Bell: the mailboxes of one process
// that somebody rings at.
//
// Both are thread-safe. However many wake-ups come, a mailbox keeps a bounded number of them and
// one more for each of its queues.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "harness/contract/wakeups.h"

namespace assay::stored {

class Mailbox {
 public:
  explicit Mailbox(const std::vector<std::string>& queues)
      : queues_(queues.begin(), queues.end()) {}

  const std::set<std::string>& queues() const { return queues_; }

  // Of a queue that is none of its own nothing is kept.
  void put(const std::string& queue, std::optional<JobId> job_id);
  void put_all();  // one for each queue

  // The next reader is told, before anything else.
  void fail(Error error);

  // As WakeUps has it.
  Result<std::optional<WakeUp>> wait(Duration at_most, std::stop_token stop);

 private:
  bool has_mail() const { return error_ || !mail_.empty() || !flooded_.empty(); }

  const std::set<std::string> queues_;
  std::mutex mutex_;  // of what follows
  std::condition_variable_any changed_;
  std::deque<WakeUp> mail_;
  std::set<std::string> flooded_;  // queues that more came for
  std::optional<Error> error_;
};

class Bell {
 public:
  // Whether anybody listens; cheap.
  bool is_heard() const { return listeners_.load(std::memory_order_acquire) > 0; }

  // Borrowed until they are removed.
  void add(Mailbox& mailbox);
  void remove(Mailbox& mailbox);

  void ring(const std::string& queue, const std::optional<JobId>& job_id = {});

 private:
  std::atomic<int> listeners_ = 0;
  std::mutex mutex_;
  std::vector<Mailbox*> mailboxes_;
};

// Why these cannot be listened to, if they cannot.
std::optional<Error> objection_to_queues(const std::vector<std::string>& queues);

}  // namespace assay::stored

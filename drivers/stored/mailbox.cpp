#include "drivers/stored/mailbox.h"

#include <algorithm>

namespace assay::stored {

static constexpr std::size_t most_mail = 1000;

void Mailbox::put(const std::string& queue, std::optional<JobId> job_id) {
  if (!queues_.contains(queue)) return;
  {
    const std::lock_guard lock(mutex_);
    if (flooded_.contains(queue)) return;
    if (mail_.size() < most_mail)
      mail_.push_back({queue, std::move(job_id)});
    else
      flooded_.insert(queue);
  }
  changed_.notify_all();
}

void Mailbox::put_all() {
  for (const std::string& queue : queues_) put(queue, std::nullopt);
}

void Mailbox::fail(Error error) {
  {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
  }
  changed_.notify_all();
}

Result<std::optional<WakeUp>> Mailbox::wait(Duration at_most, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  // What is there is told, whether or not there is time to wait for more.
  constexpr Duration a_day{86'400'000};
  const bool came = has_mail() || changed_.wait_for(lock, std::move(stop),
                                                    std::clamp(at_most, Duration{0}, a_day),
                                                    [&] { return has_mail(); });
  if (!came) return std::optional<WakeUp>();
  if (error_) return *std::exchange(error_, std::nullopt);
  if (!mail_.empty()) {
    WakeUp first = std::move(mail_.front());
    mail_.pop_front();
    return std::optional(std::move(first));
  }
  return std::optional(WakeUp{flooded_.extract(flooded_.begin()).value(), std::nullopt});
}

void Bell::add(Mailbox& mailbox) {
  const std::lock_guard lock(mutex_);
  mailboxes_.push_back(&mailbox);
  listeners_.fetch_add(1, std::memory_order_release);
}

void Bell::remove(Mailbox& mailbox) {
  const std::lock_guard lock(mutex_);
  if (std::erase(mailboxes_, &mailbox) > 0) listeners_.fetch_sub(1, std::memory_order_release);
}

void Bell::ring(const std::string& queue, const std::optional<JobId>& job_id) {
  if (!is_heard()) return;
  const std::lock_guard lock(mutex_);
  for (Mailbox* mailbox : mailboxes_) mailbox->put(queue, job_id);
}

std::optional<Error> objection_to_queues(const std::vector<std::string>& queues) {
  if (queues.empty()) return invalid("no queue is named to listen to");
  if (std::ranges::any_of(queues, &std::string::empty)) return invalid("a queue's name is empty");
  constexpr std::size_t most = 10'000;
  if (queues.size() > most)
    return invalid("more than " + std::to_string(most) + " queues are named to listen to");
  return std::nullopt;
}

}  // namespace assay::stored

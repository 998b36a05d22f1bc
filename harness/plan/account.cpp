#include "harness/plan/account.h"

#include <algorithm>
#include <map>

#include "harness/plan/detail/author.h"

namespace assay {
namespace {

struct MadeJob {
  int slot;
  std::string queue;
};

class Account {
 public:
  Account(Plan plan, const Profile& profile)
      : profile_(profile), can_(profile), plan_(std::move(plan)) {
    for (const Step& step : plan_.steps) note(step);
    worker_ = client("auditor", Role::worker);
    admin_ = client("admin", Role::admin);
  }

  // What an expiry puts off is served in the second pass.
  Plan take() {
    if (can_.pause)
      for (const std::string& queue : queues_) add(StepKind::resume, admin_).queues = {queue};
    for (int pass = 0; pass < 2; ++pass) {
      add(StepKind::advance, admin_).when = When{.offset = longest_ + profile_.backoff.cap};
      for (const std::string& queue : queues_) serve(queue);
    }
    if (can_.inspect)
      for (const MadeJob& job : jobs_)
        if (job.slot >= 0) add(StepKind::get, admin_).job = ref(job);
    for (const std::string& queue : queues_) {
      if (can_.list) add(StepKind::list, admin_).queues = {queue};
      if (can_.dead) add(StepKind::dead, admin_).queues = {queue};
    }
    return std::move(plan_);
  }

 private:
  void note(const Step& step) {
    if (step.kind == StepKind::enqueue && step.queues.empty()) return;
    slots_ = std::max(slots_, step.slot + 1);
    if (step.kind == StepKind::reserve || step.kind == StepKind::extend)
      longest_ = std::max(longest_, step.lease);
    if (step.kind == StepKind::reserve)
      queue_of_claim_[step.slot] = step.queues.empty() ? "" : step.queues.front();
    if (step.kind == StepKind::close) closed_.push_back(step.client);
    if (step.kind == StepKind::enqueue) made(step.slot, step.queues.front());
    if (step.kind == StepKind::requeue) made(step.slot, queue_of(step.job));
    constexpr Duration day{86'400'000};
    const bool waits = step.kind == StepKind::enqueue || step.kind == StepKind::retry ||
                       step.kind == StepKind::requeue;
    if (waits && step.when && step.when->base == When::Base::now && step.when->offset <= day)
      longest_ = std::max(longest_, step.when->offset);
  }

  void made(int slot, const std::string& queue) {
    jobs_.push_back({slot, queue});
    if (std::ranges::find(queues_, queue) == queues_.end()) queues_.push_back(queue);
  }

  std::string queue_of(const JobRef& job) const {
    if (job.kind == JobRef::Kind::made)
      for (const MadeJob& known : jobs_)
        if (known.slot == job.slot) return known.queue;
    if (job.kind == JobRef::Kind::claimed)
      if (const auto known = queue_of_claim_.find(job.claim.slot); known != queue_of_claim_.end())
        return known->second;
    return jobs_.empty() ? "q" : jobs_.back().queue;
  }

  // One that is there and has not closed, or a new one.
  int client(std::string name, Role role) {
    for (std::size_t i = 0; i < plan_.clients.size(); ++i)
      if (plan_.clients[i].role == role &&
          std::ranges::find(closed_, static_cast<int>(i)) == closed_.end())
        return static_cast<int>(i);
    const auto is_taken = [&] {
      return std::ranges::any_of(plan_.clients, [&](const auto& c) { return c.name == name; });
    };
    while (is_taken()) name += "'";
    plan_.clients.push_back({std::move(name), role});
    // The clock's number is the one behind the last client's.
    const auto count = static_cast<int>(plan_.clients.size());
    if (plan_.schedule) std::ranges::replace(plan_.schedule->choices, count - 1, count);
    return static_cast<int>(plan_.clients.size()) - 1;
  }

  Step& add(StepKind kind, int client) {
    Step& added = plan_.steps.emplace_back();
    added.kind = kind;
    added.client = client;
    return added;
  }

  static JobRef ref(const MadeJob& job) { return {.kind = JobRef::Kind::made, .slot = job.slot}; }

  void serve(const std::string& queue) {
    std::vector<MadeJob> here;
    std::ranges::copy_if(jobs_, std::back_inserter(here),
                         [&](const MadeJob& job) { return job.queue == queue; });
    const bool by_id = profile_.claim_style == ClaimStyle::by_id;
    const std::int64_t batch = by_id ? 1 : std::min<std::int64_t>(profile_.claim_batch, 10);
    const auto count = static_cast<std::int64_t>(here.size());
    // One more than can be needed: that the queue is empty then is part of the account.
    for (std::int64_t i = 0; i < (by_id ? count : count / batch + 2); ++i) {
      if (by_id && here[static_cast<std::size_t>(i)].slot < 0) continue;
      Step& step = add(StepKind::reserve, worker_);
      const int slot = step.slot = slots_++;
      step.queues = {queue};
      step.max = batch;
      if (by_id) step.job = ref(here[static_cast<std::size_t>(i)]);
      for (int n = 0; n < batch; ++n) {
        Step& ack = add(StepKind::ack, worker_);
        ack.token.claim = {slot, n};
        ack.job = {.kind = JobRef::Kind::claimed, .claim = ack.token.claim};
      }
    }
  }

  const Profile& profile_;
  const detail::Can can_;
  Plan plan_;
  int worker_ = 0, admin_ = 0;
  int slots_ = 0;
  Duration longest_{120'000};
  std::vector<MadeJob> jobs_;
  std::vector<std::string> queues_;
  std::map<int, std::string> queue_of_claim_;
  std::vector<int> closed_;
};

}  // namespace

Plan with_account(Plan plan, const Profile& profile) {
  return Account(std::move(plan), profile).take();
}

}  // namespace assay

// Plans whose clients move at once: rounds of free steps, with moves of the clock in between, and
// at the end one client at a time that lets every lease end, serves what is left and looks at all
// of it.
#include <algorithm>

#include "harness/plan/account.h"
#include "harness/plan/detail/author.h"
#include "harness/plan/generate.h"

namespace assay {
namespace {

using detail::Can;
using detail::Draw;

struct MadeJob {
  int slot;
  int queue;
};
struct MadeClaim {
  int slot;
  int client;
  std::int64_t max;
};

class Crowd {
 public:
  Crowd(const Profile& profile, const rc::Random& random, const FreeOptions& options)
      : profile_(profile), can_(profile), draw_(random), is_busy_(options.is_busy) {
    int producers = 1 + draw_.below(3), workers = 2 + draw_.below(4);
    if (options.clients) {
      producers = std::max(1, *options.clients / 4);
      workers = std::max(1, *options.clients - producers);
    }
    for (int i = 1; i <= producers; ++i)
      producers_.push_back(client("p" + std::to_string(i), Role::producer));
    for (int i = 1; i <= workers; ++i)
      workers_.push_back(client("w" + std::to_string(i), Role::worker));
    admin_ = client("admin", Role::admin);
    queues_ = 1 + draw_.below(2) + (is_busy_ ? 2 : 0);
  }

  Plan tell() {
    const int rounds = 3 + draw_.below(4);
    for (int i = 0; i < rounds; ++i) {
      free_ = true;
      round(i);
      free_ = false;
      let_time_pass();
    }
    return with_account(std::move(plan_), profile_);
  }

 private:
  int client(std::string name, Role role) {
    plan_.clients.push_back({std::move(name), role});
    return static_cast<int>(plan_.clients.size()) - 1;
  }

  Step& add(StepKind kind, int client) {
    Step& added = plan_.steps.emplace_back();
    added.kind = kind;
    added.client = client;
    added.free = free_;
    return added;
  }

  static std::string queue_name(int queue) { return "q" + std::to_string(queue); }
  template <class T>
  const T& any_of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(draw_.below(static_cast<int>(values.size())))];
  }
  static JobRef ref(const MadeJob& job) { return {.kind = JobRef::Kind::made, .slot = job.slot}; }

  // Everybody for the same thing, or everybody at his own work.
  void round(int number) {
    const int kind = number == 0 ? 0 : draw_.below(10);
    if (kind == 1 && profile_.idem != Idem::none) return race_for_a_key();
    if (kind <= 3 && kind > 1 && !jobs_.empty()) return race_for_jobs();
    if (kind == 4 && !claims_.empty()) return race_to_settle();
    const int more = is_busy_ ? 4 : 0;
    for (const int producer : producers_)
      for (int i = more + draw_.below(number == 0 ? 5 : 3) + (number == 0 ? 1 : 0); i > 0; --i)
        enqueue(producer);
    for (const int worker : workers_)
      for (int i = 1 + draw_.below(2) + more / 3; i > 0 && !jobs_.empty(); --i) work(worker);
    for (int i = draw_.below(4); i > 0 && !jobs_.empty(); --i) administrate();
  }

  void race_for_a_key() {
    const std::string key = a_key();
    const int queue = draw_.below(queues_);
    for (const int producer : producers_) enqueue_with(producer, queue, key);
    for (const int worker : workers_)
      if (draw_.percent(50)) enqueue_with(worker, queue, key);
  }

  void race_for_jobs() {
    const MadeJob wanted = any_of(jobs_);
    for (const int worker : workers_) reserve(worker, wanted);
  }

  // The holder, somebody who has the same token, and whoever takes the job over.
  void race_to_settle() {
    const MadeClaim held = any_of(claims_);
    for (const int worker : workers_) {
      if (draw_.percent(70))
        settle(worker, held, 0);
      else
        reserve(worker, any_of(jobs_));
    }
    if (draw_.percent(30)) administrate();
  }

  std::string a_key() { return "k" + std::to_string(draw_.below(3)); }

  void enqueue(int client) {
    const bool keyed = profile_.idem != Idem::none && draw_.percent(30);
    enqueue_with(client, draw_.below(queues_), keyed ? std::optional(a_key()) : std::nullopt);
  }

  void enqueue_with(int client, int queue, std::optional<std::string> key) {
    Step& step = add(StepKind::enqueue, client);
    step.slot = slots_++;
    step.queues = {queue_name(queue)};
    step.type = "t";
    step.payload.text = "payload";
    step.key = std::move(key);
    if (profile_.dup_id == DupId::reject && draw_.percent(5))
      step.id = "id" + std::to_string(draw_.below(2));
    if (can_.schedule && draw_.percent(20))
      step.when = When{.offset = Duration{draw_.one_of<std::int64_t>({1, 1'000, 5'000})}};
    if (can_.priority && draw_.percent(20)) step.priority = draw_.below(3);
    if (draw_.percent(40)) step.limit = draw_.one_of<std::int64_t>({1, 2, 3});
    jobs_.push_back({step.slot, queue});
  }

  MadeClaim reserve(int client, const MadeJob& wanted) {
    Step& step = add(StepKind::reserve, client);
    step.slot = slots_++;
    step.queues = {queue_name(wanted.queue)};
    if (profile_.claim_style == ClaimStyle::by_id)
      step.job = ref(wanted);
    else if (can_.queue_set && queues_ > 1 && draw_.percent(30))
      step.queues = {queue_name(0), queue_name(1)};
    step.lease = Duration{draw_.one_of<std::int64_t>({1, 1'000, 1'000, 5'000})};
    if (profile_.claim_batch > 1 && draw_.percent(30))
      step.max = std::min<std::int64_t>(profile_.claim_batch, 2 + draw_.below(3));
    return claims_.emplace_back(MadeClaim{step.slot, client, step.max});
  }

  void work(int worker) {
    const MadeClaim held = reserve(worker, any_of(jobs_));
    for (int i = 0; i < held.max; ++i) {
      if (draw_.percent(20)) extend(worker, held, i);
      if (draw_.percent(80)) settle(worker, held, i);
      if (draw_.percent(8)) settle(worker, held, i);
    }
    if (draw_.percent(10)) settle(worker, any_of(claims_), 0);  // of anybody, at any time
  }

  static void speak(Step& step, const MadeClaim& held, int index) {
    step.token.claim = {held.slot, index};
    step.job = {.kind = JobRef::Kind::claimed, .claim = step.token.claim};
  }

  void extend(int client, const MadeClaim& held, int index) {
    Step& step = add(StepKind::extend, client);
    speak(step, held, index);
    step.lease = Duration{draw_.one_of<std::int64_t>({1'000, 5'000})};
  }

  void settle(int client, const MadeClaim& held, int index) {
    const int roll = draw_.below(100);
    const bool store = profile_.decider == Decider::store;
    const StepKind kind = roll < 60   ? StepKind::ack
                          : store     ? StepKind::nack
                          : roll < 85 ? StepKind::retry
                                      : StepKind::fail;
    Step& step = add(kind, client);
    speak(step, held, index);
    if (kind != StepKind::ack) step.error = "e" + std::to_string(plan_.steps.size());
    if (kind == StepKind::nack) step.unrecoverable = roll >= 85;
    if (kind == StepKind::fail) step.reason = "gave up";
    if (kind == StepKind::retry)
      step.when = When{.offset = Duration{draw_.one_of<std::int64_t>({0, 1, 1'000})}};
  }

  void administrate() {
    const int roll = draw_.below(100);
    const MadeJob& job = any_of(jobs_);
    if (roll < 25 && can_.cancel)
      add(StepKind::cancel, admin_).job = ref(job);
    else if (roll < 35 && can_.pause)
      add(draw_.percent(50) ? StepKind::pause : StepKind::resume, admin_).queues = {
          queue_name(job.queue)};
    else if (roll < 45 && can_.list)
      add(StepKind::list, admin_).queues = {queue_name(job.queue)};
    else if (roll < 55 && can_.dead)
      add(StepKind::dead, admin_).queues = {queue_name(job.queue)};
    else if (roll < 70 && can_.replay)
      requeue(job);
    else if (can_.inspect)
      add(StepKind::get, admin_).job = ref(job);
  }

  void requeue(const MadeJob& job) {
    const int queue = job.queue;
    Step& step = add(StepKind::requeue, admin_);
    step.job = ref(job);
    step.slot = slots_++;
    step.reset_attempts = draw_.percent(40);
    jobs_.push_back({step.slot, queue});
  }

  void advance(const When& when) { add(StepKind::advance, admin_).when = when; }
  void advance(std::int64_t ms) { advance(When{.offset = Duration{ms}}); }

  void let_time_pass() {
    if (claims_.empty() || draw_.percent(50))
      return advance(draw_.one_of<std::int64_t>({0, 0, 1, 1'000, 5'000}));
    const MadeClaim& held = any_of(claims_);
    advance(When{.base = When::Base::expiry,
                 .claim = {held.slot, 0},
                 .offset = Duration{draw_.one_of<std::int64_t>({-1, 0, 1})}});
  }

  const Profile& profile_;
  Can can_;
  Draw draw_;
  const bool is_busy_;
  Plan plan_;
  std::vector<int> producers_, workers_;
  int admin_ = 0;
  int queues_ = 1;
  int slots_ = 0;
  bool free_ = false;
  std::vector<MadeJob> jobs_;
  std::vector<MadeClaim> claims_;
};

}  // namespace

Plan generate_free(const Profile& profile, std::uint64_t seed, const FreeOptions& options) {
  Plan plan = Crowd(profile, rc::Random(seed), options).tell();
  plan.name = "free/" + std::to_string(seed);
  return plan;
}

}  // namespace assay

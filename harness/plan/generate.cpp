#include "harness/plan/generate.h"

#include "harness/plan/detail/author.h"

namespace assay {
namespace {

using detail::Author;
using detail::Ending;
using detail::ExpectedClaim;
using detail::ExpectedJob;
using detail::Fate;

constexpr std::int64_t ticks[] = {-1, 0, 1};

// Chooses what happens next, by what the forecast says is possible, and writes it.
class Storyteller {
 public:
  Storyteller(const Profile& profile, const rc::Random& random, int steps)
      : author_(profile, random, steps), draw_(author_.draw()), steps_(steps) {}

  Plan tell() {
    const int body = steps_ - std::min(steps_ / 3, 18);
    while (author_.steps() < body) turn();
    drain();
    return std::move(author_).finish();
  }

 private:
  struct Choice {
    int weight;
    void (Storyteller::*act)();
  };

  void turn() {
    count();
    const detail::Can& can = author_.can();
    const Choice choices[] = {
        {jobs_ < 3    ? 60
         : jobs_ < 12 ? 12
                      : 2,
         &Storyteller::enqueue},
        {jobs_ > 0 ? 4 : 0, &Storyteller::enqueue_again},
        {jobs_ == 0      ? 0
         : eligible_ > 0 ? 34
                         : 3,
         &Storyteller::reserve},
        {live_ > 0 ? 24 : 0, &Storyteller::settle},
        {live_ > 0 ? 6 : 0, &Storyteller::heartbeat},
        {live_ > 0 ? 11 : 0, &Storyteller::around_expiry},
        {delayed_ > 0 ? 12 : 0, &Storyteller::around_due},
        {current_ > live_ ? 8 : 0, &Storyteller::settle_late},
        {over_ > 0 ? 8 : 0, &Storyteller::settle_stale},
        {current_ > 0 ? 4 : 0, &Storyteller::settle_wrongly},
        {jobs_ > 0 && can.cancel ? 4 : 0, &Storyteller::cancel},
        {can.pause ? 4 : 0, &Storyteller::pause_or_resume},
        {dead_ > 0 && can.replay ? 14 : 0, &Storyteller::requeue},
        {jobs_ > 0 && can.list ? 4 : 0, &Storyteller::list},
        {dead_ > 0 && can.dead ? 4 : 0, &Storyteller::list_dead},
        {jobs_ > 0 ? 5 : 0, &Storyteller::look},
        {2, &Storyteller::err},
        {2, &Storyteller::let_time_pass},
    };
    int total = 0;
    for (const Choice& choice : choices) total += choice.weight;
    int at = draw_.below(total);
    for (const Choice& choice : choices) {
      at -= choice.weight;
      if (at < 0) return (this->*choice.act)();
    }
  }

  void count() {
    jobs_ = static_cast<int>(forecast().jobs().size());
    eligible_ = delayed_ = dead_ = live_ = current_ = over_ = 0;
    for (const ExpectedJob& job : forecast().jobs()) {
      if (forecast().is_eligible(job)) ++eligible_;
      if (job.fate == Fate::waiting && job.due > forecast().now()) ++delayed_;
      if (job.fate == Fate::dead && !job.replayed) ++dead_;
    }
    for (const ExpectedClaim& claim : forecast().claims()) {
      const bool current = forecast().is_current(claim);
      ++(current ? current_ : over_);
      if (current && forecast().is_live(claim)) ++live_;
    }
  }

  const detail::Forecast& forecast() const { return author_.forecast(); }
  const ExpectedClaim& claim(int index) const {
    return forecast().claims()[static_cast<std::size_t>(index)];
  }

  // One of those for which `fits`, or -1.
  template <class Fits>
  int a_claim(Fits fits) {
    return draw_.index_of(forecast().claims(), fits);
  }
  template <class Fits>
  int a_job(Fits fits) {
    return draw_.index_of(forecast().jobs(), fits);
  }
  int any_job() { return draw_.below(jobs_); }
  int any_queue() { return draw_.below(author_.queues()); }
  std::int64_t a_tick() { return ticks[draw_.below(3)]; }

  int live_claim() {
    return a_claim([&](const ExpectedClaim& c) { return forecast().is_live(c); });
  }

  void look_at(int job, int chance = 100) {
    if (draw_.percent(chance)) author_.get(job);
  }

  void enqueue() {
    author_.enqueue();
    const int last = static_cast<int>(forecast().jobs().size()) - 1;
    if (last >= 0) look_at(last, 20);
  }

  void enqueue_again() {
    if (draw_.percent(70))
      author_.enqueue_known_key();
    else
      author_.enqueue_known_id();
    look_at(any_job(), 50);
  }

  void reserve() { reserve_by(author_.any_worker()); }

  // Mostly where something is to be had.
  void reserve_by(int client) {
    int job = a_job([&](const ExpectedJob& j) { return forecast().is_eligible(j); });
    if (job < 0 || draw_.percent(10)) job = any_job();
    const auto& meant = forecast().jobs()[static_cast<std::size_t>(job)];
    unsigned queues = 1U << meant.queue;
    if (author_.can().queue_set && draw_.percent(30)) queues |= 1U << any_queue();
    author_.reserve(client, queues, job);
    look_at(job, 25);
  }

  // What an engine would do most of the time: ack, or a failure that ends the job at its limit.
  Ending an_ending(const ExpectedClaim& c) {
    const ExpectedJob& job = forecast().jobs()[static_cast<std::size_t>(c.job)];
    const bool store = author_.profile().decider == Decider::store;
    const int roll = draw_.below(100);
    if (roll < 40) return Ending::ack;
    if (roll < 60) return Ending::dead;
    return !store && job.failures + 1 >= job.runs && roll < 90 ? Ending::dead : Ending::failure;
  }

  void settle() {
    const int held = live_claim();
    const ExpectedClaim c = claim(held);
    const Ending ending = an_ending(c);
    author_.settle(c.client, {.claim = held}, ending);
    look_at(c.job, 40);
    if (!draw_.percent(12)) return;
    const Ending second = draw_.percent(70) ? ending : an_ending(c);
    author_.settle(c.client, {.claim = held}, second);
    look_at(c.job);
  }

  void heartbeat() {
    const int held = live_claim();
    author_.extend(claim(held).client, {.claim = held});
    look_at(claim(held).job, 40);
    if (!draw_.percent(35)) return;
    author_.advance_to_expiry(held, -1);
    author_.reserve(author_.any_worker(), queue_of(claim(held).job), claim(held).job);
  }

  void around_expiry() {
    const int held = live_claim();
    const ExpectedClaim c = claim(held);
    author_.advance_to_expiry(held, a_tick());
    look_at(c.job, 20);
    switch (draw_.below(5)) {
      case 0:
        author_.settle(c.client, {.claim = held}, an_ending(c));
        break;
      case 1:
        author_.extend(c.client, {.claim = held});
        break;
      default:
        author_.reserve(author_.any_worker(), queue_of(c.job), c.job);
    }
    look_at(c.job, 60);
  }

  unsigned queue_of(int job) const {
    return 1U << forecast().jobs()[static_cast<std::size_t>(job)].queue;
  }

  void around_due() {
    const int waiting = a_job(
        [&](const ExpectedJob& j) { return j.fate == Fate::waiting && j.due > forecast().now(); });
    author_.advance_to_due(waiting, a_tick());
    look_at(waiting, 30);
    author_.reserve(author_.any_worker(), queue_of(waiting), waiting);
    look_at(waiting, 30);
  }

  // The lease is over and nobody has the job yet.
  void settle_late() {
    const int late = a_claim(
        [&](const ExpectedClaim& c) { return forecast().is_current(c) && !forecast().is_live(c); });
    refused_by_most(late);
  }

  // Settled already, or replaced by a later claim.
  void settle_stale() {
    const int stale = a_claim([&](const ExpectedClaim& c) { return !forecast().is_current(c); });
    refused_by_most(stale);
  }

  void refused_by_most(int held) {
    const ExpectedClaim c = claim(held);
    look_at(c.job, 60);
    const bool repeat = c.ending != Ending::none && draw_.percent(50);
    if (draw_.percent(20))
      author_.extend(c.client, {.claim = held});
    else
      author_.settle(c.client, {.claim = held}, repeat ? c.ending : an_ending(c));
    look_at(c.job);
  }

  // A token that is forged or of another job, or a wrong attempt number.
  void settle_wrongly() {
    const int held = a_claim([&](const ExpectedClaim& c) { return forecast().is_current(c); });
    const ExpectedClaim c = claim(held);
    detail::Spoken spoken{.claim = held};
    const int other = any_job();
    if (author_.profile().fence == Fence::token_attempt && draw_.percent(40))
      spoken.attempt_offset = draw_.one_of<std::int64_t>({-1, 1});
    else if (other != c.job && draw_.percent(50))
      spoken.job = other;
    else
      spoken.forged = true;
    const int target = spoken.job >= 0 ? other : c.job;
    look_at(target, 60);
    if (draw_.percent(25))
      author_.extend(author_.any_worker(), spoken);
    else
      author_.settle(author_.any_worker(), spoken, an_ending(c));
    look_at(target);
  }

  void cancel() {
    const bool leased = draw_.percent(40);
    int job = a_job([&](const ExpectedJob& j) { return !leased || j.fate == Fate::leased; });
    if (job < 0) job = any_job();
    look_at(job, 50);
    author_.cancel(job);
    look_at(job);
  }

  void pause_or_resume() {
    const int queue = any_queue();
    const bool resume = forecast().paused(queue) != draw_.percent(10);
    if (resume)
      author_.resume(queue);
    else
      author_.pause(queue);
    if (jobs_ > 0 && draw_.percent(60))
      author_.reserve(author_.any_worker(), 1U << queue, of(queue));
  }

  // A job of the queue, for claims by id.
  int of(int queue) {
    const int job = a_job([&](const ExpectedJob& j) { return j.queue == queue; });
    return job < 0 ? any_job() : job;
  }

  void requeue() {
    int job = a_job([](const ExpectedJob& j) { return j.fate == Fate::dead; });
    if (draw_.percent(15)) job = any_job();
    look_at(job, 50);
    author_.requeue(job);
    look_at(job);
  }

  void list() { author_.list(any_queue()); }
  void list_dead() { author_.list_dead(any_queue()); }
  void look() { look_at(any_job()); }
  void let_time_pass() { author_.advance(draw_.one_of<std::int64_t>({1, 1, 999, 5'000, 60'000})); }

  // Rare things: arguments that nobody should send, ids that nobody knows, a worker that leaves.
  void err() {
    const int roll = draw_.below(100);
    if (roll < 40) return author_.enqueue_invalid();
    if (roll < 75) return author_.reserve_invalid();
    if (roll < 95) return author_.get_unknown();
    author_.close(author_.any_worker());
  }

  // Lets every lease and delay end, serves what is left, and looks at everything once more.
  void drain() {
    const Profile& profile = author_.profile();
    for (int queue = 0; queue < author_.queues(); ++queue)
      if (forecast().paused(queue)) author_.resume(queue);
    author_.advance(120'000 + to_ms(profile.backoff.cap));
    for (int i = 0; i < 5; ++i) {
      count();
      if (eligible_ == 0) break;
      const auto before = forecast().claims().size();
      reserve_by(author_.any_worker());
      if (forecast().claims().size() == before) continue;
      const int held = static_cast<int>(forecast().claims().size()) - 1;
      author_.settle(claim(held).client, {.claim = held}, Ending::ack);
    }
    count();
    for (int job = 0; job < std::min(jobs_, 10); ++job) look_at(job);
    if (dead_ == 0 || !author_.can().dead) return;
    for (int queue = 0; queue < author_.queues(); ++queue) author_.list_dead(queue);
  }

  Author author_;
  detail::Draw& draw_;
  int steps_;
  // Of the forecast, counted before each turn.
  int jobs_ = 0, eligible_ = 0, delayed_ = 0, dead_ = 0;
  int live_ = 0, current_ = 0, over_ = 0;  // claims
};

// Size and shrinking are not RapidCheck's here: the options say how long, and shrink() makes small.
// The profile is borrowed for as long as the generator and its values live.
rc::Gen<Plan> plans(const Profile& profile, int steps) {
  return [&profile, steps](const rc::Random& random, int) {
    return rc::shrinkable::lambda(
        [&profile, steps, random] { return Storyteller(profile, random, steps).tell(); });
  };
}

}  // namespace

Plan generate(const Profile& profile, std::uint64_t seed, const GenerateOptions& options) {
  Plan plan = plans(profile, options.steps)(rc::Random(seed)).value();
  plan.name = "seed/" + std::to_string(seed);
  return plan;
}

}  // namespace assay

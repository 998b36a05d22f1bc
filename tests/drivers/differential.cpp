#include "tests/drivers/differential.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/contract/random.h"
#include "harness/history/jsonl.h"

namespace assay::differential {
namespace {

// Names that a driver made, by the order in which they first appeared.
class Names {
 public:
  std::string common(const std::string& own) {
    if (given_.contains(own)) return own;
    const auto [at, is_new] = common_.try_emplace(own, "#" + std::to_string(common_.size()));
    if (is_new) own_[at->second] = own;
    return at->second;
  }
  std::string own(const std::string& common) const {
    const auto found = own_.find(common);
    return found == own_.end() ? common : found->second;
  }
  void give(const std::string& name) { given_.insert(name); }

 private:
  std::set<std::string> given_;
  std::map<std::string, std::string> common_, own_;
};

struct Side {
  std::unique_ptr<Driver> driver;
  std::unique_ptr<Session> session = {};
  Names names = {};
};

struct ToCommon {
  Names& names;

  void operator()(Job& job) const { job.id = names.common(job.id); }
  void operator()(Enqueued& answer) const { answer.id = names.common(answer.id); }
  void operator()(Requeued& answer) const { answer.job_id = names.common(answer.job_id); }
  void operator()(Claims& answer) const {
    for (Claim& claim : answer.claims) {
      (*this)(claim.job);
      claim.token = names.common(claim.token);
    }
  }
  void operator()(JobView& view) const {
    (*this)(view.job);
    if (view.lease) view.lease->token = names.common(view.lease->token);
  }
  void operator()(JobPage& page) const {
    for (Job& job : page.jobs) (*this)(job);
  }
  void operator()(DeadPage& page) const {
    for (DeadEntry& entry : page.entries) {
      entry.job_id = names.common(entry.job_id);
      (*this)(entry.job);
    }
  }
  void operator()(auto&) const {}
};

struct ToOwn {
  const Names& names;

  void operator()(Hold& hold) const {
    hold.job_id = names.own(hold.job_id);
    hold.token = names.own(hold.token);
  }
  void operator()(Reserve& request) const {
    if (request.job_id) request.job_id = names.own(*request.job_id);
  }
  void operator()(auto& request) const {
    if constexpr (requires { request.hold; }) (*this)(request.hold);
    if constexpr (requires { request.job_id.size(); }) request.job_id = names.own(request.job_id);
  }
};

// Pages are asked for until the last; what stands in them is in each driver's own order of ids.
template <class Page, class Request, class Items>
Result<Response> whole_listing(Session& session, Instant now, Request request, Items items) {
  Page whole;
  for (int pages = 0; pages < 1000; ++pages) {
    Result<Response> part = perform(session, now, request);
    if (!part.ok()) return part;
    Page& page = std::get<Page>(*part);
    EXPECT_LE(static_cast<std::int64_t>(items(page).size()), request.limit);
    items(whole).insert(items(whole).end(), items(page).begin(), items(page).end());
    request.cursor = page.cursor;
    if (!page.cursor) break;
  }
  return Response(whole);
}

Result<Response> ask(Side& side, Instant now, Request request) {
  std::visit(ToOwn{side.names}, request);
  Result<Response> answer = perform(*side.session, now, request);
  if (const auto* list = std::get_if<List>(&request); list && answer.ok()) {
    const auto jobs = [](JobPage & page) -> auto& { return page.jobs; };
    answer = whole_listing<JobPage>(*side.session, now, *list, jobs);
    const auto& all = std::get<JobPage>(*answer).jobs;
    EXPECT_TRUE(std::ranges::is_sorted(
        all, {}, [](const Job& job) { return std::tuple(job.created_at, job.id); }));
  }
  if (const auto* dead = std::get_if<Dead>(&request); dead && answer.ok()) {
    const auto entries = [](DeadPage & page) -> auto& { return page.entries; };
    answer = whole_listing<DeadPage>(*side.session, now, *dead, entries);
    const auto& all = std::get<DeadPage>(*answer).entries;
    EXPECT_TRUE(std::ranges::is_sorted(
        all, {}, [](const DeadEntry& entry) { return std::tuple(entry.at, entry.job_id); }));
  }
  if (answer.ok()) std::visit(ToCommon{side.names}, *answer);
  return answer;
}

std::string told(Result<Response> answer) {
  if (!answer.ok()) {
    Error error = answer.error();
    error.message.clear();
    return event_line(ReturnEvent{0, OutcomeKind::refused, Done{}, error});
  }
  if (auto* page = std::get_if<JobPage>(&*answer)) std::ranges::sort(page->jobs, {}, &Job::id);
  if (auto* page = std::get_if<DeadPage>(&*answer))
    std::ranges::sort(page->entries, {}, &DeadEntry::job_id);
  return event_line(ReturnEvent{0, OutcomeKind::ok, *answer, {}});
}

// Draws requests that often make sense, from what earlier answers brought.
class Requests {
 public:
  Requests(Random random, const Profile& profile) : random_(random), profile_(profile) {}

  Request draw(Instant now) {
    now_ = now;
    const std::uint64_t chance = random_.below(20);
    if (chance < 5) return Enqueue{new_job()};
    if (chance < 10) return reserve();
    switch (chance) {
      case 10:
        return Extend{hold(), Duration{number(-1, 300)}};
      case 11:
        return Ack{hold()};
      case 12:
        return Retry{hold(), near(), number(-1, 4), pick({"", "e1"})};
      case 13:
        return Fail{hold(), number(0, 4), pick({"", "r1"}), pick({"", "e2"})};
      case 14:
        return Nack{hold(), pick({"", "e3"}), random_.below(4) == 0};
      case 15:
        return Cancel{job()};
      case 16:
        return pausing();
      case 17:
        return Get{job()};
      case 18:
        return listing();
      default:
        return Requeue{job(), maybe(near()), random_.below(2) == 0};
    }
  }

  void learn(const Response& answer) {
    if (const auto* made = std::get_if<Enqueued>(&answer)) jobs_.push_back(made->id);
    if (const auto* made = std::get_if<Requeued>(&answer)) jobs_.push_back(made->job_id);
    if (const auto* got = std::get_if<Claims>(&answer))
      for (const Claim& claim : got->claims)
        holds_.push_back({claim.job.id, claim.token, claim.attempt});
  }

 private:
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(high - low)));
  }
  std::string pick(std::vector<std::string> from) { return from[random_.below(from.size())]; }
  template <class T>
  std::optional<T> maybe(T value) {
    return random_.below(3) == 0 ? std::optional<T>(value) : std::nullopt;
  }
  Instant near() { return now_ + Duration{number(-100, 200)}; }
  std::string queue() { return pick({"a", "a", "a", "b", "c"}); }
  JobId job() {
    if (jobs_.empty() || random_.below(20) == 0) return pick({"nobody", "mine-1"});
    const std::size_t recent = std::min<std::size_t>(jobs_.size(), 6);
    return jobs_[jobs_.size() - 1 - random_.below(recent)];
  }

  NewJob new_job() {
    NewJob job;
    if (random_.below(3) == 0) job.id = "mine-" + std::to_string(random_.below(8));
    job.queue = random_.below(40) == 0 ? "" : queue();
    job.type = pick({"t", "t", "u"});
    job.payload = pick({"", "p"});
    job.run_at = maybe(near());
    job.max_attempts = maybe(number(-1, 4));
    job.timeout = maybe(Duration{number(-1, 9)});
    if (random_.below(3) == 0) job.key = pick({"k1", "k2", "k3"});
    job.priority = maybe(number(-2, 3));
    if (random_.below(8) == 0) job.attempts = number(0, 4);
    return job;
  }

  Reserve reserve() {
    Reserve request;
    request.queues = {queue()};
    if (random_.below(4) == 0) request.queues.push_back(queue());
    request.lease = Duration{number(0, 300)};
    request.worker = pick({"", "w1", "w2"});
    request.max = number(1, 4);
    const bool by_id = profile_.claim_style == ClaimStyle::by_id;
    if (by_id != (random_.below(20) == 0)) request.job_id = job();
    return request;
  }

  Hold hold() {
    if (holds_.empty()) return {job(), "forged", {}};
    const std::size_t recent = std::min<std::size_t>(holds_.size(), 4);
    Hold hold = holds_[holds_.size() - 1 - random_.below(recent)];
    if (random_.below(12) == 0) hold.token = "forged";
    if (random_.below(12) == 0) hold.attempt = maybe(number(0, 3));
    if (random_.below(30) == 0) hold.job_id = pick({"", "nobody"});
    return hold;
  }

  Request pausing() {
    if (random_.below(3) == 0) return Pause{queue()};
    return Resume{queue()};
  }

  Request listing() {
    const std::int64_t limit = random_.below(2) == 0 ? number(0, 4) : 100;
    const auto cursor = random_.below(20) == 0 ? std::optional<std::string>("v1:") : std::nullopt;
    if (random_.below(2) == 0) return Dead{queue(), limit, cursor};
    const auto state = maybe(static_cast<JobState>(random_.below(6)));
    return List{queue(), state, limit, cursor};
  }

  Random random_;
  const Profile& profile_;
  Instant now_ = {};
  std::vector<JobId> jobs_;
  std::vector<Hold> holds_;
};

Side side_of(const Subject& subject, const Profile& profile, Clock& clock) {
  const auto url = subject.url.empty() ? std::nullopt : std::optional(subject.url);
  return {subject.info.make({profile, clock, 1, url, ""}).value()};
}

void begin(Side& side) {
  side.names = {};
  for (int i = 0; i < 10; ++i) side.names.give("mine-" + std::to_string(i));
  ASSERT_TRUE(side.driver->setup({"differential"}).ok());
  side.session = side.driver->open({"s", Role::worker}).value();
}

void end(Side& side) {
  ASSERT_TRUE(side.session->close().ok());
  ASSERT_TRUE(side.driver->teardown().ok());
}

// Whether both gave the same answers; says where not.
::testing::AssertionResult same_answers(Side& one, Side& other, Random random,
                                        const Profile& profile) {
  Requests requests(random.fork("requests"), profile);
  std::string story;
  for (int step = 0; step < 80; ++step) {
    if (random.below(4) == 0) {
      const Duration by{static_cast<std::int64_t>(random.below(150))};
      if (one.driver->advance(by).value() != other.driver->advance(by).value())
        return ::testing::AssertionFailure() << "the clocks differ";
    }
    const Duration skew{random.below(10) == 0 ? static_cast<std::int64_t>(random.below(200)) - 100
                                              : 0};
    const Instant now = one.driver->now().value() + skew;
    const Request request = requests.draw(now);
    const Result<Response> answer = ask(one, now, request);
    const std::string here = told(answer);
    const std::string there = told(ask(other, now, request));
    story += event_line(CallEvent{static_cast<OpId>(step), 0, now, request}) + "\n  " + here + "\n";
    if (here != there) return ::testing::AssertionFailure() << story << "  but " << there;
    if (answer.ok()) requests.learn(*answer);
  }
  return ::testing::AssertionSuccess();
}

Profile any_profile(Random random) {
  Profile profile;
  profile.name = "any";
  for (const Knob& knob : knobs())
    knob.set(profile, static_cast<int>(random.below(knob.values.size())));
  // Without a fence it is open which token a settle leaves behind.
  if (profile.late_settle == LateSettle::unfenced) profile.late_settle = LateSettle::reject;
  if (profile.fence == Fence::none) profile.fence = Fence::token;
  for (const Capability& capability : capabilities())
    if (random.below(5) != 0) profile.capabilities.insert(std::string(capability.name));
  profile.capabilities.insert("virtual_time");
  profile.backoff = {Duration{0}, Duration{0}};
  profile.default_limit = static_cast<std::int64_t>(random.below(4));
  return profile;
}

}  // namespace

void expect_same_answers(const Subject& first, const Subject& second, Profile profile, int rounds) {
  profile.backoff = {Duration{0}, Duration{0}};
  VirtualClock clock;
  Side one = side_of(first, profile, clock);
  Side other = side_of(second, profile, clock);
  for (int round = 0; round < rounds; ++round) {
    begin(one);
    begin(other);
    ASSERT_TRUE(same_answers(one, other, Random(42).fork(std::to_string(round)), profile))
        << "in round " << round;
    end(one);
    end(other);
  }
}

void expect_same_answers_whatever_the_knobs(const Subject& first, const Subject& second,
                                            int rounds) {
  VirtualClock clock;
  for (int round = 0; round < rounds; ++round) {
    const Random random = Random(43).fork(std::to_string(round));
    const Profile profile = any_profile(random.fork("profile"));
    Side one = side_of(first, profile, clock);
    Side other = side_of(second, profile, clock);
    begin(one);
    begin(other);
    std::string said;
    for (const std::string& line : describe(profile)) said += line + "\n";
    ASSERT_TRUE(same_answers(one, other, random, profile)) << said << "in round " << round;
  }
}

}  // namespace assay::differential

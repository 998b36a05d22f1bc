#include "harness/judge/alike.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace assay {
namespace {

// The names that a driver made, by the order in which they first came up.
class Names {
 public:
  void give(const std::string& name) { given_.insert(name); }

  // Of what an answer makes known.
  std::string learn(const std::string& own) {
    if (given_.contains(own)) return own;
    return common_.try_emplace(own, fmt::format("#{}", common_.size())).first->second;
  }
  std::string common(const std::string& own) const {
    const auto found = common_.find(own);
    return found == common_.end() ? own : found->second;
  }

 private:
  std::set<std::string> given_;
  std::map<std::string, std::string> common_;
};

// Puts the common names in. What it never saw before is learnt, but not from a page: there the
// order is that of each driver's own ids.
struct InCommon {
  Names& names;

  void operator()(Hold& hold) const {
    hold.job_id = names.common(hold.job_id);
    hold.token = names.common(hold.token);
  }
  void operator()(Reserve& request) const {
    if (request.job_id) request.job_id = names.common(*request.job_id);
  }
  void operator()(Enqueued& answer) const { answer.id = names.learn(answer.id); }
  void operator()(Requeued& answer) const { answer.job_id = names.learn(answer.job_id); }
  void operator()(Claims& answer) const {
    for (Claim& claim : answer.claims) {
      claim.job.id = names.learn(claim.job.id);
      claim.token = names.learn(claim.token);
    }
  }
  void operator()(JobView& view) const {
    view.job.id = names.common(view.job.id);
    if (view.lease) view.lease->token = names.common(view.lease->token);
  }
  void operator()(JobPage& page) const {
    for (Job& job : page.jobs) job.id = names.common(job.id);
  }
  void operator()(DeadPage& page) const {
    for (DeadEntry& entry : page.entries) entry.job_id = entry.job.id = names.common(entry.job_id);
  }
  void operator()(auto& other) const {
    if constexpr (requires { other.hold; }) (*this)(other.hold);
    if constexpr (requires { other.job_id.size(); }) other.job_id = names.common(other.job_id);
    if constexpr (requires { other.cursor; }) other.cursor.reset();
  }
};

// What is known of a job from what both answered so far.
struct Known {
  std::string queue;
  std::int64_t priority = 0;
  bool undelayed = false;  // and never delivered
  std::optional<Instant> held_until;
};

struct Claimed {
  JobId job;
  Instant until;
};

struct Course {
  const Profile& profile;
  std::map<JobId, Known> jobs;
  std::map<Token, Claimed> claims;
  std::set<std::string> texts;  // reasons and errors that a client gave

  bool is_over(Instant expiry, Instant now) const { return expiry <= now; }
  // Its lease is over: the store may still show it as held, or see to the loss already.
  bool is_lapsed(const JobId& id, Instant now) const {
    const auto known = jobs.find(id);
    return known != jobs.end() && known->second.held_until &&
           is_over(*known->second.held_until, now);
  }
};

// A text that a driver made up says only that there is one.
void keep_text(std::optional<std::string>& text, const Course& course) {
  if (text && !text->empty() && !course.texts.contains(*text)) text = "#text";
}
void keep_text(std::string& text, const Course& course) {
  if (!text.empty() && !course.texts.contains(text)) text = "#text";
}

// Leaves of an answer what the contract fixes.
struct Fixed {
  const Course& course;
  Instant now;

  void operator()(Job& job) const {
    keep_text(job.last_error, course);
    if (!course.is_lapsed(job.id, now)) return;
    job.run_at.reset();
    job.attempts = 0;
    job.last_error.reset();
    job.state = JobState::leased;
  }
  void operator()(Claims& answer) const {
    for (Claim& claim : answer.claims) {
      keep_text(claim.job.last_error, course);
      claim.version.reset();  // it rises; by how much is open
      if (course.profile.fence != Fence::token_attempt) claim.attempt.reset();
    }
  }
  void operator()(JobView& view) const {
    const bool lapsed = course.is_lapsed(view.job.id, now);
    (*this)(view.job);
    if (lapsed) view.lease.reset();
    if (lapsed) view.dead.reset();
    if (view.dead) keep_text(view.dead->reason, course);
    if (view.dead) keep_text(view.dead->error, course);
  }
  void operator()(JobPage& page) const {
    for (Job& job : page.jobs) (*this)(job);
  }
  void operator()(DeadPage& page) const {
    for (DeadEntry& entry : page.entries) {
      (*this)(entry.job);
      keep_text(entry.reason, course);
      keep_text(entry.error, course);
    }
  }
  void operator()(auto&) const {}
};

// A driver need not say when a job was made.
void forget_untold(Job& one, Job& other) {
  if (!one.created_at || !other.created_at) one.created_at = other.created_at = std::nullopt;
}

const Hold* hold_of(const Request& request) {
  return std::visit(
      [](const auto& made) -> const Hold* {
        if constexpr (requires { made.hold; }) return &made.hold;
        return nullptr;
      },
      request);
}

bool changes_nothing(const Request& request) {
  return std::holds_alternative<Get>(request) || std::holds_alternative<List>(request) ||
         std::holds_alternative<Dead>(request) || std::holds_alternative<Close>(request);
}

// A listing in pages, of each driver, while nothing changes in between.
struct Listing {
  JobPage jobs[2];
  DeadPage dead[2];
};

class Comparer {
 public:
  Comparer(const History& one, const History& other)
      : sides_{&one, &other}, course_{one.profile, {}, {}, {}} {}

  Comparison run() {
    const std::size_t count = std::max(sides_[0]->events.size(), sides_[1]->events.size());
    for (at_ = 0; at_ < count && result_.likeness == Likeness::alike; ++at_) event();
    return std::move(result_);
  }

 private:
  template <class T>
  const T* both(const T* (&events)[2]) const {
    for (int i = 0; i < 2; ++i)
      events[i] =
          at_ < sides_[i]->events.size() ? std::get_if<T>(&sides_[i]->events[at_]) : nullptr;
    return events[0] && events[1] ? events[0] : nullptr;
  }

  void end(Likeness likeness, std::string why) {
    result_.likeness = likeness;
    result_.op = call_.op;
    result_.why = std::move(why);
  }

  void event() {
    const CallEvent* calls[2];
    const ReturnEvent* returns[2];
    const ClockEvent* clocks[2];
    const FaultEvent* faults[2];
    if (both(calls))
      call(*calls[0], *calls[1]);
    else if (both(returns))
      answer(*returns[0], *returns[1]);
    else if (both(clocks))
      moved(*clocks[0], *clocks[1]);
    else if (both(faults))
      listings_.clear();
    else
      end(Likeness::parted, "the plan went on in another way");
  }

  void moved(const ClockEvent& one, const ClockEvent& other) {
    listings_.clear();
    if (one.now != other.now) end(Likeness::different, "the clock was moved to another instant");
  }

  // Requests come from the plan and from earlier answers, which were alike.
  void call(const CallEvent& one, const CallEvent& other) {
    call_ = one;
    Request theirs = other.request;
    first_page_ = starts_a_listing(one.request);
    if (const auto* enqueue = std::get_if<Enqueue>(&one.request); enqueue && enqueue->job.id)
      for (Names& names : names_) names.give(*enqueue->job.id);
    std::visit(InCommon{names_[0]}, call_.request);
    std::visit(InCommon{names_[1]}, theirs);
    if (call_.request != theirs || one.now != other.now || one.client != other.client)
      end(Likeness::parted, "the plan asked for something else");
    if (const auto* fail = std::get_if<Fail>(&call_.request))
      course_.texts.insert({fail->reason, fail->error});
    if (const auto* retry = std::get_if<Retry>(&call_.request)) course_.texts.insert(retry->error);
    if (const auto* nack = std::get_if<Nack>(&call_.request)) course_.texts.insert(nack->error);
  }

  static bool starts_a_listing(const Request& request) {
    if (const auto* list = std::get_if<List>(&request)) return !list->cursor;
    if (const auto* dead = std::get_if<Dead>(&request)) return !dead->cursor;
    return false;
  }

  void answer(const ReturnEvent& one, const ReturnEvent& other) {
    if (one.outcome == OutcomeKind::unknown || other.outcome == OutcomeKind::unknown)
      return end(Likeness::unknown, "nobody knows how the call ended");
    if (one.outcome != other.outcome || one.error.code != other.error.code)
      return is_open() ? end(Likeness::parted, "the contract leaves open whether it is accepted")
                       : end(Likeness::different, "one was answered in another way");
    if (one.outcome == OutcomeKind::refused) {
      if (reasons_differ(one.error, other.error))
        return end(Likeness::different, "the lease was lost for another reason");
      ++result_.answers;
      return;
    }
    Response ours = one.response, theirs = other.response;
    std::visit(InCommon{names_[0]}, ours);
    std::visit(InCommon{names_[1]}, theirs);
    if (!changes_nothing(call_.request)) listings_.clear();
    compare_answers(ours, theirs);
    if (result_.likeness != Likeness::alike) return;
    ++result_.answers;
    learn(ours);
  }

  bool reasons_differ(const Error& one, const Error& other) const {
    return course_.profile.late_settle == LateSettle::reject && one.reason != other.reason &&
           one.reason != LeaseReason::unstated && other.reason != LeaseReason::unstated;
  }

  // Whether the profile lets a driver do either.
  bool is_open() const {
    const Profile& profile = course_.profile;
    if (const auto* enqueue = std::get_if<Enqueue>(&call_.request))
      return profile.dup_id == DupId::undefined && enqueue->job.id &&
             course_.jobs.contains(*enqueue->job.id);
    const Hold* hold = hold_of(call_.request);
    if (!hold) return false;
    if (profile.late_settle == LateSettle::unfenced || profile.fence == Fence::none) return true;
    if (std::holds_alternative<Ack>(call_.request) && profile.resettle_foreign == Resettle::ok)
      return true;
    const auto claim = course_.claims.find(hold->token);
    return profile.late_settle == LateSettle::accept_unreclaimed && claim != course_.claims.end() &&
           course_.is_over(claim->second.until, call_.now);
  }

  void compare_answers(Response& ours, Response& theirs) {
    if (ours.index() != theirs.index())
      return end(Likeness::different, "one was answered in another way");
    if (auto* claims = std::get_if<Claims>(&ours))
      if (!same_choice(*claims, std::get<Claims>(theirs))) return;
    if (auto* page = std::get_if<JobPage>(&ours))
      return listed(page->jobs, std::get<JobPage>(theirs).jobs, &Listing::jobs, &JobPage::jobs,
                    page->cursor || std::get<JobPage>(theirs).cursor);
    if (auto* page = std::get_if<DeadPage>(&ours))
      return listed(page->entries, std::get<DeadPage>(theirs).entries, &Listing::dead,
                    &DeadPage::entries, page->cursor || std::get<DeadPage>(theirs).cursor);
    if (drawn(ours, theirs)) return end(Likeness::parted, "a delay was drawn");
    same_content(ours, theirs);
  }

  // A backoff is drawn by each driver for itself.
  bool drawn(const Response& ours, const Response& theirs) const {
    const auto* one = std::get_if<Nacked>(&ours);
    return one && course_.profile.backoff.cap.count() > 0 && one->state != JobState::dead &&
           one->run_at != std::get<Nacked>(theirs).run_at;
  }

  void same_content(Response& ours, Response& theirs) {
    for (Response* response : {&ours, &theirs}) std::visit(Fixed{course_, call_.now}, *response);
    if (auto* view = std::get_if<JobView>(&ours))
      forget_untold(view->job, std::get<JobView>(theirs).job);
    if (auto* claims = std::get_if<Claims>(&ours))
      for (std::size_t i = 0; i < claims->claims.size(); ++i)
        forget_untold(claims->claims[i].job, std::get<Claims>(theirs).claims[i].job);
    if (ours != theirs) end(Likeness::different, "the answers hold something else");
  }

  // Whether both got the same jobs. To find nothing where another finds something is no choice.
  bool same_choice(const Claims& ours, const Claims& theirs) {
    const auto& [one, other] = std::tie(ours.claims, theirs.claims);
    for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
      if (one[i].job.id == other[i].job.id) continue;
      if (in_order(one[i].job.id, other[i].job.id))
        end(Likeness::different, "two jobs were delivered in another order");
      else
        end(Likeness::parted, "the contract leaves open which of the jobs comes first");
      return false;
    }
    if (one.size() == other.size()) return true;
    const Profile& profile = course_.profile;
    const bool lagging =
        profile.visibility_lag_max.count() > 0 || profile.reclaim_lag_max.count() > 0 ||
        (profile.expiry_to == ExpiryTo::backoff && profile.backoff.cap.count() > 0);
    if ((one.empty() || other.empty()) && !lagging)
      end(Likeness::different, "one found a job and the other did not");
    else
      end(Likeness::parted, "the contract leaves open how many jobs come at once");
    return false;
  }

  // Whether the contract says which of the two comes first.
  bool in_order(const JobId& one, const JobId& other) const {
    const auto ours = course_.jobs.find(one), theirs = course_.jobs.find(other);
    if (ours == course_.jobs.end() || theirs == course_.jobs.end()) return true;
    return course_.profile.order == Order::fifo &&
           course_.profile.claim_style == ClaimStyle::next && ours->second.undelayed &&
           theirs->second.undelayed && ours->second.queue == theirs->second.queue &&
           ours->second.priority == theirs->second.priority;
  }

  // Which jobs share a page depends on ids; what all pages hold together does not.
  template <class Item, class Page>
  void listed(std::vector<Item>& ours, std::vector<Item>& theirs, Page (Listing::*pages)[2],
              std::vector<Item> Page::*items, bool more) {
    if (first_page_) listings_[call_.client] = {};
    const auto listing = listings_.find(call_.client);
    if (listing == listings_.end()) return;  // something changed since the first page
    for (int i = 0; i < 2; ++i) {
      auto& all = (listing->second.*pages)[i].*items;
      for (Item& item : i == 0 ? ours : theirs) all.push_back(std::move(item));
    }
    if (more) return;
    Response whole[2] = {(listing->second.*pages)[0], (listing->second.*pages)[1]};
    listings_.erase(listing);
    for (Response& response : whole) {
      std::visit(Fixed{course_, call_.now}, response);
      arrange(std::get<Page>(response).*items);
    }
    auto& one = std::get<Page>(whole[0]).*items;
    auto& other = std::get<Page>(whole[1]).*items;
    for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
      forget_untold(job_in(one[i]), job_in(other[i]));
    if (one != other) end(Likeness::different, "the listings hold something else");
  }

  static Job& job_in(Job& job) { return job; }
  static Job& job_in(DeadEntry& entry) { return entry.job; }

  // One whose lease is over may be listed among the held, the ready or the dead.
  template <class Item>
  void arrange(std::vector<Item>& items) {
    const auto* list = std::get_if<List>(&call_.request);
    if (!list || list->state)
      std::erase_if(items,
                    [&](Item& item) { return course_.is_lapsed(job_in(item).id, call_.now); });
    std::ranges::sort(items, {}, [](Item& item) -> const JobId& { return job_in(item).id; });
  }

  void learn(const Response& ours) {
    if (const auto* enqueued = std::get_if<Enqueued>(&ours)) {
      const NewJob& job = std::get<Enqueue>(call_.request).job;
      if (!enqueued->existed)
        course_.jobs[enqueued->id] = {job.queue, job.priority.value_or(0), !job.run_at, {}};
    } else if (const auto* claims = std::get_if<Claims>(&ours)) {
      for (const Claim& claim : claims->claims) {
        Known& job = course_.jobs[claim.job.id];
        job.undelayed = false;
        job.held_until = claim.expires_at;
        course_.claims[claim.token] = {claim.job.id, claim.expires_at};
      }
    } else if (const auto* extended = std::get_if<Extended>(&ours)) {
      const Hold& hold = std::get<Extend>(call_.request).hold;
      course_.jobs[hold.job_id].held_until = extended->expires_at;
      course_.claims[hold.token].until = extended->expires_at;
    } else if (const auto* requeued = std::get_if<Requeued>(&ours)) {
      course_.jobs[requeued->job_id] = {};
    } else if (const Hold* hold = hold_of(call_.request)) {
      course_.jobs[hold->job_id].held_until.reset();
    } else if (const auto* cancel = std::get_if<Cancel>(&call_.request)) {
      course_.jobs[cancel->job_id].held_until.reset();
    }
  }

  const History* sides_[2];
  Names names_[2];
  Course course_;
  CallEvent call_;  // the last, in common names
  bool first_page_ = false;
  std::map<int, Listing> listings_;  // by client
  std::size_t at_ = 0;
  Comparison result_;
};

}  // namespace

Comparison compare(const History& one, const History& other) { return Comparer(one, other).run(); }

}  // namespace assay

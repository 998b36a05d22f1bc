#include "harness/judge/detail/window.h"

#include <algorithm>
#include <span>

#include "harness/judge/fetch_line.h"

namespace assay::judging {

Part* Operation::part(std::string_view id) {
  const auto at = std::ranges::find(parts, id, &Part::id);
  return at == parts.end() ? nullptr : &*at;
}

bool Operation::makes(std::string_view id) const {
  if (unknown || end->outcome != OutcomeKind::ok) return false;
  if (const auto* made = std::get_if<Enqueued>(&end->response))
    return made->id == id && !made->existed;
  const auto* replayed = std::get_if<Requeued>(&end->response);
  const auto* request = std::get_if<Requeue>(&call->request);
  return replayed && request && replayed->job_id == id && request->job_id != id;
}

void Operation::lose() {
  kept_end = ReturnEvent{call->op, OutcomeKind::unknown, Done{}, {}};
  end = &kept_end;
  unknown = true;
}

namespace {

struct PartsOf {
  Operation& operation;
  const ReturnEvent& end = *operation.end;

  void add(std::string_view id) {
    if (operation.parts.empty() || !operation.part(id))
      operation.parts.push_back({id, hash_text(id), {}, &operation});
  }
  bool ok() const { return end.outcome == OutcomeKind::ok; }

  void operator()(const Enqueue& request) {
    const auto* made = ok() ? std::get_if<Enqueued>(&end.response) : nullptr;
    if (made)
      add(made->id);
    else if (request.job.id && end.outcome == OutcomeKind::refused)
      add(*request.job.id);
  }
  void operator()(const Reserve&) {
    if (const auto* claims = ok() ? std::get_if<Claims>(&end.response) : nullptr)
      for (const Claim& claim : claims->claims) add(claim.job.id);
  }
  void operator()(const List&) {
    if (const auto* page = ok() ? std::get_if<JobPage>(&end.response) : nullptr)
      for (const Job& shown : page->jobs) add(shown.id);
  }
  void operator()(const Requeue& request) {
    add(request.job_id);
    if (const auto* made = ok() ? std::get_if<Requeued>(&end.response) : nullptr) add(made->job_id);
  }
  void operator()(const Get& request) { add(request.job_id); }
  void operator()(const Cancel& request) { add(request.job_id); }
  void operator()(const auto& request) {
    if constexpr (requires { request.hold; }) add(request.hold.job_id);
  }
};

bool takes_key(const Operation& operation) {
  const auto* r = std::get_if<Enqueue>(&operation.call->request);
  return r ? r->job.key.has_value() : std::holds_alternative<Requeue>(operation.call->request);
}

std::string key_of(const Operation& operation, const Facts& facts) {
  if (const auto* r = std::get_if<Enqueue>(&operation.call->request)) return facts.key_of(r->job);
  const auto* r = std::get_if<Requeue>(&operation.call->request);
  const JobFacts* job = r ? facts.find(r->job_id) : nullptr;
  return job ? facts.key_of(job->given) : std::string();
}

std::uint64_t bits_of(const std::vector<std::string>& names) {
  std::uint64_t bits = 0;
  for (const std::string& name : names) bits |= std::uint64_t{1} << (hash_text(name) % 64);
  return bits;
}

bool is_switch(const Operation& operation) {
  return std::holds_alternative<Pause>(operation.call->request) ||
         std::holds_alternative<Resume>(operation.call->request);
}

}  // namespace

Operation& Window::begin(OpId op, Place place) {
  if (unused_.empty()) unused_.push_back(&made_.emplace_back());
  Operation* const operation = unused_.back();
  unused_.pop_back();
  operation->began = place;
  open_.push_back({op, place, operation});
  return *operation;
}

Operation* Window::take(std::vector<Open>::iterator at) {
  Operation* const taken = at->operation;
  open_.erase(at);
  return taken;
}

Operation* Window::end(OpId op) {
  for (auto at = open_.end(); at != open_.begin();)
    if ((--at)->op == op) return take(at);
  return nullptr;
}

Operation* Window::end_oldest() { return open_.empty() ? nullptr : take(open_.begin()); }

void Window::recycle(Operation& operation) {
  operation.parts.clear();
  operation.key.clear();
  operation.unknown = operation.judged = false;
  unused_.push_back(&operation);
}

void Window::add(Operation& added, const Facts& facts) {
  std::visit(PartsOf{added}, added.call->request);
  if (parts_ + added.parts.size() > by_job_.size()) grow();
  for (Part& part : added.parts) enter(part);
  if (takes_key(added)) added.key = key_of(added, facts);
  if (!added.key.empty()) by_key_.emplace(added.key, &added);
  if (is_switch(added)) ++switches_;
  if (const auto* reserve = std::get_if<Reserve>(&added.call->request)) claim(added, *reserve);
  while (!first_begun_.empty() && first_begun_.back()->began > added.began) first_begun_.pop_back();
  first_begun_.push_back(&added);
  ended_.push_back(&added);
}

void Window::fetch_ahead(const Facts& facts) const {
  constexpr std::size_t next = 2, soon = 4, later = 6, at_last = 8, before_all = 12;
  const auto parts_at = [&](std::size_t place) {
    return place < ended_.size() ? std::span<Part>(ended_[place]->parts) : std::span<Part>();
  };
  // What takes longest comes first, after the events themselves, which came some time ago.
  if (ended_.size() > before_all) {
    fetch_lines(ended_[before_all]->call, sizeof(CallEvent));
    fetch_line(ended_[before_all]->end);
    fetch_line(&ended_[before_all]->end->error);
  }
  for (const Part& part : parts_at(at_last)) facts.fetch_place(part.hash);
  if (ended_.size() > at_last)
    if (const auto* claims = std::get_if<Claims>(&ended_[at_last]->end->response))
      for (const Claim& claim : claims->claims) {
        facts.fetch_token(claim.token);
        fetch_lines(&claim, sizeof claim);
      }
  for (Part& part : parts_at(later)) part.index = facts.fetch_slot(part.hash);
  for (const Part& part : parts_at(next))
    if (part.index) facts.fetch_claims(*part.index);
  for (const Part& part : parts_at(soon))
    if (part.index) facts.fetch(*part.index);
}

void Window::pop() {
  Operation& gone = front();
  for (Part& part : gone.parts) leave(part);
  if (!gone.key.empty()) {
    const auto [from, to] = by_key_.equal_range(gone.key);
    by_key_.erase(std::find_if(from, to, [&](const auto& each) { return each.second == &gone; }));
  }
  if (is_switch(gone)) --switches_;
  if (!claims_.empty() && claims_.front().first == &gone) forget_claim();
  if (first_begun_.front() == &gone) first_begun_.pop_front();
  ended_.pop_front();
  recycle(gone);
}

static std::size_t bucket_of(const std::string& queue) { return hash_text(queue) % 256; }

void Window::claim(Operation& claim, const Reserve& reserve) {
  claims_.push_back({&claim, bits_of(reserve.queues)});
  for (const std::string& queue : reserve.queues) ++claims_on_[bucket_of(queue)];
}

void Window::forget_claim() {
  for (const std::string& queue : std::get<Reserve>(claims_.front().first->call->request).queues)
    --claims_on_[bucket_of(queue)];
  claims_.pop_front();
}

void Window::enter(Part& part) {
  Part** last = &chain(part.hash);
  while (*last) last = &(*last)->next;
  part.next = nullptr;
  *last = &part;
  ++parts_;
}

void Window::leave(Part& part) {
  Part** at = &chain(part.hash);
  while (*at != &part) at = &(*at)->next;
  *at = part.next;
  --parts_;
}

void Window::grow() {
  by_job_.assign(by_job_.size() * 2, nullptr);
  parts_ = 0;
  for (std::size_t i = 0; i < ended_.size(); ++i)
    for (Part& part : ended_[i]->parts) enter(part);
}

bool Window::overlaps_front() const {
  const Operation& front = *ended_.front();
  const std::size_t others = first_begun_.front() == &front ? 1 : 0;
  return first_begun_.size() > others && first_begun_[others]->began < front.ended;
}

bool Window::is_met(const Part& part) const {
  for (const Part* each = chain(part.hash); each; each = each->next)
    if (each != &part && each->hash == part.hash && each->of->began < part.of->ended &&
        same_text(each->id, part.id))
      return true;
  return false;
}

std::vector<Operation*> Window::about(std::string_view id) const {
  std::vector<Operation*> all;
  const std::size_t hash = hash_text(id);
  for (const Part* each = chain(hash); each; each = each->next)
    if (each->hash == hash && each->id == id) all.push_back(each->of);
  return all;
}

std::optional<std::vector<Operation*>> Window::together(std::string_view id) const {
  std::vector<Operation*> all = about(id), group;
  Place until = 0;
  for (Operation* operation : all) {
    if (operation->part(id)->judged) continue;
    if (!group.empty() && operation->began >= until &&
        std::ranges::none_of(all, [&](const Operation* later) {
          return later->ended > operation->ended && later->began < until;
        }))
      break;
    group.push_back(operation);
    until = std::max(until, operation->ended);
  }
  if (is_open_since(until)) return std::nullopt;
  return group;
}

std::vector<Operation*> Window::with_key(const std::string& key) const {
  std::vector<Operation*> all;
  const auto [from, to] = by_key_.equal_range(key);
  for (auto at = from; at != to; ++at) all.push_back(at->second);
  std::ranges::sort(all, {}, &Operation::ended);
  return all;
}

bool Window::claims_before(const Operation& but, const std::vector<std::string>& queues,
                           Place place) const {
  constexpr std::size_t looked_at_most = 256;
  if (queues.size() == 1 && claims_on_[bucket_of(queues.front())] == 1) return false;  // its own
  const std::uint64_t bits = bits_of(queues);
  for (std::size_t i = 0; i < std::min(claims_.size(), looked_at_most); ++i) {
    if ((claims_[i].second & bits) == 0) continue;
    const Operation& other = *claims_[i].first;
    if (&other == &but || other.began >= place) continue;
    for (const std::string& queue : std::get<Reserve>(other.call->request).queues)
      if (std::ranges::find(queues, queue) != queues.end()) return true;
  }
  return false;
}

}  // namespace assay::judging

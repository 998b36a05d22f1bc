#include "harness/judge/detail/window.h"

#include <algorithm>

namespace assay::judging {

static std::size_t hash_of(std::string_view text) { return std::hash<std::string_view>{}(text); }

Part* Operation::part(const JobId& id) {
  const auto at = std::ranges::find(parts, id, &Part::id);
  return at == parts.end() ? nullptr : &*at;
}

bool Operation::makes(const JobId& id) const {
  if (unknown || end->outcome != OutcomeKind::ok) return false;
  if (const auto* made = std::get_if<Enqueued>(&end->response))
    return made->id == id && !made->existed;
  const auto* replayed = std::get_if<Requeued>(&end->response);
  const auto* request = std::get_if<Requeue>(&call->request);
  return replayed && request && replayed->job_id == id && request->job_id != id;
}

namespace {

struct PartsOf {
  const ReturnEvent& end;
  std::vector<Part>& all;

  void add(const JobId& id) {
    if (std::ranges::find(all, id, &Part::id) == all.end()) all.push_back({id});
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

std::string key_of(const Operation& operation, const Facts& facts) {
  if (const auto* r = std::get_if<Enqueue>(&operation.call->request)) return facts.key_of(r->job);
  const auto* r = std::get_if<Requeue>(&operation.call->request);
  const JobFacts* job = r ? facts.find(r->job_id) : nullptr;
  return job ? facts.key_of(job->given) : std::string();
}

}  // namespace

static bool is_switch(const Operation& operation) {
  return std::holds_alternative<Pause>(operation.call->request) ||
         std::holds_alternative<Resume>(operation.call->request);
}

Operation& Window::add(std::unique_ptr<Operation> operation, const Facts& facts) {
  Operation& added = *operation;
  std::visit(PartsOf{*added.end, added.parts}, added.call->request);
  added.key = key_of(added, facts);
  for (const Part& part : added.parts) by_job_.emplace(hash_of(part.id), &added);
  if (!added.key.empty()) by_key_.emplace(hash_of(added.key), &added);
  if (is_switch(added)) ++switches_;
  begins_.insert(added.began);
  operations_.push_back(std::move(operation));
  return added;
}

void Window::pop() {
  Operation& gone = front();
  const auto forget = [&](Index& index, std::string_view text) {
    const auto [from, to] = index.equal_range(hash_of(text));
    for (auto at = from; at != to; ++at)
      if (at->second == &gone) {
        index.erase(at);
        return;
      }
  };
  for (const Part& part : gone.parts) forget(by_job_, part.id);
  if (!gone.key.empty()) forget(by_key_, gone.key);
  if (is_switch(gone)) --switches_;
  begins_.erase(begins_.find(gone.began));
  operations_.pop_front();
}

bool Window::overlaps_front() const {
  const Operation& front = *operations_.front();
  auto first = begins_.begin();
  if (first != begins_.end() && *first == front.began) ++first;
  return first != begins_.end() && *first < front.ended;
}

std::vector<Operation*> Window::found(const Index& index, std::string_view text,
                                      bool (*fits)(const Operation&, std::string_view)) const {
  std::vector<Operation*> all;
  const auto [from, to] = index.equal_range(hash_of(text));
  for (auto at = from; at != to; ++at)
    if (fits(*at->second, text)) all.push_back(at->second);
  if (all.size() > 1) std::ranges::sort(all, {}, &Operation::ended);
  return all;
}

std::vector<Operation*> Window::about(const JobId& id) const {
  return found(by_job_, id, [](const Operation& operation, std::string_view wanted) {
    return std::ranges::find(operation.parts, wanted, &Part::id) != operation.parts.end();
  });
}

std::vector<Operation*> Window::with_key(const std::string& key) const {
  return found(by_key_, key, [](const Operation& operation, std::string_view wanted) {
    return operation.key == wanted;
  });
}

bool Window::claims_before(const Operation& but, const std::vector<std::string>& queues,
                           Place place) const {
  constexpr std::size_t looked_at_most = 256;
  for (std::size_t i = 0; i < std::min(operations_.size(), looked_at_most); ++i) {
    const Operation& other = *operations_[i];
    const auto* reserve = std::get_if<Reserve>(&other.call->request);
    if (&other == &but || !reserve || other.began >= place) continue;
    for (const std::string& queue : reserve->queues)
      if (std::ranges::find(queues, queue) != queues.end()) return true;
  }
  return false;
}

}  // namespace assay::judging

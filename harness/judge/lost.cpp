// What a call that nobody knows the end of may have done.
#include "harness/judge/facts.h"

namespace assay {

// What a call on no job in particular may have done.
void Facts::lose(const CallEvent& call) {
  if (const auto* r = std::get_if<Enqueue>(&call.request)) perhaps_enqueued(r->job);
  if (const auto* r = std::get_if<Reserve>(&call.request)) perhaps_claimed(*r);
  const std::string* queue = nullptr;
  if (const auto* r = std::get_if<Pause>(&call.request)) queue = &r->queue;
  if (const auto* r = std::get_if<Resume>(&call.request)) queue = &r->queue;
  if (queue) queues_[*queue].paused = false, queues_[*queue].unsure = true;
  if (std::holds_alternative<List>(call.request) || std::holds_alternative<Dead>(call.request))
    ++unknown_pages_;
  if (std::holds_alternative<Close>(call.request)) clients_[call.client].perhaps_closed = true;
}

void Facts::perhaps_enqueued(const NewJob& job) {
  ++unknown_enqueues_;
  if (job.id)
    unknown_ids_.insert(*job.id);
  else
    ++unknown_names_;
  if (job.key) unknown_keys_.insert(key_scope(job));
}

// Who was handed what is not known: neither is the state of any job that could be handed out.
void Facts::perhaps_claimed(const Reserve& request) {
  std::vector<JobIndex> touched;
  for (const std::string& name : request.queues) {
    auto at = queues_.find(name);
    if (at == queues_.end()) continue;
    for (Phase phase : {Phase::waiting, Phase::leased})
      for (JobIndex index : at->second.members[static_cast<std::size_t>(phase)])
        if (!request.job_id || jobs_[index].id == *request.job_id) touched.push_back(index);
  }
  for (JobIndex index : touched) spoil(index);
}

}  // namespace assay

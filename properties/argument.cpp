// argument: what makes no sense is refused, with the error that says so.
#include <fmt/format.h>

#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

static bool nameless(const Reserve& request) {
  bool empty = request.queues.empty();
  for (const std::string& queue : request.queues) empty = empty || queue.empty();
  return empty;
}

static void must_be_invalid(const char* rule, const Moment& m, bool otherwise_refused,
                            Verdicts& v) {
  v.triggered(rule);
  if (m.refused(ErrorCode::invalid) || (otherwise_refused && m.refused())) return;
  v.convict(rule, nullptr, {},
            fmt::format("{} with arguments that make no sense was {}, not refused as invalid.",
                        name_of(m.call.request), words::outcome(m)));
}

static void operation(const Moment& m, Verdicts& v) {
  if (!m.malformed || m.after_close || m.end.outcome == OutcomeKind::unknown) return;
  if (m.request<Enqueue>()) must_be_invalid("XVAL-1", m, false, v);
  if (const auto* request = m.request<Reserve>()) {
    if (request->lease.count() <= 0) must_be_invalid("XVAL-2", m, false, v);
    if (nameless(*request)) must_be_invalid("XVAL-3", m, false, v);
  }
  // Which of two things is wrong comes first is nobody's promise.
  if (const auto* request = m.request<Extend>()) {
    const JobFacts* job = m.facts.find(request->hold.job_id);
    bool holds = job && !job->spoiled && job->phase == Phase::leased &&
                 job->lease().token == request->hold.token && !m.facts.lapsed(*job, m.now);
    must_be_invalid("XVAL-2", m, !holds, v);
  }
}

static constexpr std::string_view rules[] = {"XVAL-1", "XVAL-2", "XVAL-3"};

Property argument() {
  return {"argument", rules,   operation, nullptr,
          nullptr,    nullptr, no_call,   calls_of<Enqueue, Reserve, Extend>};
}

}  // namespace assay::properties

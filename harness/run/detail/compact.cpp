#include "harness/run/detail/compact.h"

#include "harness/history/payload.h"

namespace assay::detail {

static void compact(std::string& payload) { payload = compact_payload(std::move(payload)); }

void compact(Request& request) {
  if (auto* enqueue = std::get_if<Enqueue>(&request)) compact(enqueue->job.payload);
}

void compact(Response& response) {
  if (auto* claims = std::get_if<Claims>(&response))
    for (auto& claim : claims->claims) compact(claim.job.payload);
  if (auto* view = std::get_if<JobView>(&response)) compact(view->job.payload);
  if (auto* page = std::get_if<JobPage>(&response))
    for (auto& job : page->jobs) compact(job.payload);
  if (auto* page = std::get_if<DeadPage>(&response))
    for (auto& entry : page->entries) compact(entry.job.payload);
}

}  // namespace assay::detail

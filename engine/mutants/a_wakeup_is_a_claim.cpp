// a_wakeup_is_a_claim: a worker that hears of a job runs it, whether or not it is given a lease.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

namespace {

constexpr std::string_view made_up = "made up";

std::optional<Response> answer_to_made_up(Instant now, const Request& request) {
  if (const auto* extend = std::get_if<Extend>(&request); extend && extend->hold.token == made_up)
    return Extended{now + extend->lease};
  if (const auto* ack = std::get_if<Ack>(&request); ack && ack->hold.token == made_up)
    return Done{};
  return std::nullopt;
}

// A claim of the job as it is seen, which nobody gave.
Claims made_up_for(const Reserve& reserve, Instant now, const Interception::Next& next) {
  const auto seen = next(now, Get{*reserve.job_id});
  const auto* view = seen.ok() ? std::get_if<JobView>(&*seen) : nullptr;
  if (!view) return {};
  Claim claim;
  claim.job = view->job;
  claim.token = made_up;
  claim.expires_at = now + reserve.lease;
  return {{claim}};
}

}  // namespace

EngineInfo a_wakeup_is_a_claim() {
  return mutant("a_wakeup_is_a_claim", {"XWORK-3", "WAKE-2", "OUTBOX-6"},
                "a worker that hears of a job runs it, whether or not it is given a lease", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    if (const auto answer = answer_to_made_up(now, request)) return *answer;
                    auto answer = next(now, request);
                    const auto* reserve = std::get_if<Reserve>(&request);
                    if (!reserve || !reserve->job_id) return answer;
                    const auto* claims = answer.ok() ? std::get_if<Claims>(&*answer) : nullptr;
                    if (claims && !claims->claims.empty()) return answer;
                    return Response(made_up_for(*reserve, now, next));
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants

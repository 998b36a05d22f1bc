#include "engine/mutants/all.h"

namespace assay::engine {
namespace mutants {

ActResult without_stop(const Errand& errand, const Acting& act, std::string_view reason) {
  std::stop_source other;
  const std::stop_callback told(errand.stop, [&] {
    if (errand.why() != reason) other.request_stop();
  });
  return act({errand.job, errand.run, errand.clock, other.get_token(), errand.why});
}

}  // namespace mutants

std::span<const EngineInfo> all_engines() {
  static const std::vector<EngineInfo> all = {
      reference(),
      mutants::a_claim_is_run_twice(),
      mutants::a_failed_flush_is_dropped(),
      mutants::a_jobs_own_time_limit_is_ignored(),
      mutants::a_lease_is_the_time_limit(),
      mutants::acks_before_it_runs(),
      mutants::does_not_back_off(),
      mutants::errors_are_kept_secret(),
      mutants::every_other_heartbeat_is_left_out(),
      mutants::goes_on_without_a_lease(),
      mutants::heartbeats_after_the_end(),
      mutants::heartbeats_are_doubled(),
      mutants::limits_are_ignored(),
      mutants::never_asks_again(),
      mutants::no_heartbeats(),
      mutants::one_queue_comes_first(),
      mutants::out_of_time_is_success(),
      mutants::reasons_are_not_counted(),
      mutants::refused_heartbeats_are_ignored(),
      mutants::retries_without_jitter(),
      mutants::shutdown_tells_nobody(),
      mutants::shutdown_waits_for_nobody(),
      mutants::some_claims_are_forgotten(),
      mutants::the_first_failure_is_the_last(),
      mutants::the_greater_limit_counts(),
      mutants::the_last_batch_is_dropped(),
      mutants::the_worker_decides(),
      mutants::throwing_is_success(),
      mutants::time_limit_tells_nobody(),
      mutants::unknown_types_are_acked(),
      mutants::waits_too_long(),
      mutants::waits_too_short(),
      mutants::what_was_there_before_is_ignored(),
  };
  return all;
}

const EngineInfo& engine_canary() {
  static const EngineInfo canary = mutants::no_heartbeats();
  return canary;
}

}  // namespace assay::engine

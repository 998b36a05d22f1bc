#include "engine/mutants/all.h"

#include "engine/detail/ledger.h"

namespace assay::engine {
namespace mutants {

ActResult without_stop(const Errand& errand, const Acting& act, std::string_view reason) {
  std::stop_source other;
  const std::stop_callback told(errand.stop, [&] {
    if (errand.why() != reason) other.request_stop();
  });
  Errand undisturbed = errand;
  undisturbed.stop = other.get_token();
  return act(undisturbed);
}

void LooseOutputs::take(const EngineTerms& terms) {
  driver_ = &terms.driver;
  clock_ = &terms.runtime.clock();
  name_ = terms.spec.name + "/outputs";
}

Status LooseOutputs::write(const JobId& job, std::int64_t run, const std::string& name,
                           const std::string& value) const {
  const auto session = driver_->open({name_, Role::worker});
  if (!session.ok()) return session.error();
  Records* const records = (*session)->records();
  if (!records) return unsupported("no records");
  const auto ledger = detail::read_ledger(*records, clock_->now(), job);
  if (!ledger.ok()) return ledger.error();
  Commit commit;
  static_cast<void>(detail::add_outputs(commit, job, *ledger, {{name, {value, false}}}, run));
  const auto done = records->commit(clock_->now(), commit);
  return done.ok() ? Status(Done{}) : Status(done.error());
}

}  // namespace mutants

std::span<const EngineInfo> all_engines() {
  static const std::vector<EngineInfo> all = {
      reference(),
      mutants::a_claim_is_run_twice(),
      mutants::a_failed_flush_is_dropped(),
      mutants::a_failure_is_counted_twice(),
      mutants::a_failure_is_never_told(),
      mutants::a_failure_is_not_counted(),
      mutants::a_flow_is_kept_in_memory(),
      mutants::a_jobs_own_time_limit_is_ignored(),
      mutants::a_later_run_writes_its_outputs_again(),
      mutants::a_lease_is_the_time_limit(),
      mutants::a_limit_is_one_less(),
      mutants::a_limit_is_one_more(),
      mutants::a_lost_answer_loses_the_key(),
      mutants::a_lost_message_is_a_lost_lease(),
      mutants::a_retry_and_an_end(),
      mutants::a_schedule_ends_with_its_first_job(),
      mutants::a_wakeup_is_a_claim(),
      mutants::a_window_makes_two_jobs(),
      mutants::acks_before_it_runs(),
      mutants::an_exhausted_job_is_dropped(),
      mutants::appends_are_doubled(),
      mutants::chains_do_not_wait(),
      mutants::does_not_back_off(),
      mutants::errors_are_kept_secret(),
      mutants::events_are_not_written_down(),
      mutants::events_are_taken_for_announcements(),
      mutants::events_lose_their_key(),
      mutants::every_other_heartbeat_is_left_out(),
      mutants::finalizers_come_early(),
      mutants::finalizers_come_twice(),
      mutants::goes_on_without_a_lease(),
      mutants::groups_run_one_after_the_other(),
      mutants::heartbeats_after_the_end(),
      mutants::heartbeats_are_doubled(),
      mutants::jobs_are_announced_again_too_late(),
      mutants::jobs_without_a_message_are_ended(),
      mutants::limits_are_ignored(),
      mutants::messages_are_not_prolonged(),
      mutants::missed_windows_are_all_made_up_for(),
      mutants::never_asks_again(),
      mutants::no_heartbeats(),
      mutants::nobody_announces_again(),
      mutants::nobody_sweeps(),
      mutants::one_failing_row_blocks_all(),
      mutants::one_queue_comes_first(),
      mutants::out_of_time_is_success(),
      mutants::outputs_are_not_fenced(),
      mutants::outputs_are_written_one_by_one(),
      mutants::reasons_are_not_counted(),
      mutants::refused_heartbeats_are_ignored(),
      mutants::retries_in_the_past(),
      mutants::retries_without_jitter(),
      mutants::row_ids_are_drawn(),
      mutants::rows_are_dropped_first(),
      mutants::rows_are_forgotten_at_a_restart(),
      mutants::rows_are_written_after_the_change(),
      mutants::shutdown_tells_nobody(),
      mutants::shutdown_waits_for_nobody(),
      mutants::some_claims_are_forgotten(),
      mutants::the_first_failure_is_the_last(),
      mutants::the_greater_limit_counts(),
      mutants::the_last_batch_is_dropped(),
      mutants::the_reaper_ends_whatever_it_finds(),
      mutants::the_reaper_sleeps(),
      mutants::the_retry_scheduler_sleeps(),
      mutants::the_worker_decides(),
      mutants::throwing_is_success(),
      mutants::time_limit_tells_nobody(),
      mutants::unknown_types_are_acked(),
      mutants::unrecoverable_is_retried(),
      mutants::waits_too_long(),
      mutants::waits_too_short(),
      mutants::wakeups_say_more_than_an_id(),
      mutants::what_was_there_before_is_ignored(),
  };
  return all;
}

const EngineInfo& engine_canary() {
  static const EngineInfo canary = mutants::no_heartbeats();
  return canary;
}

}  // namespace assay::engine

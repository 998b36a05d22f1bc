// The mutants of the engine, one a file. Adding one is its file, a line here and one in all.cpp.
#pragma once

#include <map>
#include <memory>

#include "engine/under_test.h"

namespace assay::engine::mutants {

// Runs it with nobody telling it to stop for that reason.
ActResult without_stop(const Errand& errand, const Acting& act, std::string_view reason);

// Writes the output of a job whatever is there, with nobody's lease looked at.
class LooseOutputs {
 public:
  // Good for the life of the worker.
  void take(const EngineTerms& terms);
  Status write(const JobId& job, std::int64_t run, const std::string& name,
               const std::string& value) const;

 private:
  Driver* driver_ = nullptr;
  Clock* clock_ = nullptr;
  std::string name_;
};

EngineInfo a_claim_is_run_twice();
EngineInfo a_failed_flush_is_dropped();
EngineInfo a_failure_is_counted_twice();
EngineInfo a_failure_is_never_told();
EngineInfo a_failure_is_not_counted();
EngineInfo a_flow_is_kept_in_memory();
EngineInfo a_jobs_own_time_limit_is_ignored();
EngineInfo a_later_run_writes_its_outputs_again();
EngineInfo a_lease_is_the_time_limit();
EngineInfo a_limit_is_one_less();
EngineInfo a_limit_is_one_more();
EngineInfo a_lost_answer_loses_the_key();
EngineInfo a_lost_message_is_a_lost_lease();
EngineInfo a_retry_and_an_end();
EngineInfo a_schedule_ends_with_its_first_job();
EngineInfo a_wakeup_is_a_claim();
EngineInfo a_window_makes_two_jobs();
EngineInfo acks_before_it_runs();
EngineInfo an_exhausted_job_is_dropped();
EngineInfo appends_are_doubled();
EngineInfo chains_do_not_wait();
EngineInfo does_not_back_off();
EngineInfo errors_are_kept_secret();
EngineInfo events_are_not_written_down();
EngineInfo events_are_taken_for_announcements();
EngineInfo events_lose_their_key();
EngineInfo every_other_heartbeat_is_left_out();
EngineInfo finalizers_come_early();
EngineInfo finalizers_come_twice();
EngineInfo goes_on_without_a_lease();
EngineInfo groups_run_one_after_the_other();
EngineInfo heartbeats_after_the_end();
EngineInfo heartbeats_are_doubled();
EngineInfo jobs_are_announced_again_too_late();
EngineInfo jobs_without_a_message_are_ended();
EngineInfo limits_are_ignored();
EngineInfo messages_are_not_prolonged();
EngineInfo missed_windows_are_all_made_up_for();
EngineInfo never_asks_again();
EngineInfo no_heartbeats();
EngineInfo nobody_announces_again();
EngineInfo nobody_sweeps();
EngineInfo one_failing_row_blocks_all();
EngineInfo one_queue_comes_first();
EngineInfo out_of_time_is_success();
EngineInfo outputs_are_not_fenced();
EngineInfo outputs_are_written_one_by_one();
EngineInfo reasons_are_not_counted();
EngineInfo refused_heartbeats_are_ignored();
EngineInfo retries_in_the_past();
EngineInfo retries_without_jitter();
EngineInfo row_ids_are_drawn();
EngineInfo rows_are_dropped_first();
EngineInfo rows_are_forgotten_at_a_restart();
EngineInfo rows_are_written_after_the_change();
EngineInfo shutdown_tells_nobody();
EngineInfo shutdown_waits_for_nobody();
EngineInfo some_claims_are_forgotten();
EngineInfo the_first_failure_is_the_last();
EngineInfo the_greater_limit_counts();
EngineInfo the_last_batch_is_dropped();
EngineInfo the_reaper_ends_whatever_it_finds();
EngineInfo the_reaper_sleeps();
EngineInfo the_retry_scheduler_sleeps();
EngineInfo the_worker_decides();
EngineInfo throwing_is_success();
EngineInfo time_limit_tells_nobody();
EngineInfo unknown_types_are_acked();
EngineInfo unrecoverable_is_retried();
EngineInfo waits_too_long();
EngineInfo waits_too_short();
EngineInfo wakeups_say_more_than_an_id();
EngineInfo what_was_there_before_is_ignored();

}  // namespace assay::engine::mutants

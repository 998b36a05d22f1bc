#include "drivers/mutants/all.h"

#include <algorithm>
#include <vector>

#include "harness/contract/check.h"

// clang-format off
#define ASSAY_MUTANTS(X) \
  X(ack_changes_nothing) \
  X(ack_overwrites_cancelled) \
  X(ack_puts_back) \
  X(ack_takes_stale_token) \
  X(ack_without_lease) \
  X(attempt_checked_alone) \
  X(attempt_not_checked) \
  X(attempt_number_not_raised) \
  X(attempts_without_end) \
  X(backoff_into_the_past) \
  X(backoff_window_doubled) \
  X(backoff_without_jitter) \
  X(bad_cursor_accepted) \
  X(canary) \
  X(cancel_changes_nothing) \
  X(cancel_checked_then_written) \
  X(cancel_overwrites_ended) \
  X(cancel_spares_held) \
  X(cancelled_job_claimable) \
  X(claim_on_nameless_queue_accepted) \
  X(claim_without_payload) \
  X(claim_without_token) \
  X(claims_at_once_share_a_job) \
  X(counter_above_limit_accepted) \
  X(counter_not_stored) \
  X(counter_raised_twice) \
  X(counter_read_then_written) \
  X(creation_shown_as_now) \
  X(dead_job_claimable) \
  X(dead_job_returns) \
  X(dead_list_loses_last) \
  X(dead_listed_twice) \
  X(dead_shown_cancelled) \
  X(dead_since_its_creation) \
  X(dead_without_error) \
  X(dead_without_reason) \
  X(done_job_claimable) \
  X(done_listed_ready) \
  X(driver_applies_the_limit) \
  X(driver_retries_failed) \
  X(due_one_tick_early) \
  X(due_one_tick_late) \
  X(due_shown_scheduled) \
  X(duplicate_id_accepted) \
  X(duplicate_key_is_conflict) \
  X(duplicate_modifies_job) \
  X(empty_queue_accepted) \
  X(empty_type_accepted) \
  X(enqueue_drops_some) \
  X(exhausted_counts_as_done) \
  X(existed_without_key) \
  X(expiry_backs_off) \
  X(expiry_counts_as_done) \
  X(expiry_counts_twice) \
  X(expiry_never_counts) \
  X(expiry_raises_counter) \
  X(extend_ignores_token) \
  X(extend_revives_done) \
  X(extend_revives_expired) \
  X(extended_never_reclaimed) \
  X(extended_reclaimed_at_old_expiry) \
  X(extension_added_to_expiry) \
  X(extension_forgotten) \
  X(extension_halved) \
  X(extension_shortens) \
  X(fail_counter_not_stored) \
  X(fail_counts_as_done) \
  X(fail_ignores_token) \
  X(fail_overwrites_done) \
  X(failure_counted_twice) \
  X(failure_not_counted) \
  X(first_counter_ignored) \
  X(get_forgets_dead) \
  X(get_forgets_retried) \
  X(heartbeat_checked_then_written) \
  X(heirs_at_once_share_a_job) \
  X(held_job_claimable) \
  X(held_listed_ready) \
  X(held_shown_ready) \
  X(holder_not_recorded) \
  X(job_dies_with_its_worker) \
  X(key_forgotten) \
  X(key_kept_after_cancelled) \
  X(key_kept_after_dead) \
  X(key_kept_after_done) \
  X(key_looked_up_then_taken) \
  X(key_makes_second_job) \
  X(key_not_shown) \
  X(key_released_at_claim) \
  X(key_released_at_done) \
  X(key_scope_ignores_queue) \
  X(key_scope_joined) \
  X(known_key_gives_another_id) \
  X(late_extension_is_conflict) \
  X(late_settle_accepted) \
  X(lease_not_cleared) \
  X(lease_of_the_asker_ignored) \
  X(lease_one_tick_long) \
  X(lease_shown_with_another_token) \
  X(lease_shown_with_old_expiry) \
  X(limit_forgotten) \
  X(list_backwards) \
  X(list_ends_after_a_page) \
  X(list_ignores_state) \
  X(list_loses_page_end) \
  X(list_repeats_pages) \
  X(lives_by_its_own_clock) \
  X(mismatch_named_before_expiry) \
  X(nack_answers_dead_and_retries) \
  X(nack_gives_no_time) \
  X(nack_ignores_token) \
  X(negative_timeout_accepted) \
  X(never_reclaims) \
  X(new_jobs_wait_a_minute) \
  X(nothing_to_claim_is_an_error) \
  X(one_attempt_too_many) \
  X(one_run_too_few) \
  X(one_run_too_many) \
  X(only_first_queue_searched) \
  X(other_content_taken_as_repetition) \
  X(pause_checked_then_claimed) \
  X(pause_ignored) \
  X(paused_enqueue_lost) \
  X(payload_cut_at_a_mebibyte) \
  X(payload_cut_at_nul) \
  X(payload_reencoded) \
  X(postgres_ack_in_two_trips) \
  X(postgres_cancel_checked_then_written) \
  X(postgres_claim_not_checked_again) \
  X(postgres_claims_at_once_share_a_job) \
  X(postgres_counter_read_then_written) \
  X(postgres_heartbeat_checked_then_written) \
  X(postgres_key_looked_up_then_taken) \
  X(postgres_lock_released_before_commit) \
  X(postgres_lock_taken_after_the_look) \
  X(postgres_pause_checked_then_claimed) \
  X(postgres_reclaim_overtaken_by_a_settle) \
  X(postgres_replay_checked_then_written) \
  X(postgres_settle_checked_then_written) \
  X(queue_name_ignored) \
  X(reclaim_overtaken_by_a_settle) \
  X(reclaimed_job_renamed) \
  X(reclaims_one_tick_early) \
  X(reclaims_one_tick_late) \
  X(redis_ack_in_two_trips) \
  X(redis_cancel_checked_then_written) \
  X(redis_claims_at_once_share_a_job) \
  X(redis_counter_read_then_written) \
  X(redis_exec_not_looked_at) \
  X(redis_heartbeat_checked_then_written) \
  X(redis_key_looked_up_then_taken) \
  X(redis_pause_checked_then_claimed) \
  X(redis_reclaim_overtaken_by_a_settle) \
  X(redis_replay_checked_then_written) \
  X(redis_settle_checked_then_written) \
  X(refused_call_moves_expiry) \
  X(refused_call_raises_counter) \
  X(refused_claim_is_an_error) \
  X(refused_replay_drops_record) \
  X(repeated_ack_refused) \
  X(repeated_nack_applied) \
  X(repeated_retry_applied) \
  X(repetition_said_to_be_new) \
  X(replay_checked_then_written) \
  X(replay_forgets_key) \
  X(replay_ignores_active_key) \
  X(replay_loses_payload) \
  X(replayed_record_stays) \
  X(requeue_always_resets) \
  X(requeue_changes_nothing) \
  X(requeue_ignores_reset) \
  X(requeue_ignores_run_time) \
  X(requeue_of_any_job) \
  X(requeue_refused) \
  X(resume_changes_nothing) \
  X(resume_loses_jobs) \
  X(retried_job_renamed) \
  X(retry_ignores_token) \
  X(retry_makes_new_job) \
  X(retry_never_due) \
  X(retry_one_tick_early) \
  X(retry_revives_done) \
  X(retry_time_ignored) \
  X(retry_time_not_stored) \
  X(run_time_ignored) \
  X(run_time_rounded_to_seconds) \
  X(scheduled_never_due) \
  X(scheduled_shown_ready) \
  X(second_close_fails) \
  X(serves_last_first) \
  X(settle_checked_then_written) \
  X(settles_at_expiry) \
  X(sqlite_ack_unfenced) \
  X(sqlite_cancel_checked_then_written) \
  X(sqlite_cancel_spares_held) \
  X(sqlite_claim_any_queue) \
  X(sqlite_claim_before_run_time) \
  X(sqlite_claims_at_once_share_a_job) \
  X(sqlite_counter_read_then_written) \
  X(sqlite_dead_without_reason) \
  X(sqlite_done_claimable) \
  X(sqlite_extend_after_expiry) \
  X(sqlite_heartbeat_checked_then_written) \
  X(sqlite_key_any_queue) \
  X(sqlite_key_looked_up_then_taken) \
  X(sqlite_list_any_state) \
  X(sqlite_page_skips_one) \
  X(sqlite_pause_checked_then_claimed) \
  X(sqlite_pause_forgotten) \
  X(sqlite_reclaim_overtaken_by_a_settle) \
  X(sqlite_replay_checked_then_written) \
  X(sqlite_requeue_any_job) \
  X(sqlite_retry_keeps_run_time) \
  X(sqlite_settle_checked_then_written) \
  X(stale_token_is_not_found) \
  X(timeout_forgotten) \
  X(token_reused) \
  X(unknown_job_is_acked) \
  X(unknown_job_is_lease_lost) \
  X(unrecoverable_retried) \
  X(version_not_raised) \
  X(works_after_close) \
  X(zero_extension_accepted) \
  X(zero_lease_accepted)
// clang-format on

namespace assay {

namespace mutants {

#define ASSAY_DECLARE(name) Mutant name();
ASSAY_MUTANTS(ASSAY_DECLARE)
#undef ASSAY_DECLARE

}  // namespace mutants

std::span<const Mutant> all_mutants() {
#define ASSAY_MAKE(name) mutants::name(),
  static const std::vector<Mutant> all{ASSAY_MUTANTS(ASSAY_MAKE)};
#undef ASSAY_MAKE
  return all;
}

const Mutant* find_mutant(std::string_view name) {
  const auto found = std::ranges::find(all_mutants(), name, &Mutant::name);
  return found == all_mutants().end() ? nullptr : &*found;
}

const Mutant& canary() {
  const Mutant* found = find_mutant("canary");
  CHECK(found);
  return *found;
}

}  // namespace assay

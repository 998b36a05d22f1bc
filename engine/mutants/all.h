// The mutants of the engine, one a file. Adding one is its file, a line here and one in all.cpp.
#pragma once

#include <map>
#include <memory>

#include "engine/under_test.h"

namespace assay::engine::mutants {

// Runs it with nobody telling it to stop for that reason.
ActResult without_stop(const Errand& errand, const Acting& act, std::string_view reason);

EngineInfo a_claim_is_run_twice();
EngineInfo a_failed_flush_is_dropped();
EngineInfo a_jobs_own_time_limit_is_ignored();
EngineInfo a_lease_is_the_time_limit();
EngineInfo acks_before_it_runs();
EngineInfo does_not_back_off();
EngineInfo errors_are_kept_secret();
EngineInfo every_other_heartbeat_is_left_out();
EngineInfo goes_on_without_a_lease();
EngineInfo heartbeats_after_the_end();
EngineInfo heartbeats_are_doubled();
EngineInfo limits_are_ignored();
EngineInfo never_asks_again();
EngineInfo no_heartbeats();
EngineInfo one_queue_comes_first();
EngineInfo out_of_time_is_success();
EngineInfo reasons_are_not_counted();
EngineInfo refused_heartbeats_are_ignored();
EngineInfo retries_without_jitter();
EngineInfo shutdown_tells_nobody();
EngineInfo shutdown_waits_for_nobody();
EngineInfo some_claims_are_forgotten();
EngineInfo the_first_failure_is_the_last();
EngineInfo the_greater_limit_counts();
EngineInfo the_last_batch_is_dropped();
EngineInfo the_worker_decides();
EngineInfo throwing_is_success();
EngineInfo time_limit_tells_nobody();
EngineInfo unknown_types_are_acked();
EngineInfo waits_too_long();
EngineInfo waits_too_short();
EngineInfo what_was_there_before_is_ignored();

}  // namespace assay::engine::mutants

#include "harness/remote/schema.h"

#include <algorithm>
#include <array>

namespace assay::protocol {

namespace {

using enum Type;
using enum Need;
using Fields = Field[];

template <std::size_t N, std::size_t M>
constexpr std::array<Field, N + M> joined(const Field (&a)[N], const Field (&b)[M]) {
  std::array<Field, N + M> all{};
  std::copy(a, a + N, all.begin());
  std::copy(b, b + M, all.begin() + N);
  return all;
}

constexpr Field job_id{"job_id", text, required, "the job"};
constexpr Field queue{"queue", text, required, "the queue"};
constexpr Field token{"token", text, required, "the token of the claim that the caller speaks for"};
constexpr Field attempt{"attempt", number, optional,
                        "the claim's attempt; absent where the claim had none"};
constexpr Field error_text{"error", text, optional, "what went wrong, for people"};
constexpr Field limit{"limit", number, required, "the most that one page may hold"};
constexpr Field cursor{"cursor", text, optional,
                       "where the page before ended, as its answer said; absent on the first"};
constexpr Field next_cursor{"cursor", text, optional,
                            "where the next page begins; null or absent on the last one"};
constexpr Field now_ms{"now_ms", instant, required,
                       "the time that leases and schedules are judged by"};

constexpr Fields new_job_fields = {
    {"queue", text, required, "its queue"},
    {"type", text, required, "its type: what handler it is for"},
    {"payload", bytes, required, "its payload; any bytes"},
    {"id", text, optional, "its id; absent: the driver makes one"},
    {"run_at_ms", instant, optional, "not to run before; absent: run now"},
    {"max_attempts", number, optional, "its limit; absent or 0: the profile's `default_limit`"},
    {"timeout_ms", duration, optional, "how long one run of it may take; absent: no timeout"},
    {"key", text, optional, "its idempotency key; absent: none"},
    {"priority", number, optional, "the higher number goes first; absent: 0"},
    {"attempts", number, optional, "what its counter starts with; absent: as the profile says"},
};

constexpr Fields common_job_fields = {
    {"id", text, required, "its id"},
    {"queue", text, required, "its queue"},
    {"type", text, required, "its type"},
    {"payload", bytes, required, "its payload, unchanged"},
    {"run_at_ms", instant, optional, "not to run before"},
    {"max_attempts", number, optional, "its limit"},
    {"timeout_ms", duration, optional, "its timeout"},
    {"key", text, optional, "its idempotency key"},
    {"priority", number, optional, "absent: 0"},
    {"attempts", number, optional, "its counter, as the profile's `counter` counts; absent: 0"},
    {"last_error", text, optional, "what went wrong last"},
    {"created_at_ms", instant, optional, "when it was enqueued; absent: not said, and not judged"},
};
constexpr Fields state_of_a_job = {{"state", name, required, "its state", "state"}};
constexpr Fields state_if_told = {{"state", name, optional,
                                   "its state; absent: the one that follows from where it is shown",
                                   "state"}};
constexpr Fields state_lease_and_end = {
    {"state", name, required, "its state", "state"},
    {"lease", object, optional, "there while it is leased", "lease"},
    {"dead", object, optional, "there once it is dead", "dead"},
};
constexpr auto listed_job_fields = joined(common_job_fields, state_of_a_job);
constexpr auto shown_job_fields = joined(common_job_fields, state_lease_and_end);
constexpr auto carried_job_fields = joined(common_job_fields, state_if_told);

constexpr Fields claim_fields = {
    {"job", object, required, "the job; without a `state` it is `leased`", "carried_job"},
    {"token", text, required, "what proves the claim"},
    {"expires_at_ms", instant, required, "when the lease ends"},
    {"attempt", number, optional, "there where the profile's fence is `token_attempt`"},
    {"version", number, optional, "there where the profile's fence is `token_version`"},
};
constexpr Fields lease_fields = {
    {"token", text, required, "the present claim's token"},
    {"expires_at_ms", instant, required, "when the lease ends"},
    {"worker", text, optional, "who holds it, with capability `worker_id`"},
};
constexpr Fields dead_fields = {
    {"reason", text, required, "why it failed for good"},
    {"error", text, optional, "what went wrong last"},
    {"at_ms", instant, required, "when it died"},
};
constexpr Fields dead_entry_fields = {
    {"job_id", text, required, "what `requeue` takes"},
    {"job", object, required, "the job; without a `state` it is `dead`", "carried_job"},
    {"reason", text, optional, "why it failed for good"},
    {"error", text, optional, "what went wrong last"},
    {"at_ms", instant, required, "when it died"},
};
constexpr Fields error_fields = {
    {"code", name, required, "why not, for programs", "code"},
    {"reason", name, optional, "of `lease_lost`: how it was lost", "reason"},
    {"message", text, optional, "why not, for people"},
    {"definite", flag, optional,
     "whether the operation certainly had no effect; absent: true, but false of `unavailable` and "
     "`internal`"},
};
constexpr Fields options_fields = {
    {"create", flag, required,
     "whether to make the storage new and empty; false: attach to what another process made"},
    {"seed", seed, optional,
     "for a driver that draws ids, tokens or delays: the same seed, the same answers; up to 2^64 - "
     "1"},
};

constexpr std::array<Object, 10> object_table{{
    {"new_job", "A job as `enqueue` hands it in.", new_job_fields},
    {"job", "A job as `list` shows it.", listed_job_fields},
    {"shown_job", "A job as `get` shows it.", shown_job_fields},
    {"carried_job", "A job inside a claim or a dead letter.", carried_job_fields},
    {"claim", "One delivery of a job.", claim_fields},
    {"lease", "Who holds a job.", lease_fields},
    {"dead", "How a job died.", dead_fields},
    {"dead_entry", "A dead letter.", dead_entry_fields},
    {"error", "Why a request was refused.", error_fields},
    {"options", "How to set up a namespace.", options_fields},
}};

constexpr Name code_names[] = {
    {"invalid",
     "bad argument: empty queue, type or id, negative number, lease of zero or less, attempts "
     "above the limit"},
    {"not_found", "no such job"},
    {"lease_lost", "token not current, or lease over; `reason` says which"},
    {"duplicate_key", "the idempotency key is active (profile `idem: reject_active`)"},
    {"duplicate_id", "a job of that id exists (profile `dup_id: reject`)"},
    {"conflict",
     "refused because of the job's state: requeue of a job that is not dead, cancel of a terminal "
     "one, key taken"},
    {"unsupported", "the driver does not have this operation"},
    {"closed", "session or driver closed"},
    {"unavailable", "the store could not be reached, or gave no answer; indefinite"},
    {"internal", "anything else; indefinite"},
};
constexpr Name reason_names[] = {
    {"not_held", "nobody holds the job"},
    {"expired", "the job's lease is over, and nobody has taken the job since"},
    {"mismatch", "the job is held, but not by this token, or not in this attempt"},
};
constexpr Name state_names[] = {
    {"scheduled", "waits for its time"},   {"ready", "can be claimed"},
    {"leased", "somebody holds it"},       {"done", "succeeded; terminal"},
    {"dead", "failed for good; terminal"}, {"cancelled", "called off; terminal"},
};
constexpr Name role_names[] = {
    {"producer", "enqueues"},
    {"worker", "reserves and settles"},
    {"admin", "inspects, pauses, cancels, requeues"},
};
constexpr std::array<Names, 4> name_table{{
    {"code", code_names},
    {"reason", reason_names},
    {"state", state_names},
    {"role", role_names},
}};

constexpr Fields of_session = {
    {"session", text, required, "the name that `open` gave it"},
    {"now_ms", instant, required, "the caller's clock"},
};

constexpr Fields hello_request = {{"protocol", number, required, "1"}};
constexpr Fields hello_ok = {
    {"protocol", number, required, "1"},
    {"name", text, optional, "the driver's name, for reports"},
    {"version", text, optional, "its version, for reports"},
    {"profile", profile, required, "what it claims, and is judged by"},
};
constexpr Fields setup_request = {
    {"namespace", text, required, "1 to 40 of a-z, 0-9 and `_`"},
    {"url", text, optional, "where the store is; null: the driver's own affair"},
    {"options", object, required, "how", "options"},
};
constexpr Fields teardown_request = {{"namespace", text, required, "as in `setup`"}};
constexpr Fields open_request = {
    {"session", text, required, "its name from now on"},
    {"role", name, required, "what it is for; a driver need not care", "role"},
};
constexpr Fields close_request = {{"session", text, required, "its name"}};
constexpr Fields now_ok = {now_ms};
constexpr Fields advance_request = {
    {"by_ms", duration, required,
     "how far; 0 or more. A driver may take less, too: then its clock can be set back"}};

constexpr Fields enqueue_request = {{"job", object, required, "the job", "new_job"}};
constexpr Fields enqueue_ok = {
    {"id", text, required, "the job's id"},
    {"existed", flag, optional, "whether the job was there before; absent: false"},
};
constexpr Fields reserve_request = {
    {"queues", texts, required, "where from; one or more"},
    {"lease_ms", duration, required, "for how long"},
    {"worker", text, required, "who asks"},
    {"max", number, optional, "the most to claim; absent: 1"},
    {"job_id", text, optional, "this job and no other; only with `claim_style: by_id`"},
};
constexpr Fields reserve_ok = {
    {"claims", objects, required, "empty when nothing is runnable", "claim"}};
constexpr Fields extend_request = {
    job_id, token, attempt, {"lease_ms", duration, required, "for how long from now"}};
constexpr Fields extend_ok = {{"expires_at_ms", instant, required, "when the lease ends now"}};
constexpr Fields ack_request = {job_id, token, attempt};
constexpr Fields retry_request = {
    job_id,
    token,
    attempt,
    {"run_at_ms", instant, required, "not to run again before"},
    {"attempts", number, required, "the job's new counter"},
    error_text,
};
constexpr Fields fail_request = {
    job_id,
    token,
    attempt,
    {"attempts", number, required, "the job's new counter"},
    {"reason", text, optional, "why for good"},
    error_text,
};
constexpr Fields nack_request = {
    job_id,
    token,
    attempt,
    error_text,
    {"unrecoverable", flag, optional, "whether another run is useless; absent: false"},
};
constexpr Fields nack_ok = {
    {"state", name, required, "the state that the store chose", "state"},
    {"run_at_ms", instant, optional, "when it may run again; null or absent once dead"},
};
constexpr Fields job_request = {job_id};
constexpr Fields cancel_ok = {{"state", name, required, "the job's state now", "state"}};
constexpr Fields queue_request = {queue};
constexpr Fields get_ok = {{"job", object, required, "the job", "shown_job"}};
constexpr Fields list_request = {
    queue,
    {"state", name, optional, "only jobs in this state; absent: all", "state"},
    limit,
    cursor,
};
constexpr Fields list_ok = {{"jobs", objects, required, "the page", "job"}, next_cursor};
constexpr Fields dead_request = {queue, limit, cursor};
constexpr Fields dead_ok = {{"entries", objects, required, "the page", "dead_entry"}, next_cursor};
constexpr Fields requeue_request = {
    job_id,
    {"run_at_ms", instant, optional, "not to run before; absent: run now"},
    {"reset_attempts", flag, optional, "whether its counter starts again; absent: false"},
};
constexpr Fields requeue_ok = {
    {"job_id", text, required, "the job; a new id where `replay: fresh_job`"}};

constexpr std::span<const Field> none{};

constexpr std::array<Operation, 21> operation_table{{
    {"hello", Phase::life, hello_request, hello_ok,
     "Comes first, once: which protocol is spoken, and what the driver claims."},
    {"setup", Phase::life, setup_request, none,
     "Afterwards the namespace's storage exists and, where `create`, is empty."},
    {"teardown", Phase::life, teardown_request, none,
     "Afterwards the namespace's storage is gone."},
    {"open", Phase::life, open_request, none, "Begins a session."},
    {"close", Phase::life, close_request, none,
     "Ends a session; a second close succeeds, too, and every operation after it is `closed`."},
    {"now", Phase::life, none, now_ok, "Tells the driver's present time."},
    {"advance", Phase::life, advance_request, now_ok,
     "Moves that time for every process that uses the namespace; only with capability "
     "`virtual_time`."},
    {"enqueue", Phase::operation, enqueue_request, enqueue_ok, "Takes a job in."},
    {"reserve", Phase::operation, reserve_request, reserve_ok,
     "Claims runnable jobs, each with a lease and a token."},
    {"extend", Phase::operation, extend_request, extend_ok, "Makes a lease longer."},
    {"ack", Phase::operation, ack_request, none, "The job succeeded."},
    {"retry", Phase::operation, retry_request, none,
     "The job failed and is to run again; only with `decider: engine`."},
    {"fail", Phase::operation, fail_request, none,
     "The job failed for good: to the dead letters; only with `decider: engine`."},
    {"nack", Phase::operation, nack_request, nack_ok,
     "The job failed, and the store decides what follows; only with `decider: store`."},
    {"cancel", Phase::operation, job_request, cancel_ok,
     "Calls an unfinished job off; capability `cancel`."},
    {"pause", Phase::operation, queue_request, none,
     "The queue hands out nothing until it is resumed; capability `pause`."},
    {"resume", Phase::operation, queue_request, none, "Ends a pause; capability `pause`."},
    {"get", Phase::operation, job_request, get_ok, "Shows one job; capability `inspect`."},
    {"list", Phase::operation, list_request, list_ok,
     "Shows a queue's jobs, page by page; capability `list_paged`."},
    {"dead", Phase::operation, dead_request, dead_ok,
     "Shows a queue's dead letters, page by page; capability `dlq_ops`."},
    {"requeue", Phase::operation, requeue_request, requeue_ok,
     "Lets a dead job run again; capability `dlq_ops`."},
}};

template <class Table>
auto find_in(const Table& table, std::string_view wanted) -> decltype(table.data()) {
  for (const auto& entry : table)
    if (entry.name == wanted) return &entry;
  return nullptr;
}

}  // namespace

std::span<const Object> objects() { return object_table; }
std::span<const Operation> operations() { return operation_table; }
std::span<const Names> name_lists() { return name_table; }
std::span<const Field> session_fields() { return of_session; }

const Object* find_object(std::string_view name) { return find_in(object_table, name); }
const Operation* find_operation(std::string_view name) { return find_in(operation_table, name); }
const Names* find_names(std::string_view name) { return find_in(name_table, name); }

}  // namespace assay::protocol

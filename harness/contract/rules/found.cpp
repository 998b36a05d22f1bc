// Rules found in the systems' public code, not in their documents.
#include "harness/contract/detail/rule_groups.h"

namespace assay::rule_groups {

static constexpr Rule table[] = {
    {"XVAL-1",
     "An enqueue with an empty id, type or queue, a negative timeout, limit or counter, or a "
     "counter above the limit is refused as invalid.",
     must, safety, "D", "TaskHarbor", contract, driver, "", "an enqueue with such an argument"},
    {"XVAL-2", "A lease of zero or less is refused as invalid, on claims and on extensions.", must,
     safety, "D", "TaskHarbor", contract, driver, "",
     "a claim or extension with a lease of zero or less"},
    {"XVAL-3", "A claim on an empty queue name is refused as invalid.", must, safety, "D",
     "TaskHarbor", contract, driver, "", "a claim with an empty queue name"},
    {"XSCHED-1", "A job is due at its run time itself, and not one tick earlier.", must, safety,
     "D", "TaskHarbor", contract, driver, "virtual_time | clock=caller",
     "a claim at the run time of a job, or one tick before it"},
    {"XLEASE-1",
     "The expiry boundary is exact: one tick before it a lease is alive, at it the lease is over.",
     must, safety, "D", "TaskHarbor, weave", contract, driver,
     "lease_edge=dead_at_equal & virtual_time | clock=caller",
     "a call at the expiry instant of a lease, or one tick before it"},
    {"XLEASE-2",
     "A job whose lease expired can be claimed at once, without a run time or lease left over from "
     "before.",
     must, safety, "D", "TaskHarbor", contract, driver, "expiry_to=ready_now",
     "a claim on the queue of a job whose lease expired unsettled"},
    {"XLEASE-3", "A race for an expired job has exactly one winner.", must, safety, "D",
     "TaskHarbor", concurrency, driver, "",
     "overlapping claims that could hand out the same expired job"},
    {"XERR-1",
     "The reason of a lost lease is the first that holds of: not held, expired, mismatch.", should,
     safety, "D", "TaskHarbor", contract, driver, "late_settle=reject",
     "a settle or extension refused as a lost lease for which two reasons hold"},
    {"XACK-1", "An ack of a done job may succeed with any token, as long as it changes nothing.",
     may, permission, "D", "TaskHarbor", contract, harness, "resettle_foreign=ok",
     "an ack of a done job with another token"},
    {"XIDEMP-1",
     "A key counts within its scope only, a repeated enqueue never alters the stored job, and "
     "without a key nothing is reported as existing.",
     must, safety, "D", "TaskHarbor", contract, driver, "idem=return_existing",
     "an enqueue with a key known in its scope, known only in another one, or without a key"},
    {"XIDEMP-2", "A store may keep one job for each type and key for ever.", may, permission, "D",
     "Trace", contract, harness, "idem=return_existing",
     "an enqueue with the key of a job that ended long ago"},
    {"XCLOCK-1", "The store lives by the time that the caller gives, never by a clock of its own.",
     must, safety, "D", "TaskHarbor", contract, driver, "clock=caller",
     "a claim, settle or extension whose answer differs between the caller's time and any other"},
    {"XADMIN-1",
     "A listing does not lie: what it shows as ready can be claimed, what it shows as held cannot "
     "unless it expired.",
     must, safety, "A", "TaskHarbor", contract, driver, "list_paged",
     "a listing, followed by claims of the same queue"},
    {"XADMIN-2",
     "Listings have a stable order by creation and id, opaque cursors, and refuse a bad cursor as "
     "invalid.",
     should, safety, "A", "TaskHarbor", contract, driver, "list_paged",
     "a listing of more than one page, or one with a cursor that was never given out"},
    {"XADMIN-3",
     "Only a dead job can be requeued, with a new run time and a reset counter if asked for.", must,
     safety, "A", "TaskHarbor", contract, driver, "dlq_ops & replay=same_job", "a requeue"},
    {"XCLOSE-1", "Closing twice succeeds, and every other call after it is refused as closed.",
     must, safety, "D", "TaskHarbor", contract, driver, "", "a call on a closed session"},
    {"XWORK-1",
     "A job without a handler becomes a dead letter, a handler that throws is an ordinary failure, "
     "a lost heartbeat cancels the handler, and shutdown waits for handlers.",
     must, safety, "W,E", "TaskHarbor", contract, engine, "",
     "a job without a handler, a handler that throws, a refused heartbeat or a shutdown"},
    {"XWORK-2",
     "The limit that counts is the lesser of the job's and the policy's, and the policy's if the "
     "job has none.",
     must, safety, "E", "TaskHarbor", contract, engine, "decider=engine",
     "a job whose limit differs from the policy's"},
    {"XWORK-3", "A job that reaches a worker without a lease is refused.", must, safety, "W",
     "weave", contract, engine, "", "a job handed to a worker without a lease"},
    {"XBATCH-1",
     "Of batched settles the last partial batch is flushed at close, a failing one does not stop "
     "the rest, and a failed flush is made again.",
     must, safety, "W", "weave, UpNext", chaos, engine, "",
     "a close, a refused settle or a failed flush with settles in a batch"},
    {"XFAIR-1",
     "A share of each batch of claims is kept for retries, and filled up with them when fresh work "
     "is short.",
     should, safety, "E", "weave", contract, engine, "claim_batch!=1 & decider=engine",
     "a batch of claims while both fresh jobs and retries are runnable"},
    {"XFAIR-2", "Taking turns among queues keeps a busy one from starving the others.", must,
     liveness, "E", "UpNext", contract, engine, "queue_set_claim",
     "claims from several queues of which one always has work"},
    {"XFLOW-1",
     "Limits on concurrency hold for each function and group, and a rate limit defers jobs but "
     "drops none.",
     must, safety, "E", "UpNext", concurrency, engine, "concurrency_limit | rate_limit",
     "a job that a limit holds back"},
    {"XFLOW-2", "The reasons for not dispatching a job are counted.", should, safety, "E", "UpNext",
     contract, engine, "concurrency_limit | rate_limit | pause | cancel",
     "a job that is held back"},
    {"XCANC-1",
     "A cancel that comes too late neither alters the finished job nor undoes another's cancel.",
     must, safety, "A", "UpNext", contract, driver, "cancel",
     "a cancel of a job that is done, dead or already cancelled"},
    {"XMAN-1",
     "A manual retry keeps the counter unless told to reset it, and is refused for a job that is "
     "not dead.",
     must, safety, "A", "UpNext", contract, driver, "replay=same_job & dlq_ops",
     "a requeue without a reset of the counter"},
    {"XCRON-1",
     "A recurring schedule makes one job a window, goes on after a terminal failure, and treats "
     "missed windows by its stated policy.",
     must, safety, "E", "UpNext", contract, engine, "cron",
     "a window of a recurring schedule that comes, or was missed"},
    {"XOUT-1",
     "The id of an outbox row follows from job, attempt and target, so that publishing twice makes "
     "one row.",
     must, safety, "X", "Trace", contract, engine, "outbox", "the same announcement written twice"},
    {"XFLOW-3", "The last job of a chord is scheduled exactly once, also when members are retried.",
     must, safety, "F", "TaskHarbor", concurrency, engine, "workflows",
     "a chord with a member that is retried"},
};

std::span<const Rule> found() { return table; }

}  // namespace assay::rule_groups

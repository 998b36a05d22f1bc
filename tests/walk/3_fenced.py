from dataclasses import dataclass, replace
from itertools import count
from typing import Optional

from assay_driver import (
    Claim, Dead, Driver, DuplicateId, Enqueued, Invalid, Job, JobView, Lease, LeaseLost, NotFound,
    Session, serve,
)


@dataclass
class Row:
    job: Job  # `ready` while it waits, whatever the time
    lease: Optional[Lease] = None
    dead: Optional[Dead] = None


def require(condition, message):
    if not condition:
        raise Invalid(message)


class TinySession(Session):
    def __init__(self, rows):
        self.rows = rows

    def enqueue(self, now_ms, job):
        require(job.queue and job.type and job.id != "" and job.key != "", "an empty name")
        numbers = (job.timeout_ms or 0, job.max_attempts or 0, job.attempts or 0)
        require(min(numbers) >= 0, "a negative number")
        require(not job.max_attempts or numbers[2] <= numbers[1], "more attempts than allowed")
        if job.id in self.rows:
            raise DuplicateId(job.id)
        job_id = job.id or self.rows.new_id()
        run_at_ms = now_ms if job.run_at_ms is None else job.run_at_ms
        self.rows[job_id] = Row(Job(
            job_id, job.queue, job.type, job.payload, run_at_ms, job.max_attempts, job.timeout_ms,
            job.key, job.priority or 0, job.attempts or 0, created_at_ms=now_ms,
        ))
        return Enqueued(job_id)

    def reserve(self, now_ms, queues, lease_ms, worker, max, job_id):
        require(queues and "" not in queues, "no queue, or an empty name")
        require(lease_ms > 0 and max > 0 and job_id is None, "nothing is asked for")
        claims = []
        for row in self.rows.values():
            if row.lease and row.lease.expires_at_ms <= now_ms:
                self.release(row, "ready")
            due = row.job.state == "ready" and row.job.run_at_ms <= now_ms
            if due and row.job.queue in queues and len(claims) < max:
                claims.append(self.claim(row, now_ms + lease_ms, worker))
        return claims

    def claim(self, row, expires_at_ms, worker):
        self.rows.claims += 1
        row.job.state = "leased"
        row.lease = Lease(f"token-{self.rows.claims}", expires_at_ms, worker)
        return Claim(row.job, row.lease.token, expires_at_ms)

    def release(self, row, state):
        row.job.state, row.lease = state, None

    def find(self, job_id):
        require(job_id, "no job is named")
        if job_id not in self.rows:
            raise NotFound(job_id)
        return self.rows[job_id]

    def held(self, now_ms, hold):
        row = self.find(hold.job_id)
        if row.lease is None:
            raise LeaseLost("nobody holds it", reason="not_held")
        if row.lease.expires_at_ms <= now_ms:
            raise LeaseLost("the lease is over", reason="expired")
        if row.lease.token != hold.token:
            raise LeaseLost("it is another's lease", reason="mismatch")
        return row

    def extend(self, now_ms, hold, lease_ms):
        require(lease_ms > 0, "a lease of nothing")
        lease = self.held(now_ms, hold).lease
        lease.expires_at_ms = max(lease.expires_at_ms, now_ms + lease_ms)
        return lease.expires_at_ms

    def ack(self, now_ms, hold):
        self.release(self.held(now_ms, hold), "done")

    def retry(self, now_ms, hold, run_at_ms, attempts, error):
        require(attempts >= 0, "a negative counter")
        row = self.held(now_ms, hold)
        self.release(row, "ready")
        row.job = replace(row.job, run_at_ms=run_at_ms, attempts=attempts, last_error=error)

    def fail(self, now_ms, hold, attempts, reason, error):
        require(attempts >= 0, "a negative counter")
        row = self.held(now_ms, hold)
        self.release(row, "dead")
        row.job = replace(row.job, attempts=attempts, last_error=error)
        row.dead = Dead(reason, error, now_ms)

    def get(self, now_ms, job_id):
        row = self.find(job_id)
        waits = row.job.state == "ready" and row.job.run_at_ms > now_ms
        job = replace(row.job, state="scheduled") if waits else row.job
        return JobView(job, row.lease, row.dead)


class Rows(dict):
    claims = 0

    def new_id(self):
        # By counting: two runs give the same answers. Somebody may have chosen just this one.
        names = (f"job-{number}" for number in count(len(self) + 1))
        return next(name for name in names if name not in self)


class TinyQueue(Driver):
    name = "tiny-queue"
    version = "1.0"
    profile = {
        "base": "reference",
        "capabilities": ["inspect", "schedule_at_enqueue", "queue_set_claim"],
        "clock": "caller",  # the time is what the caller of each operation says
        "durability": "none",  # a restart forgets everything
        "order": "none",
        "idem": "none",  # keys mean nothing
        "dup_id": "undefined",
        "fence": "token",
        "resettle": "stale_error",  # an ack that is made twice is refused the second time
        "expiry_counts": "no",
        "replay": "none",
    }

    def setup(self, namespace, url, options):
        self.rows = Rows()

    def teardown(self, namespace):
        self.rows = Rows()

    def open(self, session, role):
        return TinySession(self.rows)


if __name__ == "__main__":
    serve(TinyQueue())

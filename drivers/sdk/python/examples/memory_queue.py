"""A queue in memory, as a driver for Assay: the whole `reference` contract, in one file.

Certify it: assay certify 'exec:python3 memory_queue.py'
"""

import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # not needed once installed

from assay_driver import (  # noqa: E402
    Claim, Conflict, Dead, DeadEntry, DeadPage, Driver, DuplicateId, Enqueued, Hold, Invalid, Job,
    JobPage, JobView, Lease, LeaseLost, NewJob, NotFound, Session, State, serve,
)

DEFAULT_LIMIT = 3  # as the profile `reference` has it


@dataclass
class Record:
    """What the queue keeps of one job."""

    job: Job
    given: NewJob
    sequence: int
    stage: str = "waiting"  # or leased, done, dead, cancelled
    lease: Optional[Lease] = None
    version: int = 0  # rises with every claim
    lease_losses: int = 0
    settled: Tuple[str, str] = ("", "")  # call and token that ended the last lease
    dead: Optional[Dead] = None

    def shown(self, now: int) -> Job:
        """Time alone tells scheduled from ready."""
        state: Any = self.stage
        if self.stage == "waiting":
            state = "scheduled" if (self.job.run_at_ms or 0) > now else "ready"
        return replace(self.job, state=state)


@dataclass
class Queue:
    """One namespace: its clock, its jobs, its counters."""

    # It stands still until it is told to move.
    now: int = 1_893_456_000_000
    jobs: Dict[str, Record] = field(default_factory=dict)
    keys: Dict[Tuple[str, str], str] = field(default_factory=dict)  # (queue, key) to job id
    paused: Set[str] = field(default_factory=set)
    ids: int = 0
    tokens: int = 0

    def new_id(self) -> str:
        """By counting, like the tokens, so that two runs give the same answers."""
        while True:
            self.ids += 1
            if f"job-{self.ids}" not in self.jobs:  # somebody may have chosen just this one
                return f"job-{self.ids}"

    def find(self, job_id: str) -> Record:
        record = self.jobs.get(job_id)
        if record is None:
            raise NotFound(f"no job is called {job_id!r}")
        return record

    def held(self, hold: Hold) -> Record:
        """The job that `hold` speaks for. At its expiry instant a lease is already over."""
        record = self.find(hold.job_id)
        if record.lease is None:
            raise LeaseLost(f"nobody holds it: it is {record.stage}", reason="not_held")
        if record.lease.expires_at_ms <= self.now:
            raise LeaseLost("the lease is over", reason="expired")
        if record.lease.token != hold.token:
            raise LeaseLost("it is held under another token", reason="mismatch")
        return record

    def settle(self, call: str, hold: Hold) -> Optional[Record]:
        """Ends the lease and gives the job; None where this settle was made before."""
        if self.find(hold.job_id).settled == (call, hold.token):
            return None
        record = self.held(hold)
        record.lease = None
        record.settled = (call, hold.token)
        return record

    def bury(self, record: Record, reason: str, error: str) -> None:
        record.stage = "dead"
        record.job.last_error = error
        record.dead = Dead(reason, error, self.now)

    def expire(self, record: Record) -> None:
        """A lost lease uses up budget, so that a job that kills its workers ends, too."""
        assert record.lease is not None
        record.job.run_at_ms = record.lease.expires_at_ms
        record.lease = None
        record.stage = "waiting"
        record.lease_losses += 1
        if record.lease_losses >= (record.job.max_attempts or DEFAULT_LIMIT):
            self.bury(record, "lease expired", "lease expired")

    def claim(self, record: Record, lease_ms: int, worker: str) -> Claim:
        self.tokens += 1
        record.version += 1
        record.lease = Lease(f"token-{self.tokens}", self.now + lease_ms, worker or None)
        record.stage = "leased"
        record.settled = ("", "")
        return Claim(
            job=record.shown(self.now),
            token=record.lease.token,
            expires_at_ms=record.lease.expires_at_ms,
            version=record.version,
        )


def place_in_line(record: Record) -> Tuple[int, int, int]:
    """Higher priority first, then who could run earlier, then who came earlier."""
    job = record.job
    return (-job.priority, max(job.created_at_ms, job.run_at_ms or 0), record.sequence)


def require(condition: bool, message: str) -> None:
    if not condition:
        raise Invalid(message)


def page_of(order: str, rows: List[Tuple[int, str, Any]], limit: int, cursor: Optional[str]) -> Any:
    """The page behind `cursor` of rows (instant, id, what is shown); the next cursor."""
    require(limit > 0, "the page holds fewer than one")
    rows.sort(key=lambda row: row[:2])
    if cursor is not None:
        listing, _, place = cursor.partition(":")
        at, _, job_id = place.partition(":")
        require(listing == order and at.isdecimal(), "this listing made no such cursor")
        rows = [row for row in rows if row[:2] > (int(at), job_id)]
    more = len(rows) > limit
    rows = rows[:limit]
    following = f"{order}:{rows[-1][0]}:{rows[-1][1]}" if more else None
    return [row[2] for row in rows], following


class MemorySession(Session):
    """The store has its own clock, so `now_ms`, the caller's, is ignored throughout."""

    def __init__(self, queue: Queue) -> None:
        self.queue = queue

    def enqueue(self, now_ms: int, job: NewJob) -> Enqueued:
        q = self.queue
        limit, attempts = job.max_attempts or 0, job.attempts or 0
        require(job.queue != "" and job.type != "", "queue or type is empty")
        require(job.id != "" and job.key != "", "id or key is empty")
        require((job.timeout_ms or 0) >= 0, "the timeout is negative")
        require(limit >= 0 and attempts >= 0, "limit or counter is negative")
        require(limit == 0 or attempts <= limit, "the counter is above the limit")
        job.priority = job.priority or 0
        if job.key is not None and (job.queue, job.key) in q.keys:
            return Enqueued(q.keys[job.queue, job.key], existed=True)
        if job.id is not None and job.id in q.jobs:
            if q.jobs[job.id].given == job:  # the same again, perhaps for want of an answer
                return Enqueued(job.id, existed=True)
            raise DuplicateId(f"another job is called {job.id!r}")
        stored = Job(
            id=job.id or q.new_id(),
            queue=job.queue,
            type=job.type,
            payload=job.payload,
            run_at_ms=q.now if job.run_at_ms is None else job.run_at_ms,
            max_attempts=job.max_attempts,
            timeout_ms=job.timeout_ms,
            key=job.key,
            priority=job.priority,
            attempts=attempts,
            created_at_ms=q.now,
        )
        q.jobs[stored.id] = Record(stored, job, sequence=len(q.jobs))
        if job.key is not None:
            q.keys[job.queue, job.key] = stored.id
        return Enqueued(stored.id)

    def reserve(
        self, now_ms: int, queues: Sequence[str], lease_ms: int, worker: str, max: int,
        job_id: Optional[str],
    ) -> Sequence[Claim]:
        q = self.queue
        require(len(queues) > 0 and "" not in queues, "a queue's name is empty, or there is none")
        require(lease_ms > 0 and max > 0, "lease and max must be more than nothing")
        require(job_id is None, "claims here name no job")
        open_queues = set(queues) - q.paused
        asked = [r for r in q.jobs.values() if r.job.queue in open_queues]
        for record in asked:
            if record.lease is not None and record.lease.expires_at_ms <= q.now:
                q.expire(record)
        due = [r for r in asked if r.stage == "waiting" and (r.job.run_at_ms or 0) <= q.now]
        return [q.claim(r, lease_ms, worker) for r in sorted(due, key=place_in_line)[:max]]

    def extend(self, now_ms: int, hold: Hold, lease_ms: int) -> int:
        require(hold.job_id != "" and lease_ms > 0, "no job, or a lease of nothing")
        lease = self.queue.held(hold).lease
        assert lease is not None
        lease.expires_at_ms = max(lease.expires_at_ms, self.queue.now + lease_ms)
        return lease.expires_at_ms

    def ack(self, now_ms: int, hold: Hold) -> None:
        require(hold.job_id != "", "the job's id is empty")
        record = self.queue.settle("ack", hold)
        if record is not None:
            record.stage = "done"

    def retry(self, now_ms: int, hold: Hold, run_at_ms: int, attempts: int, error: str) -> None:
        require(hold.job_id != "" and attempts >= 0, "no job, or a negative counter")
        record = self.queue.settle("retry", hold)
        if record is not None:
            record.stage = "waiting"
            record.job.run_at_ms = run_at_ms
            record.job.attempts = attempts
            record.job.last_error = error

    def fail(self, now_ms: int, hold: Hold, attempts: int, reason: str, error: str) -> None:
        require(hold.job_id != "" and attempts >= 0, "no job, or a negative counter")
        record = self.queue.settle("fail", hold)
        if record is not None:
            record.job.attempts = attempts
            self.queue.bury(record, reason, error)

    def cancel(self, now_ms: int, job_id: str) -> State:
        record = self.queue.find(job_id)
        if record.stage not in ("waiting", "leased"):
            raise Conflict(f"it is {record.stage} already")
        record.stage = "cancelled"
        record.lease = None
        return "cancelled"

    def pause(self, now_ms: int, queue: str) -> None:
        require(queue != "", "the queue's name is empty")
        self.queue.paused.add(queue)

    def resume(self, now_ms: int, queue: str) -> None:
        require(queue != "", "the queue's name is empty")
        self.queue.paused.discard(queue)

    def get(self, now_ms: int, job_id: str) -> JobView:
        record = self.queue.find(job_id)
        return JobView(record.shown(self.queue.now), record.lease, record.dead)

    def list(
        self, now_ms: int, queue: str, state: Optional[State], limit: int, cursor: Optional[str]
    ) -> JobPage:
        require(queue != "", "the queue's name is empty")
        jobs = [r.shown(self.queue.now) for r in self.queue.jobs.values() if r.job.queue == queue]
        rows = [(j.created_at_ms, j.id, j) for j in jobs if state is None or j.state == state]
        return JobPage(*page_of("created_at_ms", rows, limit, cursor))

    def dead(self, now_ms: int, queue: str, limit: int, cursor: Optional[str]) -> DeadPage:
        require(queue != "", "the queue's name is empty")
        rows: Any = []
        for record in self.queue.jobs.values():
            grave = record.dead
            if grave is not None and record.job.queue == queue:
                shown = record.shown(self.queue.now)
                entry = DeadEntry(shown, grave.reason, grave.error, grave.at_ms)
                rows.append((grave.at_ms, shown.id, entry))
        return DeadPage(*page_of("dead_at_ms", rows, limit, cursor))

    def requeue(
        self, now_ms: int, job_id: str, run_at_ms: Optional[int], reset_attempts: bool
    ) -> str:
        record = self.queue.find(job_id)
        if record.stage != "dead":
            raise Conflict(f"only a dead job can be requeued; this one is {record.stage}")
        record.stage = "waiting"
        record.dead = None
        record.settled = ("", "")
        record.job.run_at_ms = self.queue.now if run_at_ms is None else run_at_ms
        if reset_attempts:
            record.job.attempts = record.lease_losses = 0
        return job_id


class MemoryDriver(Driver):
    name = "python-memory-queue"
    version = "1.0"
    # All that `reference` claims; only the clock is the store's own.
    profile = {"base": "reference", "clock": "store", "durability": "none"}

    def __init__(self) -> None:
        self.queue = Queue()

    def setup(self, namespace: str, url: Optional[str], options: Mapping[str, Any]) -> None:
        self.queue = Queue()

    def teardown(self, namespace: str) -> None:
        self.queue = Queue()

    def open(self, session: str, role: str) -> Session:
        return MemorySession(self.queue)

    def now(self) -> int:
        return self.queue.now

    def advance(self, by_ms: int) -> int:
        self.queue.now += by_ms
        return self.queue.now


if __name__ == "__main__":
    serve(MemoryDriver())

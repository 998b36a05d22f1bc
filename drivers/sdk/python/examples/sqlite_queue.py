"""A queue in an SQLite file, as a driver for Assay: several processes may work on one namespace.

Certify it: assay certify 'exec:python3 sqlite_queue.py'
"""

import functools
import os
import sqlite3
import sys
import tempfile
from dataclasses import fields
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, TypeVar, cast

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # not needed once installed

from assay_driver import (  # noqa: E402
    Claim, Conflict, Dead, DeadEntry, DeadPage, Driver, DuplicateId, Enqueued, Hold, Invalid,
    Job, JobPage, JobView, Lease, LeaseLost, NewJob, NotFound, Session, State, Unavailable, serve,
)

DEFAULT_LIMIT = 3  # as the profile `reference` has it

SCHEMA = """
CREATE TABLE jobs (
  sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, queue TEXT NOT NULL, type TEXT NOT NULL,
  payload BLOB NOT NULL, run_at_ms INTEGER NOT NULL, max_attempts INTEGER, timeout_ms INTEGER,
  key TEXT, priority INTEGER NOT NULL, attempts INTEGER NOT NULL, last_error TEXT,
  created_at_ms INTEGER NOT NULL,
  given_run_at_ms INTEGER,                -- as it was enqueued
  stage TEXT NOT NULL DEFAULT 'waiting',  -- or leased, done, dead, cancelled
  token TEXT, expires_at_ms INTEGER, worker TEXT,
  version INTEGER NOT NULL DEFAULT 0,     -- rises with every claim
  lease_losses INTEGER NOT NULL DEFAULT 0,
  settled_by TEXT, settled_token TEXT,    -- call and token that ended the last lease
  dead_reason TEXT, dead_error TEXT, dead_at_ms INTEGER);
CREATE UNIQUE INDEX jobs_by_key ON jobs (queue, key) WHERE key IS NOT NULL;
CREATE INDEX jobs_by_stage ON jobs (queue, stage, run_at_ms);
CREATE TABLE paused (queue TEXT PRIMARY KEY);
-- The clock stands still until it is told to move. Counted ids and tokens make two runs alike.
CREATE TABLE store (now_ms INTEGER NOT NULL, ids INTEGER NOT NULL, tokens INTEGER NOT NULL);
INSERT INTO store VALUES (1893456000000, 0, 0);
-- Time alone tells scheduled from ready.
CREATE VIEW shown AS SELECT jobs.*, CASE WHEN stage <> 'waiting' THEN stage
  WHEN run_at_ms > (SELECT now_ms FROM store) THEN 'scheduled' ELSE 'ready' END AS state FROM jobs;
"""

Row = Mapping[str, Any]
Call = TypeVar("Call", bound=Callable[..., Any])


def transaction(call: Call) -> Call:
    """The call happens as a whole or not at all, and alone among all processes."""

    @functools.wraps(call)
    def alone(self: "SqliteSession", *arguments: Any) -> Any:
        try:
            self.db.execute("BEGIN IMMEDIATE")
            try:
                answer = call(self, *arguments)
                self.db.execute("COMMIT")
                return answer
            finally:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
        except sqlite3.OperationalError as error:  # a commit may have failed half-way
            raise Unavailable(str(error)) from error

    return cast(Call, alone)


def require(condition: bool, message: str) -> None:
    if not condition:
        raise Invalid(message)


def marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))


def job_of(row: Row) -> Job:
    return Job(**{column.name: row[column.name] for column in fields(Job)})


class SqliteSession(Session):
    """The store has its own clock, so `now_ms`, the caller's, is ignored throughout."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def now(self) -> int:
        return int(self.db.execute("SELECT now_ms FROM store").fetchone()[0])

    def count(self, what: str) -> int:
        self.db.execute(f"UPDATE store SET {what} = {what} + 1")
        return int(self.db.execute(f"SELECT {what} FROM store").fetchone()[0])

    def new_id(self) -> str:
        while self.lookup(job_id := f"job-{self.count('ids')}") is not None:
            pass  # somebody had chosen just this one
        return job_id

    def lookup(self, job_id: str) -> Optional[Row]:
        found = self.db.execute("SELECT * FROM shown WHERE id = ?", (job_id,))
        return cast(Optional[Row], found.fetchone())

    def find(self, job_id: str) -> Row:
        row = self.lookup(job_id)
        if row is None:
            raise NotFound(f"no job is called {job_id!r}")
        return row

    def change(self, row: Row, **columns: Any) -> None:
        assignments = ", ".join(f"{name} = ?" for name in columns)
        query = f"UPDATE jobs SET {assignments} WHERE sequence = ?"
        self.db.execute(query, (*columns.values(), row["sequence"]))

    def held(self, hold: Hold) -> Row:
        """The job that `hold` speaks for. At its expiry instant a lease is already over."""
        row = self.find(hold.job_id)
        if row["stage"] != "leased":
            raise LeaseLost(f"nobody holds it: it is {row['state']}", reason="not_held")
        if row["expires_at_ms"] <= self.now():
            raise LeaseLost("the lease is over", reason="expired")
        if row["token"] != hold.token:
            raise LeaseLost("it is held under another token", reason="mismatch")
        return row

    def settle(self, call: str, hold: Hold, **columns: Any) -> None:
        """Ends the lease. A settle that was made before changes nothing."""
        require(hold.job_id != "", "the job's id is empty")
        require(columns.get("attempts", 0) >= 0, "the counter is negative")
        row = self.find(hold.job_id)
        if (row["settled_by"], row["settled_token"]) == (call, hold.token):
            return
        by = {"settled_by": call, "settled_token": hold.token}
        self.change(self.held(hold), token=None, **by, **columns)

    def expire(self, row: Row) -> None:
        """A lost lease uses up budget, so that a job that kills its workers ends, too."""
        losses = row["lease_losses"] + 1
        after = {"token": None, "lease_losses": losses, "run_at_ms": row["expires_at_ms"]}
        self.change(row, stage="waiting", **after)
        if losses >= (row["max_attempts"] or DEFAULT_LIMIT):
            self.change(row, **self.grave("lease expired", "lease expired"))

    def grave(self, reason: str, error: str) -> Dict[str, Any]:
        died = {"stage": "dead", "last_error": error, "dead_at_ms": self.now()}
        return {**died, "dead_reason": reason, "dead_error": error}

    @transaction
    def enqueue(self, now_ms: int, job: NewJob) -> Enqueued:
        limit, attempts = job.max_attempts or 0, job.attempts or 0
        require(job.queue != "" and job.type != "", "queue or type is empty")
        require(job.id != "" and job.key != "", "id or key is empty")
        require((job.timeout_ms or 0) >= 0, "the timeout is negative")
        require(limit >= 0 and attempts >= 0, "limit or counter is negative")
        require(limit == 0 or attempts <= limit, "the counter is above the limit")
        query = "SELECT id FROM jobs WHERE queue = ? AND key = ?"
        known = self.db.execute(query, (job.queue, job.key)).fetchone()
        if known is not None:
            return Enqueued(known["id"], existed=True)
        now = self.now()
        columns = {**vars(job), "given_run_at_ms": job.run_at_ms, "priority": job.priority or 0}
        taken = self.lookup(job.id) if job.id is not None else None
        if taken is not None:  # perhaps by the same job, sent again for want of an answer
            if all(taken[n] == columns[n] for n in columns if n not in ("run_at_ms", "attempts")):
                return Enqueued(taken["id"], existed=True)
            raise DuplicateId(f"another job is called {job.id!r}")
        columns["id"] = job.id or self.new_id()
        columns["run_at_ms"] = now if job.run_at_ms is None else job.run_at_ms
        columns.update(attempts=attempts, created_at_ms=now)
        query = f"INSERT INTO jobs ({', '.join(columns)}) VALUES ({marks(tuple(columns))})"
        self.db.execute(query, tuple(columns.values()))
        return Enqueued(columns["id"])

    @transaction
    def reserve(
        self, now_ms: int, queues: Sequence[str], lease_ms: int, worker: str, max: int,
        job_id: Optional[str],
    ) -> Sequence[Claim]:
        require(len(queues) > 0 and "" not in queues, "a queue's name is empty, or there is none")
        require(lease_ms > 0 and max > 0, "lease and max must be more than nothing")
        require(job_id is None, "claims here name no job")
        now = self.now()
        asked = f"""FROM jobs WHERE queue IN ({marks(queues)})
            AND queue NOT IN (SELECT queue FROM paused) AND stage = """
        lapsed = f"SELECT * {asked} 'leased' AND expires_at_ms <= ?"
        for row in self.db.execute(lapsed, (*queues, now)).fetchall():
            self.expire(row)
        due = f"""SELECT * {asked} 'waiting' AND run_at_ms <= ?
            ORDER BY priority DESC, max(created_at_ms, run_at_ms), sequence LIMIT ?"""
        rows = self.db.execute(due, (*queues, now, max)).fetchall()
        return [self.claim(row, now + lease_ms, worker) for row in rows]

    def claim(self, row: Row, expires_at_ms: int, worker: str) -> Claim:
        token, version = f"token-{self.count('tokens')}", row["version"] + 1
        lease = {"token": token, "expires_at_ms": expires_at_ms, "worker": worker or None}
        self.change(row, stage="leased", version=version, settled_by=None, **lease)
        return Claim(job_of(self.find(row["id"])), token, expires_at_ms, version=version)

    @transaction
    def extend(self, now_ms: int, hold: Hold, lease_ms: int) -> int:
        require(hold.job_id != "" and lease_ms > 0, "no job, or a lease of nothing")
        row = self.held(hold)
        expires_at_ms = max(int(row["expires_at_ms"]), self.now() + lease_ms)
        self.change(row, expires_at_ms=expires_at_ms)
        return expires_at_ms

    @transaction
    def ack(self, now_ms: int, hold: Hold) -> None:
        self.settle("ack", hold, stage="done")

    @transaction
    def retry(self, now_ms: int, hold: Hold, run_at_ms: int, attempts: int, error: str) -> None:
        after = {"run_at_ms": run_at_ms, "attempts": attempts, "last_error": error}
        self.settle("retry", hold, stage="waiting", **after)

    @transaction
    def fail(self, now_ms: int, hold: Hold, attempts: int, reason: str, error: str) -> None:
        self.settle("fail", hold, attempts=attempts, **self.grave(reason, error))

    @transaction
    def cancel(self, now_ms: int, job_id: str) -> State:
        row = self.find(job_id)
        if row["stage"] not in ("waiting", "leased"):
            raise Conflict(f"it is {row['stage']} already")
        self.change(row, stage="cancelled", token=None)
        return "cancelled"

    @transaction
    def pause(self, now_ms: int, queue: str) -> None:
        require(queue != "", "the queue's name is empty")
        self.db.execute("INSERT OR IGNORE INTO paused VALUES (?)", (queue,))

    @transaction
    def resume(self, now_ms: int, queue: str) -> None:
        require(queue != "", "the queue's name is empty")
        self.db.execute("DELETE FROM paused WHERE queue = ?", (queue,))

    @transaction
    def get(self, now_ms: int, job_id: str) -> JobView:
        row = self.find(job_id)
        view = JobView(job_of(row))
        if row["stage"] == "leased":
            view.lease = Lease(row["token"], row["expires_at_ms"], row["worker"])
        if row["stage"] == "dead":
            view.dead = Dead(row["dead_reason"], row["dead_error"], row["dead_at_ms"])
        return view

    def page(
        self, order: str, queue: str, state: Optional[str], limit: int, cursor: Optional[str]
    ) -> Tuple[List[Row], Optional[str]]:
        """The page behind `cursor`, in the order of that column and of ids; the next cursor."""
        require(queue != "" and limit > 0, "the queue's name is empty, or the page")
        kind, _, place = f"{order}:0:".partition(":") if cursor is None else cursor.partition(":")
        at, _, job_id = place.partition(":")
        require(kind == order and at.isdecimal(), "this listing made no such cursor")
        query = f"""SELECT * FROM shown WHERE queue = ? AND coalesce(? = state, TRUE)
            AND ({order}, id) > (?, ?) ORDER BY {order}, id LIMIT ?"""
        limit = min(limit, 1000)
        rows = self.db.execute(query, (queue, state, int(at), job_id, limit + 1)).fetchall()
        if len(rows) <= limit:
            return rows, None
        last = rows[limit - 1]
        return rows[:limit], f"{order}:{last[order]}:{last['id']}"

    @transaction
    def list(
        self, now_ms: int, queue: str, state: Optional[State], limit: int, cursor: Optional[str]
    ) -> JobPage:
        rows, following = self.page("created_at_ms", queue, state, limit, cursor)
        return JobPage([job_of(row) for row in rows], following)

    @transaction
    def dead(self, now_ms: int, queue: str, limit: int, cursor: Optional[str]) -> DeadPage:
        rows, following = self.page("dead_at_ms", queue, "dead", limit, cursor)
        why = ("dead_reason", "dead_error", "dead_at_ms")
        return DeadPage([DeadEntry(job_of(r), *(r[name] for name in why)) for r in rows], following)

    @transaction
    def requeue(
        self, now_ms: int, job_id: str, run_at_ms: Optional[int], reset_attempts: bool
    ) -> str:
        row = self.find(job_id)
        if row["stage"] != "dead":
            raise Conflict(f"only a dead job can be requeued; this one is {row['stage']}")
        run_at_ms = self.now() if run_at_ms is None else run_at_ms
        self.change(row, stage="waiting", run_at_ms=run_at_ms, settled_by=None)
        if reset_attempts:
            self.change(row, attempts=0, lease_losses=0)
        return job_id

    @transaction
    def advance(self, by_ms: int) -> int:
        self.db.execute("UPDATE store SET now_ms = now_ms + ?", (by_ms,))
        return self.now()


class SqliteDriver(Driver):
    name = "python-sqlite-queue"
    version = "1.0"
    profile = {
        "base": "reference",
        "clock": "store",
        "durability": "crash",
        "capabilities": (
            "schedule_at_enqueue priority cancel pause inspect list_paged dlq_ops worker_id "
            "lease_version queue_set_claim timeouts virtual_time shared_storage"
        ).split(),
    }

    def __init__(self) -> None:
        self.session = SqliteSession(sqlite3.connect(":memory:"))  # until setup
        self.path = ""

    def setup(self, namespace: str, url: Optional[str], options: Mapping[str, Any]) -> None:
        """A file for each namespace: `url`, a dot, the namespace."""
        self.path = f"{url or os.path.join(tempfile.gettempdir(), 'sqlite_queue')}.{namespace}"
        create = options.get("create", True)
        if create:
            self.teardown(namespace)  # what an earlier run may have left
        where = Path(self.path).absolute().as_uri() + ("?mode=rwc" if create else "?mode=rw")
        db = sqlite3.connect(where, uri=True, timeout=30, isolation_level=None)
        db.row_factory = sqlite3.Row
        if create:
            db.execute("PRAGMA synchronous = OFF")  # nothing to lose yet, and there are many setups
            db.execute("PRAGMA journal_mode = WAL")
            db.executescript("BEGIN;" + SCHEMA + "COMMIT;")
        # Commits survive the death of any process. FULL: that of the machine, too.
        db.execute("PRAGMA synchronous = NORMAL")
        self.session = SqliteSession(db)

    def teardown(self, namespace: str) -> None:
        for suffix in ("", "-wal", "-shm"):
            Path(self.path + suffix).unlink(missing_ok=True)
        self.session.db.close()

    def open(self, session: str, role: str) -> Session:
        return self.session  # it keeps nothing of its client: one serves them all

    def now(self) -> int:
        return self.session.now()

    def advance(self, by_ms: int) -> int:
        return self.session.advance(by_ms)


if __name__ == "__main__":
    serve(SqliteDriver())

"""Driver and Session: the two classes that an author subclasses.

Every call may raise a Refusal. Any other exception is answered with ``internal``, its traceback
goes to stderr, and serving goes on.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .model import Claim, DeadPage, Enqueued, Hold, JobPage, JobView, Nacked, NewJob, State
from .refusal import Unsupported


class Session:
    """One client of the queue.

    ``now_ms`` is the caller's clock: a driver whose profile says ``clock: caller`` lives by it, one
    that says ``clock: store`` ignores it. Calls of one session come one after another.
    """

    def enqueue(self, now_ms: int, job: NewJob) -> Enqueued:
        raise _lacks("enqueue")

    def reserve(
        self,
        now_ms: int,
        queues: Sequence[str],
        lease_ms: int,
        worker: str,
        max: int,
        job_id: Optional[str],
    ) -> Sequence[Claim]:
        """Claims up to ``max`` jobs; an empty list when nothing is runnable.

        ``job_id`` is given only where the profile says ``claim_style: by_id``.
        """
        raise _lacks("reserve")

    def extend(self, now_ms: int, hold: Hold, lease_ms: int) -> int:
        """Returns the new expiry."""
        raise _lacks("extend")

    def ack(self, now_ms: int, hold: Hold) -> None:
        raise _lacks("ack")

    def retry(self, now_ms: int, hold: Hold, run_at_ms: int, attempts: int, error: str) -> None:
        """``attempts`` is the new counter. Only where the engine decides."""
        raise _lacks("retry")

    def fail(self, now_ms: int, hold: Hold, attempts: int, reason: str, error: str) -> None:
        """To the dead letters. Only where the engine decides."""
        raise _lacks("fail")

    def nack(self, now_ms: int, hold: Hold, error: str, unrecoverable: bool) -> Nacked:
        """Only where the store decides."""
        raise _lacks("nack")

    def cancel(self, now_ms: int, job_id: str) -> State:
        """Returns the job's state afterwards."""
        raise _lacks("cancel")

    def pause(self, now_ms: int, queue: str) -> None:
        raise _lacks("pause")

    def resume(self, now_ms: int, queue: str) -> None:
        raise _lacks("resume")

    def get(self, now_ms: int, job_id: str) -> JobView:
        raise _lacks("get")

    def list(
        self, now_ms: int, queue: str, state: Optional[State], limit: int, cursor: Optional[str]
    ) -> JobPage:
        raise _lacks("list")

    def dead(self, now_ms: int, queue: str, limit: int, cursor: Optional[str]) -> DeadPage:
        raise _lacks("dead")

    def requeue(
        self, now_ms: int, job_id: str, run_at_ms: Optional[int], reset_attempts: bool
    ) -> str:
        """Returns the job's id, a new one where the profile says ``replay: fresh_job``."""
        raise _lacks("requeue")

    def close(self) -> None:
        """Called once. Whatever comes after it is refused as closed without asking the session."""


class Driver:
    """A queue under test. It owns one namespace at a time and opens sessions on it."""

    name: str = "unnamed"
    version: str = "0"
    # What is claimed and judged: knobs, numbers, a list of capabilities (docs/contract.md).
    profile: Mapping[str, Any] = {}

    def setup(self, namespace: str, url: Optional[str], options: Mapping[str, Any]) -> None:
        """Afterwards the namespace's storage exists.

        It is empty, unless ``options["create"]`` is False: then another process made it, and this
        one attaches to it (only with capability ``shared_storage``). Called again after each
        teardown.
        """

    def teardown(self, namespace: str) -> None:
        """Afterwards the namespace's storage is gone. Its sessions have been closed."""

    def open(self, session: str, role: str) -> Session:
        """``role``: producer, worker or admin."""
        raise _lacks("open")

    def now(self) -> int:
        """The time that leases and schedules are judged by, where the store has a clock."""
        raise _lacks("now")

    def advance(self, by_ms: int) -> int:
        """Moves that clock for everybody who uses the namespace, and returns the new time.

        Only with capability ``virtual_time``: a clock that stands still until it is told to move.
        """
        raise _lacks("advance")


def _lacks(call: str) -> Unsupported:
    return Unsupported(f"this driver has no {call}")

"""What the calls of a Session take and give. Instants are Unix milliseconds, payloads any bytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Optional, Sequence


State = Literal["scheduled", "ready", "leased", "done", "dead", "cancelled"]


@dataclass
class NewJob:
    """What a producer hands in.

    None means: id made by the driver, run now, the engine's default limit (so does a limit of 0),
    no timeout, no key, priority 0, no failure so far.
    """

    queue: str
    type: str
    payload: bytes
    id: Optional[str] = None
    run_at_ms: Optional[int] = None
    max_attempts: Optional[int] = None
    timeout_ms: Optional[int] = None
    key: Optional[str] = None
    priority: Optional[int] = None
    attempts: Optional[int] = None


@dataclass
class Job:
    """A job as the store shows it. What ``attempts`` counts is the profile's knob ``counter``."""

    id: str
    queue: str
    type: str
    payload: bytes
    run_at_ms: Optional[int] = None
    max_attempts: Optional[int] = None
    timeout_ms: Optional[int] = None
    key: Optional[str] = None
    priority: int = 0
    attempts: int = 0
    last_error: Optional[str] = None
    created_at_ms: int = 0
    state: State = "ready"


@dataclass
class Hold:
    """Which claim a settle or an extension speaks for."""

    job_id: str
    token: str
    attempt: Optional[int] = None  # where the profile's fence uses it


@dataclass
class Enqueued:
    id: str
    existed: bool = False


@dataclass
class Claim:
    """One delivery. ``attempt`` and ``version`` are there where the profile's fence uses them."""

    job: Job
    token: str
    expires_at_ms: int
    attempt: Optional[int] = None
    version: Optional[int] = None


@dataclass
class Nacked:
    state: State
    run_at_ms: Optional[int] = None  # when it may run again; None once dead


@dataclass
class Lease:
    token: str
    expires_at_ms: int
    worker: Optional[str] = None


@dataclass
class Dead:
    reason: str
    error: Optional[str]
    at_ms: int


@dataclass
class JobView:
    """What ``get`` shows: the job, its lease while leased, its obituary once dead."""

    job: Job
    lease: Optional[Lease] = None
    dead: Optional[Dead] = None


@dataclass
class JobPage:
    jobs: Sequence[Job] = field(default_factory=list)
    cursor: Optional[str] = None  # None on the last page


@dataclass
class DeadEntry:
    job: Job
    reason: str
    error: Optional[str]
    at_ms: int


@dataclass
class DeadPage:
    entries: Sequence[DeadEntry] = field(default_factory=list)
    cursor: Optional[str] = None

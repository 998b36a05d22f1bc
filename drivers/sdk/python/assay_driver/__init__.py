"""assay_driver: make a job queue known to Assay.

Subclass Session (one client's calls) and Driver (where sessions come from), then end the script
with ``serve(MyDriver())``. What is not overridden is answered with ``unsupported``.
"""

from .driver import Driver, Session
from .model import (
    Claim,
    Dead,
    DeadEntry,
    DeadPage,
    Enqueued,
    Hold,
    Job,
    JobPage,
    JobView,
    Lease,
    Nacked,
    NewJob,
    State,
)
from .refusal import (
    Closed,
    Conflict,
    DuplicateId,
    DuplicateKey,
    Internal,
    Invalid,
    LeaseLost,
    NotFound,
    Refusal,
    Unavailable,
    Unsupported,
)
from .serving import serve

__all__ = [
    "Claim",
    "Closed",
    "Conflict",
    "Dead",
    "DeadEntry",
    "DeadPage",
    "Driver",
    "DuplicateId",
    "DuplicateKey",
    "Enqueued",
    "Hold",
    "Internal",
    "Invalid",
    "Job",
    "JobPage",
    "JobView",
    "Lease",
    "LeaseLost",
    "Nacked",
    "NewJob",
    "NotFound",
    "Refusal",
    "Session",
    "State",
    "Unavailable",
    "Unsupported",
    "serve",
]

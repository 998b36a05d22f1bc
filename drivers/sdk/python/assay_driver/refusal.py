"""Refusals: raised by a driver, answered with their code."""

from __future__ import annotations

from typing import ClassVar, Optional


class Refusal(Exception):
    """A call was not carried out.

    ``definite`` says whether the call certainly had no effect. Where it is not given, the code
    says: yes, except for Unavailable and Internal. In doubt say False, which is always safe.
    """

    code: ClassVar[str] = "internal"

    def __init__(self, message: str = "", *, definite: Optional[bool] = None) -> None:
        super().__init__(message)
        self.message = message
        self.definite = definite


class Invalid(Refusal):
    """Bad argument: an empty name, a negative number, a lease of zero or less."""

    code = "invalid"


class NotFound(Refusal):
    """No such job."""

    code = "not_found"


class LeaseLost(Refusal):
    """The token is not the present one, or the lease is over.

    ``reason``: the first that holds of ``not_held``, ``expired`` and ``mismatch``.
    """

    code = "lease_lost"

    def __init__(
        self, message: str = "", *, reason: Optional[str] = None, definite: Optional[bool] = None
    ) -> None:
        super().__init__(message, definite=definite)
        self.reason = reason


class DuplicateKey(Refusal):
    """The idempotency key is held by an unfinished job."""

    code = "duplicate_key"


class DuplicateId(Refusal):
    """Another job has that id."""

    code = "duplicate_id"


class Conflict(Refusal):
    """Refused because of the job's state."""

    code = "conflict"


class Unsupported(Refusal):
    """This driver does not have that."""

    code = "unsupported"


class Closed(Refusal):
    """The session or the driver is closed."""

    code = "closed"


class Unavailable(Refusal):
    """The store could not be reached or gave no answer: the call may have had an effect."""

    code = "unavailable"


class Internal(Refusal):
    """Anything else: the call may have had an effect."""

    code = "internal"

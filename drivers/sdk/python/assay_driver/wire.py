"""The wire: a request's fields become a call's arguments, what it gives becomes the answer."""

from __future__ import annotations

import base64
import json
from typing import Any, Callable, Dict, Mapping, Optional, Type, TypeVar, get_args

from .driver import Session
from .model import Hold, Job, JobView, NewJob, State
from .refusal import Invalid, LeaseLost, Refusal

MAX_LINE = 16 * 1024 * 1024  # bytes, without the line's end

Fields = Mapping[str, Any]
T = TypeVar("T")

_INT64 = 1 << 63
_STATES = frozenset(get_args(State))
_WORDS = {str: "a string", int: "an integer", bool: "true or false", dict: "an object"}


class BadLine(Exception):
    """What the peer sent is no request, so nothing can be answered."""


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


_decode = json.JSONDecoder(parse_constant=_no_number).decode
# Circles cannot occur. Escaping all but ASCII keeps half surrogates, which UTF-8 cannot carry.
_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False, allow_nan=False).encode


def read_request(line: bytes) -> Dict[str, Any]:
    try:
        request = _decode(str(line, "utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadLine(f"not a line of JSON ({error}): {line[:200]!r}") from None
    if type(request) is not dict:
        raise BadLine(f"not an object: {line[:200]!r}")
    if type(request.get("id")) is not int:
        raise BadLine(f"a request without an integer id: {line[:200]!r}")
    return request


def success_line(request_id: int, answer: Fields) -> bytes:
    return _encode({"id": request_id, "ok": answer}).encode() + b"\n"


def refusal_line(request_id: int, refusal: Refusal) -> bytes:
    error: Dict[str, Any] = {"code": refusal.code, "message": refusal.message}
    if isinstance(refusal, LeaseLost) and refusal.reason is not None:
        error["reason"] = refusal.reason
    if refusal.definite is not None:
        error["definite"] = refusal.definite
    return _encode({"id": request_id, "error": error}).encode() + b"\n"


def maybe(fields: Fields, name: str, kind: Type[T]) -> Optional[T]:
    """The field, or None where it is absent or null. Refuses another type as invalid."""
    value = fields.get(name)
    if value is None:
        return None
    if type(value) is not kind:  # exactly: True is no integer here
        raise Invalid(f"{name} must be {_WORDS[kind]}")
    if isinstance(value, int) and not -_INT64 <= value < _INT64:
        raise Invalid(f"{name} does not fit into 64 bits")
    return value


def need(fields: Fields, name: str, kind: Type[T]) -> T:
    value = maybe(fields, name, kind)
    if value is None:
        raise Invalid(f"{name} is missing")
    return value


def _otherwise(fields: Fields, name: str, default: T) -> T:
    value = maybe(fields, name, type(default))
    return default if value is None else value


def _hold(f: Fields) -> Hold:
    return Hold(need(f, "job_id", str), need(f, "token", str), maybe(f, "attempt", int))


def _payload(f: Fields) -> bytes:
    text = need(f, "payload", str)
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise Invalid("payload must be base64") from None


def _new_job(f: Fields) -> NewJob:
    return NewJob(
        queue=need(f, "queue", str),
        type=need(f, "type", str),
        payload=_payload(f),
        id=maybe(f, "id", str),
        run_at_ms=maybe(f, "run_at_ms", int),
        max_attempts=maybe(f, "max_attempts", int),
        timeout_ms=maybe(f, "timeout_ms", int),
        key=maybe(f, "key", str),
        priority=maybe(f, "priority", int),
        attempts=maybe(f, "attempts", int),
    )


def _job(job: Job) -> Dict[str, Any]:
    shown = dict(vars(job))
    shown["payload"] = base64.b64encode(job.payload).decode("ascii")
    return shown


def _enqueue(s: Session, now_ms: int, f: Fields) -> Fields:
    return vars(s.enqueue(now_ms, _new_job(need(f, "job", dict))))


def _reserve(s: Session, now_ms: int, f: Fields) -> Fields:
    queues = f.get("queues")
    if type(queues) is not list or any(type(queue) is not str for queue in queues):
        raise Invalid("queues must be a list of strings")
    claims = s.reserve(
        now_ms,
        queues,
        need(f, "lease_ms", int),
        _otherwise(f, "worker", ""),
        _otherwise(f, "max", 1),
        maybe(f, "job_id", str),
    )
    return {"claims": [_claim(claim.__dict__) for claim in claims]}


def _claim(claim: Fields) -> Fields:
    shown = {name: value for name, value in claim.items() if value is not None}
    shown["job"] = _job(claim["job"])
    return shown


def _extend(s: Session, now_ms: int, f: Fields) -> Fields:
    return {"expires_at_ms": s.extend(now_ms, _hold(f), need(f, "lease_ms", int))}


def _ack(s: Session, now_ms: int, f: Fields) -> Fields:
    s.ack(now_ms, _hold(f))
    return {}


def _retry(s: Session, now_ms: int, f: Fields) -> Fields:
    run_at_ms, attempts = need(f, "run_at_ms", int), need(f, "attempts", int)
    s.retry(now_ms, _hold(f), run_at_ms, attempts, _otherwise(f, "error", ""))
    return {}


def _fail(s: Session, now_ms: int, f: Fields) -> Fields:
    reason, error = _otherwise(f, "reason", ""), _otherwise(f, "error", "")
    s.fail(now_ms, _hold(f), need(f, "attempts", int), reason, error)
    return {}


def _nack(s: Session, now_ms: int, f: Fields) -> Fields:
    unrecoverable = _otherwise(f, "unrecoverable", False)
    return vars(s.nack(now_ms, _hold(f), _otherwise(f, "error", ""), unrecoverable))


def _cancel(s: Session, now_ms: int, f: Fields) -> Fields:
    return {"state": s.cancel(now_ms, need(f, "job_id", str))}


def _pause(s: Session, now_ms: int, f: Fields) -> Fields:
    s.pause(now_ms, need(f, "queue", str))
    return {}


def _resume(s: Session, now_ms: int, f: Fields) -> Fields:
    s.resume(now_ms, need(f, "queue", str))
    return {}


def _get(s: Session, now_ms: int, f: Fields) -> Fields:
    view: JobView = s.get(now_ms, need(f, "job_id", str))
    job = _job(view.job)
    if view.lease is not None:
        job["lease"] = vars(view.lease)
    if view.dead is not None:
        job["dead"] = vars(view.dead)
    return {"job": job}


def _list(s: Session, now_ms: int, f: Fields) -> Fields:
    state: Any = maybe(f, "state", str)
    if state is not None and state not in _STATES:
        raise Invalid(f"there is no state {state!r}")
    page = s.list(
        now_ms, need(f, "queue", str), state, _otherwise(f, "limit", 100), maybe(f, "cursor", str)
    )
    return {"jobs": [_job(job) for job in page.jobs], "cursor": page.cursor}


def _dead(s: Session, now_ms: int, f: Fields) -> Fields:
    queue, cursor = need(f, "queue", str), maybe(f, "cursor", str)
    page = s.dead(now_ms, queue, _otherwise(f, "limit", 100), cursor)
    entries = [{**vars(e), "job": _job(e.job), "job_id": e.job.id} for e in page.entries]
    return {"entries": entries, "cursor": page.cursor}


def _requeue(s: Session, now_ms: int, f: Fields) -> Fields:
    reset = _otherwise(f, "reset_attempts", False)
    return {"job_id": s.requeue(now_ms, need(f, "job_id", str), maybe(f, "run_at_ms", int), reset)}


OPERATIONS: Dict[str, Callable[[Session, int, Fields], Fields]] = {
    "enqueue": _enqueue,
    "reserve": _reserve,
    "extend": _extend,
    "ack": _ack,
    "retry": _retry,
    "fail": _fail,
    "nack": _nack,
    "cancel": _cancel,
    "pause": _pause,
    "resume": _resume,
    "get": _get,
    "list": _list,
    "dead": _dead,
    "requeue": _requeue,
}

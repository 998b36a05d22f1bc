"""serve: answers Assay's requests with a driver, over stdin and stdout or over TCP."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from threading import Lock, current_thread, main_thread
from typing import Any, Callable, Dict, NoReturn, Optional, Sequence, Tuple

from .driver import Driver, Session
from .refusal import Closed, Conflict, Internal, Invalid, Refusal, Unsupported
from .wire import (
    MAX_LINE,
    OPERATIONS,
    BadLine,
    Fields,
    maybe,
    need,
    read_request,
    refusal_line,
    success_line,
)

PROTOCOL = 1

Read = Callable[[int], bytes]  # a line, or as much of it as asked for
Write = Callable[[bytes], object]


def serve(driver: Driver, *, threads: int = 1, argv: Optional[Sequence[str]] = None) -> None:
    """Answers requests until the input ends or the process is told to end (SIGTERM, SIGINT).

    With ``--listen HOST:PORT`` among the arguments it serves TCP connections, one after another,
    for ever. Otherwise it serves stdin and stdout; whatever else writes to stdout meanwhile goes to
    stderr.

    ``threads`` above 1: requests of different sessions are handled at the same time, so the driver
    must be ready for that. Exits with status 1 when what comes in is not the protocol.
    """
    address = _address_in(sys.argv[1:] if argv is None else argv)
    if current_thread() is main_thread():
        signal.signal(signal.SIGTERM, _end_quietly)
    server = _Server(driver, threads)
    try:
        if address is None:
            server.answer(*_guarded_stdio())
        else:
            _listen(server, *address)
    except (_Ended, KeyboardInterrupt):
        server.close_sessions()
    except BadLine as error:
        server.close_sessions()
        _log(f"protocol error: {error}")
        sys.exit(1)


class _Ended(BaseException):
    """SIGTERM came."""


def _end_quietly(*_: object) -> NoReturn:
    raise _Ended()


def _log(text: str) -> None:
    print(f"assay_driver: {text}", file=sys.stderr, flush=True)


def _guarded_stdio() -> Tuple[Read, Write]:
    """Takes stdin and stdout away from everybody else, programs that the driver starts included."""
    reader = os.fdopen(os.dup(0), "rb", 1 << 16)
    answers = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(line_buffering=True)

    def write(line: bytes) -> None:
        sent = os.write(answers, line)
        while sent < len(line):  # a pipe takes a long line piece by piece
            sent += os.write(answers, memoryview(line)[sent:])

    return reader.readline, write


# Drivers are started often: what is rarely needed is imported where it is.


def _address_in(argv: Sequence[str]) -> Optional[Tuple[str, int]]:
    if not argv:
        return None
    import argparse

    def address(text: str) -> Tuple[str, int]:
        host, _, port = text.rpartition(":")
        return host.strip("[]"), int(port)

    parser = argparse.ArgumentParser(description="a driver for Assay, on stdin and stdout")
    where = "serve TCP connections instead, one after another; port 0 takes a free one"
    parser.add_argument("--listen", metavar="HOST:PORT", type=address, help=where)
    given, _ = parser.parse_known_args(argv)
    listen: Optional[Tuple[str, int]] = given.listen
    return listen


def _listen(server: _Server, host: str, port: int) -> None:
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listener:
        print(f"listening on {host}:{listener.getsockname()[1]}", file=sys.stderr, flush=True)
        while True:
            connection, _peer = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with connection, connection.makefile("rb", 1 << 16) as reader:
                try:
                    server.answer(reader.readline, connection.sendall)
                except BadLine as error:  # one bad peer does not end the others
                    server.close_sessions()
                    _log(f"protocol error: {error}")


class _Server:
    def __init__(self, driver: Driver, threads: int) -> None:
        self._driver = driver
        self._threads = threads
        self._sessions: Dict[str, Session] = {}
        self._life: Dict[str, Callable[[Fields], Fields]] = {
            "hello": self._hello,
            "setup": self._setup,
            "teardown": self._teardown,
            "open": self._open,
            "close": self._close,
            "now": self._now,
            "advance": self._advance,
        }

    def answer(self, read: Read, write: Write) -> None:
        """Answers every request until the input ends or nobody reads the answers; then closes."""
        try:
            if self._threads > 1:
                self._answer_at_once(read, write)
            else:
                while request := self._next(read):
                    write(self._handle(request))
        except ConnectionError:
            pass
        self.close_sessions()

    def _answer_at_once(self, read: Read, write: Write) -> None:
        from concurrent.futures import ThreadPoolExecutor

        writing = Lock()

        def handle(request: Dict[str, Any]) -> None:
            line = self._handle(request)
            with writing:
                try:
                    write(line)
                except ConnectionError:
                    pass  # the reader will come to its end, too

        with ThreadPoolExecutor(self._threads) as pool:
            while request := self._next(read):
                pool.submit(handle, request)

    @staticmethod
    def _next(read: Read) -> Optional[Dict[str, Any]]:
        line = read(MAX_LINE + 2)
        if not line:
            return None
        if len(line) > MAX_LINE + 1 or (len(line) > MAX_LINE and line[-1:] != b"\n"):
            raise BadLine(f"a line of more than {MAX_LINE} bytes: {line[:200]!r}...")
        return read_request(line)

    def _handle(self, request: Dict[str, Any]) -> bytes:
        request_id: int = request["id"]
        try:
            line = success_line(request_id, self._perform(request))
            if len(line) > MAX_LINE:
                raise Internal(f"the answer has {len(line)} bytes, more than a line may have")
            return line
        except Refusal as refusal:
            return refusal_line(request_id, refusal)
        except Exception as error:
            traceback.print_exc()
            return refusal_line(request_id, Internal(f"{type(error).__name__}: {error}"))

    def _perform(self, request: Dict[str, Any]) -> Fields:
        op = need(request, "op", str)
        operation = OPERATIONS.get(op)
        if operation is not None:
            session = self._sessions.get(need(request, "session", str))
            if session is None:
                raise Closed(f"no session {request['session']!r} is open")
            return operation(session, need(request, "now_ms", int), request)
        life = self._life.get(op)
        if life is None:
            raise Unsupported(f"there is no operation {op!r}")
        return life(request)

    def _hello(self, request: Fields) -> Fields:
        asked = need(request, "protocol", int)
        if asked != PROTOCOL:
            raise Unsupported(f"this driver speaks protocol {PROTOCOL}, not {asked}")
        driver = self._driver
        return {
            "protocol": PROTOCOL,
            "name": driver.name,
            "version": driver.version,
            "profile": driver.profile,
        }

    def _setup(self, request: Fields) -> Fields:
        options = maybe(request, "options", dict) or {}
        self._driver.setup(need(request, "namespace", str), maybe(request, "url", str), options)
        return {}

    def _teardown(self, request: Fields) -> Fields:
        namespace = need(request, "namespace", str)
        self.close_sessions()
        self._driver.teardown(namespace)
        return {}

    def _open(self, request: Fields) -> Fields:
        name, role = need(request, "session", str), need(request, "role", str)
        if role not in ("producer", "worker", "admin"):
            raise Invalid(f"there is no role {role!r}")
        if name in self._sessions:
            raise Conflict(f"session {name!r} is open already")
        self._sessions[name] = self._driver.open(name, role)
        return {}

    def _close(self, request: Fields) -> Fields:
        session = self._sessions.pop(need(request, "session", str), None)
        if session is not None:
            session.close()
        return {}

    def _now(self, _: Fields) -> Fields:
        return {"now_ms": self._driver.now()}

    def _advance(self, request: Fields) -> Fields:
        by_ms = need(request, "by_ms", int)
        if by_ms < 0:
            raise Invalid("by_ms is negative")
        return {"now_ms": self._driver.advance(by_ms)}

    def close_sessions(self) -> None:
        while self._sessions:
            _, session = self._sessions.popitem()
            try:
                session.close()
            except Exception:
                traceback.print_exc()

"""A queue in Redis, written as people write them: read, decide, WATCH, EXEC, and the server's clock.

It knows nothing of virtual time, draws its ids and tokens, and speaks RESP over a plain socket, so
that nothing has to be installed for it. With --careless it does not look at what EXEC answers.
"""

import json
import socket
import sys
import uuid
from dataclasses import fields
from pathlib import Path
from urllib.parse import unquote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "drivers/sdk/python"))

from assay_driver import (  # noqa: E402
    Claim, Dead, Driver, DuplicateId, Enqueued, Invalid, Job, JobView, Lease, LeaseLost, NotFound,
    Session, Unavailable, serve,
)

DEFAULT_LIMIT = 3
CARELESS = "--careless" in sys.argv


class Redis:
    def __init__(self, url):
        place = urlsplit(url)
        self.socket = socket.create_connection((place.hostname, place.port or 6379), timeout=20)
        self.file = self.socket.makefile("rb")
        if place.password:
            words = [place.username] if place.username else []
            self("AUTH", *map(unquote, words), unquote(place.password))

    def __call__(self, *words):
        text = b"*%d\r\n" % len(words)
        for word in words:
            data = word if isinstance(word, bytes) else str(word).encode()
            text += b"$%d\r\n%s\r\n" % (len(data), data)
        self.socket.sendall(text)
        return self.reply()

    def reply(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise OSError("Redis closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise OSError(rest.decode())
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return None if rest == b"-1" else [self.reply() for _ in range(int(rest))]
        return int(rest) if kind == b":" else rest.decode()


def require(condition, message):
    if not condition:
        raise Invalid(message)


def alone(call):
    """The call is made again until nobody else changed anything meanwhile."""

    def again(self, *arguments):
        try:
            while True:
                self.redis("WATCH", self.key)
                self.read()
                answer = call(self, *arguments)
                self.redis("MULTI")
                for job_id, record in self.changed.items():
                    self.redis("HSET", self.key, job_id, json.dumps(record))
                if self.redis("EXEC") is not None or CARELESS:
                    return answer
        except OSError as error:
            self.connect()
            raise Unavailable(str(error)) from error

    return again


class RedisSession(Session):
    def __init__(self, url, key):
        self.url, self.key, self.changed = url, key, {}
        self.connect()

    def connect(self):
        self.redis = Redis(self.url)

    def read(self):
        flat = self.redis("HGETALL", self.key)
        self.jobs = {k.decode(): json.loads(v) for k, v in zip(flat[::2], flat[1::2])}
        seconds, micros = self.redis("TIME")
        self.now = int(seconds) * 1000 + int(micros) // 1000
        self.changed = {}

    def find(self, job_id):
        require(job_id != "", "the job's id is empty")
        if job_id not in self.jobs:
            raise NotFound(f"no job is called {job_id!r}")
        return self.jobs[job_id]

    def change(self, record, **values):
        record.update(values)
        self.changed[record["id"]] = record

    def state(self, record):
        if record["stage"] != "waiting":
            return record["stage"]
        return "scheduled" if record["run_at_ms"] > self.now else "ready"

    def job(self, record):
        values = {f.name: record.get(f.name) for f in fields(Job)}
        values.update(payload=bytes.fromhex(record["payload"]), state=self.state(record))
        return Job(**values)

    @alone
    def enqueue(self, now_ms, job):
        limit, attempts = job.max_attempts or 0, job.attempts or 0
        require(job.queue != "" and job.type != "", "queue or type is empty")
        require(job.id != "" and job.key != "", "id or key is empty")
        require((job.timeout_ms or 0) >= 0, "the timeout is negative")
        require(limit >= 0 and attempts >= 0, "limit or counter is negative")
        require(limit == 0 or attempts <= limit, "the counter is above the limit")
        for record in self.jobs.values():
            if job.key is not None and (record["queue"], record["key"]) == (job.queue, job.key):
                return Enqueued(record["id"], existed=True)
        given = {**vars(job), "payload": job.payload.hex()}
        if job.id in self.jobs:
            if self.jobs[job.id]["given"] == given:
                return Enqueued(job.id, existed=True)
            raise DuplicateId(f"another job is called {job.id!r}")
        record = {
            **given, "given": given, "id": job.id or str(uuid.uuid4()), "attempts": attempts,
            "priority": job.priority or 0, "created_at_ms": self.now, "stage": "waiting",
            "run_at_ms": self.now if job.run_at_ms is None else job.run_at_ms, "last_error": None,
            "version": 0, "losses": 0, "settled": None, "order": len(self.jobs),
        }
        self.change(record)
        return Enqueued(record["id"])

    @alone
    def reserve(self, now_ms, queues, lease_ms, worker, max, job_id):
        require(len(queues) > 0 and "" not in queues, "a queue's name is empty, or there is none")
        require(lease_ms > 0 and max > 0, "lease and max must be more than nothing")
        require(job_id is None, "claims here name no job")
        here = [r for r in self.jobs.values() if r["queue"] in queues]
        for record in here:
            if record["stage"] == "leased" and record["expires_at_ms"] <= self.now:
                after = {"token": None, "losses": record["losses"] + 1}
                self.change(record, stage="waiting", run_at_ms=record["expires_at_ms"], **after)
                if record["losses"] >= (record["max_attempts"] or DEFAULT_LIMIT):
                    self.bury(record, "lease expired", "lease expired")
        ready = [r for r in here if self.state(r) == "ready"]
        ready.sort(key=lambda r: (-r["priority"], r["created_at_ms"] if r["created_at_ms"] >
                                  r["run_at_ms"] else r["run_at_ms"], r["order"]))
        return [self.claim(record, lease_ms, worker) for record in ready[:max]]

    def claim(self, record, lease_ms, worker):
        token, until = str(uuid.uuid4()), self.now + lease_ms
        self.change(record, stage="leased", token=token, expires_at_ms=until, worker=worker or None,
                    version=record["version"] + 1, settled=None)
        return Claim(self.job(record), token, until, version=record["version"])

    def bury(self, record, reason, error):
        dead = {"reason": reason, "error": error, "at_ms": self.now}
        self.change(record, stage="dead", token=None, last_error=error, dead=dead)

    def held(self, hold):
        record = self.find(hold.job_id)
        if record["stage"] != "leased":
            raise LeaseLost("nobody holds it", reason="not_held")
        if record["expires_at_ms"] <= self.now:
            raise LeaseLost("the lease is over", reason="expired")
        if record["token"] != hold.token:
            raise LeaseLost("it is held under another token", reason="mismatch")
        return record

    def settling(self, call, hold):
        """The record to be settled; nothing where that was done before."""
        if self.find(hold.job_id)["settled"] == [call, hold.token]:
            return None
        record = self.held(hold)
        self.change(record, settled=[call, hold.token], token=None)
        return record

    @alone
    def extend(self, now_ms, hold, lease_ms):
        require(lease_ms > 0, "a lease of nothing")
        record = self.held(hold)
        self.change(record, expires_at_ms=max(record["expires_at_ms"], self.now + lease_ms))
        return record["expires_at_ms"]

    @alone
    def ack(self, now_ms, hold):
        if record := self.settling("ack", hold):
            self.change(record, stage="done")

    @alone
    def retry(self, now_ms, hold, run_at_ms, attempts, error):
        require(attempts >= 0, "the counter is negative")
        if record := self.settling("retry", hold):
            self.change(record, stage="waiting", run_at_ms=run_at_ms, attempts=attempts,
                        last_error=error)

    @alone
    def fail(self, now_ms, hold, attempts, reason, error):
        require(attempts >= 0, "the counter is negative")
        if record := self.settling("fail", hold):
            self.bury(record, reason, error)
            self.change(record, attempts=attempts)

    @alone
    def get(self, now_ms, job_id):
        record = self.find(job_id)
        view = JobView(self.job(record))
        if record["stage"] == "leased":
            view.lease = Lease(record["token"], record["expires_at_ms"], record["worker"])
        if record["stage"] == "dead":
            view.dead = Dead(**record["dead"])
        return view


class RedisDriver(Driver):
    name = "python-redis-queue"
    version = "1.0"
    profile = {
        "base": "reference", "clock": "store", "durability": "none",
        "capabilities": ("schedule_at_enqueue priority inspect worker_id lease_version "
                         "queue_set_claim timeouts shared_storage").split(),
    }

    def setup(self, namespace, url, options):
        self.url, self.key = url, f"queue:{namespace}"
        self.session = RedisSession(url, self.key)
        if options.get("create", True):
            self.session.redis("DEL", self.key)

    def teardown(self, namespace):
        self.session.redis("DEL", self.key)

    def open(self, session, role):
        return RedisSession(self.url, self.key)

    def now(self):
        seconds, micros = self.session.redis("TIME")
        return int(seconds) * 1000 + int(micros) // 1000


if __name__ == "__main__":
    serve(RedisDriver())

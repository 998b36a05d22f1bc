"""A driver that does with a job of type T whatever T says: for the tests of the SDK."""

import os
import subprocess
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "drivers/sdk/python"))

import assay_driver as sdk

other_came = threading.Event()


class OddSession(sdk.Session):
    def __init__(self, name):
        self.name = name

    def enqueue(self, now_ms, job):
        if job.type == "echo":
            return sdk.Enqueued(f"{self.name} {now_ms} {job.payload.hex()}")
        if job.type == "nothing":
            return None
        if job.type == "huge":
            return sdk.Enqueued("x" * (16 * 1024 * 1024))
        if job.type == "large":
            return sdk.Enqueued("x" * (15 * 1024 * 1024))
        if job.type == "print":
            print("a stray print")
            os.write(1, b"a stray write\n")
            subprocess.run(["echo", "a stray child"], check=True)
            return sdk.Enqueued(repr(sys.stdin.read()))
        if job.type == "crash":
            raise RuntimeError("the driver stumbled")
        if job.type == "wait":
            return sdk.Enqueued(str(other_came.wait(10)))
        if job.type == "come":
            other_came.set()
            return sdk.Enqueued("came")
        if job.type == "LeaseLost":
            raise sdk.LeaseLost("why", reason=job.key)
        raise getattr(sdk, job.type)("why", definite=None if job.key is None else job.key == "yes")

    def list(self, now_ms, queue, state, limit, cursor):
        return sdk.JobPage([sdk.Job("i", queue, f"{state} {limit} {cursor}", b"\0\xff")], "next")

    def close(self):
        print(f"{self.name} closed")


class OddDriver(sdk.Driver):
    name = "odd"
    version = "7"
    profile = {"base": "taskharbor"}

    def setup(self, namespace, url, options):
        print(f"setup {namespace} {url} {options}")

    def open(self, session, role):
        return OddSession(session)


print("printed before serving")
sdk.serve(OddDriver(), threads=int(os.environ.get("THREADS", "1")))

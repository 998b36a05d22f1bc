"""The memory example with one bug: it does not compare tokens."""

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "drivers/sdk/python/examples"))

from memory_queue import MemoryDriver, Queue, serve  # noqa: E402


class CarelessQueue(Queue):
    def held(self, hold):
        lease = self.find(hold.job_id).lease
        return super().held(replace(hold, token=lease.token) if lease else hold)


class CarelessDriver(MemoryDriver):
    name = "python-careless-queue"

    def setup(self, namespace, url, options):
        self.queue = CarelessQueue()


if __name__ == "__main__":
    serve(CarelessDriver())

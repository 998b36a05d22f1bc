"""The Python SDK over real pipes and sockets."""

import base64
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ODD = str(HERE / "odd_driver.py")
EXAMPLES = HERE.parents[1] / "drivers/sdk/python/examples"
MIB = 1024 * 1024


class Peer:
    """A driver's process, and Assay's side of the conversation with it."""

    def __init__(self, script, *arguments, **environment):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [sys.executable, str(script), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            env={**os.environ, "PYTHONUNBUFFERED": "", **environment},
        )
        self.sent = 0

    def send_line(self, line):
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def send(self, op, **fields):
        self.sent += 1
        self.send_line(json.dumps({"id": self.sent, "op": op, **fields}).encode() + b"\n")
        return self.sent

    def receive(self):
        return json.loads(self.process.stdout.readline())

    def call(self, op, **fields):
        sent = self.send(op, **fields)
        answer = self.receive()
        assert answer.pop("id") == sent, answer
        return answer

    def enqueue(self, type, session="s", data=b"", **fields):
        job = {"queue": "q", "type": type, "payload": base64.b64encode(data).decode(), **fields}
        return self.call("enqueue", session=session, now_ms=5, job=job)

    def end(self):
        """Ends the input; the exit status, what else came on stdout, what came on stderr."""
        self.close_input()
        rest = self.process.stdout.read()
        self.process.wait(20)
        self.log.seek(0)
        return self.process.returncode, rest, self.log.read().decode()

    def close_input(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass  # it ended before it took all

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.close_input()
        self.process.stdout.close()
        self.log.close()


class PeerTest(unittest.TestCase):
    def start(self, script, *arguments, **environment):
        peer = Peer(script, *arguments, **environment)
        self.addCleanup(peer.stop)
        return peer


class OddTest(PeerTest):
    def setUp(self):
        self.peer = self.start(ODD)

    def open(self, *names):
        for name in names:
            self.assertEqual(self.peer.call("open", session=name, role="worker"), {"ok": {}})

    def refused(self, answer, code):
        self.assertEqual(answer.get("error", {}).get("code"), code, answer)
        return answer["error"]

    def end_well(self):
        status, rest, log = self.peer.end()
        self.assertEqual((status, rest), (0, b""), log)
        return log


class Hello(OddTest):
    def test_says_what_the_driver_is(self):
        said = self.peer.call("hello", protocol=1)["ok"]
        profile = {"base": "taskharbor"}
        self.assertEqual(
            said, {"protocol": 1, "name": "odd", "version": "7", "profile": profile}
        )

    def test_refuses_another_protocol(self):
        error = self.refused(self.peer.call("hello", protocol=2), "unsupported")
        self.assertIn("protocol 1, not 2", error["message"])


class Calls(OddTest):
    def test_reach_the_session_that_they_name(self):
        self.open("a", "b")
        self.assertEqual(self.peer.enqueue("echo", "a")["ok"]["id"], "a 5 ")
        self.assertEqual(self.peer.enqueue("echo", "b")["ok"]["id"], "b 5 ")

    def test_carry_any_bytes(self):
        self.open("s")
        every = bytes(range(256))
        self.assertEqual(self.peer.enqueue("echo", data=every)["ok"]["id"], "s 5 " + every.hex())
        page = self.peer.call("list", session="s", now_ms=1, queue="q", limit=3, cursor=None)["ok"]
        self.assertEqual(base64.b64decode(page["jobs"][0]["payload"]), b"\0\xff")
        self.assertEqual((page["jobs"][0]["type"], page["cursor"]), ("None 3 None", "next"))

    def test_ignore_fields_that_they_do_not_know(self):
        self.open("s")
        self.assertIn("ok", self.peer.enqueue("echo", colour="red"))

    def test_refuse_wrong_types_as_invalid(self):
        self.open("s")
        for fields in (
            {"queue": 1},
            {"queue": None},
            {"payload": "?"},
            {"run_at_ms": 1.5},
            {"run_at_ms": True},
            {"max_attempts": 2**63},
            {"key": []},
        ):
            self.refused(self.peer.enqueue("echo", **fields), "invalid")
        page = {"session": "s", "now_ms": 1, "queue": "q", "limit": 1}
        self.refused(self.peer.call("list", **page, state="asleep"), "invalid")
        self.refused(self.peer.call("reserve", session="s", now_ms=1, queues="q"), "invalid")
        self.refused(self.peer.call("list", **{**page, "now_ms": "now"}), "invalid")
        self.refused(self.peer.call("open", session="t", role="king"), "invalid")
        self.refused(self.peer.call("advance", by_ms=-1), "invalid")
        self.refused(self.peer.call(7), "invalid")

    def test_that_the_driver_lacks_are_unsupported(self):
        self.open("s")
        hold = {"session": "s", "now_ms": 1, "job_id": "j", "token": "t"}
        self.refused(self.peer.call("ack", **hold), "unsupported")
        self.refused(self.peer.call("extend", **hold, lease_ms=1), "unsupported")
        self.refused(self.peer.call("now"), "unsupported")
        self.refused(self.peer.call("dance"), "unsupported")

    def test_after_close_are_closed_but_for_close(self):
        self.open("s")
        self.assertEqual(self.peer.call("close", session="s"), {"ok": {}})
        self.assertEqual(self.peer.call("close", session="s"), {"ok": {}})
        self.refused(self.peer.enqueue("echo"), "closed")
        self.open("s")
        self.refused(self.peer.call("open", session="s", role="worker"), "conflict")
        self.assertIn("ok", self.peer.enqueue("echo"))

    def test_of_teardown_close_the_sessions(self):
        self.open("s")
        self.assertEqual(self.peer.call("teardown", namespace="n"), {"ok": {}})
        self.refused(self.peer.enqueue("echo"), "closed")


class Refusals(OddTest):
    def test_have_the_code_of_their_class(self):
        self.open("s")
        for name, code in (
            ("Invalid", "invalid"),
            ("NotFound", "not_found"),
            ("DuplicateKey", "duplicate_key"),
            ("DuplicateId", "duplicate_id"),
            ("Conflict", "conflict"),
            ("Unsupported", "unsupported"),
            ("Closed", "closed"),
            ("Unavailable", "unavailable"),
            ("Internal", "internal"),
        ):
            error = self.refused(self.peer.enqueue(name), code)
            self.assertEqual(error, {"code": code, "message": "why"})

    def test_say_whether_they_are_definite_where_the_driver_does(self):
        self.open("s")
        self.assertIs(self.peer.enqueue("Conflict", key="no")["error"]["definite"], False)
        self.assertIs(self.peer.enqueue("Unavailable", key="yes")["error"]["definite"], True)

    def test_of_a_lost_lease_give_the_reason(self):
        self.open("s")
        error = self.refused(self.peer.enqueue("LeaseLost", key="expired"), "lease_lost")
        self.assertEqual(error["reason"], "expired")


class Trouble(OddTest):
    def test_of_the_driver_is_internal_and_serving_goes_on(self):
        self.open("s")
        error = self.refused(self.peer.enqueue("crash"), "internal")
        self.assertIn("the driver stumbled", error["message"])
        self.refused(self.peer.enqueue("nothing"), "internal")
        self.assertIn("ok", self.peer.enqueue("echo"))
        log = self.end_well()
        self.assertIn("Traceback", log)
        self.assertIn("the driver stumbled", log)

    def test_of_a_long_answer_is_internal(self):
        self.open("s")
        self.assertEqual(len(self.peer.enqueue("large")["ok"]["id"]), 15 * MIB)
        self.refused(self.peer.enqueue("huge"), "internal")
        self.assertIn("ok", self.peer.enqueue("echo"))

    def test_of_a_line_that_is_no_request_ends_it_with_words(self):
        for line in (b"hi", b"[1]", b'{"op":"now"}', b'{"id":"1"}', b'{"id":1,"op":"\xff"}', b""):
            peer = self.start(ODD)
            peer.send_line(line + b"\n")
            status, rest, log = peer.end()
            self.assertEqual((status, rest), (1, b""), line)
            self.assertIn("protocol error", log)
            self.assertNotIn("Traceback", log)

    def test_of_a_line_that_is_too_long_ends_it_with_words(self):
        fits = b'{"id":1,"op":"dance","x":"' + b"x" * 15 * MIB
        self.peer.send_line(fits + b'"}\n')
        self.refused(self.peer.receive(), "unsupported")
        try:
            self.peer.send_line(fits + b"x" * 2 * MIB + b'"}\n')
        except BrokenPipeError:
            pass
        status, rest, log = self.peer.end()
        self.assertEqual((status, rest), (1, b""))
        self.assertIn("more than 16777216 bytes", log)


class Streams(OddTest):
    def test_keep_stray_output_away_from_the_answers(self):
        self.open("s")
        self.assertEqual(self.peer.enqueue("print")["ok"]["id"], "''")
        log = self.end_well()
        for stray in ("printed before serving", "stray print", "stray write", "stray child"):
            self.assertIn(stray, log)

    def test_close_the_sessions_at_their_end(self):
        self.open("a", "b")
        log = self.end_well()
        self.assertIn("a closed", log)
        self.assertIn("b closed", log)

    def test_need_no_newline_at_the_very_end(self):
        self.peer.send_line(b'{"id":1,"op":"now"}')
        self.peer.close_input()
        self.refused(self.peer.receive(), "unsupported")
        self.end_well()

    def test_end_quietly_at_a_signal(self):
        self.open("s")
        self.peer.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.peer.process.wait(20), 0)
        log = self.end_well()
        self.assertIn("s closed", log)
        self.assertNotIn("Traceback", log)


class Threads(PeerTest):
    def test_answer_sessions_out_of_order(self):
        peer = self.start(ODD, THREADS="2")
        for name in ("a", "b"):
            peer.call("open", session=name, role="worker")
        job = {"queue": "q", "payload": ""}
        first = peer.send("enqueue", session="a", now_ms=1, job={**job, "type": "wait"})
        second = peer.send("enqueue", session="b", now_ms=1, job={**job, "type": "come"})
        answers = {answer["id"]: answer["ok"]["id"] for answer in (peer.receive(), peer.receive())}
        self.assertEqual(answers, {first: "True", second: "came"})
        self.assertEqual(peer.end()[0], 0)


class Tcp(unittest.TestCase):
    def test_serves_one_connection_after_another(self):
        process = subprocess.Popen(
            [sys.executable, ODD, "--listen", "127.0.0.1:0"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        line = process.stderr.readline()
        while not line.startswith("listening on 127.0.0.1:"):
            self.assertTrue(line, "it ended")
            line = process.stderr.readline()
        port = int(line.rpartition(":")[2])
        for spoil in (b"", b"nonsense\n", b""):
            with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
                with connection.makefile("rb") as answers:
                    connection.sendall(b'{"id":3,"op":"open","session":"s","role":"admin"}\n')
                    self.assertEqual(json.loads(answers.readline()), {"id": 3, "ok": {}})
                    connection.sendall(spoil)
        process.terminate()
        self.assertEqual(process.wait(20), 0)


class SqliteExample(PeerTest):
    def test_shares_a_namespace_between_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            self.share(folder)

    def share(self, folder):
        a, b = (self.start(EXAMPLES / "sqlite_queue.py") for _ in range(2))
        for peer, create in ((a, True), (b, False)):
            where = {"namespace": "n", "url": folder + "/queue", "options": {"create": create}}
            self.assertEqual(peer.call("setup", **where), {"ok": {}})
            peer.call("open", session="s", role="worker")
        made = [peer.enqueue("t")["ok"]["id"] for peer in (a, b, a, b)]
        self.assertEqual(len(set(made)), 4)
        reserve = {"session": "s", "now_ms": 5, "queues": ["q"], "lease_ms": 1000, "max": 2}
        first = a.call("reserve", **reserve)["ok"]["claims"]
        second = b.call("reserve", **reserve)["ok"]["claims"]
        self.assertEqual([claim["job"]["id"] for claim in first + second], made)
        self.assertEqual(len({claim["token"] for claim in first + second}), 4)
        a.process.kill()
        a.process.wait()
        moved = b.call("advance", by_ms=1000)["ok"]["now_ms"]
        self.assertEqual(moved, first[0]["expires_at_ms"])
        again = b.call("reserve", **{**reserve, "max": 9})["ok"]["claims"]
        self.assertEqual([claim["job"]["id"] for claim in again], made)
        self.assertEqual(b.call("teardown", namespace="n"), {"ok": {}})
        self.assertEqual(os.listdir(folder), [])
        self.assertEqual(b.end()[0], 0)


if __name__ == "__main__":
    unittest.main()

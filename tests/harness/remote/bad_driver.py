"""A driver that is good but for one moment: `assay serve memory` behind it, and a fault in front.

    bad_driver.py FAULT PROGRAM MARK [--listen]

At the fortieth request of the first process that finds no file MARK (it then makes one), FAULT
happens. Faults of the start happen in every process. With --listen it serves one TCP connection
after the other, on a port that it writes to the file MARK.port.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from typing import IO

FAULT, PROGRAM, MARK = sys.argv[1:4]
AT = 40


def first_of_all() -> bool:
    try:
        os.close(os.open(MARK, os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


def say(out: IO[bytes], text: bytes) -> None:
    out.write(text)
    out.flush()


def with_id(answer: bytes, change: int) -> bytes:
    message = json.loads(answer)
    message["id"] += change
    return json.dumps(message).encode() + b"\n"


def misbehave(out: IO[bytes], answer: bytes) -> None:
    if FAULT == "exits_in_the_middle":
        print("KeyError: 'lease'", file=sys.stderr, flush=True)
        os._exit(7)
    elif FAULT == "kills_itself":
        os.kill(os.getpid(), 9)
    elif FAULT == "never_answers":
        time.sleep(1000)
    elif FAULT == "answers_garbage":
        say(out, b"\x00\xff{]\n")
    elif FAULT == "answers_an_empty_line":
        say(out, b"\n" + answer)
    elif FAULT == "stops_its_guard":
        os.kill(os.getppid(), signal.SIGSTOP)
        time.sleep(1000)
    elif FAULT == "answers_half_a_line":
        say(out, answer[: len(answer) // 2])
        time.sleep(1000)
    elif FAULT == "ends_within_a_line":
        say(out, answer[: len(answer) // 2])
        os._exit(0)
    elif FAULT == "answers_a_huge_line":
        for _ in range(100):
            say(out, b"x" * (1 << 20))
        say(out, b"\n")
    elif FAULT == "answers_another_request":
        say(out, with_id(answer, +1000))
    elif FAULT == "answers_an_earlier_request":
        say(out, with_id(answer, -1))
    elif FAULT == "answers_twice":
        say(out, answer + answer)
    elif FAULT == "answers_with_the_wrong_fields":
        say(out, json.dumps({"id": json.loads(answer)["id"], "ok": ["claims"]}).encode() + b"\n")
    elif FAULT == "logs_to_stdout":
        say(out, b"INFO: a request came in\n" + answer)
    elif FAULT == "talks_to_stderr_without_end":
        while True:
            os.write(2, b"WARNING: the queue is rather full\n" * 1000)
    else:
        sys.exit("no such fault: " + FAULT)


def hello(answer: bytes) -> bytes:
    message = json.loads(answer)
    if FAULT == "speaks_another_protocol":
        message["ok"]["protocol"] = 2
    elif FAULT == "claims_the_impossible":
        message["ok"]["profile"] = {"clock": "sundial"}
    elif FAULT == "claims_nothing":
        del message["ok"]["profile"]
    elif FAULT == "claims_something_else_later" and not first_of_all():
        message["ok"]["profile"] = {"base": "weave"}
    else:
        return answer
    return json.dumps(message).encode() + b"\n"


def relay(requests: IO[bytes], out: IO[bytes]) -> None:
    good = subprocess.Popen([PROGRAM, "serve", "memory"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert good.stdin and good.stdout
    for number, request in enumerate(requests, start=1):
        say(good.stdin, request)
        answer = good.stdout.readline()
        if number == 1:
            answer = hello(answer)
        if FAULT == "fills_stderr_and_answers":
            os.write(2, b"DEBUG: " + b"x" * (1 << 20) + b"\n")
        if number == AT and FAULT == "closes_the_socket_within_an_answer" and first_of_all():
            say(out, answer[: len(answer) // 2])
            break
        if number == AT and FAULT not in PERMANENT and first_of_all():
            misbehave(out, answer)
        else:
            say(out, answer)
    good.stdin.close()
    good.wait()


PERMANENT = {
    "speaks_another_protocol",
    "claims_the_impossible",
    "claims_nothing",
    "claims_something_else_later",
    "fills_stderr_and_answers",
    "ignores_the_end_of_its_input",
    "forks_children",
    "closes_the_socket_within_an_answer",
}

if FAULT == "exits_at_start":
    print("ModuleNotFoundError: No module named 'my_queue'", file=sys.stderr)
    sys.exit(3)
if FAULT == "is_silent_from_the_start":
    time.sleep(1000)
if FAULT == "forks_children":
    subprocess.Popen(["sleep", "1000"], start_new_session=True)
    subprocess.Popen(["sh", "-c", "sleep 1000 & exit"], start_new_session=True)

if "--listen" in sys.argv:
    with socket.create_server(("127.0.0.1", 0)) as server:
        with open(MARK + ".new", "w") as port:
            port.write(str(server.getsockname()[1]))
        os.rename(MARK + ".new", MARK + ".port")
        while True:
            connection, _ = server.accept()
            with connection, connection.makefile("rb") as requests, connection.makefile("wb") as out:
                relay(requests, out)
else:
    relay(sys.stdin.buffer, sys.stdout.buffer)
if FAULT == "ignores_the_end_of_its_input":
    time.sleep(1000)

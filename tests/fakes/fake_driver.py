"""A driver that speaks the protocol and keeps no promise; told to, it breaks the protocol in one way.

    python3 fake_driver.py [FAULT] [--listen]
"""

import json
import socket
import sys
import threading
import time

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
PROFILE = {"base": "reference", "capabilities": ["cancel", "inspect", "list_paged", "dlq_ops", "virtual_time"]}
LACKING = {"pause", "resume", "nack"}
JOB = {"id": "j1", "queue": "check", "type": "check", "payload": "AA==", "state": "ready"}

if FAULT == "false_claim":
    PROFILE["capabilities"].append("pause")
if FAULT == "bad_profile":
    PROFILE["order"] = "lifo"
if FAULT == "clock_runs":
    PROFILE["clock"] = "store"
    PROFILE["capabilities"].remove("virtual_time")


def ok_of(request):
    op = request["op"]
    answers = {
        "hello": {"protocol": 1, "name": "fake", "version": "1", "profile": PROFILE},
        "now": {"now_ms": 1893456000000},
        "advance": {"now_ms": 1893456001000},
        "enqueue": {"id": "j1"},
        "reserve": {"claims": [{"job": JOB, "token": "t1", "expires_at_ms": 1893456030000}]},
        "extend": {"expires_at_ms": 1893456060000},
        "cancel": {"state": "cancelled"},
        "get": {"job": JOB},
        "list": {"jobs": [JOB], "cursor": None if request.get("cursor") else "more"},
        "dead": {"entries": [{"job_id": "j1", "job": JOB, "at_ms": 1}]},
        "requeue": {"job_id": "j1"},
    }
    if FAULT == "nothing_to_claim":
        answers["reserve"] = {"claims": []}
    if FAULT == "fraction":
        answers["reserve"]["claims"][0]["expires_at_ms"] = 1.5
    if FAULT == "no_base64":
        answers["get"] = {"job": dict(JOB, payload="?")}
    return answers.get(op, {})


def refusal_of(request):
    op = request["op"]
    if op in LACKING or (op == "assay_check_unknown" and FAULT != "knows_all"):
        return {"code": "unsupported", "message": "not here"}
    if op == "ack" and request["token"] != "t1":
        return {"code": "lease_lost", "reason": "not_held"}
    if FAULT == "strict" and "assay_check_extra" in request:
        return {"code": "invalid", "message": "unknown field"}
    if FAULT == "throws" and op == "list":
        return {"code": "internal", "message": "KeyError: 'state'"}
    if FAULT == "no_setup" and op == "setup":
        return {"code": "unavailable", "message": "no store"}
    if FAULT == "closes_once" and op == "close":
        closed.append(request["session"])
        if closed.count(request["session"]) > 1:
            return {"code": "closed"}
    return None


closed = []


def answer(request, write):
    op = request["op"]
    if FAULT == "dies" and op == "reserve":
        sys.stderr.write("boom\x1b[2J\n")
        sys.exit(3)
    if FAULT == "silent" and op == "extend":
        return
    if FAULT == "noise" and op == "enqueue":
        write("debug: enqueue")
    refusal = refusal_of(request)
    line = {"id": str(request["id"]) if FAULT == "text_ids" else request["id"]}
    line.update({"error": refusal} if refusal else {"ok": ok_of(request)})
    if FAULT == "slow_producer" and request.get("session") == "p1":
        threading.Thread(target=lambda: (time.sleep(0.02), write(json.dumps(line)))).start()
        return
    write(json.dumps(line))
    if FAULT == "twice" and op == "ack":
        write(json.dumps(line))
    if FAULT == "chatty_at_the_end" and op == "teardown":
        write("bye")


def serve(lines, stream):
    def write(line):
        stream.write(line + "\n")
        stream.flush()

    for line in lines:
        answer(json.loads(line), write)


if "--listen" in sys.argv:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        connection, _ = listener.accept()
        # Two of them: a write through one for both forgets lines that were read ahead.
        with connection, connection.makefile("r") as lines, connection.makefile("w") as stream:
            serve(lines, stream)
else:
    serve(sys.stdin, sys.stdout)
    if FAULT == "stays":
        time.sleep(60)
    if FAULT == "ends_badly":
        sys.exit(1)

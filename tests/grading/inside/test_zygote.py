"""Started as the sandbox starts it; the rest of it is tried in tests/grading/test_sandbox.py."""

import json
import sys

import pytest

from cgkit.grading.edition import Edition
from cgkit.grading.inside import zygote
from cgkit.grading.sandbox import Limits, Sandbox, find


@pytest.fixture
def sandbox():
    with Sandbox(find("none"), Edition()) as made:
        yield made


def order(sandbox, **what):
    sandbox._orders.send(json.dumps(what).encode() + b"\n")
    return json.loads(sandbox._orders.recv(1 << 16))


def test_each_order_is_answered_with_its_number(sandbox):
    assert order(sandbox, do="end", number=5) == {"number": 5, "ok": True}
    assert order(sandbox, do="clear", number=6) == {"number": 6, "ok": True}


def test_a_worker_that_cannot_be_fenced_is_refused(sandbox):
    limits = {**vars(Limits()), "memory": "much"}
    first, second = sandbox._orders, None
    import socket

    first, second = socket.socketpair()
    what = {"do": "fork", "number": 7, "limits": limits}
    socket.send_fds(sandbox._orders, [json.dumps(what).encode() + b"\n"], [second.fileno()])
    answer = json.loads(sandbox._orders.recv(1 << 16))
    first.close()
    second.close()
    assert not answer["ok"]
    assert "much" in answer["why"]
    assert order(sandbox, do="end", number=8)["ok"]


def test_cgkit_is_forgotten(monkeypatch):
    monkeypatch.setattr(sys, "modules", {"cgkit": 1, "cgkit.node": 2, "cgkitten": 3, "os": 4})
    zygote.forget_cgkit()
    assert set(sys.modules) == {"cgkitten", "os"}

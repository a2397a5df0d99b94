"""Peers that are tiny: their module is found by this process and by those it starts."""

import os
from pathlib import Path

import pytest

from cgkit.bench.row import Peer, Row

HERE = Path(__file__).resolve().parent


@pytest.fixture
def fakes(monkeypatch):
    """Give the module of tiny peers."""
    monkeypatch.syspath_prepend(HERE / "peers")
    before = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(HERE / "peers"), before])))
    import fake_peers

    return fake_peers


@pytest.fixture
def row_of():
    """Make a row of peers given as `name=set-up` or `name=(allocating, reusing)`."""

    def make(agree=lambda ours, theirs, size: "", size=None, **peers):
        made = []
        for name, set_up in peers.items():
            forms = set_up if isinstance(set_up, tuple) else (set_up, None)
            made.append(set_up if isinstance(set_up, Peer) else Peer(name, *forms))
        return Row("fake", "a test", tuple(made), {"small": size or {}}, agree, threads=(1,))

    return make

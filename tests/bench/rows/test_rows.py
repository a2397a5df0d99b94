"""All rows together: names, peers and sizes that the harness and the command can use."""

import json
import re
from pathlib import Path

import pytest

from cgkit.bench.row import Peer
from cgkit.bench.rows import ROWS
from cgkit.bench.worker import found

ROOT = Path(__file__).resolve().parents[3]
EXTRAS = ("requirements.lock", "requirements-oracle.txt", "requirements-bench.txt")


def test_names_are_unlike():
    names = [row.name for row in ROWS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_can_be_measured(row):
    assert row.ours.name == "cgkit"
    assert set(row.threads) <= {1, 2}
    assert json.loads(json.dumps(dict(row.sizes))) == row.sizes, "sizes cross as JSON"
    assert row.what
    for peer in row.peers:
        for set_up in peer.forms.values():
            assert found(f"{set_up.__module__}:{set_up.__qualname__}") is set_up


@pytest.mark.parametrize(
    "peer",
    dict.fromkeys(peer for row in ROWS for peer in row.peers if peer.package),
    ids=lambda p: p.name,
)
def test_what_a_peer_needs_is_installed_when_asked(peer: Peer):
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in EXTRAS]
    assert any(re.search(rf"^{peer.package}==", text, re.MULTILINE) for text in texts)

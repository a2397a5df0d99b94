"""A peer's process: asked, limited, ended; with the threads it was given."""

import os
import time
from pathlib import Path

import numpy as np
import pytest

from cgkit.bench.process import THREAD_VARIABLES, PeerFault, PeerProcess, environment, processors

LIMIT = 60.0


def opening(name):
    return {"do": "open", "set_up": f"fake_peers:{name}", "size": {}}


@pytest.fixture
def process(fakes, tmp_path):
    with PeerProcess("fake", 1, tmp_path) as process:
        yield process


def test_it_answers_whatever_a_peer_prints(process):
    assert process.ask(opening("printing"), LIMIT) == {"opened": True}
    assert process.ask({"do": "time", "calls": 1}, LIMIT)["seconds"] > 0


def test_an_error_is_a_fault_and_the_process_lives_on(process):
    with pytest.raises(PeerFault, match="fake fails: LookupError: no set-up today"):
        process.ask(opening("failing"), LIMIT)
    assert process.ask(opening("doubling"), LIMIT) == {"opened": True}


def test_a_death_is_told_with_the_last_words(process):
    with pytest.raises(PeerFault, match="the process of fake ended") as found:
        process.ask(opening("dying"), LIMIT)
    assert found.value.why == "exit code 7; last words"
    with pytest.raises(PeerFault, match="ended"):
        process.ask(opening("doubling"), LIMIT)


def test_silence_ends_it(process):
    process.ask(opening("doubling"), LIMIT)
    start = time.monotonic()
    with pytest.raises(PeerFault, match=r"no answer to 'open' within 0\.2 seconds"):
        process.ask(opening("sleeping"), 0.2)
    process.close()
    assert time.monotonic() - start < 30


@pytest.mark.parametrize("interrupted", [False, True])
def test_nothing_is_left_running(fakes, tmp_path, interrupted):
    process = PeerProcess("fake", 1, tmp_path)
    if interrupted:
        with pytest.raises(KeyboardInterrupt), process:
            raise KeyboardInterrupt
    else:
        with process:
            process.ask(opening("doubling"), LIMIT)
    assert process._process.returncode is not None
    assert not any(listener.is_alive() for listener in process._listeners)


def test_threads_and_processors_are_set_before_anything_is_imported(process, tmp_path):
    file = tmp_path / "told.npz"
    process.ask(opening("circumstances"), LIMIT)
    process.ask({"do": "outputs", "file": str(file)}, LIMIT)
    with np.load(file) as arrays:
        omp, blas, cpus, scratch = arrays["told"].tolist()
    assert (omp, blas) == ("1", "1")
    assert scratch == str(tmp_path)
    assert int(cpus) == len(processors(1))


def test_every_thread_pool_hears_of_it():
    variables = environment({"PATH": "/bin", "OMP_NUM_THREADS": "8"}, 2, Path("scratch"))
    assert {variables[name] for name in THREAD_VARIABLES} == {"2"}
    assert variables["PATH"] == "/bin"


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="processors cannot be chosen")
def test_processors_are_among_those_allowed(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {7, 3, 5})
    assert processors(2) == [3, 5]
    assert processors(9) == [3, 5, 7]

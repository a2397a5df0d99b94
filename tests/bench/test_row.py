"""Rows: their cases, and set-ups that another process can find."""

import pytest

from cgkit.bench.row import Peer, Row, Work, address


def set_up():
    return Work(lambda: 1, lambda result: {"y": result})


def row(**changes):
    sizes = {"small": {"n": 1}, "large": {"n": 9}}
    return Row("sum", "adding", (Peer("cgkit", set_up),), sizes, lambda *_: "", **changes)


def test_a_case_for_each_number_of_threads_and_size():
    titles = [case.title for case in row().cases()]
    assert titles == ["small, 2 threads", "large, 2 threads", "small, 1 thread", "large, 1 thread"]
    assert [case.values for case in row().cases()] == [{"n": 1}, {"n": 9}] * 2


def test_threads_can_be_chosen_among_those_of_the_row():
    assert [case.threads for case in row().cases([1])] == [1, 1]
    assert list(row(threads=(1,)).cases([2])) == []
    assert [case.title for case in row(threads=(1,)).cases()] == ["small", "large"]


def test_forms_are_those_that_a_peer_has():
    assert list(Peer("a", set_up).forms) == ["allocating"]
    assert list(Peer("a", reusing=set_up).forms) == ["reusing"]
    assert list(Peer("a", set_up, set_up).forms) == ["allocating", "reusing"]


def test_a_set_up_that_no_other_process_finds_is_refused():
    with pytest.raises(ValueError, match=r"the reusing set-up of a is no function of a module"):
        Peer("a", set_up, lambda: None)


def test_an_address_names_module_and_function():
    assert address(set_up) == f"{__name__}:set_up"

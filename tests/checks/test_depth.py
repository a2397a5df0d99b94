import contextlib
import random
import sys

from cgkit.checks.depth import deep_fault, in_blocks, shallow
from cgkit.checks.task import Fault

FAULT = Fault("type", "f(x)", "RecursionError", "", "It calls itself.", error=RecursionError())


def test_the_limit_is_pythons_own_and_comes_back():
    before = sys.getrecursionlimit()
    with contextlib.suppress(KeyError), shallow() as raised:
        assert sys.getrecursionlimit() == 1_000
        assert not raised()
        sys.setrecursionlimit(5_000)
        assert raised()
        raise KeyError
    assert sys.getrecursionlimit() == before


def test_a_limit_that_was_put_back_was_raised_still():
    really, before = sys.setrecursionlimit, sys.getrecursionlimit()
    with shallow() as raised:
        sys.setrecursionlimit(900)
        sys.setrecursionlimit(1_000)
        assert not raised()
        sys.setrecursionlimit(10**6)
        sys.setrecursionlimit(1_000)
        assert raised()
    assert (sys.setrecursionlimit, sys.getrecursionlimit()) == (really, before)


def test_recursion_is_called_by_its_name():
    assert deep_fault(None, "f(x)", "picture", raised=False) is None
    raised = deep_fault(None, "f(x)", "picture", raised=True)
    assert (raised.stage, raised.misconception) == ("cost", "naive recursion")
    found = deep_fault(FAULT, "f(x)", "picture", raised=False)
    assert (found.misconception, found.drawing) == ("naive recursion", "picture")
    other = deep_fault(Fault("values", "", "", "", "no"), "f(x)", "picture", raised=False)
    assert (other.misconception, other.drawing) == ("", "picture")


def test_blocks_hold_what_was_there_and_end_with_the_first():
    graph = {f"n{number}": number for number in range(1_003)}
    found = in_blocks(random.Random(3), graph)
    assert found == graph
    assert list(found) != list(graph)
    assert list(found)[-101:] == list(graph)[:101]

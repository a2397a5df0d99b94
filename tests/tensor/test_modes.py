"""Whether operators are recorded: blocks, decorated functions, and what each leaves behind."""

import asyncio

import pytest

from cgkit import Tensor, no_grad
from cgkit.errors import OperandError
from cgkit.tensor import enable_grad, grad_enabled, set_grad


def recorded():
    return (Tensor(1.0, requires_grad=True) * 2.0).requires_grad


def test_blocks_stand_in_each_other():
    assert recorded()
    with no_grad():
        assert not recorded()
        with enable_grad():
            assert recorded()
            with set_grad(False):
                assert not recorded()
            assert recorded()
        assert not recorded()
    assert recorded()


@pytest.mark.parametrize("on", [True, False])
def test_a_flag_says_which(on):
    with set_grad(on):
        assert recorded() is grad_enabled() is on


def test_one_mode_may_be_entered_again_and_inside_itself():
    mode = no_grad()
    with mode, enable_grad(), mode:
        assert not recorded()
    with mode:
        assert not recorded()
    assert recorded()


def test_functions_may_be_decorated():
    @no_grad()
    def outer():
        """Say what inner says."""
        return recorded(), inner(), recorded()

    @enable_grad()
    def inner():
        return recorded()

    assert outer() == (False, True, False)
    assert recorded()
    assert (outer.__name__, outer.__doc__) == ("outer", "Say what inner says.")


def test_a_decorated_function_may_call_itself_and_may_fail():
    @no_grad()
    def count(n):
        assert not recorded()
        return 0 if n == 0 else 1 + count(n - 1)

    assert count(5) == 5

    @no_grad()
    def fails():
        raise KeyError("x")

    with pytest.raises(KeyError):
        fails()
    assert recorded()


def test_other_tasks_do_not_see_it():
    async def quiet(ready):
        with no_grad():
            ready.set()
            await asyncio.sleep(0.01)
            return recorded()

    async def loud(ready):
        await ready.wait()
        return recorded()

    async def both():
        ready = asyncio.Event()
        return await asyncio.gather(quiet(ready), loud(ready))

    assert asyncio.run(both()) == [False, True]


def test_what_cannot_be_decorated():
    def numbers():
        yield 1

    with pytest.raises(OperandError, match="a generator stops half-way"):
        no_grad()(numbers)
    with pytest.raises(OperandError, match="decorates a function, not 3"):
        no_grad()(3)
    with pytest.raises(OperandError, match="takes True or False, not 'on'"):
        set_grad("on")

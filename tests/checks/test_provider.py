"""The way values are chosen depends on the seed and on nothing else."""

import random

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS

from cgkit.checks import provider


def drawn(seed, backend):
    seen = []
    quiet = settings(
        backend=backend,
        max_examples=50,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    numbers = st.integers(0, 10**9)
    find(numbers, lambda n: seen.append(n) or len(seen) > 40, settings=quiet, random=seed)
    return seen


def test_hypothesis_knows_it_by_name():
    assert provider.register() == provider.BACKEND
    assert AVAILABLE_PROVIDERS[provider.BACKEND].endswith("SeededProvider")


def test_the_same_seed_draws_the_same_and_another_seed_others():
    backend = provider.register()
    first = drawn(random.Random(3), backend)
    assert first == drawn(random.Random(3), backend)
    assert first != drawn(random.Random(4), backend)


def test_no_constant_of_the_surroundings_is_drawn():
    assert provider.SeededProvider(None)._maybe_draw_constant("integer", {}) is None

"""Samples hold what the laws need: each corner, marked where slopes are not to be measured."""

import numpy as np

from cgkit.node import Sample
from cgkit.operators import samples

RNG = np.random.default_rng(0)


def test_a_backward_view_is_the_same_numbers_from_behind():
    x = np.arange(6.0).reshape(2, 3)
    view = samples.backward_view(x)
    np.testing.assert_array_equal(view, x)
    assert max(view.strides) < 0
    assert samples.backward_view(np.array(1.0)).shape == ()


def test_numbers_keep_away_from_kinks_and_poles():
    assert np.abs(samples.apart(RNG, (1000,))).min() >= 0.1
    drawn = samples.positive(RNG, (1000,))
    assert drawn.min() >= 0.3
    assert drawn.max() <= 3


def test_special_pairs_meet_in_every_way():
    *_, last = samples.pairs(RNG)
    met = {(str(a), str(b)) for a, b in zip(*(x.ravel() for x in last.operands), strict=True)}
    assert len(met) == len(samples.SPECIAL) ** 2
    assert not last.differentiable


def test_samples_with_params_vary():
    made = list(samples.with_params(((2, 3), {"axis": 0}), ((0,), {}))(RNG))
    assert [s.operands[0].shape for s in made[:4]] == [(2, 3), (2, 3), (0,), (0,)]
    assert all(s.params == {"axis": 0} for s in made if s.operands[0].size)
    whole = [s for s in made if s.operands[0].dtype.kind == "i"]
    assert len(whole) == 2
    assert not any(s.differentiable for s in whole)


def test_variations_leave_indices_alone():
    places = np.array([1, 0])
    for varied in samples.variations(RNG, Sample((np.ones((2, 2)), places))):
        assert varied.operands[1] is places


def test_every_sort_gives_samples():
    one = (samples.values, samples.reals, samples.positives)
    several = (samples.pairs, samples.positive_pairs, samples.triples, samples.conditions)
    for sort in (*one, *several):
        made = list(sort(RNG))
        assert len(made) > 10
        assert any(s.differentiable for s in made)
        assert any(not s.differentiable for s in made)
        assert all(isinstance(x, np.ndarray) for s in made for x in s.operands)


def test_numbers_keep_inside_the_domain():
    assert np.abs(samples.inside(RNG, (1000,))).max() <= 0.9
    assert samples.beyond(RNG, (1000,)).min() >= 1.2


def test_whole_operands_have_bits():
    for sort, count in ((samples.wholes, 1), (samples.whole_pairs, 2)):
        made = list(sort(RNG))
        assert {x.dtype.kind for s in made for x in s.operands} == {"i", "u", "b"}
        assert all(len(s.operands) == count for s in made)


def test_settings_come_on_top_of_none():
    made = list(samples.settings(samples.values, {"alpha": 2.0})(RNG))
    assert not made[0].params
    assert [s.params for s in made[-3:]] == [{"alpha": 2.0}] * 3
    assert not made[-1].differentiable  # the special numbers are there again


def test_keys_are_single_numbers():
    made = [*samples.keyed({"shape": (2,)})(RNG), *samples.fold_ins(RNG)]
    made += samples.probabilities(RNG)
    assert all(s.operands[0].dtype == "uint64" and s.operands[0].ndim == 0 for s in made)
    x, key = next(samples.with_key({})(RNG)).operands
    assert (x.dtype, key.dtype) == ("float64", "uint64")

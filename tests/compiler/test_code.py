"""What code names, and what is taken as fixed."""

import json
import types

import numpy as np

from cgkit import ops
from cgkit.compiler.code import ANY_NAME, cells, codes, imported, is_library, loaded, mentioned

SCALE = 2.0


def helper(x):
    return [x * SCALE for _ in range(3)] + [json.decoder.NaN]


def test_names_with_their_attributes():
    assert loaded(helper.__code__) == ("range", "json", "SCALE")
    assert mentioned(helper.__code__) >= {"SCALE", "json", "decoder", "NaN", "range"}


def test_functions_inside_are_looked_at():
    def outer(x):
        return (lambda y: y.rate * SCALE)(x)

    assert len(list(codes(outer.__code__))) == 2
    assert loaded(outer.__code__) == ("SCALE",)
    assert "rate" in mentioned(outer.__code__)


def test_patterns_read_attributes_of_any_name():
    def fn(x):
        match x:
            case types.SimpleNamespace(rate=rate):
                return rate

    assert not ANY_NAME.isdisjoint(mentioned(fn.__code__))
    assert ANY_NAME.isdisjoint(mentioned(helper.__code__))


def test_places_of_names_around():
    shift = 3

    def fn(x):
        return x + shift

    assert cells(fn)["shift"].cell_contents == 3
    assert cells(helper) == {}


def test_libraries():
    assert all(map(is_library, (np.exp, len, json.loads, json, ops.exp.__class__, np, int)))
    assert not is_library(helper)
    assert not is_library(types.SimpleNamespace(a=1))
    assert not is_library(type("Odd", (), {"__module__": property(str)}))


def test_modules_that_are_imported_on_the_way():
    def fn(x):
        from json.decoder import NaN

        return x * NaN

    assert imported(fn.__code__) == ("json", "json.decoder")
    assert "mine.json.decoder" in imported(fn.__code__, "mine.own")
    assert "NaN" in mentioned(fn.__code__)

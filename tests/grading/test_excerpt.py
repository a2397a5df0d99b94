import ast

import pytest

from cgkit.errors import UsageFault
from cgkit.grading.excerpt import excerpts


def names_in(text):
    return {node.name for node in ast.parse(text).body if hasattr(node, "name")}


def test_a_definition_comes_alone():
    made = excerpts(["cgkit.errors:CgkitError"])
    assert made.keys() == {"cgkit.errors"}
    assert names_in(made["cgkit.errors"]) == {"CgkitError", "__getattr__"}


def test_bases_and_private_helpers_come_along_other_functions_do_not():
    made = excerpts(["cgkit.types.tensor_type:TensorType"])
    text = made["cgkit.types.tensor_type"]
    assert {"TensorType", "_named_dtype"} <= names_in(text)
    assert "promote" not in names_in(text)
    assert "left_out('cgkit.types.shapes', 'count')" in text
    assert {"DtypeError", "CgkitError"} <= names_in(made["cgkit.errors"])
    assert "CycleError" not in names_in(made["cgkit.errors"])


def test_decorators_stand_above_their_class():
    text = excerpts(["cgkit.types:TensorType"])["cgkit.types.tensor_type"]
    assert "@dataclass(frozen=True, slots=True)\nclass TensorType" in text


def test_a_package_passes_names_on():
    made = excerpts(["cgkit:Graph", "cgkit:CycleError"])
    assert "from cgkit.graph import Graph" in made["cgkit"]
    assert "class Graph" in made["cgkit.graph"]


def test_what_is_left_out_at_first_may_be_given_after_all():
    names = ["cgkit.types:TensorType", "cgkit.types.shapes:count"]
    for order in (names, names[::-1]):
        made = excerpts([*order, "cgkit.types.tensor_type:count"])
        text = made["cgkit.types.tensor_type"]
        assert "from cgkit.types.shapes import count" in text
        assert "left_out('cgkit.types.shapes', 'count')" not in text


@pytest.mark.parametrize("text", excerpts(["cgkit:Graph", "cgkit.score:Score"]).values())
def test_every_text_is_python_and_asks_for_no_more(text):
    ast.parse(text)
    assert "def __getattr__" in text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cgkit.errors:Nothing", "cgkit.errors:Nothing is not defined"),
        ("cgkit.nothing:Graph", "no module cgkit.nothing"),
        ("numpy:array", "not part of cgkit"),
        ("cgkit.errors", "names no definition"),
        ("cgkit.errors:", "names no definition"),
    ],
)
def test_what_is_not_there_is_said(name, words):
    with pytest.raises(UsageFault, match=words):
        excerpts([name])

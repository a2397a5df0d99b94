"""What a module is made of: attributes, found wherever they stand, each thing once."""

import numpy as np
import pytest

from cgkit import GraphBuilder, Tensor
from cgkit.errors import CaptureError, GradientError, StateError
from cgkit.nn.members import Holder


class Part(Holder):
    def __init__(self, number=0.0):
        self.weight = Tensor(number, requires_grad=True)


class Whole(Holder):
    pass


def test_members_have_the_names_of_where_they_stand():
    whole = Whole()
    whole.first = Part()
    whole.parts = [Part(), (Part(), {"left": Part(), 3: Tensor(1.0)})]
    whole.size = 3
    whole._note = Part()
    assert list(whole.named_tensors()) == [
        "first.weight", "parts.0.weight", "parts.1.0.weight", "parts.1.1.left.weight",
        "parts.1.1.3",
    ]  # fmt: skip
    names = [name for name, leaf in whole.members() if isinstance(leaf, Holder)]
    assert names == ["", "first", "parts.0", "parts.1.0", "parts.1.1.left"]
    assert whole.parts[1][0]._name == "parts.1.0"


def test_what_stands_in_two_places_has_one_name():
    whole = Whole()
    whole.a = Part()
    whole.b = whole.a
    whole.c = whole.a.weight
    assert list(whole.named_tensors()) == ["a.weight"]
    whole.owner = whole  # a circle ends where it began
    assert list(whole.named_tensors()) == ["a.weight"]


def test_a_list_that_holds_itself_is_refused():
    whole, circle = Whole(), [1]
    circle.append({"again": circle})
    with pytest.raises(StateError, match=r"parts\.1\.again holds itself"):
        whole.parts = circle


def test_one_name_for_two_tensors_is_refused():
    whole = Whole()
    whole.parts = {"a.b": Tensor(1.0), "a": {"b": Tensor(2.0)}}
    with pytest.raises(StateError, match=r"two tensors of the name 'parts\.a\.b'"):
        whole.named_tensors()


def test_what_was_computed_is_no_parameter():
    part = Part()
    with pytest.raises(GradientError, match=r"Part\.weight cannot be Tensor\(0\., grad_fn=mul\)"):
        part.weight = part.weight * 2.0
    part._last = part.weight * 2.0  # a note is no member
    part.kept = (part.weight * 2.0).detach()
    assert list(part.named_tensors()) == ["weight", "kept"]


def test_a_tensor_does_not_stop_being_one_unnoticed():
    part = Part(1.0)
    for number in (2.0, np.ones(2), np.float64(3.0), True):
        with pytest.raises(StateError, match=r"Part\.weight is a Tensor, and would be none any"):
            part.weight = number
    part.weight = None  # without one is another matter
    assert part.named_tensors() == {}


def test_a_value_of_a_graph_does_not_leak_into_a_module():
    part = Part()
    x = GraphBuilder().placeholder((), name="x")
    with pytest.raises(CaptureError, match=r"Part\.weight cannot keep Value\(x: float64\[\]\)"):
        part.weight = x
    assert part.weight.item() == 0.0


def test_a_copy_to_be_read_keeps_what_is_shared_and_touches_nothing():
    whole = Whole()
    whole.parts = [Part(1.0), Part(2.0)]
    whole.tied = {"again": whole.parts[0], "weight": whole.parts[1].weight}
    first, second = whole.parts[0].weight, whole.parts[1].weight
    copy = whole.replaced({id(first): "one", id(second): "two"}, keeping=True)
    assert [part.weight for part in copy.parts] == ["one", "two"]
    assert copy.tied["again"] is copy.parts[0]
    assert copy.tied["weight"] == "two"
    copy.parts[0].weight = GraphBuilder().placeholder(())
    copy.parts.append(3)
    with pytest.raises(CaptureError, match=r"Part\.weight cannot keep Value"):
        whole.replaced({}, keeping=False).parts[0].weight = GraphBuilder().placeholder(())
    assert whole.parts[0].weight is first
    assert len(whole.parts) == 2
    assert type(copy) is Whole


def test_other_containers_are_left_alone():
    whole = Whole()
    whole.data = np.zeros(3)
    whole.kinds = {1, 2}
    copy = whole.replaced({}, keeping=False)
    assert copy.data is whole.data
    assert copy.kinds is whole.kinds

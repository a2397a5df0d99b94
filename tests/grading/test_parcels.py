import enum
import json
from dataclasses import dataclass, field

import numpy as np
import pytest

from cgkit.grading.classes import form_of
from cgkit.grading.codec import Refused, refuse, refuse_mark
from cgkit.grading.parcels import Held, Packer, Parcel, Unpacker


class Color(enum.Enum):
    RED = 1


@dataclass(eq=False)
class Node:
    name: str
    inputs: object = ()
    data: object = None


@dataclass
class Other:
    value: object = field(default=None)


FORMS = {kind.__name__: form_of(kind) for kind in (Color, Node, Other)}


def crossed(value, *, held=None):
    """Send a value from inside to outside."""
    packer = Packer(refuse, FORMS, held or Held())
    mark = json.loads(json.dumps(packer(value)))
    objects = json.loads(json.dumps(packer.objects))
    parcel = Parcel(bytes(packer.raw), objects)
    return Unpacker(parcel, refuse_mark, FORMS, held or Held())(mark)


def test_an_object_crosses_by_its_fields():
    found = crossed([Node("a", data=np.arange(3)), Color.RED])
    assert (type(found[0]), found[0].name, found[1]) == (Node, "a", Color.RED)
    assert found[0].data.tolist() == [0, 1, 2]


def test_shared_objects_stay_shared():
    a = Node("a")
    found = crossed({"x": Node("b", (a, [a, {"k": a}])), "y": a})
    x, y = found["x"], found["y"]
    assert x.inputs[0] is x.inputs[1][0] is x.inputs[1][1]["k"] is y


def test_a_long_chain_and_many_paths_cross():
    last = Node("0")
    for number in range(5_000):
        last = Node(str(number), (last, last))
    found, depth = crossed(last), 0
    while found.inputs:
        assert found.inputs[0] is found.inputs[1]
        found, depth = found.inputs[0], depth + 1
    assert depth == 5_000


@pytest.mark.parametrize("hide", [lambda n: [n], lambda n: {"k": (n,)}, lambda n: Other([n])])
def test_circles_are_refused(hide):
    node = Node("a")
    node.inputs = hide(node)
    with pytest.raises(Refused, match="in a circle cannot be handed over"):
        crossed([node])


def test_a_list_that_holds_itself_is_refused():
    node = Node("a", [])
    node.inputs.append(node.inputs)
    with pytest.raises(Refused, match="nested deeper"):
        crossed(node)


def test_what_was_lent_comes_back_as_itself():
    a = Node("a")
    b = Node("b", (a,))
    ours, theirs = Held(), Held()
    packer = Packer(refuse, FORMS, ours, lends=True)
    mark = packer([b, a])
    decode = Unpacker(Parcel(b"", packer.objects), refuse_mark, FORMS, theirs, borrows=True)
    inside = decode(mark)
    assert inside[0].inputs[0] is inside[1]
    inside[1].name = "changed"
    answer = Packer(refuse, FORMS, theirs)
    mark = answer([inside[1], Node("new", (inside[0],))])
    found = Unpacker(Parcel(b"", answer.objects), refuse_mark, FORMS, ours)(mark)
    assert found[0] is a
    assert found[1].inputs[0] is b
    assert a.name == "a"


def test_what_is_lent_can_be_renewed_and_forgotten():
    held = Held()
    node = Node("a")
    Packer(refuse, FORMS, held, lends=True)(node)
    decode = Unpacker(Parcel(b""), refuse_mark, FORMS, held)
    assert decode.renew([[0, ["b", {"tuple": []}, 3]]])
    assert (node.name, node.inputs, node.data) == ("b", (), 3)
    assert not decode.renew([])
    held.cut(0)
    assert held.number(node) is None
    assert not held.things


LIES = [
    ({"new": 0}, ()),
    ({"new": -1}, [["Node", ["a", 1, 2]]]),
    ({"new": True}, [["Node", ["a", 1, 2]]]),
    ({"held": 0}, ()),
    ({"held": "x"}, ()),
    ({"member": ["Node", "RED"]}, ()),
    ({"member": ["Color", "BLUE"]}, ()),
    ({"member": ["Color"]}, ()),
    ({"member": ["Nothing", "RED"]}, ()),
    (1, [["Nothing", []]]),
    (1, [["Node", ["a"]]]),
    (1, [["Node", "a"]]),
    (1, [["Color", []]]),
    (1, [["Node", [{"new": 0}, 1, 2]]]),
    (1, [[["Node"], []]]),
    (1, ["Node"]),
    (1, [3]),
    (1, "Node"),
    (1, 3),
]


@pytest.mark.parametrize(("mark", "objects"), LIES)
def test_lies_are_refused(mark, objects):
    with pytest.raises(Refused):
        Unpacker(Parcel(b"", objects), refuse_mark, FORMS, Held())(mark)


@pytest.mark.parametrize("told", [[[0, [1]]], [[5, []]], [[-1, [1, 2, 3]]], [3], 3, [["0", []]]])
def test_lies_about_changes_are_refused(told):
    held = Held()
    Packer(refuse, FORMS, held, lends=True)(Node("a"))
    with pytest.raises(Refused):
        Unpacker(Parcel(b""), refuse_mark, FORMS, held).renew(told)


def test_what_is_no_known_class_is_left_to_others():
    packer = Packer(lambda thing: {"else": str(thing)}, {}, Held())
    assert packer(Color.RED) == {"else": "Color.RED"}

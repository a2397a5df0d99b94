"""A module as a short tree."""

from cgkit import Generator, Tensor
from cgkit.nn import Dropout, Linear, Module, Sequential
from cgkit.nn.outline import heading, outline


class Block(Module):
    def __init__(self, size, generator, *, depth=1, sizes=(1, 2), flag=True):
        self.size = size
        self.depth = depth
        self.sizes = sizes
        self.flag = flag
        self.mix = Linear(size, size, generator)
        self.mean = Tensor([0.0])


def test_a_heading_says_what_is_not_usual():
    g = Generator(0)
    assert heading(Block(3, g)) == "Block(3)"
    assert heading(Block(3, g, depth=2, sizes=(3,))) == "Block(3, depth=2, sizes=(3,))"
    assert heading(Block(3, g, flag=False)) == "Block(3, flag=False)"
    assert heading(Linear(2, 3, g, bias=False)) == "Linear(2, 3, bias=False)"
    assert heading(Module()) == "Module()"


def test_a_single_layer_takes_one_line():
    assert outline(Linear(1, 1, Generator(0), bias=False)) == (
        "Linear(1, 1, bias=False)  1 parameter: weight (1, 1)"
    )
    assert outline(Dropout(0.1)) == "Dropout(rate=0.1)  0 parameters"


def test_a_tree_shows_parts_shapes_and_counts():
    g = Generator(0)
    model = Sequential(Linear(1000, 2, g), Block(2, g))
    assert outline(model).splitlines() == [
        "Sequential()           2,008 parameters, float32, float64",
        "  0  Linear(1000, 2)   2,002  weight (1000, 2), bias (2,)",
        "  1  Block(2)              6  mean (1,) kept",
        "    mix  Linear(2, 2)      6  weight (2, 2), bias (2,)",
    ]


def test_equal_neighbors_share_a_line():
    g = Generator(0)
    model = Module()
    model.blocks = [Block(2, g) for _ in range(12)]
    model.last = Linear(2, 1, g)
    assert outline(model).splitlines() == [
        "Module()                                75 parameters, float32, float64",
        "  blocks.0 to blocks.11  12 x Block(2)  72  mean (1,) kept",
        "    mix  Linear(2, 2)                    6  weight (2, 2), bias (2,)",
        "  last  Linear(2, 1)                     3  weight (2, 1), bias (1,)",
    ]


def test_a_shared_layer_is_counted_and_shown_once():
    layer = Linear(2, 2, Generator(0))
    model = Sequential(layer, Dropout(), layer)
    lines = outline(model).splitlines()
    assert len(lines) == 3
    assert "6 parameters" in lines[0]

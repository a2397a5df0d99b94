"""What stands on a box that stands for a stage of a graph.

conv2_1 … conv2_6                      the names that its nodes share
6 times 2 Conv, 2 Relu, Concat         what is inside

"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import takewhile

from cgkit.node import Node

WIDTH = 38
"""Letters of a line on a box."""

NUMBERED = re.compile(r"[a-z]?\d*", re.IGNORECASE)

CHAIN = 6
"""How many operators in a row are written one after another; more are counted."""


def stage_words(nodes: Sequence[Node], outer: str) -> str:
    """Say what a stage is: what its nodes' names share, and the size of its tensors.

    Parameters
    ----------
    nodes
        All of it.
    outer
        What all names of the graph share; it is left out.
    """
    name = within(shared_name(node.name for node in nodes), outer)
    shape = nodes[-1].results[0].shape if nodes[-1].results else ()
    sizes = shape[2:] if len(shape) > 3 else shape[1:] if len(shape) == 3 else ()
    known = all(str(size) not in "?…" for size in sizes)
    size = " x ".join(map(str, sizes)) if known and any(size != 1 for size in sizes) else ""
    return _title("\n".join(filter(None, [name, size])), counted(nodes))


def part_words(blocks: Sequence[Sequence[Node]], outer: str) -> str:
    """Say what a part is: names, how often it repeats, and its operators."""
    if len(blocks) == 1:
        return block_words(blocks[0], outer)
    ends = [within(shared_name(node.name for node in block), outer) for block in blocks]
    first, last = ends[0], ends[-1]
    name = f"{first} … {last}" if first and last and first != last else ""
    return _title(name, f"{len(blocks)} x ({inside_words(blocks[0])})")


def block_words(nodes: Sequence[Node], outer: str) -> str:
    """Say what a block is: the name that its nodes share, and its operators."""
    return _title(within(shared_name(node.name for node in nodes), outer), inside_words(nodes))


def _title(heading: str, inside: str) -> str:
    lines = textwrap.wrap(inside, WIDTH, break_long_words=False)
    return "\n".join([heading, "", *lines])


def inside_words(nodes: Sequence[Node]) -> str:
    """Write the operators of a block: in a row where they are one, or else counted."""
    names = [node.operator.name for node in nodes]
    if len(names) <= CHAIN and _is_chain(nodes):
        return " → ".join(names)
    return counted(nodes)


def counted(nodes: Sequence[Node]) -> str:
    """Count operators, in the order in which they are met first."""
    counts = Counter(node.operator.name for node in nodes)
    return ", ".join(name if times == 1 else f"{times} {name}" for name, times in counts.items())


def _is_chain(nodes: Sequence[Node]) -> bool:
    inside = set(nodes)
    for before, node in zip([None, *nodes], nodes, strict=False):
        if {producer for producer in node.producers if producer in inside} != {before} - {None}:
            return False
    return True


def shared_name(names: Iterable[str]) -> str:
    """Give what names share, cut where a word of theirs ends.

    Names that are empty or a mere number, as "r12", do not count.

    Examples
    --------
    >>> shared_name(["res2_0_branch1", "", "res2_0_branch2a"]), shared_name(["a/b", "a/b/c"])
    ('res2_0', 'a/b')
    >>> shared_name(["conv2_1", "conv2_blk"]), shared_name(["conv1", "fc"]), shared_name(["r3"])
    ('conv2', '', '')
    """
    found = sorted({name for name in names if name and not NUMBERED.fullmatch(name)})
    if not found:
        return ""
    words = [re.split(r"([./_-])", name) for name in found]
    alike = takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False))
    return "".join(column[0] for column in alike).rstrip("./_-")


def within(name: str, outer: str) -> str:
    """Leave out of a name what all names of the graph share.

    Examples
    --------
    >>> within("gpu_0/res2_0", "gpu_0"), within("gpu_0", "gpu_0"), within("conv1", "")
    ('res2_0', '', 'conv1')
    """
    return name.removeprefix(outer).lstrip("./_-") if outer else name

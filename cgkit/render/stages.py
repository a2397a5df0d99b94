"""The stages of a large graph that nobody put into scopes.

    a ─► b ─┬─► c ─► d ─┬─► f ─► g ...          cuts: after b, f, g, where one tensor
            └─► e ──────┘                       connects all before to all behind

    segments between cuts  ─>  stages, in which tensors keep their size  ─>  parts: the same segment
                                                                             over and over, or once

Three levels of scopes come of it: stages, parts of stages, and the blocks of a part that repeats.
A node with one tensor in and one out is a segment by itself, so a chain falls apart into its nodes
and is put together again by what repeats. What is known before the data comes (weights, and what
is computed from them) belongs to who reads it first.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise

from cgkit.graph import Graph
from cgkit.node import INPUT, Node
from cgkit.render.layers import Decoration
from cgkit.render.stage_words import block_words, part_words, shared_name, stage_words
from cgkit.types import Size

PARTS = 2
"""The depth of the parts of stages, which is what a picture shows unless it is told otherwise."""

LARGE = 40
"""Nodes of a segment that is worth another try, with more than one tensor connecting."""

WIDEST = 4
"""How many tensors connect at most where a large segment is cut."""

STAGES = 16
"""How many changes of size make stages; with more, they tell nothing."""

SMALL = 8
"""Nodes of a stage that are drawn one by one where its parts are, if it is all one part."""

FEWEST = 4
"""How many parts make a picture worth more than one by levels."""

_PERIOD = 12

Segment = tuple[Node, ...]


@dataclass(frozen=True)
class Part:
    """Segments that follow each other: the same few, several times, or unlike ones, once."""

    blocks: tuple[Segment, ...]
    """What repeats, each time; one block where nothing does."""

    @property
    def nodes(self) -> Segment:
        """All of it."""
        return tuple(node for block in self.blocks for node in block)


Stage = tuple[Part, ...]


def stages(graph: Graph) -> Decoration:
    """Put the nodes of a graph into scopes: stage, part, block. A layer for `draw`.

    Returns
    -------
    Decoration
        Without scopes where the graph has no stages to speak of.
    """
    found = find_stages(graph)
    if not worth(found):
        return Decoration()
    scopes: dict[Node, str] = {}
    titles: dict[str, str] = {}
    outer = shared_name(node.name for stage in found for part in stage for node in part.nodes)
    for number, stage in enumerate(found):
        nodes = tuple(node for part in stage for node in part.nodes)
        titles[f"s{number}"] = stage_words(nodes, outer)
        for place, part in enumerate(stage):
            scope = f"s{number}/p{place}"
            if len(part.nodes) == 1 or (part.nodes == nodes and len(nodes) <= SMALL):
                scope = f"s{number}"  # a box around one box says nothing
            else:
                titles[scope] = part_words(part.blocks, outer)
            for index, block in enumerate(part.blocks):
                inner = f"{scope}/b{index}" if len(part.blocks) > 1 else scope
                titles.setdefault(inner, block_words(block, outer))
                scopes.update(dict.fromkeys(block, inner))
    if len(found) == 1:
        titles["s0"] = ""
    _adopt(graph, scopes)
    return Decoration(scopes=scopes, titles=titles)


def find_stages(graph: Graph) -> tuple[Stage, ...]:
    """Find the stages of a graph, in order; each data node is in one part of one stage."""
    line = data_nodes(graph)
    data = {*line, *(edge.node for edge in graph.inputs)}
    segments = _glued(cut(line, data))
    found = _by_size(segments)
    if len(found) > STAGES:
        found = [segments]
    return tuple(_parts(stage, data) for stage in found if stage)


def worth(found: Sequence[Stage]) -> bool:
    """Say whether stages tell more than levels: something repeats, or no part is nearly all."""
    parts = [part for stage in found for part in stage]
    once = [len(part.nodes) for part in parts if len(part.blocks) == 1]
    total = sum(len(part.nodes) for part in parts)
    several = len(parts) >= FEWEST or len(once) < len(parts)
    return several and 2 * max(once, default=0) <= total


def data_nodes(graph: Graph) -> Segment:
    """List the operators that depend on an input; all operators where none does."""
    reached = {edge.node for edge in graph.inputs if edge.node is not None}
    if not any(node.operator is INPUT for node in reached):
        return graph.operators
    for node in graph.nodes:
        if node not in reached and any(producer in reached for producer in node.producers):
            reached.add(node)
    return tuple(node for node in graph.operators if node in reached) or graph.operators


def cut(line: Segment, data: Container[Node | None], width: int = 1) -> list[Segment]:
    """Cut a sequence of nodes where few tensors are read before and behind.

    Parameters
    ----------
    line
        Nodes in an order in which they can run.
    data
        Those whose tensors count: the nodes of the whole graph that are data, and its inputs.
    width
        How many tensors may connect.

    A tensor that is needed over more than a third of the sequence does not count: it is a mask
    that all layers read, or a bridge between distant stages.
    """
    connecting = _connecting(line, data)
    ends = [place for place in range(len(line) - 1) if connecting[place] <= width]
    bounds = [0, *(place + 1 for place in ends), len(line)]
    found = [line[low:high] for low, high in pairwise(bounds) if low < high]
    if width == WIDEST:
        return found
    return [
        piece
        for segment in found
        for piece in (cut(segment, data, width + 1) if len(segment) > LARGE else [segment])
    ]


def _connecting(line: Segment, data: Container[Node | None]) -> list[int]:
    """Count, after each node, the tensors that come from before and are read behind."""
    place: dict[Node | None, int] = {node: number for number, node in enumerate(line)}
    spans: dict[tuple[Node | None, int], tuple[int, int]] = {}
    for number, reader in enumerate(line):
        for edge in reader.inputs:
            if edge.node in data:
                start, _ = spans.get(edge.key, (place.get(edge.node, number), 0))
                spans[edge.key] = start, number
    change = [0] * (len(line) + 1)
    for start, end in spans.values():
        if 3 * (end - start) <= len(line) or end - start <= LARGE:
            change[start] += 1
            change[end] -= 1
    return list(accumulate(change[:-1]))


def _glued(segments: Sequence[Segment]) -> list[Segment]:
    """Put an activation to the block before it: a sum and its relu are one thing."""
    made: list[Segment] = []
    for segment in segments:
        alone = len(segment) == 1 and segment[0].operator.family == "activation"
        if alone and made and len(made[-1]) > 1:
            made[-1] = (*made[-1], *segment)
        else:
            made.append(segment)
    return made


def _by_size(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Group segments whose results have the same size, channels apart."""
    sizes: list[object] = []
    for segment in segments:
        size = extent(segment[-1])
        sizes.append(sizes[-1] if size is None and sizes else size)
    groups = [
        [segment for segment, _ in group]
        for _, group in groupby(zip(segments, sizes, strict=True), key=lambda pair: pair[1])
    ]
    return _without_detours(groups)


def _without_detours(groups: list[list[Segment]]) -> list[list[Segment]]:
    """Join two stages of one size when only a few nodes between them have another."""
    made: list[list[Segment]] = []
    for group in groups:
        small = len(made) > 1 and sum(map(len, made[-1])) <= 3
        if small and extent(made[-2][-1][-1]) == extent(group[-1][-1]):
            detour = made.pop()
            made[-1] += [*detour, *group]
        else:
            made.append(list(group))
    return made


def extent(node: Node) -> tuple[Size, ...] | None:
    """Give the size of what a node makes, without batch and channels; None if it is not known.

    Images have their height and width, sequences all but the batch; what has one number for each
    channel has ().
    """
    shape = node.results[0].shape if node.results else ()
    if any(str(size) in "?…" for size in shape[1:]) or [*map(str, shape)] == ["…"]:
        return None
    if len(shape) == 3:
        return shape[1:]
    sizes = shape[2:]
    return () if all(size == 1 for size in sizes) else sizes


def _parts(stage: Sequence[Segment], data: Container[Node | None]) -> Stage:
    """Put together what repeats, and single nodes that follow each other."""
    signs = [_sign(segment, data) for segment in stage]
    made: list[Part] = []
    loose: list[Node] = []

    def end() -> None:
        if loose:
            made.append(Part((tuple(loose),)))
            loose.clear()

    for start, period, times in repeats(signs):
        blocks = [
            tuple(node for segment in stage[at : at + period] for node in segment)
            for at in range(start, start + period * times, period)
        ]
        if times == 1 and len(blocks[0]) == 1:
            loose += blocks[0]
            continue
        end()
        made.append(Part(tuple(blocks)))
    end()
    return tuple(made)


def _sign(segment: Segment, data: Container[Node | None]) -> object:
    """Write down what a segment does and how it is wired, without its sizes and weights."""
    place: dict[Node | None, int] = {node: number for number, node in enumerate(segment)}
    return tuple(
        (
            node.operator.name,
            tuple((place.get(e.node, -1), e.index) for e in node.inputs if e.node in data),
        )
        for node in segment
    )


def repeats(signs: Sequence[object]) -> list[tuple[int, int, int]]:
    """Find what follows itself: (start, period, times) one after another, until all is covered.

    Examples
    --------
    >>> repeats("abcbcbcd")
    [(0, 1, 1), (1, 2, 3), (7, 1, 1)]
    """
    found = []
    start = 0
    while start < len(signs):
        best = (1, 1)
        for period in range(1, min(_PERIOD, (len(signs) - start) // 2) + 1):
            times = _times(signs, start, period)
            if times > 1 and times * period > best[0] * best[1]:
                best = (period, times)
        found.append((start, *best))
        start += best[0] * best[1]
    return found


def _times(signs: Sequence[object], start: int, period: int) -> int:
    first = signs[start : start + period]
    times = 1
    while signs[start + times * period : start + (times + 1) * period] == first:
        times += 1
    return times


def _adopt(graph: Graph, scopes: dict[Node, str]) -> None:
    """Put each node that has no scope yet, and is no input, where it is read first."""
    consumers = graph.consumers
    place = {node: number for number, node in enumerate(graph.nodes)}
    given = {edge.node for edge in graph.inputs}
    first: Callable[[Node], int] = place.__getitem__
    for node in reversed(graph.nodes):
        readers = [reader for reader in consumers[node] if reader in scopes]
        if node not in scopes and node not in given and readers:
            scopes[node] = scopes[min(readers, key=first)]

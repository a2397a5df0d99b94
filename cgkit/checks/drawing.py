"""Compare a drawing with the graph it should show, whatever it looks like.

    student's DOT ──► nodes, arrows, labels ──► values left out, x*x = x**2, constants absorbed
                      expected graph        ──►   compared node by node, arrow by arrow

Two drawings are the same when they compute the same from the same inputs. Names, layout, colors,
boxes for values, constants drawn once or twice, and the order of symmetric operands do not matter.
Invariants: one difference is reported, the one nearest the inputs; nothing is ever executed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cgkit.checks.dot import DotGraph, read_dot
from cgkit.checks.labels import Meaning, read_label
from cgkit.checks.parts import (
    SYMMETRIC,
    DrawingError,
    Part,
    PlainGraph,
    Reduced,
    quoted,
    reduce_drawing,
    source_of,
)

_SIGN = {"add": " + ", "multiply": " * ", "subtract": " - ", "divide": " / "}
_SHORT = {"maximum": "max", "minimum": "min"}

_DEEPEST = 4
_LARGEST = 2_000


def compare_drawing(drawing: object, expected: PlainGraph) -> DotGraph:
    """Check that a drawing shows a graph.

    Parameters
    ----------
    drawing
        As `source_of` takes it.
    expected
        The graph: name to ("input",), ("constant", value) or (operation, *operand names).

    Returns
    -------
    DotGraph
        The drawing as read.

    Raises
    ------
    DrawingError
        It shows another graph; the message names the first node or arrow that differs.
    cgkit.checks.dot_words.DotError
        It is no DOT.
    cgkit.checks.plain.NotPlainError
        It is no drawing at all.

    Examples
    --------
    >>> graph = {"x": ("input",), "y": ("input",), "z": ("add", "x", "y")}
    >>> _ = compare_drawing('digraph { x -> "+"; y -> "+"; "+" -> z }', graph)
    >>> compare_drawing('digraph { x -> "+"; y }', graph)
    Traceback (most recent call last):
        ...
    cgkit.checks.parts.DrawingError: an arrow is missing: y ──► "+"
    """
    read = read_dot(source_of(drawing))
    if len(read.nodes) + len(read.edges) > _LARGEST:
        raise DrawingError(f"a drawing of {len(read.nodes)} nodes is too large to compare")
    if not read.directed:
        raise DrawingError("these edges have no direction: begin with digraph, and draw x -> add")
    try:
        _match(read, expected, [(edge.tail, edge.head) for edge in read.edges])
    except DrawingError as error:
        if _matches(read, expected, [(edge.head, edge.tail) for edge in read.edges]):
            what = "every arrow points the wrong way: data flow from the inputs to the result"
            raise DrawingError(what, misconception="arrows reversed") from error
        raise
    return read


def _matches(read: DotGraph, expected: PlainGraph, edges: list[tuple[str, str]]) -> bool:
    try:
        _match(read, expected, edges)
    except DrawingError:
        return False
    return True


def _match(read: DotGraph, expected: PlainGraph, edges: list[tuple[str, str]]) -> None:
    reduced = reduce_drawing(read, edges)
    graph = {name: _wanted_part(name, node) for name, node in expected.items()}
    terms = _Terms()
    wanted = terms.of(graph)
    labels = {node: read.label(node) for node in read.nodes}
    _Comparison(reduced, labels, terms.of(reduced.parts), wanted, terms).run()


def _wanted_part(name: str, node: tuple[object, ...]) -> Part:
    kind, *rest = node
    if kind == "input":
        return Part(name, name, Meaning("name", name), ())
    if kind == "constant":
        return Part(name, str(rest[0]), Meaning("number", f"{rest[0]:g}"), ())
    return Part(name, str(kind), Meaning("operation", str(kind)), tuple(map(str, rest)))


# from parts to terms: a term is what a node computes; equal terms have equal numbers


class _Terms:
    """Numbers what nodes compute, so that a value shared by many readers is written once."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], int] = {}
        self._keys: list[tuple[object, ...]] = []

    def of(self, parts: Mapping[str, Part]) -> dict[str, int]:
        terms: dict[str, int] = {}
        for name, part in parts.items():
            terms[name] = self._term(part.meaning, [terms[operand] for operand in part.reads])
        return terms

    def _term(self, meaning: Meaning, operands: list[int]) -> int:
        if meaning.kind != "operation":
            return self._number((meaning.kind, meaning.text))
        name = meaning.text
        if name in ("square", "power"):
            rest = [term for term in operands if self._keys[term] != ("number", "2")]
            if len(rest) == 1:
                return self._number(("square", rest[0]))
        if name == "multiply" and len(operands) == 2 and operands[0] == operands[1]:
            return self._number(("square", operands[0]))
        return self._number((name, *(sorted(operands) if name in SYMMETRIC else operands)))

    def _number(self, key: tuple[object, ...]) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self._keys)
            self._keys.append(key)
        return self._numbers[key]

    def operation(self, term: int) -> str:
        return str(self._keys[term][0])

    def text(self, term: int) -> str:
        return str(self._keys[term][1])

    def operands(self, term: int) -> list[int]:
        key = self._keys[term]
        return [] if key[0] in ("name", "number") else [_whole(item) for item in key[1:]]

    def write(self, term: int, depth: int = 0) -> str:
        """Write what a node computes, as one would on paper."""
        name = self.operation(term)
        if name in ("name", "number"):
            return self.text(term)
        if depth > _DEEPEST:
            return "..."
        inner = [self.write(operand, depth + 1) for operand in self.operands(term)]
        if name == "square" and len(inner) == 1:
            return f"{inner[0]}²" if inner[0].isidentifier() else f"({inner[0]})²"
        if name in _SIGN and len(inner) == 2:
            sign = _SIGN[name].join(inner)
            return f"({sign})" if depth else sign
        return f"{_SHORT.get(name, name)}({', '.join(inner)})"


def _whole(item: object) -> int:
    if not isinstance(item, int):
        raise TypeError(f"no term: {item!r}")
    return item


# comparison


@dataclass(frozen=True)
class _Comparison:
    """One drawing against one graph; each method raises for the first difference of its kind."""

    reduced: Reduced
    labels: Mapping[str, str]
    drawn: Mapping[str, int]
    wanted: Mapping[str, int]
    terms: _Terms

    @property
    def parts(self) -> Mapping[str, Part]:
        return self.reduced.parts

    def run(self) -> None:
        self._inputs_missing()
        self._inputs_extra()
        right, present = set(self.wanted.values()), set(self.drawn.values())
        spare = [
            name
            for name, term in self.drawn.items()
            if term not in right and self.parts[name].reads
        ]
        for term in self.wanted.values():
            if term not in present:
                self._missing(term, spare)
        self._twins()
        for name in spare:
            computed = self.terms.write(self.drawn[name])
            what = f"{self._label(name)} computes {computed}, "
            raise DrawingError(what + "which is not part of the graph: a node too many", [name])
        self._loose(right)
        self._labels()

    def _label(self, node: str) -> str:
        return quoted(self.parts[node].label)

    def _names(self, terms: Mapping[str, int]) -> dict[str, list[str]]:
        """Give the input names, each with the nodes that carry it."""
        names: dict[str, list[str]] = {}
        for node, term in terms.items():
            if self.terms.operation(term) == "name":
                names.setdefault(self.terms.text(term), []).append(node)
        return names

    def _inputs_missing(self) -> None:
        drawn = self._names(self.drawn)
        lower = {name.lower(): name for name in drawn}
        for name in self._names(self.wanted):
            nodes = drawn.get(name, [])
            if not nodes:
                other = lower.get(name.lower())
                more = f" (you have {other}: small and capital letters differ)" if other else ""
                raise DrawingError(f"the input {name} is missing{more}")
            if len(nodes) > 1:
                what = f"the input {name} is drawn {len(nodes)} times; "
                raise DrawingError(
                    what + "one value is one node, with an arrow to each reader", nodes
                )

    def _inputs_extra(self) -> None:
        wanted = self._names(self.wanted)
        for node, part in self.parts.items():
            if part.meaning.kind == "operation" and not part.reads:
                raise DrawingError(f"no arrow ends in {self._label(node)}", [node])
            if part.meaning.kind == "name" and part.meaning.text not in wanted:
                what = f"{self._label(node)} is not an input of the graph: a node too many"
                raise DrawingError(what, [node])

    def _missing(self, term: int, spare: Sequence[str]) -> None:
        """Explain why no node computes `term`: its arrows differ, or it is not there at all."""
        operation, operands = self.terms.operation(term), self.terms.operands(term)
        alike = ("square", "multiply", "power") if operation == "square" else (operation,)
        close = [name for name in spare if self.terms.operation(self.drawn[name]) in alike]
        if not close:
            self._no_such_node(term, spare)
        node = max(close, key=lambda name: self._shared(name, operands))
        reads = self.terms.operands(self.drawn[node])
        self._arrows(node, term, _without(operands, reads), _without(reads, operands))

    def _no_such_node(self, term: int, spare: Sequence[str]) -> None:
        operation = self.terms.operation(term)
        short = _SHORT.get(operation, operation)
        reads = sorted(self.terms.operands(term))
        self._taken_for_a_value(reads, short)
        for name in spare:
            if sorted(self.terms.operands(self.drawn[name])) == reads:
                inputs = " and ".join(self.terms.write(operand) for operand in reads)
                what = f"the node that reads {inputs} is {self._label(name)}; it should be {short}"
                raise DrawingError(what, [name])
        raise DrawingError(f"a node is missing: {short}, for {self.terms.write(term)}")

    def _taken_for_a_value(self, reads: Sequence[int], short: str) -> None:
        """Find a node that stands where one is missing, with a label that names no operator."""
        if len(reads) != 1:
            return
        for node, part in self.reduced.values.items():
            named = read_label(self.labels[node])
            if self.drawn[part] == reads[0] and named.kind != "operation":
                what = f"{quoted(self.labels[node])} names no operator that I know, so it was "
                what += f"read as a name of {self.terms.write(reads[0])}; is it {short}?"
                raise DrawingError(what, [node])

    def _labels(self) -> None:
        """Hold each label that names inputs to them: x² must come from x."""
        inputs = self._names(self.drawn)
        above: dict[str, set[str]] = {}
        for node, part in self.parts.items():
            name = {part.meaning.text} if part.meaning.kind == "name" else set()
            above[node] = name.union(*(above[operand] for operand in part.reads))
            said = [name for name in part.meaning.names if name in inputs]
            lost = next((name for name in said if name not in above[node]), None)
            if lost is not None:
                reads = " and ".join(sorted(above[node])) or "nothing"
                what = f"{self._label(node)} names {lost}, and what it reads comes from {reads}"
                raise DrawingError(what, [node])

    def _arrows(self, node: str, term: int, lost: list[int], extra: list[int]) -> None:
        label, write = self._label(node), self.terms.write
        if lost and extra:
            what = f"{label} reads {write(extra[0])}; it should read {write(lost[0])}"
            raise DrawingError(f"an arrow starts in the wrong place: {what}", [node])
        if lost:
            raise DrawingError(f"an arrow is missing: {write(lost[0])} ──► {label}", [node])
        if extra:
            raise DrawingError(f"an arrow too many: {write(extra[0])} ──► {label}", [node])
        what = f"{label} should compute {write(term)}: look at the order of its arrows"
        raise DrawingError(what, [node])

    def _shared(self, node: str, operands: Sequence[int]) -> int:
        reads = self.terms.operands(self.drawn[node])
        return len(reads) - len(_without(reads, operands))

    def _twins(self) -> None:
        seen: dict[int, str] = {}
        for node, term in self.drawn.items():
            if self.terms.operation(term) != "number" and term in seen:
                computed = self.terms.write(term)
                what = f"two nodes compute {computed}; one is enough, with two readers"
                raise DrawingError(what, [seen[term], node])
            seen[term] = node

    def _loose(self, right: set[int]) -> None:
        read = {operand for part in self.parts.values() for operand in part.reads}
        for node, part in self.parts.items():
            number = part.meaning.kind == "number"
            if number and self.drawn[node] not in right and node not in read:
                raise DrawingError(f"{self._label(node)} is not joined to anything", [node])


def _without(terms: Sequence[int], others: Sequence[int]) -> list[int]:
    rest = list(others)
    left: list[int] = []
    for term in terms:
        if term in rest:
            rest.remove(term)
        else:
            left.append(term)
    return left

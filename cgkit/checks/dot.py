"""Read DOT text into nodes, edges and clusters; nothing but this file is needed to do it.

    read_dot('digraph { x -> add -> z [label="()"] }')
      nodes     x, add, z            each with its attributes, defaults applied
      edges     x -> add, add -> z   in the order written, twins kept
      clusters  subgraphs whose name begins with "cluster"

The whole grammar of graphviz.org/doc/info/lang.html is read: strict, graph and digraph, attribute
statements, edge chains, subgraphs as ends of edges, ports, quoted and joined texts, HTML texts and
comments. Invariants: reading never runs anything; an error names line and column.
"""

from __future__ import annotations

import html
import itertools
import re
from dataclasses import dataclass, field

from cgkit.checks.dot_words import Word, words

_KEYWORDS = {"node", "edge", "graph", "digraph", "subgraph", "strict"}
_DEEPEST = 50


@dataclass
class DotEdge:
    """One edge: from `tail` to `head`, with its attributes."""

    tail: str
    head: str
    attributes: dict[str, str]


@dataclass
class DotCluster:
    """A subgraph that is drawn as a box: its name, its attributes, the nodes in it."""

    name: str
    attributes: dict[str, str]
    members: list[str]


@dataclass
class DotGraph:
    """What a DOT text says.

    Examples
    --------
    >>> graph = read_dot('digraph { a [label="A"]; a -> b -> a }')
    >>> list(graph.nodes), [(edge.tail, edge.head) for edge in graph.edges]
    (['a', 'b'], [('a', 'b'), ('b', 'a')])
    """

    name: str = ""
    directed: bool = True
    strict: bool = False
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    edges: list[DotEdge] = field(default_factory=list)
    clusters: list[DotCluster] = field(default_factory=list)

    def label(self, node: str) -> str:
        r"""Give the text that a node shows, HTML reduced to its words.

        Examples
        --------
        >>> read_dot("digraph { a [label=<<B>x</B><BR/>input>] }").label("a")
        'x\ninput'
        """
        return label_text(self.nodes[node].get("label", r"\N"), node)


def read_dot(text: str) -> DotGraph:
    """Read the first graph in a DOT text.

    Parameters
    ----------
    text
        DOT source.

    Returns
    -------
    DotGraph
        Nodes, edges and clusters, with all defaults applied.

    Raises
    ------
    DotError
        The text is no DOT; the message names line and column.

    Examples
    --------
    >>> read_dot("digraph { a -> }")
    Traceback (most recent call last):
        ...
    cgkit.checks.dot_words.DotError: line 1, column 16: after -> a node must follow, not '}'
    """
    return _Reader(list(words(text))).graph()


def label_text(label: str, node: str) -> str:
    r"""Turn a label into the words it shows.

    Examples
    --------
    >>> label_text(r"\N\nshape (2,)", "x"), label_text("<<I>a</I> &lt; b>", "x")
    ('x\nshape (2,)', 'a < b')
    """
    if label.startswith("<") and label.endswith(">"):
        inner = re.sub(r"<\s*(br|/tr|/td)\b[^<>]*>", "\n", label[1:-1], flags=re.IGNORECASE)
        bare = html.unescape(re.sub(r"<[^<>]*>", "", inner))
        lines = [" ".join(line.split()) for line in bare.splitlines()]
        return "\n".join(line for line in lines if line)
    shown = label.replace(r"\N", node)
    shown = re.sub(r"\\[nlr]", "\n", shown)
    return re.sub(r"\\(.)", r"\1", shown).strip()


@dataclass
class _Scope:
    """Defaults for nodes and edges inside one pair of braces, and the nodes named there."""

    node: dict[str, str]
    edge: dict[str, str]
    graph: dict[str, str]
    members: dict[str, None] = field(default_factory=dict)

    def inner(self) -> _Scope:
        return _Scope(dict(self.node), dict(self.edge), {})


class _Reader:
    """Walks the words of one text and fills one `DotGraph`."""

    def __init__(self, given: list[Word]) -> None:
        self._words = given
        self._at = 0
        self._depth = 0
        self._result = DotGraph()
        self._drawn: dict[tuple[str, str], DotEdge] = {}

    # words

    @property
    def _next(self) -> Word:
        return self._words[self._at]

    def _is(self, text: str) -> bool:
        """Tell whether the next word is this mark or keyword; quoted texts are never keywords."""
        word = self._next
        return not word.quoted and word.text.lower() == text

    def _take(self) -> Word:
        word = self._next
        if word.end:
            raise word.error("the text ends here, and a closing brace } is missing")
        self._at += 1
        return word

    def _skip(self, text: str) -> bool:
        if self._is(text) and not self._next.end:
            self._at += 1
            return True
        return False

    def _expect(self, text: str, where: str) -> None:
        if not self._skip(text):
            raise self._next.error(f"{text} was expected {where}, not {self._next.shown}")

    def _name(self, where: str) -> str:
        word = self._next
        if word.end or word.mark or (not word.quoted and word.text.lower() in _KEYWORDS):
            raise word.error(f"{where}, not {word.shown}")
        self._at += 1
        text = word.text
        while self._is("+") and word.quoted:
            self._at += 1
            text += self._take().text
        return text

    # statements

    def graph(self) -> DotGraph:
        self._result.strict = self._skip("strict")
        if self._skip("digraph"):
            self._result.directed = True
        elif self._skip("graph"):
            self._result.directed = False
        else:
            raise self._next.error(f"a drawing begins with digraph, not {self._next.shown}")
        if not self._is("{"):
            self._result.name = self._name("a name or { was expected")
        self._block(_Scope({}, {}, {}))
        return self._result

    def _block(self, scope: _Scope) -> None:
        self._expect("{", "to open the list of nodes and edges")
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._next.error(f"subgraphs lie more than {_DEEPEST} deep in each other")
        while not self._skip("}"):
            if self._next.end:
                raise self._next.error("the text ends here, and a closing brace } is missing")
            if not self._skip(";") and not self._skip(","):
                self._statement(scope)
        self._depth -= 1

    def _statement(self, scope: _Scope) -> None:
        for kind in ("node", "edge", "graph"):
            if self._skip(kind):
                getattr(scope, kind).update(self._attributes())
                return
        first = self._end(scope)
        if isinstance(first, str) and self._skip("="):
            scope.graph[first] = self._name("a value was expected after =")
            return
        self._edges_or_node(first, scope)

    def _edges_or_node(self, first: str | list[str], scope: _Scope) -> None:
        ends = [first]
        while self._is("->") or self._is("--"):
            self._check_arrow(self._take())
            ends.append(self._end(scope, after_arrow=True))
        attributes = self._attributes()
        if len(ends) == 1:
            if isinstance(first, str):
                self._node(first, scope).update(attributes)
            return
        names = [self._named(end, scope) for end in ends]
        for tails, heads in itertools.pairwise(names):
            for tail in tails:
                for head in heads:
                    self._edge(tail, head, {**scope.edge, **attributes})

    def _edge(self, tail: str, head: str, attributes: dict[str, str]) -> None:
        if self._result.strict:
            twin = self._drawn.get((tail, head))
            if twin is not None:
                twin.attributes.update(attributes)
                return
        edge = DotEdge(tail, head, attributes)
        self._drawn[tail, head] = edge
        self._result.edges.append(edge)

    def _check_arrow(self, word: Word) -> None:
        wanted = "->" if self._result.directed else "--"
        if word.text != wanted:
            kind = "digraph" if self._result.directed else "graph"
            raise word.error(f"edges of a {kind} are written {wanted}, not {word.text}")

    def _end(self, scope: _Scope, *, after_arrow: bool = False) -> str | list[str]:
        if self._is("subgraph") or self._is("{"):
            return self._subgraph(scope)
        where = "after -> a node must follow" if after_arrow else "a node or edge was expected"
        name = self._name(where)
        for _ in range(2):  # a port and a compass point
            if self._skip(":"):
                self._name("a port was expected after :")
        return name

    def _named(self, end: str | list[str], scope: _Scope) -> list[str]:
        if isinstance(end, str):
            self._node(end, scope)
            return [end]
        return end

    def _node(self, name: str, scope: _Scope) -> dict[str, str]:
        scope.members[name] = None
        return self._result.nodes.setdefault(name, dict(scope.node))

    def _subgraph(self, scope: _Scope) -> list[str]:
        name = ""
        if self._skip("subgraph") and not self._is("{"):
            name = self._name("a name or { was expected after subgraph")
        inner = scope.inner()
        self._block(inner)
        scope.members.update(inner.members)
        if name.startswith("cluster"):
            self._result.clusters.append(DotCluster(name, inner.graph, list(inner.members)))
        return list(inner.members)

    def _attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        while self._skip("["):
            while not self._skip("]"):
                if self._skip(";") or self._skip(","):
                    continue
                name = self._name("a closing ] or an attribute was expected")
                value = "true"
                if self._skip("="):
                    value = self._name(f"a value was expected for {name}")
                found[name] = value
        return found

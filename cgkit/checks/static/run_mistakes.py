"""What the well-known mistakes in `needed` and `run` give back.

    NEEDED, RUN  ──►  Mistakes, recognized when they agree with a student's answer on every case

Invariants: each takes the arguments of the student's function; it may raise, as theirs would.
"""

from __future__ import annotations

from typing import Any

from cgkit.checks.plain_graphs import SOURCES, needed_by, values_of
from cgkit.checks.task import Mistake


def _everything(graph: Any, fetches: Any, feeds: Any) -> set[str]:
    return {name for name, (kind, *_) in graph.items() if kind not in SOURCES}


def _everything_unfed(graph: Any, fetches: Any, feeds: Any) -> set[str]:
    return _everything(graph, fetches, feeds) - set(feeds)


def _ancestors_of_all(graph: Any, fetches: Any, feeds: Any) -> set[str]:
    return needed_by(graph, fetches, ())


def _past_fed(graph: Any, fetches: Any, feeds: Any) -> set[str]:
    return needed_by(graph, fetches, ()) - set(feeds)


def _sources_too(graph: Any, fetches: Any, feeds: Any) -> set[str]:
    found = needed_by(graph, fetches, feeds)
    reached = {*fetches, *(operand for name in found for operand in graph[name][1:])}
    return reached - set(feeds)


def _reached_too(graph: Any, fetches: Any, feeds: Any) -> set[str]:
    found = needed_by(graph, fetches, feeds)
    return {*fetches, *(operand for name in found for operand in graph[name][1:])}


def _without_fetches(graph: Any, fetches: Any, feeds: Any) -> set[str]:
    return needed_by(graph, fetches, feeds) - set(fetches)


def _one_step(graph: Any, fetches: Any, feeds: Any) -> set[str]:
    near = {*fetches}
    for name in fetches:
        if name not in feeds and graph[name][0] not in SOURCES:
            near.update(graph[name][1:])
    return {name for name in near if graph[name][0] not in SOURCES} - set(feeds)


def _readers(graph: Any, fetches: Any, feeds: Any) -> set[str]:
    found = set(fetches)
    for _ in graph:
        for name, (kind, *operands) in graph.items():
            if kind not in SOURCES and found & {*operands}:
                found.add(name)
    return {name for name in found if graph[name][0] not in SOURCES} - set(feeds)


_ALL = (
    "These are all operators of the graph. Begin at the fetches and go against the arrows: what "
    "you never pass is left out."
)
_NO_SOURCE = "Placeholders and constants have a value already; only operators are computed."
NEEDED = (
    Mistake(
        "runs everything",
        _everything,
        _ALL,
    ),
    Mistake(
        "runs everything",
        _everything_unfed,
        _ALL,
    ),
    Mistake(
        "computes a fed node",
        _ancestors_of_all,
        "A fed node has its value. It is not computed, and nobody needs what stands above it.",
    ),
    Mistake(
        "walks on above a fed node",
        _past_fed,
        "A fed node has its value, so nobody needs what it would have been computed from.",
    ),
    Mistake("counts placeholders and constants", _sources_too, _NO_SOURCE),
    Mistake("counts placeholders and constants", _reached_too, _NO_SOURCE),
    Mistake(
        "forgets the fetches themselves",
        _without_fetches,
        "What is fetched must be computed too, unless it is fed.",
    ),
    Mistake(
        "one step only",
        _one_step,
        "What an operand is computed from is needed as well, and so on up to what is fed.",
    ),
    Mistake(
        "readers in the place of operands",
        _readers,
        "A run needs what the fetches read, not who reads them.",
    ),
)


def _sources_of(graph: Any, feeds: Any) -> dict[str, Any]:
    return {name: value for name, value in feeds.items() if graph[name][0] == "placeholder"}


def _fed_is_ignored(graph: Any, fetch: str, feeds: Any, operators: Any) -> Any:
    return values_of(graph, [fetch], _sources_of(graph, feeds), operators)[fetch]


def _constants_first(graph: Any, fetch: str, feeds: Any, operators: Any) -> Any:
    own = {name: value for name, value in feeds.items() if graph[name][0] != "constant"}
    return values_of(graph, [fetch], own, operators)[fetch]


def _in_dict_order(graph: Any, fetch: str, feeds: Any, operators: Any) -> Any:
    return _in_order(graph, {}, feeds, operators)[fetch]


def _feeds_then_dict_order(graph: Any, fetch: str, feeds: Any, operators: Any) -> Any:
    return _in_order(graph, dict(feeds), feeds, operators)[fetch]


def _in_order(graph: Any, values: dict[str, Any], feeds: Any, operators: Any) -> dict[str, Any]:
    for name, (kind, *operands) in graph.items():
        if name in feeds or kind == "placeholder":
            values[name] = feeds[name]
        elif kind == "constant":
            values[name] = operands[0]
        else:
            values[name] = operators[kind](*[values[operand] for operand in operands])
    return values


def _zero_is_nothing(graph: Any, fetch: str, feeds: Any, operators: Any) -> Any:
    sources = _sources_of(graph, feeds)
    return values_of(graph, [fetch], sources | {k: v for k, v in feeds.items() if v}, operators)[
        fetch
    ]


def _operands_turned(graph: Any, fetch: str, feeds: Any, operators: Any) -> Any:
    turned = {
        name: (kind, *operands) if kind == "constant" else (kind, *operands[::-1])
        for name, (kind, *operands) in graph.items()
    }
    return values_of(turned, [fetch], feeds, operators)[fetch]


_ORDER = "The nodes of a dict may stand in any order, and this one reads a value that stands later."
RUN = (
    Mistake(
        "ignores what is fed in the middle",
        _fed_is_ignored,
        "Any tensor may be fed, not only a placeholder: look into feeds before you compute.",
    ),
    Mistake(
        "looks at the kind before it looks into feeds",
        _constants_first,
        "Any node may be fed, a constant too: look into feeds before you ask what kind it is.",
    ),
    Mistake(
        "takes a fed 0 for nothing",
        _zero_is_nothing,
        "0 is a value like any other. Ask whether the name is in feeds, not what is there.",
    ),
    Mistake(
        "runs in the order of the dict",
        _in_dict_order,
        _ORDER,
    ),
    Mistake("runs in the order of the dict", _feeds_then_dict_order, _ORDER),
    Mistake(
        "operands swapped",
        _operands_turned,
        "The operands reached the operator in the wrong order: a - b is not b - a.",
    ),
)

"""Pictures of large graphs: boxes that stand for many nodes.

    a ─► b ─► c ─► d ─► e ─► f        encoder ─► decoder
    └ encoder ┘    └ decoder ┘        3 nodes    3 nodes

Graphviz needs seconds for a few hundred arrows and forever for thousands, and nobody can read
those pictures. A graph beyond the limits is folded by its scopes, the innermost first; where that
is not enough, by levels: all nodes that are equally far from the sources. Every box says for how
many nodes it stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from html import escape

from cgkit.render.palette import look
from cgkit.render.picture import Arrow, Box, Picture

NODES = 300
"""The largest number of boxes that is drawn one by one."""

ARROWS = 450
"""The same for arrows, which cost more time than boxes."""

LABELS = 200
"""How many arrows may have a label: a label costs as much time as two boxes, and hides as much."""

LEGIBLE = 100
"""How many boxes one looks at, where more would have to be searched."""

FOLDED = 24
"""How many boxes remain when a graph is folded by levels."""


def fold(
    picture: Picture, *, depth: int | None = None, nodes: int = NODES, arrows: int = ARROWS
) -> Picture:
    """Fold a picture that is too large to draw; a smaller one comes back as it is.

    Parameters
    ----------
    picture
        One box a node; an arrow goes from an earlier box to a later one.
    depth
        Fold the scopes of this depth, whatever the size: 1 for the outermost, 0 for nothing.
    nodes, arrows
        The largest numbers that are drawn one by one.
    """
    if depth is None:
        return _few_labels(_fold(picture, nodes, arrows))
    return _few_labels(_at_depth(picture, depth) if depth else picture)


def fits(picture: Picture, *, nodes: int = NODES, arrows: int = ARROWS) -> bool:
    """Say whether a picture is small enough to be drawn one box a node."""
    return len(picture.boxes) <= nodes and len(picture.arrows) <= arrows


def _at_depth(picture: Picture, depth: int) -> Picture:
    return merge(picture, {box.key: _outer(box, depth) for box in picture.boxes})


def _fold(picture: Picture, nodes: int, arrows: int) -> Picture:
    if fits(picture, nodes=nodes, arrows=arrows):
        return picture
    deepest = max((_depth(box.scope) for box in picture.boxes), default=0)
    folded = [_at_depth(picture, depth) for depth in range(deepest, 0, -1)]
    fitting = [one for one in folded if fits(one, nodes=nodes, arrows=min(arrows, LABELS))]
    legible = [one for one in fitting if len(one.boxes) <= LEGIBLE]
    best = [*legible, *fitting[-1:]]  # the deepest that is legible, or the shallowest
    return best[0] if best else merge(picture, _levels(picture))


def merge(picture: Picture, groups: Mapping[str, str]) -> Picture:
    """Draw one box for each group.

    Parameters
    ----------
    picture
        What is folded.
    groups
        For each box the name of its group, or "" to stay alone.
    """
    members: dict[str, list[Box]] = {}
    for box in picture.boxes:
        members.setdefault(groups[box.key] or f"\0{box.key}", []).append(box)
    made: dict[str, Box] = {}
    for number, (group, inside) in enumerate(members.items()):
        words = picture.titles.get(group)
        box = inside[0] if len(inside) == 1 else _group(f"g{number}", group, inside, words)
        made.update({member.key: box for member in inside})
    bundles: dict[tuple[str, str], list[Arrow]] = {}
    for arrow in picture.arrows:
        ends = made[arrow.tail].key, made[arrow.head].key
        if ends[0] != ends[1] or arrow.tail == arrow.head:
            bundles.setdefault(ends, []).append(arrow)
    boxes = {box.key: box for box in made.values()}
    arrows = [_bundle(*ends, inside) for ends, inside in bundles.items()]
    kind = look("group")
    legend = (*picture.legend, (kind.sign, "several nodes", kind.fill))
    return Picture(tuple(boxes.values()), tuple(arrows), legend, picture.titles)


def _few_labels(picture: Picture) -> Picture:
    """Leave out the labels of arrows where there would be too many; notes stay."""
    if len(picture.arrows) <= LABELS:
        return picture
    arrows = tuple(
        replace(arrow, attributes={k: v for k, v in arrow.attributes.items() if k != "label"})
        for arrow in picture.arrows
    )
    legend = tuple(
        (sign, f"{words}; shapes left out" if sign == "→" else words, color)
        for sign, words, color in picture.legend
    )
    return Picture(picture.boxes, arrows, legend, picture.titles)


def _depth(scope: str) -> int:
    return scope.count("/") + 1 if scope else 0


def _outer(box: Box, depth: int) -> str:
    """Name the group of a box when scopes are open down to less than `depth`."""
    if box.operator == "output":
        return "\1outputs"
    return "/".join(box.scope.split("/")[:depth]) if _depth(box.scope) >= depth else ""


def _levels(picture: Picture) -> dict[str, str]:
    """Group boxes by their distance from the sources, in FOLDED steps of about equal size."""
    level = dict.fromkeys((box.key for box in picture.boxes), 0)
    into: dict[str, list[str]] = {box.key: [] for box in picture.boxes}
    for arrow in picture.arrows:
        into[arrow.head].append(arrow.tail)
    for box in picture.boxes:
        level[box.key] = max((level[tail] + 1 for tail in into[box.key]), default=0)
    order = sorted(picture.boxes, key=lambda box: level[box.key])
    size = -(-len(order) // FOLDED)
    step, seen, groups = 0, 0, {}
    for number, box in enumerate(order):
        new_level = number > 0 and level[box.key] != level[order[number - 1].key]
        if new_level and seen >= size:
            step, seen = step + 1, 0
        seen += 1
        groups[box.key] = f"\1{step}"
    return groups


def _group(key: str, name: str, inside: list[Box], words: str | None) -> Box:
    """Make the box that stands for several; it has the words of its scope, or counts."""
    counts = Counter(box.operator for box in inside)
    shown = [f"{number} {word}" for word, number in counts.most_common(3)]
    if len(counts) > 3:
        shown.append("…")
    scope = "" if name.startswith("\1") else name
    head, _, own = scope.rpartition("/")
    heading, _, under = (own if words is None else words).partition("\n\n")
    rows = [f"<b>{escape(line)}</b>" for line in heading.splitlines()]
    rows += [f"<b>{len(inside)} nodes</b>"]
    under = under or ", ".join(shown)
    rows += [f'<font point-size="9">{escape(line)}</font>' for line in under.splitlines()]
    attributes = {**look("group").attributes(), "label": "<" + "<br/>".join(rows) + ">"}
    notes = [note for box in inside if (note := box.attributes.get("note"))]
    if notes:
        marked = next(box for box in inside if "note" in box.attributes)
        for word in ("color", "fontcolor", "penwidth"):
            if word in marked.attributes:
                attributes[word] = marked.attributes[word]
        attributes["note"] = "; ".join(notes[:3])
    return Box(key, attributes, head, "group")


def _bundle(tail: str, head: str, inside: list[Arrow]) -> Arrow:
    """Make one arrow of several; a tensor that is read twice counts once."""
    if len(inside) == 1:
        return Arrow(tail, head, inside[0].attributes)
    tensors = {(arrow.tail, arrow.attributes.get("label", "")) for arrow in inside}
    several = f"{len(tensors)} tensors"
    attributes = {
        "label": next(iter(tensors))[1] if len(tensors) == 1 else several,
        "penwidth": "2",
    }
    for arrow in inside:
        if "note" in arrow.attributes:
            attributes.update(arrow.attributes)
    return Arrow(tail, head, attributes)

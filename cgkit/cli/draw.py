"""`cgkit draw MODULE:NAME -o FILE`: a graph from a Python file into a picture; or an ONNX model.

    model.py:network ──► import model.py ──► network ──► called, if it is a function
                                                │
                             Graph, Trace, Tensor, graphviz.Digraph ──► FILE
    model.onnx ──► its nodes, or its stages where they are many ───────► FILE

The code of a module runs, so draw only what you trust. A model is only read.
"""

import contextlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from cgkit.cli.report import Item, finish, json_option, spoken
from cgkit.errors import CgkitError, UsageFault
from cgkit.words import counted

SUFFIXES = (".svg", ".png", ".pdf", ".dot", ".gv")
MODEL = ".onnx"
DRAWABLE = ("graph", "nodes", "edge", "source")


@click.command()
@click.argument("subject", metavar="MODULE:NAME|MODEL.onnx")
@click.option("-o", "--output", metavar="FILE", required=True, help="Where to write the picture.")
@click.option(
    "--depth",
    type=click.IntRange(min=0),
    metavar="N",
    help="How deep to look: 1 stages or outer scopes, 2 their parts, 3 blocks; 0 each node.",
)
@click.option("--weights", is_flag=True, help="Draw the weights of an ONNX model too.")
@json_option
def command(subject: str, output: str, depth: int | None, weights: bool, as_json: bool) -> None:
    """Draw a graph into an SVG, PNG, PDF or DOT file.

    MODULE is a module (course.model) or a Python file (model.py). NAME is something in it: a
    graph, a traced function, a tensor, a graphviz drawing, or a function without arguments that
    gives one of these. An ONNX model is drawn as it stands in its file; one of more than 300
    nodes by its stages. The ending of FILE chooses the format.
    """
    path = Path(output)
    if path.suffix.lower() not in SUFFIXES:
        raise UsageFault(
            f"cannot write {output}",
            why=f"the ending of a picture's name is one of {', '.join(SUFFIXES)}",
            attempt=f"-o {path.stem or 'graph'}.svg",
        )
    if not path.parent.is_dir():
        raise UsageFault(f"cannot write {output}", why=f"there is no folder {path.parent}")
    if subject.lower().endswith(MODEL):
        drawn, words = drawn_model(subject, depth, weights)
    elif weights:
        raise UsageFault("--weights is for ONNX models", why=f"{subject} is none")
    else:
        drawn, words = drawn_object(find(subject), depth), ""
    from cgkit.render import save

    detail = f"{save(drawn, path).stat().st_size:,} bytes" + words
    finish("draw", [Item(str(path), "ok", detail)], as_json)


def drawn_model(path: str, depth: int | None, weights: bool) -> tuple[Any, str]:
    """Draw an ONNX model, by stages where it has many nodes; say how much the picture shows."""
    from cgkit.onnx.diagram import diagram
    from cgkit.onnx.reading import read_model
    from cgkit.render import draw
    from cgkit.render.fold import LEGIBLE, NODES

    if not Path(path).is_file():
        raise UsageFault(f"there is no file {path}")
    model = read_model(path)
    nodes = len(model.graph.node)
    graph = diagram(model, weights=weights)
    drawn = draw(graph, depth=depth, most=NODES if nodes <= NODES else LEGIBLE)
    return drawn, f"; {counted(nodes, 'node')} in the model, {len(graph.operators):,} on data"


def drawn_object(found: Any, depth: int | None) -> Any:
    """Draw what a module holds, unless it is a drawing."""
    from cgkit.render import draw

    if depth is None or isinstance(getattr(found, "source", None), str):
        return found
    return draw(found, depth=depth)


def find(subject: str) -> Any:
    """Import what MODULE:NAME names, and call it when it is a plain function.

    Examples
    --------
    >>> find("math:pi")
    3.141592653589793
    """
    place, colon, name = subject.rpartition(":")
    if not (colon and place and name):
        raise UsageFault(
            f"'{subject}' is not MODULE:NAME",
            attempt=spoken("draw model.py:network -o network.svg"),
        )
    found: Any = load(place)
    for part in name.split("."):
        if not hasattr(found, part):
            names = [known for known, value in vars(found).items() if is_drawable(known, value)]
            raise UsageFault(
                f"there is no '{name}' in {place}",
                why="it has " + ", ".join(names[:12]) if names else "nothing in it can be drawn",
            )
        found = getattr(found, part)
    if inspect.isfunction(found):
        return guarded(found, f"{name}()")
    return found


def is_drawable(name: str, value: Any) -> bool:
    """Say whether a name in a module is worth naming to someone who wants to draw.

    Examples
    --------
    >>> is_drawable("network", lambda: 1), is_drawable("Path", Path), is_drawable("pi", 3.14)
    (True, False, False)
    """
    if name.startswith("_"):
        return False
    if inspect.isfunction(value):
        return not inspect.signature(value).parameters
    kinds = (type, ModuleType)
    return not isinstance(value, kinds) and any(hasattr(value, sign) for sign in DRAWABLE)


def load(place: str) -> ModuleType:
    """Import a module by its dotted name or by the path of its file."""
    path = Path(place)
    if not place.endswith(".py"):
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.insert(0, here)
        try:
            known = importlib.util.find_spec(place) is not None
        except (ImportError, ValueError):
            known = False
        if not known:
            raise UsageFault(f"there is no module '{place}'", attempt="the path of a .py file")
        module = guarded(lambda: importlib.import_module(place), place)
        assert isinstance(module, ModuleType)
        return module
    if not path.is_file():
        raise UsageFault(f"there is no file {place}")
    sys.path.insert(0, str(path.parent.resolve()))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    guarded(lambda: spec.loader.exec_module(module), place)
    return module


def guarded(action: Any, name: str) -> Any:
    """Run a student's code; what it raises becomes one sentence with the line where it happened."""
    try:
        # what it prints is not our result, so it goes beside it
        with contextlib.redirect_stdout(sys.stderr):
            return action()
    except CgkitError:
        raise
    except SystemExit as left:
        code = "" if left.code is None else left.code
        raise CgkitError(
            f"{name} ends the program: sys.exit({code})",
            attempt='if __name__ == "__main__": before what is not for drawing',
        ) from left
    except Exception as error:
        frames = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if not frame.filename.startswith("<frozen") and frame.filename != __file__
        ]
        place = f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
        if isinstance(error, SyntaxError):
            place = f"{Path(error.filename or name).name}, line {error.lineno}"
        raise CgkitError(
            f"{name} fails: {type(error).__name__}: {error}", why=place and f"at {place}"
        ) from error

"""How pictures appear in a notebook: any graphviz graph, and every matplotlib figure.

    graphviz.Digraph, Graph, Source ──┐     text/html    a figure on a card, with alternative text
    matplotlib Figure ────────────────┴──►  image/png    the same for readers without HTML
                                            text/plain   a text drawing, or why there is none

A student's own `graphviz.Digraph` displays like one of `draw`, whether or not the machine has
Graphviz. The output holds no object address and no date, so a notebook built twice is the same.
"""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from typing import Any

from cgkit.errors import RenderError
from cgkit.render import engine as engines
from cgkit.render import outline
from cgkit.render.figure import figure, smaller

Bundle = tuple[dict[str, Any], dict[str, Any]]

DOTS_PER_INCH = 144
"""How finely matplotlib figures are stored; the page shows them at 96."""


@dataclass(frozen=True)
class Display:
    """Makes the mimebundle of a graphviz graph.

    Parameters
    ----------
    engine
        See `cgkit.render.engine.render`.
    """

    engine: str | None = None

    def __call__(self, graph: Any) -> Bundle:
        """Give what a notebook shows for a graphviz graph; never raise."""
        try:
            svg, png, words, letters = self.pictures(graph)
            html = figure(svg, words)
            return {"text/html": html, "image/png": png, "text/plain": letters}, {}
        except RenderError as error:
            return {"text/plain": f"no picture: {error}"}, {}

    def pictures(self, graph: Any) -> tuple[bytes, bytes, str, str]:
        """Give a graph as SVG, as PNG, in a sentence and in letters; RenderError when it is bad."""
        dot, layout = graph.source, getattr(graph, "engine", "dot")
        made = engines.render_formats(
            dot, ["svg", "png", "dot_json"], engine=self.engine, layout=layout
        )
        shape = outline.read(made["dot_json"])
        words, letters = outline.comments(dot)
        return (
            made["svg"],
            smaller(made["png"]),
            words or shape.sentence(),
            letters or shape.drawing(),
        )


@dataclass(frozen=True)
class ChartDisplay:
    """Makes the mimebundle of a matplotlib figure.

    Parameters
    ----------
    png
        The shell's formatter of PNGs. Matplotlib's own entry there would win over the bundle, and
        comes back whenever a backend is chosen, so it is taken out at each display.
    """

    png: Any

    def __call__(self, chart: Any) -> Bundle:
        """Give what a notebook shows for a matplotlib figure."""
        self.png.pop("matplotlib.figure.Figure", None)
        return show_matplotlib(chart)


def show_matplotlib(chart: Any) -> Bundle:
    """Draw a matplotlib figure and put it into words."""
    stored = io.BytesIO()
    chart.savefig(
        stored,
        format="png",
        dpi=DOTS_PER_INCH,
        bbox_inches="tight",
        facecolor="white",
        metadata={"Software": None},
    )
    png, words = smaller(stored.getvalue()), _chart_words(chart)
    html = figure(png, words, scale=96 / DOTS_PER_INCH)
    return {"text/html": html, "image/png": png, "text/plain": words}, {}


def _chart_words(chart: Any) -> str:
    """Say what a chart shows from its titles and axis labels."""
    said = [chart.get_suptitle()]
    for axes in chart.get_axes():
        over = " over ".join(filter(None, [axes.get_ylabel(), axes.get_xlabel()]))
        said.append(": ".join(filter(None, [axes.get_title(), over])))
    return "Chart. " + "; ".join(filter(None, said)) if any(said) else "Chart"


def running_shell() -> Any:
    """Find the IPython this code runs in, or None."""
    module = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()


def install(shell: Any = None, *, engine: str | None = None) -> bool:
    """Make notebooks show graphviz graphs and matplotlib figures.

    Parameters
    ----------
    shell
        The IPython shell; None for the one this code runs in.
    engine
        Which Graphviz draws, see `cgkit.render.engine.render`. A later call without it keeps it.

    Returns
    -------
    bool
        False when there is no shell: then nothing is done.

    Examples
    --------
    >>> install()
    False
    """
    shell = running_shell() if shell is None else shell
    if shell is None or shell.display_formatter is None:
        return False
    formatter = shell.display_formatter.mimebundle_formatter
    for module, name in (("graphviz.graphs", "BaseGraph"), ("graphviz.sources", "Source")):
        known = _registered(formatter, module, name)
        if not isinstance(known, Display) or engine is not None:
            formatter.for_type_by_name(module, name, Display(engine))
    charts = ChartDisplay(shell.display_formatter.formatters["image/png"])
    formatter.for_type_by_name("matplotlib.figure", "Figure", charts)
    return True


def installed_engine() -> str | None:
    """Name the Graphviz that `install` chose for the shell this code runs in."""
    shell = running_shell()
    if shell is None or shell.display_formatter is None:
        return None
    known = _registered(
        shell.display_formatter.mimebundle_formatter, "graphviz.graphs", "BaseGraph"
    )
    return known.engine if isinstance(known, Display) else None


def _registered(formatter: Any, module: str, name: str) -> Any:
    """Find what a formatter does for a type, named before or after its module was imported."""
    try:
        return formatter.lookup_by_type(f"{module}.{name}")
    except KeyError:
        return None

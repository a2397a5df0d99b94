"""Where a training stands, in a file; and whether it is the training that one wants to resume.

Standing ─ write_checkpoint ─> run.npz ─ read_checkpoint ─> Standing, to the last bit
Recipe  ─┘                             └ of another recipe: refused, and told what differs

A training that begins anew takes the place of no other: `keep_earlier` gives that another name.
"""

from __future__ import annotations

import os
from dataclasses import astuple
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from cgkit import saved
from cgkit.errors import CgkitError, FileError, StateError
from cgkit.nn import Module
from cgkit.training.recipe import Recipe
from cgkit.training.step import Epoch, Numbers, Standing, Tally, beginning

KIND = "training"


def write_checkpoint(path: Path, model: Module, recipe: Recipe, standing: Standing) -> None:
    """Save where a training stands, in place of what the file held.

    Raises
    ------
    FileError
        The file cannot be written; what it held, it still holds.
    """
    numbers = standing.numbers
    state = {
        "kind": KIND,
        "recipe": recipe.described(model),
        "parameters": dict(numbers.parameters),
        "buffers": dict(numbers.buffers),
        "optimizer": dict(numbers.states),
        "step": standing.step,
        "tally": astuple(standing.tally),
        "history": [astuple(epoch) for epoch in standing.history],
    }
    saved.save(path, state)


def keep_earlier(path: Path) -> Path | None:
    """Give a file another name, if there is one, so that a new training does not replace it.

    Parameters
    ----------
    path
        Where the new training will be saved.

    Returns
    -------
    Path or None
        Where the file is now; None where there was none.

    Raises
    ------
    FileError
        It cannot be renamed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "run.npz").touch()
    ...     keep_earlier(Path(folder, "run.npz")).name
    'run-earlier.npz'
    """
    file = Path(os.path.realpath(path)) if path.is_symlink() else path  # a link stays a link
    if not file.is_file():
        return None
    words = ("-earlier" if number == 1 else f"-earlier-{number}" for number in count(1))
    names = (file.with_name(f"{file.stem}{word}{file.suffix}") for word in words)
    earlier = next(name for name in names if not os.path.lexists(name))
    try:
        file.replace(earlier)
    except OSError as error:
        raise FileError(
            f"{path} holds an earlier training, and cannot be renamed",
            why=(error.strerror or str(error)).lower(),
            attempt="another file, or resume=True to go on from it",
        ) from None
    return earlier


def read_checkpoint(path: str | Path, model: Module, recipe: Recipe) -> Standing:
    """Read where a training stood.

    Parameters
    ----------
    path
        The file.
    model, recipe
        What shall go on from it; both must be those that it was saved of.

    Raises
    ------
    FileError
        The file is missing, damaged or no checkpoint.
    StateError
        It is the checkpoint of another training; what differs is named.
    """
    state = saved.load(path)
    if not isinstance(state, dict) or repr(state.get("kind")) != repr(KIND):
        raise FileError(f"{path} is a saved state, but of no training")
    _expect_same(path, state.get("recipe"), recipe.described(model))
    try:
        standing = _standing(state)
        _expect_whole(standing, beginning(model, recipe), recipe)
    except CgkitError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileError(
            f"{path} is no whole checkpoint", why=f"{type(error).__name__}: {error}"
        ) from None
    return standing


def _expect_same(path: str | Path, old: Any, new: dict[str, Any]) -> None:
    """Demand the recipe that a file was saved of, whatever stands in its place."""
    known = old if isinstance(old, dict) else {}
    for name, value in new.items():
        if repr(known.get(name)) != repr(value):
            raise StateError(
                f"{path} is the checkpoint of another training: its {name} differs",
                why=f"{_line(known.get(name))}, not {_line(value)}",
                attempt="the settings it was begun with, or another file",
            )


def _line(words: Any) -> str:
    """Write a description in one line."""
    return " ".join(str(words).split())[:200]


def _standing(state: dict[str, Any]) -> Standing:
    """Put a standing together from what a file holds."""
    numbers = Numbers(state["parameters"], state["buffers"], state["optimizer"])
    history = tuple(Epoch(*epoch) for epoch in state["history"])
    return Standing(numbers, state["step"], Tally(*state["tally"]), history)


def _expect_whole(found: Standing, fresh: Standing, recipe: Recipe) -> None:
    """Demand what a training of this model and recipe would have saved: names, shapes, counts.

    Raises
    ------
    ValueError
        Something is missing, or does not fit.
    """
    for part in ("parameters", "buffers", "states"):
        known, given = getattr(fresh.numbers, part), getattr(found.numbers, part)
        if _types(known) != _types(given):
            raise ValueError(f"its {part} are not those of the model")
    seen = found.step - len(found.history) * recipe.steps
    whole = all(type(x) is int for x in (found.step, found.tally.right, found.tally.seen))
    told = [x for epoch in found.history for x in astuple(epoch)[1:]]
    if not all(type(x) is float for x in (found.tally.loss, *told)):
        raise ValueError("what it tells of its epochs are no numbers")
    if not whole or not 0 <= seen < recipe.steps or found.tally.seen != seen * recipe.batch:
        raise ValueError(f"{found.step} steps and {len(found.history)} epochs do not fit")


def _types(part: Any) -> Any:
    """Give names, shapes and dtypes, of states too."""
    if isinstance(part, dict):
        return {name: _types(x) for name, x in part.items()}
    if not isinstance(part, np.ndarray | np.generic):
        raise ValueError(f"a {type(part).__name__} stands where an array should")
    return part.shape, part.dtype

"""`cgkit run SUBJECT`: what there is to run, each with options of its own.

    cgkit run digits         cgkit/cli/run_digits.py: a network learns to read digits
    cgkit run net.onnx       cgkit/cli/run_model.py: an ONNX model is run, and its costs are told
    cgkit run digits --help

A subject is a line in SUBJECTS and a module with a click command called `command`, which `load`
imports when it is asked for. Every word that ends like a model is one.
"""

from __future__ import annotations

import difflib

import click

MODEL = "MODEL.onnx"
SUBJECTS = {
    "digits": "Train a network to read handwritten digits.",
    MODEL: "Run an ONNX model once, and say what that cost.",
}
"""What can be run, and what it does."""


def load(subject: str) -> click.Command:
    """Import the command of a subject."""
    if subject == MODEL:
        from cgkit.cli.run_model import command as model

        return model
    from cgkit.cli.run_digits import command as digits

    return {"digits": digits}[subject]


class Subjects(click.Group):
    """A group that imports a subject only when it is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name what can be run."""
        return list(SUBJECTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one subject."""
        return load(cmd_name) if cmd_name in SUBJECTS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one line a subject without importing any of them."""
        with formatter.section("Subjects"):
            formatter.write_dl(list(SUBJECTS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subject, or say which one may have been meant."""
        word = args[0]
        if word.lower().endswith(".onnx"):
            return MODEL, load(MODEL), args  # the model is a word of its command's
        if word not in SUBJECTS and not word.startswith("-"):
            near = difflib.get_close_matches(word, SUBJECTS, n=1)
            guess = f"Did you mean '{near[0]}'?" if near else f"Subjects: {', '.join(SUBJECTS)}."
            raise click.UsageError(f"There is no '{word}' to run. {guess}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Subjects, subcommand_metavar="SUBJECT [OPTIONS]")
def command() -> None:
    """Train a network, or run an ONNX model."""

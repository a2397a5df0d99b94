"""The command `cgkit`: one word, then what it works on.

    cgkit VERB WORDS
      |     |
      |     cgkit/cli/VERB.py, imported only when its verb is asked for
      VERBS below: all that `cgkit --help` needs

Exit codes: 0 it went well, 1 a check failed, 2 used in a way it does not have, 3 this machine lacks
something. Every error of the library becomes one clean sentence; with --json, one JSON object.
"""

import difflib
import importlib
import signal
import sys
from collections.abc import Sequence
from importlib.util import find_spec

import click

from cgkit.cli.report import Item, emit, explain
from cgkit.errors import CgkitError, EnvironmentFault

VERBS = {
    "doctor": "Check this machine; each fault comes with its cure.",
    "lab": "Open JupyterLab on the course.",
    "check": "Check notebooks that you have filled in.",
    "hint": "Show the next hint for a task.",
    "draw": "Draw a graph into an SVG, PNG, PDF or DOT file.",
    "run": "Train a network, or run an ONNX model.",
    "build": "Build the notebooks from their texts.",
    "demo": "Grade a sample class, from release to feedback.",
    "grade": "Grade what a class handed in.",
    "student-copy": "Write the folder that students get.",
    "test": "Run the tests.",
    "conformance": "Run tests that others wrote, and count what passes.",
    "bench": "Measure speed, beside others that do the same work.",
}

APART = {"run": "running"}
"""Verbs whose module is called otherwise, since something else here has their name."""


def module_of(verb: str) -> str:
    """Give the module of a verb.

    Examples
    --------
    >>> module_of("student-copy")
    'cgkit.cli.student_copy'
    """
    return f"cgkit.cli.{APART.get(verb, verb).replace('-', '_')}"


def verbs_here() -> dict[str, str]:
    """Give the verbs of this copy of the course: what teachers need is not in a student's."""
    return {verb: words for verb, words in VERBS.items() if find_spec(module_of(verb))}


class LazyGroup(click.Group):
    """A group that imports a verb only when it is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the verbs, in the order in which one meets them."""
        return list(verbs_here())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one verb."""
        if cmd_name not in verbs_here():
            return None
        command = importlib.import_module(module_of(cmd_name)).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one line a verb without importing any of them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(verbs_here().items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb, or say which one may have been meant."""
        word, here = args[0], verbs_here()
        if word not in here and not word.startswith("-"):
            near = difflib.get_close_matches(word, here, n=1)
            guess = f"Did you mean '{near[0]}'?" if near else f"Verbs: {', '.join(here)}."
            raise click.UsageError(f"There is no verb '{word}'. {guess}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="'cgkit VERB --help' says more about one verb.",
)
@click.version_option(package_name="cgkit", message="cgkit %(version)s")
def verbs() -> None:
    """Build computational graphs, draw them, run them, go backward through them."""


def run(arguments: Sequence[str]) -> int:
    """Run one command line and give its exit code."""
    try:
        _hear_interrupts()
        code = verbs.main(list(arguments), prog_name="cgkit", standalone_mode=False)
    except SystemExit as left:
        code = left.code
    except click.ClickException as error:
        return _refuse(arguments, error, error.exit_code)
    except CgkitError as error:
        return _refuse(arguments, error, error.exit_code)
    except OSError as error:
        return _refuse(arguments, error, 3)
    except MemoryError:
        fault = EnvironmentFault(
            "this takes more memory than there is", attempt="something smaller"
        )
        return _refuse(arguments, fault, 3)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        return 130
    return code if isinstance(code, int) else 0


def _hear_interrupts() -> None:
    """Take a Ctrl-C that came while Python started: start.py lets it wait until here."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _refuse(arguments: Sequence[str], error: Exception, code: int) -> int:
    if "--json" in arguments:
        emit(arguments[0], [Item(arguments[0], "failed", explain(error))], as_json=True)
    elif isinstance(error, click.ClickException):
        error.show()
    else:
        click.echo(explain(error), err=True)
    return code


def main() -> None:
    """Run the command line of this process, and leave with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a sign shows a question mark in its place, not a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    sys.exit(run(sys.argv[1:]))

"""`cgkit hint`: one question that leads on, and how many more there are."""

import textwrap

import click

from cgkit.checks import hints, tasks
from cgkit.cli.report import Item, finish, json_option, spoken
from cgkit.errors import UsageFault
from cgkit.score import WIDTH


@click.command()
@click.argument("assignment")
@click.argument("task", required=False)
@click.argument("step", type=click.IntRange(min=1), default=1)
@json_option
def command(assignment: str, task: str | None, step: int, as_json: bool) -> None:
    """Show a hint for a task: a question, not an answer.

    ASSIGNMENT is a number or a name, as 01 or 01_graphs; TASK is the name in the first line of a
    check that failed. STEP 1 is the mildest hint; ask for the next one when it does not help.
    """
    if task is None:
        names = ", ".join(found.name for found in tasks(assignment))
        raise UsageFault("a hint for which task?", attempt=f"one of {names}")
    steps = hints(assignment, task.removeprefix("test_"))
    if not steps:
        finish("hint", [Item(task, "note", "this task has no hints")], as_json=as_json)
    if step > len(steps):
        many = "only one hint" if len(steps) == 1 else f"only {len(steps)} hints"
        raise UsageFault(f"{task} has {many}; there is no hint {step}")
    text = steps[step - 1]
    if not as_json:
        text = textwrap.fill(text, WIDTH - len(f"· hint {step} of {len(steps)}  "))
    if step < len(steps) and not as_json:
        text += f"\n(more: {spoken(f'hint {assignment} {task} {step + 1}')})"
    finish("hint", [Item(f"hint {step} of {len(steps)}", "note", text)], as_json=as_json)

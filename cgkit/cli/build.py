"""`cgkit build`: make the notebooks whose texts changed, or say which are out of date."""

from pathlib import Path

import click

from cgkit.cli.report import Item, Progress, finish, json_option
from cgkit.notebooks.build import build
from cgkit.notebooks.project import find_project
from cgkit.notebooks.verify import verify


@click.command()
@click.argument("names", nargs=-1)
@click.option("--check", is_flag=True, help="Write nothing; say what is out of date or wrong.")
@click.option("--force", is_flag=True, help="Make current notebooks again too.")
@json_option
def command(names: tuple[str, ...], check: bool, force: bool, as_json: bool) -> None:
    """Build the notebooks from their texts.

    NAMES are texts such as course/01_graphs.py, or 01_graphs for both chapter and assignment; all
    of them when there is none. What is current is left alone. Interrupt it as you like: the next
    build goes on from there.
    """
    if check and force:
        raise click.UsageError("--check writes nothing, so --force has nothing to do.")
    project = find_project(Path.cwd())
    with Progress("checking" if check else "building") as progress:
        if check:
            findings = verify(project, names, tell=progress.step)
            items = [
                Item(finding.name, "failed" if finding.fault else "ok", finding.fault)
                for finding in findings
            ]
        else:
            made = build(project, names, force=force, tell=progress.step)
            items = [Item(name, "ok", "built") for name in made]
    if not items:
        items = [Item("notebooks", "ok", "all current" if project.texts else "no texts yet")]
    finish("build", items, as_json=as_json)

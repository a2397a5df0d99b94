"""`cgkit test`: the tests of this project, by pytest; further words are pytest's.

    cgkit test                    the quick ones
    cgkit test -m oracle          those with a mark
    cgkit test tests/test_tree.py -k leaves

What a mark needs beside the test tools is installed by `python start.py test -m MARK`.
"""

import importlib.util
import subprocess
import sys
from pathlib import Path

import click

from cgkit.errors import EnvironmentFault
from cgkit.notebooks.project import find_project

# pytest: 0 passed, 1 failed, 2 stopped or not collected, 3 broken, 4 used wrongly, 5 none found
EXIT_CODES = {0: 0, 1: 1, 2: 1, 3: 1, 4: 2, 5: 2}


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[PYTEST WORDS]...")
def command(words: tuple[str, ...]) -> None:
    """Run the tests.

    All words are handed to pytest, for example -m oracle or -k broadcast. Exit code 2 also says
    that no test fits them.
    """
    if importlib.util.find_spec("pytest") is None:
        raise EnvironmentFault(
            "the test tools are not installed", attempt="python start.py test, which installs them"
        )
    root = find_project(Path.cwd()).root
    done = subprocess.run([sys.executable, "-m", "pytest", *words], cwd=root, check=False)
    sys.exit(EXIT_CODES.get(done.returncode, 130))

"""What tests of grading share: a lane with the small assignment, behind the best fence there is."""

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

from cgkit.errors import EnvironmentFault
from cgkit.grading.edition import Edition
from cgkit.grading.gradebook import Gradebook, Name
from cgkit.grading.judge import Times
from cgkit.grading.lane import Lane, read_assignment
from cgkit.grading.register import enter
from cgkit.grading.sandbox import Limits, Sandbox, find


def _shared(name):
    """Load a file that tests share by its place, since tests are imported one by one."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    made = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


classwork, server = _shared("classwork"), _shared("server")

QUICK = Times(cell=1.5, own=1.0, total=20)
SMALL = Limits(memory=600 << 20, together=700 << 20, processes=12)


@pytest.fixture(scope="session")
def situation():
    """The best fence of this machine."""
    try:
        return find()
    except EnvironmentFault as fault:
        pytest.skip(f"no sandbox here: {fault.why}")


@pytest.fixture(scope="module")
def sandbox():
    """A warm Python without a fence: for what crosses, not for what is kept out."""
    with Sandbox(find("none"), Edition()) as made:
        yield made


@pytest.fixture(scope="session")
def assignment():
    """The small assignment, with short times."""
    made = classwork.notebook(classwork.assignment_cells())
    return read_assignment("small", made, times=QUICK, limits=SMALL)


@pytest.fixture(scope="session")
def lane(situation, assignment):
    """A lane for it."""
    with Lane(assignment, situation, secret=b"not told") as made:
        yield made


@pytest.fixture(scope="session")
def empty_book(tmp_path_factory):
    """A gradebook that knows the small assignment; nbgrader needs seconds to make one."""
    made = classwork.notebook(classwork.assignment_cells())
    path = tmp_path_factory.mktemp("book") / "gradebook.db"
    enter(f"sqlite:///{path}", "cgkit", Name("small"), made)
    return path


@pytest.fixture
def book_file(empty_book, tmp_path_factory):
    """A desk at a gradebook in a file of its own, and the address."""
    path = tmp_path_factory.mktemp("book") / "gradebook.db"
    shutil.copyfile(empty_book, path)
    url = f"sqlite:///{path}"
    with Gradebook(url) as opened:
        yield opened.desk("small"), url


# nbgrader's own steps leave their connections to a server to the garbage collector
LEFT = pytest.mark.filterwarnings("ignore:<psycopg.Connection object at:ResourceWarning")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=(pytest.mark.postgres, LEFT))])
def book(request):
    """A desk at a gradebook of its own, in a file or on a server, and the address."""
    if request.param == "sqlite":
        yield request.getfixturevalue("book_file")
        return
    url = request.getfixturevalue("postgres").copy()
    with Gradebook(url) as opened:
        yield opened.desk("small"), url


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server of our own on a socket in a folder, with the small assignment in it."""
    made = classwork.notebook(classwork.assignment_cells())
    with server.started() as running:
        enter(running.address("small"), "cgkit", Name("small"), made)
        yield running

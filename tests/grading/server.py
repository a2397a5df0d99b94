"""A PostgreSQL server for tests: in a folder of its own, on a socket in that folder, no network.

    with started() as server:
        server.address("class")     postgresql://grader@/class?host=/tmp/...
        server.copy()               the address of a fresh copy of the database "small"

Whoever lacks the server or its driver skips, and the reason says which.
"""

import contextlib
import importlib.util
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

USER = "grader"
DRIVER = 'psycopg is missing; install it by: pip install "psycopg[binary]"'
MISSING = "no PostgreSQL server here; install it by: apt-get install postgresql"


def program(name):
    """Find a program of the server; Debian keeps them off the path."""
    known = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    found = shutil.which(name) or (str(known[-1]) if known else None)
    if found is None:
        pytest.skip(MISSING)
    return found


class Server:
    """One that runs.

    Parameters
    ----------
    folder
        Where its socket is.
    """

    def __init__(self, folder):
        self.folder = folder
        self._numbers = itertools.count()

    def address(self, name):
        """Give the address of a new database."""
        self._do(f"create database {name}")
        return self._address(name)

    def copy(self):
        """Give the address of a new database that holds what "small" holds."""
        name = f"copy{next(self._numbers)}"
        self._do(f"create database {name} template small")
        return self._address(name)

    def drop(self, name):
        """Remove a database, whoever is connected to it."""
        self._do(f"drop database {name} with (force)")

    def drop_connections(self):
        """Let the server close every connection but the one that says so."""
        mine = "pid <> pg_backend_pid() and backend_type = 'client backend'"
        self._do(f"select pg_terminate_backend(pid) from pg_stat_activity where {mine}")

    def _address(self, name):
        return f"postgresql://{USER}@/{name}?host={self.folder}"

    def _do(self, words):
        import psycopg

        where = f"host={self.folder} user={USER} dbname=postgres"
        with psycopg.connect(where, autocommit=True) as connection:
            connection.execute(words)


@contextlib.contextmanager
def started():
    """Make a server, run it, and remove it."""
    if importlib.util.find_spec("psycopg") is None:
        pytest.skip(DRIVER)
    initdb, postgres = program("initdb"), program("postgres")
    folder = Path(tempfile.mkdtemp(prefix="cgkit-pg-"))
    as_other = {}
    if os.getuid() == 0:  # it refuses to run as root
        as_other = {"user": "nobody", "group": "nogroup", "extra_groups": []}
        shutil.chown(folder, "nobody", "nogroup")
    words = [initdb, "-D", str(folder / "data"), "-U", USER, "-A", "trust", "--no-sync"]
    subprocess.run(words, check=True, capture_output=True, cwd=folder, **as_other)
    words = [postgres, "-D", str(folder / "data"), "-k", str(folder), "-c", "listen_addresses="]
    words += ["-c", "fsync=off"]
    process = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder, **as_other
    )
    try:
        for line in process.stderr:
            if b"ready to accept" in line:
                break
        else:
            pytest.fail("PostgreSQL did not start")
        yield Server(folder)
    finally:
        process.send_signal(signal.SIGINT)  # without waiting for whoever is connected
        process.communicate(timeout=60)
        shutil.rmtree(folder, ignore_errors=True)

"""A skipped comparison must not look like a passed one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).with_name("conftest.py")
INI = "[pytest]\nmarkers =\n    oracle:\n    browser:\n"
HEAD = "import pytest\n@pytest.mark.{mark}\n"
SKIPPED = HEAD.format(mark="oracle") + "def test_a():\n    pytest.skip('no torch here')\n"
EXPECTED = HEAD.format(mark="oracle") + "@pytest.mark.xfail\ndef test_b():\n    assert False\n"
BROWSER = HEAD.format(mark="browser") + "def test_c():\n    assert False\n"
SANDBOX = "import pytest\ndef test_d():\n    pytest.skip('{why}')\n"
WHOLE_FILE = "import pytest\npytest.importorskip('no_such_package')\n"


def outcome(folder: Path, tests: list[str], *words: str, ci: str = "") -> tuple[int, str]:
    # What `oracle` needs is taken as installed, what `browser` needs as missing.
    text = CONFTEST.read_text(encoding="utf-8")
    text = text.replace('"torch"', '"json"').replace('"playwright"', '"no_such_package"')
    (folder / "conftest.py").write_text(text, encoding="utf-8")
    (folder / "pytest.ini").write_text(INI)
    for number, test in enumerate(tests):
        (folder / f"test_{number}.py").write_text(test)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *words],
        cwd=folder,
        env={**os.environ, "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_in_ci_a_skipped_comparison_fails(tmp_path):
    code, text = outcome(tmp_path, [SKIPPED, EXPECTED], "-m", "oracle", ci="true")
    assert code == 1
    assert "skipped, which is a failure in CI: no torch here" in text
    assert "1 failed, 1 xfailed" in text


@pytest.mark.skipif(sys.platform != "linux", reason="sandboxes are for Linux")
@pytest.mark.parametrize(
    ("why", "ci", "code"),
    [
        ("no sandbox here: no namespaces", "true", 1),
        ("no bundled bwrap on this machine", "true", 1),
        ("bundled bwrap does not work here: no namespaces", "true", 1),
        ("no system bwrap on this machine", "true", 0),
        ("no sandbox here: no namespaces", "", 0),
    ],
)
def test_in_ci_a_sandbox_must_be_there(tmp_path, why, ci, code):
    found, text = outcome(tmp_path, [SANDBOX.format(why=why)], ci=ci)
    assert found == code
    assert why in text


def test_elsewhere_it_is_skipped_and_says_how_to_install_what_is_missing(tmp_path):
    code, text = outcome(tmp_path, [SKIPPED, BROWSER])
    assert code == 0
    assert "2 skipped" in text
    assert "no_such_package is missing; install it by: python start.py test -m browser" in text


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["-m", "oracle"], 2, "skips itself, which is a failure in CI"),
        ([], 5, "1 skipped"),
        (["-m", "not (oracle or browser)"], 5, "1 skipped"),
        (["-m", "not oracle"], 5, "1 skipped"),
        (["-m", "oracle and not browser"], 2, "skips itself, which is a failure in CI"),
    ],
)
def test_in_ci_a_whole_file_may_skip_itself_only_unasked(tmp_path, words, code, said):
    found, text = outcome(tmp_path, [WHOLE_FILE], *words, ci="true")
    assert found == code
    assert said in text

"""A skipped comparison must not look like a passed one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).with_name("conftest.py")
INI = "[pytest]\nmarkers =\n    oracle:\n    browser:\n"
SKIPPED = "import pytest\n@pytest.mark.oracle\ndef test_a():\n    pytest.skip('no torch here')\n"
WHOLE_FILE = "import pytest\npytest.importorskip('no_such_package')\n"
EXPECTED = (
    "import pytest\n@pytest.mark.oracle\n@pytest.mark.xfail\ndef test_a():\n    assert False\n"
)


def outcome(folder: Path, test: str, *words: str, ci: str = "") -> tuple[int, str]:
    # What `oracle` needs is taken as installed, what `browser` needs as missing.
    text = CONFTEST.read_text(encoding="utf-8")
    text = text.replace('"torch"', '"json"').replace('"playwright"', '"no_such_package"')
    (folder / "conftest.py").write_text(text, encoding="utf-8")
    (folder / "pytest.ini").write_text(INI)
    (folder / "test_a.py").write_text(test)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
        cwd=folder,
        env={**os.environ, "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("test", "words", "ci", "code", "said"),
    [
        (SKIPPED, ["-m", "oracle"], "true", 1, "failure in CI: no torch here"),
        (SKIPPED, ["-m", "oracle"], "", 0, "1 skipped"),
        (WHOLE_FILE, ["-m", "oracle"], "true", 2, "skips itself, which is a failure in CI"),
        (WHOLE_FILE, [], "true", 5, "1 skipped"),
        (EXPECTED, ["-m", "oracle"], "true", 0, "1 xfailed"),
    ],
)
def test_skips_of_needed_marks_fail_in_ci(tmp_path, test, words, ci, code, said):
    found, text = outcome(tmp_path, test, *words, ci=ci)
    assert found == code
    assert said in text


def test_a_missing_package_is_named_with_the_cure(tmp_path):
    test = "import pytest\n@pytest.mark.browser\ndef test_a():\n    assert False\n"
    code, text = outcome(tmp_path, test, "-rs")
    assert code == 0
    assert "python start.py test -m browser" in text

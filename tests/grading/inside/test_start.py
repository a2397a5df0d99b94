"""The guest must be able to start from its own files alone."""

import json
import subprocess
import sys

from cgkit.grading.edition import write_guest


def test_the_guest_imports_nothing_that_is_not_copied(tmp_path):
    write_guest(tmp_path / "guest")
    packages = [entry for entry in sys.path if entry.endswith("site-packages")]
    configuration = {"guest": str(tmp_path / "guest"), "paths": packages}
    start = tmp_path / "guest" / "cgkit" / "grading" / "inside" / "start.py"
    code = (
        f"import sys, runpy\nsys.argv = ['start', '0', {json.dumps(json.dumps(configuration))}]\n"
        f"sys.path[:0] = [{str(tmp_path / 'guest')!r}]\n"
        f"import cgkit.grading.inside.zygote as zygote\n"
        "zygote.main = lambda arguments: print(arguments[0], zygote.__file__)\n"
        f"runpy.run_path({str(start)!r}, run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.stderr == ""
    assert done.stdout.split() == ["0", str(start.with_name("zygote.py"))]

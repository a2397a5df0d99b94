import sys
from pathlib import Path

import pytest

from cgkit.errors import EnvironmentFault
from cgkit.grading import runtime
from cgkit.grading.runtime import needed


def test_python_its_library_and_the_packages_are_found():
    found = needed()
    assert found.python.is_file()
    assert any((folder / "os.py").is_file() for folder in found.stdlib)
    assert {folder.name for folder in found.packages} >= {"numpy", "graphviz"}
    assert all(Path(name).is_file() for name in found.libraries)
    assert not any("site-packages" in str(folder) for folder in found.stdlib)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="names of libraries on Linux")
def test_the_linker_and_the_library_of_c_are_among_them():
    names = [Path(name).name for name in needed().libraries]
    assert any(name.startswith(("libc.so", "libc.musl")) for name in names)
    assert any(name.startswith("ld-") for name in names)


def test_a_masked_module_is_masked_with_its_compiled_twins():
    masked = {path.name for path in needed().masked(["graphlib", "networkx"])}
    assert "graphlib.py" in masked
    assert all(name.startswith("graphlib.") for name in masked)


def test_a_package_that_is_missing_is_named():
    with pytest.raises(EnvironmentFault, match="no_such_package"):
        needed(("no_such_package",))


def test_a_linker_that_says_nothing_is_a_sentence(monkeypatch):
    monkeypatch.setattr(runtime, "_LINKER", "raise SystemExit('cannot')")
    with pytest.raises(EnvironmentFault, match="cannot be listed"):
        runtime._linked([])


def test_without_a_fence_no_linker_is_asked(monkeypatch):
    monkeypatch.setattr(runtime, "_linked", lambda _: pytest.fail("asked"))
    found = needed(("numpy",), linked=False)
    assert found.libraries == ()
    assert found.packages[0].name == "numpy"

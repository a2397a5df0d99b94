"""Where letters come from."""

import importlib.util
import os
import tempfile

import platformdirs
import pytest

from cgkit.errors import RenderError
from cgkit.render import fonts


@pytest.fixture(autouse=True)
def fresh():
    """Forget the file that other tests made."""
    fonts.fontconfig_file.cache_clear()
    yield
    fonts.fontconfig_file.cache_clear()


def test_the_file_lists_folders_that_hold_the_font(tmp_path, monkeypatch):
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *a, **k: str(tmp_path / "a b&c"))
    text = fonts.fontconfig_file().read_text()
    assert (fonts.matplotlib_fonts() / "DejaVuSans.ttf").exists()
    assert str(fonts.matplotlib_fonts()) in text
    assert "a b&amp;c" in text
    assert "/usr/share/fonts" not in text
    assert "/usr/share/fonts" in fonts.fontconfig_file(system=True).read_text()


@pytest.fixture
def no_home(tmp_path, monkeypatch):
    """A cache folder that cannot be made, and a folder of temporary files."""
    (tmp_path / "home").write_text("no folder")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *a, **k: str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return tmp_path / "tmp"


def test_a_home_that_cannot_be_written_costs_one_folder_for_all_processes(no_home):
    first = fonts.fontconfig_file()
    fonts.fontconfig_file.cache_clear()
    assert fonts.fontconfig_file() == first
    (folder,) = no_home.iterdir()
    assert folder == first.parent
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("trap", ["open", "link", "file"])
def test_a_folder_that_another_may_have_made_is_not_trusted(no_home, monkeypatch, trap):
    ended = []
    monkeypatch.setattr(fonts.atexit, "register", lambda *call, **more: ended.append((call, more)))
    place = no_home / f"cgkit-fonts-{os.getuid()}"
    if trap == "open":
        place.mkdir()
        place.chmod(0o777)
    elif trap == "link":
        (no_home / "elsewhere").mkdir(mode=0o700)
        place.symlink_to(no_home / "elsewhere")
    else:
        place.write_text("no folder")
    folder = fonts.fontconfig_file().parent
    assert folder not in (place, no_home / "elsewhere")
    [((remove, path), settings)] = ended
    remove(path, **settings)
    assert not folder.exists()


def test_without_matplotlib(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(RenderError, match="matplotlib is not installed"):
        fonts.matplotlib_fonts()

"""Where letters come from."""

import importlib.util
from pathlib import Path

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


def test_a_home_that_cannot_be_written(monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError

    monkeypatch.setattr(Path, "mkdir", refuse)
    monkeypatch.setattr(fonts.tempfile, "TemporaryFile", refuse)
    assert "cgkit-fonts-" in str(fonts.fontconfig_file())


def test_without_matplotlib(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(RenderError, match="matplotlib is not installed"):
        fonts.matplotlib_fonts()

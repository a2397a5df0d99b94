"""Letters for pictures, without asking the machine which fonts it has.

    matplotlib's ttf folder ──┐
    (the machine's folders) ──┴──► fonts.conf ──► Graphviz, by FONTCONFIG_FILE

Matplotlib carries DejaVu Sans wherever it is installed, so every picture is set in it. Without
such a file Graphviz on a machine without fonts draws empty squares and reports no error.

The machine's own folders are listed only for texts that DejaVu Sans has no letters for (Chinese,
Japanese, Korean, emoji): every other picture comes out the same on every machine.
"""

from __future__ import annotations

import atexit
import functools
import importlib.util
import os
import shutil
import stat
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

from cgkit.errors import RenderError
from cgkit.files import write_whole

FONT = "DejaVu Sans"
"""The font of every picture."""

FAMILIES = f"{FONT}, Verdana, sans-serif"
"""What a browser without that font may use: Verdana has the same widths."""

SYSTEM_FOLDERS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/System/Library/Fonts",
    "/Library/Fonts",
    "C:/Windows/Fonts",
    "~/.fonts",
    "~/.local/share/fonts",
    "~/Library/Fonts",
)

_FIRST_EAST_ASIAN = 0x2E80  # code points below are DejaVu's, above mostly not


def needs_system_fonts(text: str) -> bool:
    """Tell whether a text holds letters that DejaVu Sans lacks.

    Examples
    --------
    >>> needs_system_fonts("x → y"), needs_system_fonts("输入")
    (False, True)
    """
    return any(ord(letter) >= _FIRST_EAST_ASIAN for letter in text)


@functools.cache
def fontconfig_file(*, system: bool = False) -> Path:
    """Write the file that tells Graphviz where fonts lie, and give its place.

    Parameters
    ----------
    system
        List the machine's own font folders too.

    Raises
    ------
    RenderError
        Matplotlib, whose fonts are used, is not installed.
    """
    folders = [matplotlib_fonts()]
    if system:
        folders += [Path(folder).expanduser() for folder in SYSTEM_FOLDERS]
    text = _configuration(folders, (home := _cache_folder()) / "cache")
    file = home / ("all-fonts.conf" if system else "fonts.conf")
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        write_whole(file, text)
    return file


def matplotlib_fonts() -> Path:
    """Find the folder of fonts that matplotlib carries, without importing matplotlib."""
    found = importlib.util.find_spec("matplotlib")
    if found is None or found.origin is None:
        raise RenderError(
            "matplotlib is not installed, and pictures are set in its fonts",
            attempt="python start.py doctor",
        )
    return Path(found.origin).parent / "mpl-data" / "fonts" / "ttf"


def _configuration(folders: list[Path], cache: Path) -> str:
    """Give the text of a fontconfig file; folders that do not exist do no harm."""
    lines = [f"  <dir>{escape(str(folder))}</dir>" for folder in folders]
    lines.append(f"  <cachedir>{escape(str(cache))}</cachedir>")
    inside = "\n".join(lines)
    head = '<?xml version="1.0"?>\n<!DOCTYPE fontconfig SYSTEM "fonts.dtd">\n'
    return f"{head}<fontconfig>\n{inside}\n</fontconfig>\n"


def _cache_folder() -> Path:
    """Find a folder of the user's own that stays, or else one that goes with this process.

    Where home is read-only it lies among the temporary files, the same one each time: only there
    may others have made it first, to tell us what to read.
    """
    import platformdirs

    home = Path(platformdirs.user_cache_dir("cgkit", appauthor=False)) / "fonts"
    if _can_write(home):
        return home
    mine = str(os.getuid()) if hasattr(os, "getuid") else "cache"
    shared = Path(tempfile.gettempdir()) / f"cgkit-fonts-{mine}"
    if _can_write(shared) and _is_private(shared):
        return shared
    own = tempfile.mkdtemp(prefix="cgkit-fonts-")
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return Path(own)


def _can_write(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _is_private(folder: Path) -> bool:
    """Tell whether a folder, and no link to one, is the user's and closed to others' writing."""
    if not hasattr(os, "getuid"):
        return True  # Windows gives each user temporary files of their own
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022

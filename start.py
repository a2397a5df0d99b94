"""Set this folder up, then hand the words over to `cgkit`.

    python start.py demo          grade a sample class
    python start.py test          run the tests
    python start.py VERB WORDS    anything that `cgkit` can do

Needs Python 3.11 or newer and nothing else. All that it makes lies in .venv beside this file:

    no .venv ──► make it ──► install requirements.lock ──► install cgkit ──► cgkit VERB WORDS
                    │                   │                       │
                    └───────────────────┴── a stamp in .venv says what is done

so a second call costs a fraction of a second, and a call that was interrupted goes on where it
stopped. The test tools (requirements-dev.lock) come with the first `test`; `test -m oracle` and
`test -m browser` bring requirements-oracle.txt and requirements-browser.txt.
"""

import contextlib
import errno
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

OLDEST = (3, 11)


def too_old(version: "tuple[int, int]", executable: str) -> str:
    """Say that this Python is too old, or nothing. Old Pythons run this: plain syntax only."""
    if version >= OLDEST:
        return ""
    return (
        "cgkit needs Python {}.{} or newer, and this is Python {}.{} ({}).\n"
        "Install a newer one and call it by its name, for example:\n"
        "    python3.12 start.py demo".format(*(OLDEST + tuple(version) + (executable,)))
    )


if too_old(sys.version_info[:2], sys.executable):
    sys.stderr.write(too_old(sys.version_info[:2], sys.executable) + "\n")
    sys.exit(3)

HERE = Path(__file__).resolve().parent
NEEDED_BYTES = 1 << 30
STAMP = "made-by-cgkit.json"
EXTRAS = ("oracle", "browser")

# What is installed in a step of its own, and the files whose change asks for it again.
PARTS = {
    "course": ["requirements.lock"],
    "project": ["requirements.lock", "pyproject.toml"],
    "test tools": ["requirements-dev.lock"],
    "oracle": ["requirements-oracle.txt"],
    "browser": ["requirements-browser.txt"],
}

# What pip says, and what it means. The first that fits is told.
REASONS = [
    (
        r"No space left on device|Errno 28|WinError 112|[Dd]isk quota exceeded",
        "The disk is full. Free about 1 GB, then run this again: it goes on where it stopped.",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED|SSLCertVerificationError|SSLError",
        "The package server's certificate was refused. Behind a proxy, tell pip which certificate\n"
        "to trust (pip config set global.cert FILE), then run this again.",
    ),
    (
        r"DO NOT MATCH THE HASHES",
        "A package that was fetched is not the one this course was tested with. Run this again;\n"
        "if it stays so, ask who runs your package server: it serves changed files.",
    ),
    (
        r"from versions: none|NewConnectionError|ConnectTimeout|ReadTimeout|ProxyError"
        r"|ConnectionResetError|[Nn]etwork is unreachable|name resolution|getaddrinfo failed",
        "No package server answers. Connect to the network (or set pip's proxy or index), then\n"
        "run this again: it goes on where it stopped.",
    ),
    (
        r"No matching distribution found",
        "A package is not made for this Python or this kind of machine.\n"
        "Try Python 3.11, 3.12 or 3.13 (64 bit), for example: python3.12 start.py demo",
    ),
]


class SetupError(Exception):
    """A reason to stop that a person can do something about."""


# ---- decisions: plain functions of what was found ----


def wanted_parts(words: list[str]) -> list[str]:
    """Name the parts that a command needs, in the order in which they are installed.

    Only `test` needs more than the course, and of the extras those that its -m asks for by name:
    `-m oracle` or `-m "oracle and not slow"`, but not `-m "not oracle"`.
    """
    if words[:1] != ["test"]:
        return ["course", "project"]
    expression = ""
    for word, follower in zip(words, [*words[1:], ""], strict=True):
        if word.startswith("-m"):
            expression = word[2:].lstrip("=") or follower
    asked = re.findall(r"\w+", re.sub(r"\bnot\s*(\([^)]*\)|\w+)", "", expression))
    return ["course", "project", "test tools", *(extra for extra in EXTRAS if extra in asked)]


def fingerprint(here: Path, part: str) -> str:
    """Sum up the files that a part is made from."""
    texts = [(here / name).read_bytes() for name in PARTS[part]]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]


def survey(venv: Path, stamp: "dict[str, object] | None") -> str:
    """Say what the folder .venv is.

    Returns
    -------
    str
        "missing", "foreign" (not made by us), "half made", "moved" (made in another folder),
        "orphaned" (its Python is gone or was replaced), or "ours".
    """
    if not venv.exists() or (venv.is_dir() and not any(venv.iterdir())):
        return "missing"
    if stamp is None:
        return "foreign"
    if stamp.get("place") != str(venv):
        return "moved"
    if "python" not in stamp:
        return "half made"
    if not python_of(venv).exists() or stamp["python"] != os.path.realpath(python_of(venv)):
        return "orphaned"
    return "ours"


def reason(log: str) -> str:
    """Say why pip failed, in words a person can act on."""
    for pattern, sentence in REASONS:
        if re.search(pattern, log):
            return sentence
    return "Installing failed. The last lines were:\n    " + "\n    ".join(log.splitlines()[-8:])


def os_reason(error: OSError) -> str:
    """Say why the system refused something."""
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return REASONS[0][1]
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return (
            f"Cannot write {error.filename or HERE}.\n"
            "Copy this folder to a place of your own, and run start.py there."
        )
    return f"{error.filename or HERE}: {error.strerror or error}"


def python_of(venv: Path) -> Path:
    """Give the interpreter of a virtual environment."""
    return scripts_of(venv) / ("python.exe" if os.name == "nt" else "python")


def scripts_of(venv: Path) -> Path:
    """Give the folder of commands of a virtual environment."""
    return venv / ("Scripts" if os.name == "nt" else "bin")


def infos_of(venv: Path) -> "list[Path]":
    """Give the folder that pip keeps about each installed package."""
    pattern = "Lib/site-packages" if os.name == "nt" else "lib/python*/site-packages"
    return list(venv.glob(f"{pattern}/*.dist-info"))


def environment(venv: Path, base: "dict[str, str]") -> "dict[str, str]":
    """Give the variables under which pip and cgkit run: .venv first, nothing that leads away.

    The user's certificate, proxy and index settings stay.
    """
    away = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PYTHONPATH", "PYTHONHOME")
    kept = {name: value for name, value in base.items() if name not in away}
    path = os.pathsep.join([str(scripts_of(venv)), *filter(None, [kept.get("PATH")])])
    return {**kept, "PATH": path, "VIRTUAL_ENV": str(venv), "PIP_USER": "0"}


# ---- actions ----


def say(text: str) -> None:
    """Tell what is going on, on standard error."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def read_stamp(venv: Path) -> "dict[str, object] | None":
    """Read what was done in .venv, or nothing when we did not make it."""
    try:
        found = json.loads((venv / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def write_stamp(venv: Path, stamp: "dict[str, object]") -> None:
    """Write down what is done; whole or not at all."""
    fresh = venv / (STAMP + ".new")
    fresh.write_text(json.dumps(stamp, indent=1), encoding="utf-8")
    fresh.replace(venv / STAMP)


def ready_venv(venv: Path) -> "dict[str, object]":
    """Make or mend .venv if need be, and give its stamp."""
    stamp = read_stamp(venv)
    state = survey(venv, stamp)
    if state == "ours":
        return stamp or {}
    if state == "foreign":
        raise SetupError(
            f"There is a {venv} that start.py did not make, so it is left alone.\n"
            "Rename or remove it, then run this again."
        )
    if state != "missing":
        say(f"The old .venv is {state}: making it anew.")
    make_venv(venv)
    stamp = {"place": str(venv), "python": os.path.realpath(python_of(venv))}
    write_stamp(venv, stamp)
    return stamp


def make_venv(venv: Path) -> None:
    """Make an empty virtual environment, in place of whatever we made there before."""
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        raise SetupError(
            "This Python cannot make virtual environments.\n"
            "On Debian or Ubuntu: apt-get install python3-venv. Then run this again."
        )
    free = shutil.disk_usage(HERE).free
    if free < NEEDED_BYTES:
        raise SetupError(f"The disk is full: {free >> 20} MB are free, and about 1 GB is needed.")
    venv.mkdir(exist_ok=True)
    write_stamp(venv, {"place": str(venv)})
    for old in venv.iterdir():
        if old.name != STAMP:
            shutil.rmtree(old) if old.is_dir() and not old.is_symlink() else old.unlink()
    say("Making .venv")
    base = getattr(sys, "_base_executable", sys.executable)
    made = subprocess.run(
        [base, "-m", "venv", str(venv)],
        env=environment(venv, dict(os.environ)),
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if made.returncode:
        raise SetupError(reason(made.stdout + made.stderr))


def install(venv: Path, part: str) -> None:
    """Install one part with pip."""
    lock, *_ = PARTS[part]
    total = len(re.findall(r"^\w\S*==", (HERE / lock).read_text(encoding="utf-8"), re.MULTILINE))
    if part == "project":
        say("Installing cgkit")
        return pip(venv, ["--no-deps", "--no-build-isolation", "--editable", str(HERE)], 1)
    if lock.endswith(".lock"):
        say(f"Installing the {part}: about {total} packages")
        pip(venv, ["--require-hashes", "--only-binary=:all:", "-r", str(HERE / lock)], total)
        return warm_up(venv) if part == "course" else None
    say(f"Installing what the mark '{part}' needs")
    pins = re.findall(r"^\w[^\\\n]*", (HERE / "requirements.lock").read_text("utf-8"), re.MULTILINE)
    limits = venv / "constraints.txt"
    limits.write_text("\n".join(pins), encoding="utf-8")
    return pip(venv, ["-c", str(limits), "-r", str(HERE / lock)], total)


def warm_up(venv: Path) -> None:
    """Let matplotlib look for its fonts now: its word about that has no place in a notebook."""
    words = [str(python_of(venv)), "-c", "import matplotlib.font_manager"]
    subprocess.run(words, env=environment(venv, dict(os.environ)), capture_output=True, check=False)


def pip(venv: Path, arguments: "list[str]", total: int) -> None:
    """Run `pip install`, with a line of progress on a terminal."""
    forget_half_installed(venv)
    options = ["--disable-pip-version-check", "--no-input", "--no-warn-script-location"]
    process = subprocess.Popen(
        [str(python_of(venv)), "-m", "pip", "install", *options, *arguments],
        cwd=HERE,
        env=environment(venv, dict(os.environ)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    lines: list[str] = []
    reader = threading.Thread(target=collect, args=(process, lines), daemon=True)
    reader.start()
    try:
        while reader.is_alive():
            reader.join(0.3)
            show_progress(venv, lines, total)
    except KeyboardInterrupt:
        process.wait()
        raise
    finally:
        show_progress(venv, [], 0)
    if process.wait():
        (venv / "install.log").write_text("".join(lines), encoding="utf-8")
        raise SetupError(reason("".join(lines)) + f"\n(pip's own words: {venv / 'install.log'})")


def collect(process: "subprocess.Popen[str]", lines: "list[str]") -> None:
    """Read what a process prints, line by line."""
    for line in process.stdout or ():
        lines.append(line)


def show_progress(venv: Path, lines: "list[str]", total: int) -> None:
    """Rewrite the line of progress, or clear it when there is nothing to show."""
    if not sys.stderr.isatty():
        return
    text = ""
    if any(line.startswith("Installing collected") for line in lines):
        text = f"  unpacked {len(infos_of(venv))} of about {total}"
    elif lines:
        fetched = sum(line.startswith("Collecting") for line in lines)
        text = f"  fetched {fetched} of about {total}"
    sys.stderr.write(f"\r{text:<60}\r{text}")
    sys.stderr.flush()


def forget_half_installed(venv: Path) -> None:
    """Remove the marks of packages whose install was cut off, so that pip installs them again.

    pip writes RECORD last: a package without one is not whole.
    """
    for info in infos_of(venv):
        if not (info / "RECORD").exists():
            shutil.rmtree(info)


def set_up(words: "list[str]") -> Path:
    """Bring .venv to what a command needs, and give it."""
    venv = HERE / ".venv"
    stamp = ready_venv(venv)
    for part in wanted_parts(words):
        mark = fingerprint(HERE, part)
        if stamp.get(part) != mark:
            install(venv, part)
            stamp[part] = mark
            write_stamp(venv, stamp)
    return venv


def hand_over(venv: Path, words: "list[str]") -> int:
    """Run `cgkit` with these words and give its exit code."""
    command = scripts_of(venv) / ("cgkit.exe" if os.name == "nt" else "cgkit")
    process = subprocess.Popen([str(command), *words], env=environment(venv, dict(os.environ)))
    while True:
        # Ctrl-C reaches cgkit too; it tidies up, and we wait for it.
        with contextlib.suppress(KeyboardInterrupt):
            code = process.wait()
            return code if code >= 0 else 128 - code


def main(words: "list[str]") -> int:
    """Set up what is missing and run one command."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    if words in ([], ["-h"], ["--help"]) and not (HERE / ".venv" / STAMP).exists():
        sys.stdout.write(__doc__ or "")
        return 0
    try:
        venv = set_up(words)
    except SetupError as error:
        say(str(error))
    except OSError as error:
        say(os_reason(error))
    except KeyboardInterrupt:
        say("Stopped. The next call goes on from here.")
        return 130
    else:
        return hand_over(venv, words)
    return 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

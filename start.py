"""Set this folder up, then hand the words over to `cgkit`.

    python start.py demo          grade a sample class
    python start.py test          run the tests
    python start.py VERB WORDS    anything that `cgkit` can do

Needs Python 3.11 or newer and nothing else. All that it makes lies in .venv beside this file:

    no .venv ──► make it ──► install requirements.lock ──► install cgkit ──► cgkit VERB WORDS
                    │                   │                       │
                    └───────────────────┴── a stamp in .venv says what is done

so a second call costs a fraction of a second, and one that was interrupted goes on. The test tools
come with the first `test`; its marks, `conformance` and `bench --peers` bring what they need.
"""

import contextlib
import errno
import hashlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import typing
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
TEXT: "dict[str, typing.Any]" = {"text": True, "encoding": "utf-8", "errors": "replace"}

# What is installed in a step of its own, and the files whose change asks for it again.
PARTS = {
    "course": ["requirements.lock"],
    "project": ["requirements.lock", "pyproject.toml"],
    "test tools": ["requirements-dev.lock"],
    "oracle": ["requirements-oracle.txt"],
    "browser": ["requirements-browser.txt"],
    "postgres": ["requirements-postgres.txt"],
    "bench": ["requirements-bench.txt"],
}

# What pip says, and what it means. The first that fits is told.
FULL = "The disk is full. Free about 1 GB, then run this again: it goes on where it stopped."
REASONS = {
    r"No space left on device|Errno 28|WinError 112|[Dd]isk quota exceeded": FULL,
    r"CERTIFICATE_VERIFY_FAILED|SSLCertVerificationError|SSLError": """\
The package server's certificate was refused. Behind a proxy, tell pip which certificate
to trust (pip config set global.cert FILE), then run this again.""",
    r"DO NOT MATCH THE HASHES": """\
A package that was fetched is not the one this course was tested with. Run this again;
if it stays so, ask who runs your package server: it serves changed files.""",
    r"from versions: none|NewConnectionError|ConnectTimeout|ReadTimeout|ProxyError"
    r"|ConnectionResetError|[Nn]etwork is unreachable|name resolution|getaddrinfo failed": """\
No package server answers. Connect to the network (or set pip's proxy or index), then
run this again: it goes on where it stopped.""",
    r"No matching distribution found": """\
A package is not made for this Python or this kind of machine.
Try Python 3.11, 3.12 or 3.13 (64 bit), for example: python3.12 start.py demo""",
}


class SetupError(Exception):
    """A reason to stop that a person can do something about."""


def wanted_parts(words: list[str]) -> list[str]:
    """Name the parts that a command needs, in order; `test` needs also what its -m asks for."""
    if words[:1] == ["bench"] and "--peers" in words:
        return ["course", "project", "oracle", "bench"]
    if words[:1] not in (["test"], ["conformance"]):
        return ["course", "project"]
    expression = "oracle" if words[0] == "conformance" else ""
    for word, follower in zip(words, [*words[1:], ""], strict=True):
        if word.startswith("-m"):
            expression = word[2:].lstrip("=") or follower
    asked = re.findall(r"\w+", re.sub(r"\bnot\s*(\([^)]*\)|\w+)", "", expression))
    extras = [name for name in ("oracle", "browser", "postgres") if name in asked]
    return ["course", "project", "test tools", *extras]


def fingerprint(here: Path, part: str) -> str:
    """Sum up the files that a part is made from."""
    texts = [(here / name).read_bytes() for name in PARTS[part]]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]


def survey(venv: Path, stamp: "dict[str, object] | None") -> str:
    """Say what .venv is: foreign (not made by us), moved, orphaned (its Python is gone), ours."""
    if venv.is_symlink() and not venv.exists():
        return "astray"
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
    for pattern, sentence in REASONS.items():
        if re.search(pattern, log):
            return sentence
    return "Installing failed. The last lines were:\n    " + "\n    ".join(log.splitlines()[-8:])


def os_reason(error: OSError) -> str:
    """Say why the system refused something."""
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return FULL
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
    return [*venv.glob(f"{'Lib' if os.name == 'nt' else 'lib/python*'}/site-packages/*.dist-info")]


def environment(venv: Path, base: "dict[str, str]") -> "dict[str, str]":
    """Give the variables for pip and cgkit: .venv first, and nothing that leads away from it."""
    away = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PYTHONPATH", "PYTHONHOME")
    kept = {name: value for name, value in base.items() if name not in away}
    path = os.pathsep.join([str(scripts_of(venv)), *filter(None, [kept.get("PATH")])])
    return {**kept, "PATH": path, "VIRTUAL_ENV": str(venv), "PIP_USER": "0"}


def say(text: str) -> None:
    """Tell what is going on, on standard error."""
    sys.stderr.write(text + "\n")


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
    if state in ("foreign", "astray"):
        why = "leads nowhere" if state == "astray" else "start.py did not make, so it is left alone"
        raise SetupError(f"There is a {venv} that {why}.\nRename or remove it, and try again.")
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
    made = run_quietly(venv, [base, "-m", "venv", str(venv)])
    if made.returncode:
        raise SetupError(reason(made.stdout + made.stderr))


def run_quietly(venv: Path, words: "list[str]") -> "subprocess.CompletedProcess[str]":
    """Run a command and keep what it prints."""
    return subprocess.run(words, env=environment(venv, {**os.environ}), capture_output=True, **TEXT)


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
        if part == "course":  # matplotlib looks for fonts now: its word about that is no output
            run_quietly(venv, [str(python_of(venv)), "-c", "import matplotlib.font_manager"])
        return None
    say(f"Installing what '{part}' needs")
    pins = re.findall(r"^\w[^\\\n]*", (HERE / "requirements.lock").read_text("utf-8"), re.MULTILINE)
    limits = venv / "constraints.txt"
    limits.write_text("\n".join(pins), encoding="utf-8")
    return pip(venv, ["-c", str(limits), "-r", str(HERE / lock)], total)


def pip(venv: Path, arguments: "list[str]", total: int) -> None:
    """Run `pip install`, with a line of progress on a terminal."""
    forget_half_installed(venv)
    options = ["--disable-pip-version-check", "--no-input", "--no-warn-script-location"]
    words = [str(python_of(venv)), "-m", "pip", "install", *options, *arguments]
    both: dict[str, typing.Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **TEXT}
    process = subprocess.Popen(words, cwd=HERE, env=environment(venv, dict(os.environ)), **both)
    lines: list[str] = []
    reader = threading.Thread(target=lines.extend, args=(process.stdout,), daemon=True)
    reader.start()
    try:
        while reader.is_alive():
            reader.join(0.3)
            rewrite(progress(venv, lines, total))
    finally:
        process.wait()
        rewrite("")
    if process.returncode:
        (venv / "install.log").write_text("".join(lines), encoding="utf-8")
        raise SetupError(reason("".join(lines)) + f"\n(pip's own words: {venv / 'install.log'})")


def progress(venv: Path, lines: "list[str]", total: int) -> str:
    """Say how far pip has come."""
    if any(line.startswith("Installing collected") for line in lines):
        return f"  unpacked {len(infos_of(venv))} of about {total}"
    fetched = sum(line.startswith("Collecting") for line in lines)
    return f"  fetched {fetched} of about {total}" if lines else ""


def rewrite(text: str) -> None:
    """Put a text in place of the line of progress, on a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text:<60}\r{text}")
        sys.stderr.flush()


def forget_half_installed(venv: Path) -> None:
    """Let pip install again what it did not finish: RECORD is what it writes last."""
    for info in infos_of(venv):
        if not (info / "RECORD").exists():
            shutil.rmtree(info)


def take(lock: Path) -> bool:
    """Write our number into the lock, unless another start.py holds it."""
    try:
        with lock.open("x") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        with contextlib.suppress(FileNotFoundError):
            if not left_behind(lock.read_text(), time.time() - lock.stat().st_mtime):
                return False
            lock.unlink()
        return take(lock)
    return True


def left_behind(text: str, age: float) -> bool:
    """Say whether who wrote a lock is gone: after an hour, or when no such process runs."""
    if os.name != "nt" and text.isdigit():  # Windows would end the process that one asks about
        try:
            os.kill(int(text), 0)
        except OSError as error:
            return error.errno == errno.ESRCH or age > 3600
    return age > (3600 if text else 10)


@contextlib.contextmanager
def alone(lock: Path) -> "typing.Iterator[None]":
    """Let one start.py install at a time; the others wait."""
    waited = 0
    while not take(lock):
        if not waited:
            say(f"Another start.py is installing; waiting. (If none is, remove {lock}.)")
        waited += 1
        rewrite(f"  {waited} seconds")
        time.sleep(1)
    rewrite("")
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def lacking(venv: Path, words: "list[str]") -> "list[str]":
    """Name the parts that are not there yet, or not as they should be."""
    stamp, parts = read_stamp(venv) or {}, wanted_parts(words)
    whole = survey(venv, stamp) == "ours"
    return [part for part in parts if not whole or stamp.get(part) != fingerprint(HERE, part)]


def set_up(venv: Path, words: "list[str]") -> None:
    """Bring .venv to what a command needs."""
    with alone(venv.with_name(".venv.lock")):
        stamp = ready_venv(venv)
        for part in lacking(venv, words):
            mark = fingerprint(HERE, part)
            install(venv, part)
            stamp[part] = mark
            write_stamp(venv, stamp)


def hand_over(venv: Path, words: "list[str]") -> int:
    """Run `cgkit` with these words and give its exit code."""
    command = scripts_of(venv) / ("cgkit.exe" if os.name == "nt" else "cgkit")
    file = f'"{sys.argv[0]}"' if " " in sys.argv[0] else sys.argv[0]
    base = {**os.environ, "CGKIT_CALLED": f"{Path(sys.executable).stem} {file}"}
    stop = {signal.SIGINT} if hasattr(signal, "pthread_sigmask") else set()
    if stop:  # it waits, there too, until cgkit is loaded and wants it: no traceback of imports
        signal.pthread_sigmask(signal.SIG_BLOCK, stop)
    process = subprocess.Popen([str(command), *words], env=environment(venv, base))
    while True:
        with contextlib.suppress(KeyboardInterrupt):  # it reaches cgkit too, and we wait for it
            if stop:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, stop)
            code = process.wait()
            return code if code >= 0 else 128 - code


def main(words: "list[str]") -> int:
    """Set up what is missing and run one command."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    venv = HERE / ".venv"
    try:
        missing = lacking(venv, words)
        if missing and words in ([], ["-h"], ["--help"]):
            sys.stdout.write((__doc__ or "").partition("Needs Python")[0].rstrip() + "\n")
            return 0
        if missing:
            set_up(venv, words)
        return hand_over(venv, words)
    except (SetupError, OSError) as error:
        say(os_reason(error) if isinstance(error, OSError) else str(error))
    except KeyboardInterrupt:
        say("Stopped. The next call goes on from here.")
        return 130
    return 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`cgkit doctor`: each fault has a cure, and nothing is a traceback."""

import json
import sys
from importlib import metadata
from pathlib import Path

import pytest

from cgkit.cli import doctor, run
from cgkit.cli.report import Item
from cgkit.errors import RenderError

MISSING = Path("/no/such/place")
ROOT = Path(__file__).resolve().parents[2]


def test_this_machine_is_well(capsys):
    code = run(["doctor", "--json"])
    report = json.loads(capsys.readouterr().out)
    failed = [item for item in report["items"] if item["status"] != "ok"]
    assert (code, failed) == (0, [])
    assert [item["name"] for item in report["items"]] == list(doctor.checks_for(MISSING))


def test_a_fault_has_a_cure_and_the_exit_code_is_3(monkeypatch, capsys):
    def full():
        raise doctor.Fault("no room", "make some")

    monkeypatch.setattr(doctor, "checks_for", lambda root: {"disk": full, "python": lambda: "3"})
    assert run(["doctor"]) == 3
    assert capsys.readouterr().out == (
        "✗ disk    no room\n"
        "          cure: make some\n"
        "✓ python  3\n"
    )  # fmt: skip


@pytest.mark.parametrize("error", [RuntimeError("odd"), ImportError("no numpy"), KeyError()])
def test_an_unforeseen_failure_is_a_line_with_a_cure(error):
    def break_down():
        raise error

    item = doctor.examined("kernel", break_down)
    assert item.status == "failed"
    assert item.detail.splitlines()[-1] == f"cure: {doctor.REINSTALL}"
    assert item.detail.splitlines()[0]


def test_an_old_python_is_named():
    with pytest.raises(doctor.Fault, match=r"3\.10 is too old"):
        doctor.python_version((3, 10))
    assert doctor.python_version((3, 11)) == "3.11"


def test_the_systems_own_python_is_refused_and_conda_is_not(tmp_path):
    with pytest.raises(doctor.Fault, match="system's own Python"):
        doctor.environment(tmp_path, tmp_path)
    (tmp_path / "conda-meta").mkdir()
    assert doctor.environment(tmp_path, tmp_path) == str(tmp_path)
    assert doctor.environment(tmp_path / "venv", tmp_path) == str(tmp_path / "venv")


def test_packages_are_compared_with_the_lock(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor.sys, "prefix", str(tmp_path))  # an environment of the user's own
    lock = tmp_path / "requirements.lock"
    here = metadata.version("click")
    lock.write_text(f"click=={here} \\\n    --hash=sha256:00\nnone==1 ; python_version < '3'\n")
    assert doctor.packages(lock) == "all as in requirements.lock"
    lock.write_text("click==0.1 \\\n    --hash=sha256:00\nno-such-package==1.0\n")
    with pytest.raises(doctor.Fault) as found:
        doctor.packages(lock)
    assert str(found.value) == f"click {here} in place of 0.1, no-such-package is missing"
    by_pip = f'"{sys.executable}" -m pip install --require-hashes -r "{lock}"'
    assert found.value.cure == by_pip


def test_what_start_py_made_is_made_anew_by_it(tmp_path, monkeypatch):
    lock = tmp_path / "requirements.lock"
    lock.write_text("no-such-package==1.0\n")
    (tmp_path / doctor.MADE_BY_START).write_text("{}")
    assert f'"{doctor.MADE_BY_START}"' in (ROOT / "start.py").read_text()
    monkeypatch.setattr(doctor.sys, "prefix", str(tmp_path))
    with pytest.raises(doctor.Fault) as found:
        doctor.packages(lock)
    assert found.value.cure == doctor.REINSTALL


def test_a_lock_that_is_missing_can_be_had_again(tmp_path):
    with pytest.raises(doctor.Fault, match=r"requirements\.lock is missing") as found:
        doctor.packages(tmp_path / "requirements.lock")
    assert found.value.cure.startswith("git checkout requirements.lock")


def test_many_wrong_packages_are_counted(tmp_path):
    lock = tmp_path / "requirements.lock"
    lock.write_text("".join(f"no-such-package-{n}==1.0\n" for n in range(12)))
    with pytest.raises(doctor.Fault, match=r"and 7 more$"):
        doctor.packages(lock)


def test_graphviz_must_give_a_picture(monkeypatch):
    monkeypatch.setattr("cgkit.render.engine.render", lambda *_: b"")
    with pytest.raises(doctor.Fault, match="no picture"):
        doctor.graphviz()


def test_without_a_graphviz_there_is_one_cure(monkeypatch):
    def refuse(*_):
        raise RenderError("pygraphviz is not installed", attempt="python start.py doctor")

    monkeypatch.setattr("cgkit.render.engine.render", refuse)
    item = doctor.examined("graphviz", doctor.graphviz)
    assert item.detail == f"pygraphviz is not installed\ncure: {doctor.REINSTALL}"


def test_without_ipykernel_there_is_no_traceback(monkeypatch, capfd):
    monkeypatch.setattr(doctor, "find_spec", lambda name: None)
    with pytest.raises(doctor.Fault, match="ipykernel is missing"):
        doctor.kernel()


def test_a_kernel_that_breaks_keeps_its_words_to_itself(monkeypatch, capfd, tmp_path):
    (tmp_path / "ipykernel_launcher.py").write_text("1 / 0\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="died"):
        doctor.kernel()
    assert "ZeroDivisionError" not in capfd.readouterr().err


def test_another_kernel_is_seen(monkeypatch):
    monkeypatch.setattr(doctor, "prefix_of", lambda client: "/another/python")
    with pytest.raises(doctor.Fault, match="runs in /another/python"):
        doctor.kernel()


def test_a_server_extension_that_is_off_is_seen(tmp_path, monkeypatch):
    off = {"ServerApp": {"jpserver_extensions": {doctor.SERVER_EXTENSIONS[0]: False}}}
    (tmp_path / "jupyter_server_config.d").mkdir()
    (tmp_path / "jupyter_server_config.d" / "zz.json").write_text(json.dumps(off))
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(tmp_path))
    with pytest.raises(doctor.Fault) as found:
        doctor.nbgrader_extensions()
    assert found.value.cure.startswith("jupyter server extension enable")


def test_a_lab_extension_that_is_missing_is_seen(monkeypatch):
    monkeypatch.setattr("jupyterlab_server.config.get_federated_extensions", lambda _: {})
    with pytest.raises(doctor.Fault, match="is missing"):
        doctor.nbgrader_extensions()


def test_a_lab_extension_that_is_off_is_seen(monkeypatch):
    page = {"disabledExtensions": ["@jupyter/nbgrader"]}
    monkeypatch.setattr("jupyterlab_server.config.get_page_config", lambda _: page)
    with pytest.raises(doctor.Fault, match="is off"):
        doctor.nbgrader_extensions()


def test_alembic_must_be_there(monkeypatch, tmp_path):
    assert doctor.alembic(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(doctor.Fault, match="alembic is not found"):
        doctor.alembic(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="needs scripts with a first line")
@pytest.mark.parametrize("text", ["#!/no/such/python\n", "#!/bin/sh\nexit 1\n"])
def test_alembic_must_run(tmp_path, text):
    (tmp_path / "alembic").write_text(text)
    (tmp_path / "alembic").chmod(0o755)
    with pytest.raises(doctor.Fault, match="alembic does not run"):
        doctor.alembic(tmp_path)


def test_a_file_in_place_of_a_folder_is_named(tmp_path):
    (tmp_path / "classes").write_text("")
    with pytest.raises(doctor.Fault, match=r"classes is a file, and a folder is needed"):
        doctor.writable(doctor.folders_in_use(tmp_path))


def test_folders_are_really_written_to(monkeypatch, tmp_path):
    assert doctor.writable([tmp_path, tmp_path / "not" / "there"]) == "can be written"

    def refuse(dir):
        raise PermissionError(13, "Permission denied", str(dir))

    monkeypatch.setattr(doctor.tempfile, "NamedTemporaryFile", refuse)
    with pytest.raises(doctor.Fault, match=f"cannot write in {tmp_path}"):
        doctor.writable([tmp_path / "not" / "there"])


def test_a_full_disk_is_seen():
    assert doctor.disk(3 << 30) == "3.0 GB free"
    with pytest.raises(doctor.Fault, match="only 2 MB are free"):
        doctor.disk(2 << 20)


def test_every_check_gives_a_sentence(monkeypatch, tmp_path):
    # A failing line without a cure would leave a student alone.
    for name, check in doctor.checks_for(tmp_path / "nowhere").items():
        item = doctor.examined(name, check)
        assert isinstance(item, Item)
        assert item.status == "ok" or "cure: " in item.detail

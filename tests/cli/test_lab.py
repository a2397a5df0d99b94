"""`cgkit lab`: what it opens, and what it says when it cannot. The browser tests open it really."""

import json
import socket

import pytest

from cgkit.cli import lab, run
from cgkit.cli.lab import course_place, demo_place, lab_arguments, silence_news, taken
from cgkit.errors import EnvironmentFault
from cgkit.notebooks.project import Project


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "root"
    (root / "course").mkdir(parents=True)
    for name in ("nbgrader_config.py", "course/01_graphs.py", "course/01_graphs.ipynb"):
        (root / name).write_text("{}")
    return Project(root)


@pytest.fixture
def served(monkeypatch):
    """Note what would be run in place of running it."""
    calls = []
    monkeypatch.setattr(lab, "serve", lambda *call: calls.append(call) or 0)
    return calls


def test_the_first_chapter_opens_as_a_copy(project):
    folder, start = course_place(project, project.root / "workspace")
    assert folder == project.root
    assert start == "/lab/tree/workspace/course/01_graphs.ipynb"
    assert (project.root / "workspace" / "course" / "01_graphs.ipynb").exists()


def test_a_workspace_elsewhere_is_the_servers_folder(project, tmp_path):
    folder, start = course_place(project, tmp_path / "mine")
    assert folder == tmp_path / "mine"
    assert start == "/lab/tree/course/01_graphs.ipynb"


def test_a_course_without_chapters_opens_its_folder(project):
    (project.root / "course" / "01_graphs.ipynb").unlink()
    assert course_place(project, project.root / "workspace")[1] == "/lab/tree/workspace"


def test_an_outdated_copy_is_named(project, capsys):
    place = project.root / "workspace"
    course_place(project, place)
    (place / "course" / "01_graphs.ipynb").write_text("my notes")
    (project.root / "course" / "01_graphs.ipynb").write_text("new")
    course_place(project, place)
    assert "course/01_graphs.ipynb has changed since you began it" in capsys.readouterr().err


def test_the_demo_class_must_be_there(project):
    with pytest.raises(EnvironmentFault, match="cgkit demo"):
        demo_place(project)
    (project.root / "build" / "demo").mkdir(parents=True)
    (project.root / "build" / "demo" / "gradebook.db").write_text("")
    assert demo_place(project) == (project.root, "/login?next=/formgrader")


def test_the_server_keeps_to_itself(tmp_path):
    words = lab_arguments(tmp_path, "/lab", tmp_path / ".lab", port=8999, browser=False)
    assert "--ip=127.0.0.1" in words
    assert {"--port=8999", "--ServerApp.port_retries=0", "--no-browser"} <= set(words)
    assert "--KernelManager.transport_encryption=auto" in words
    assert f"--LabApp.user_settings_dir={tmp_path / '.lab' / 'settings'}" in words
    free = lab_arguments(tmp_path, "/lab", tmp_path)
    assert not [word for word in free if "port" in word.lower() and "trans" not in word]
    assert "--no-browser" not in free


@pytest.mark.parametrize(("user", "allowed"), [(0, True), (1000, False)])
def test_root_must_say_so(tmp_path, monkeypatch, user, allowed):
    monkeypatch.setattr(lab.os, "geteuid", lambda: user, raising=False)
    assert ("--allow-root" in lab_arguments(tmp_path, "/lab", tmp_path)) is allowed


def test_the_news_question_is_answered_once(tmp_path):
    silence_news(tmp_path)
    file = tmp_path / lab.NEWS
    assert json.loads(file.read_text())["fetchNews"] == "false"
    file.write_text('{"fetchNews": "true"}')
    silence_news(tmp_path)
    assert json.loads(file.read_text())["fetchNews"] == "true"


def test_a_port_in_use_is_refused(project, monkeypatch, served, capsys):
    monkeypatch.chdir(project.root)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        assert taken(port)
        assert run(["lab", "--port", str(port)]) == 3
    assert f"port {port} is in use" in capsys.readouterr().err
    assert served == []


def test_the_command_runs_lab_of_this_python(project, monkeypatch, served):
    monkeypatch.chdir(project.root)
    assert run(["lab", "--no-browser"]) == 0
    ((words, folder, variables),) = served
    assert words[:3] == [lab.sys.executable, "-m", "jupyterlab"]
    assert folder == project.root
    assert variables == {}


def test_the_demo_has_a_class_of_its_own(project, monkeypatch, served):
    monkeypatch.chdir(project.root)
    demo = project.root / "build" / "demo"
    demo.mkdir(parents=True)
    (demo / "gradebook.db").write_text("")
    assert run(["lab", "--demo"]) == 0
    ((words, _, variables),) = served
    assert variables == {"CGKIT_CLASS": str(demo)}
    assert "--LabApp.default_url=/login?next=/formgrader" in words


@pytest.mark.parametrize(("code", "given"), [(0, 0), (1, 3), (-15, 3)])
def test_the_exit_code_is_one_of_ours(tmp_path, code, given):
    leave = f"os._exit({code})" if code >= 0 else f"os.kill(os.getpid(), {-code})"
    program = f"import os; {leave}"
    assert lab.serve([lab.sys.executable, "-c", program], tmp_path, {}) == given

"""`cgkit build`, as a course author types it."""

import json

from cgkit.cli import run


def items(capsys):
    report = json.loads(capsys.readouterr().out)
    assert (report["schema"], report["command"]) == (1, "build")
    return {item["name"]: (item["status"], item["detail"]) for item in report["items"]}


def test_a_chapter_is_built_checked_and_found_out_of_date(tiny_course, capsys):
    assert run(["build", "course"]) == 0
    assert capsys.readouterr() == ("✓ course/01_sums.ipynb  built\n", "")
    assert run(["build", "course", "--json"]) == 0
    assert items(capsys) == {"notebooks": ("ok", "all current")}
    assert run(["build", "--check", "course"]) == 0
    assert capsys.readouterr().out == "✓ course/01_sums.ipynb\n"
    text = tiny_course / "course" / "01_sums.py"
    text.write_text(text.read_text() + "\n# %%\n3\n")
    assert run(["build", "--check", "course", "--json"]) == 1
    fault = "older than course/01_sums.py; run: cgkit build course/01_sums.py"
    assert items(capsys) == {"course/01_sums.ipynb": ("failed", fault)}


def test_a_broken_text_is_one_sentence(tiny_course, capsys):
    (tiny_course / "course" / "01_sums.py").write_text("# %% solutoin\n1\n")
    assert run(["build", "course"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "course/01_sums.py, line 1: unknown word 'solutoin'; did you mean 'solution'?\n"


def test_wrong_words_are_usage_faults(tiny_course, capsys):
    assert run(["build", "07_nothing"]) == 2
    assert "there is no text '07_nothing'" in capsys.readouterr().err
    assert run(["build", "--check", "--force"]) == 2
    assert "--force has nothing to do" in capsys.readouterr().err


def test_a_course_without_texts_says_so(tiny_course, capsys):
    for folder in ("course", "solutions"):
        (tiny_course / folder / "01_sums.py").unlink()
    assert run(["build"]) == 0
    assert "no texts yet" in capsys.readouterr().out

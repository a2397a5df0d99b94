"""What students and teachers see in JupyterLab, in a real browser."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
CHAPTER = "course/01_graphs.ipynb"
ASSIGNMENT = "assignments/01_graphs/01_graphs.ipynb"

# For each output with a picture in the notebook file: is it an image, has it a size, is it on a
# light card? Text in its place would be no <img> at all.
PICTURES = """
() => [...document.querySelectorAll('.jp-OutputArea-output img')].map(image => ({
    width: image.naturalWidth,
    words: image.alt,
    card: getComputedStyle(image.closest('figure') ?? image).backgroundColor,
}))
"""
COUNT = "document.querySelectorAll('.jp-OutputArea-output img').length"


def pictures_stored(lab, name):
    """Count the pictures in the outputs of a notebook, as JupyterLab shows them."""
    notebook = json.loads((lab.workspace / name).read_text(encoding="utf-8"))
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    bundles = [output["data"] for output in outputs if "data" in output]
    return sum("".join(data.get("text/html", ())).count("<img ") for data in bundles)


def see_pictures(eyes, count):
    """Wait for so many pictures and give what is to be seen of them."""
    eyes.page.wait_for_function(f"{COUNT} >= {count}")
    seen = eyes.page.evaluate(PICTURES)
    assert len(seen) == count
    for picture in seen:
        assert picture["width"] > 20
        assert len(picture["words"]) > 10
        assert picture["card"] == "rgb(255, 255, 255)"


def show_first_picture(eyes):
    eyes.page.locator(".jp-OutputArea-output img").first.scroll_into_view_if_needed()


def whole_notebook(eyes):
    """Have every cell in the page, also those far from what is in sight."""
    eyes.page.evaluate(
        """async () => {
            const content = jupyterapp.shell.currentWidget.content;
            for (let index = 0; index < content.widgets.length; index++) {
                await content.scrollToItem(index);
            }
            await content.scrollToItem(0);
        }"""
    )


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_a_chapter_nobody_trusts_yet_shows_its_stored_pictures(eyes, lab, theme):
    eyes.open(lab, CHAPTER)
    eyes.theme(theme)
    whole_notebook(eyes)
    assert not eyes.page.evaluate("jupyterapp.shell.currentWidget.content.model.trusted ?? false")
    see_pictures(eyes, pictures_stored(lab, CHAPTER))
    show_first_picture(eyes)
    eyes.keep(f"chapter-untrusted-{theme.lower()}")


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_a_chapter_runs_whole_and_shows_its_pictures(eyes, lab, theme):
    count = pictures_stored(lab, CHAPTER)
    trust = [sys.executable, "-m", "jupyter", "trust", str(lab.workspace / CHAPTER)]
    subprocess.run(trust, env=lab.environment, check=True, capture_output=True)
    eyes.open(lab, CHAPTER)
    eyes.theme(theme)
    eyes.command("notebook:clear-all-cell-outputs")
    assert eyes.page.evaluate(COUNT) == 0
    # gives false when a cell failed
    assert eyes.command("notebook:run-all-cells") is True
    whole_notebook(eyes)
    see_pictures(eyes, count)
    assert eyes.page.locator(".jp-OutputArea-output[data-mime-type*=stderr]").count() == 0
    show_first_picture(eyes)
    eyes.keep(f"chapter-run-{theme.lower()}")


def test_validate_shows_the_block_of_a_check(eyes, lab):
    eyes.open(lab, ASSIGNMENT)
    eyes.page.get_by_role("button", name="Validate").first.click()
    dialog = eyes.page.locator(".jp-Dialog")
    dialog.wait_for()
    words = dialog.inner_text()
    eyes.keep("validate")
    assert "evaluate is not written yet" in words
    assert "hint 1 of" in words
    assert "Traceback" not in words


def test_lab_begins_with_chapter_1(eyes, lab):
    eyes.page.goto(lab.start)
    current = "window.jupyterapp?.shell?.currentWidget?.context?.path"
    eyes.page.wait_for_function(f"{current} === '{CHAPTER}'")


def test_formgrader_shows_the_marks_of_the_demo(eyes, formgrader):
    grades = (ROOT / "build" / "demo" / "grades.csv").read_text(encoding="utf-8")
    marks = {
        row["student_id"]: f"{float(row['score']):g} / {float(row['max_score']):g}"
        for row in csv.DictReader(grades.splitlines())
        if row["assignment"] == "01_graphs"
    }
    eyes.page.goto(formgrader.start)
    eyes.page.locator("tbody tr", has_text="01_graphs").wait_for()
    eyes.keep("formgrader-assignments")
    eyes.page.goto(f"{formgrader.address}/formgrader/manage_submissions/01_graphs")
    rows = eyes.page.locator("tbody tr")
    rows.filter(has_text="ada").wait_for()
    eyes.keep("formgrader-submissions")
    shown = {text.split()[2]: " ".join(text.split()) for text in rows.all_inner_texts()}
    # ivo handed in under another name and is graded all the same
    for student in ("ada", "dan", "hana", "ivo"):
        assert f" {marks[student]}" in shown[student]
    assert "needs autograding" not in shown["ivo"]


def test_formgraders_button_grades_by_the_engine(eyes, formgrader):
    eyes.page.goto(formgrader.start)
    eyes.page.goto(f"{formgrader.address}/formgrader/manage_submissions/00_start")
    row = eyes.page.locator("tbody tr").filter(has_text="lou")
    row.locator(".autograde a").click()
    modal = eyes.page.locator("#success-modal, #error-modal").first
    modal.wait_for()
    log = modal.inner_text()
    eyes.keep("formgrader-autograded")
    assert "lou: look: times_table: patches a library" in log
    assert "Traceback" not in log


def test_formgrader_shows_a_teacher_the_verdict_and_what_to_look_at(eyes, formgrader):
    eyes.page.goto(formgrader.start)
    eyes.page.goto(f"{formgrader.address}/formgrader/gradebook/01_graphs/01_graphs")
    eyes.page.locator("tbody tr a").first.wait_for()
    links = eyes.page.locator("tbody tr a").evaluate_all("all => all.map(one => one.href)")
    pages = []
    for link in dict.fromkeys(links):
        eyes.page.goto(link)
        eyes.page.locator("#notebook").first.wait_for()
        pages.append(eyes.page.locator("#notebook").first.inner_text())
        if "equal to everything" in pages[-1]:
            eyes.keep("formgrader-submission")
            eyes.page.get_by_text("evaluate gave an object").first.scroll_into_view_if_needed()
            eyes.keep("formgrader-verdict")
    (kai,) = (page for page in pages if "equal to everything" in page)
    assert "For the teacher, to judge; feedback leaves this out." in kai
    assert "evaluate gave an object (Equal)" in " ".join(kai.split())
    assert any("printed by your code:\n│ " in page for page in pages)
    assert all("✓ " in page or "✗ " in page for page in pages)

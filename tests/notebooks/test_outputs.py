"""What may be stored of a chapter, and what counts as the same."""

import base64
import io
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from cgkit.notebooks.outputs import comparable, faults, html_words, plain_text, tidy

ROOT = Path("/srv/course")


def shown(plain, *, kind="text/plain", **more):
    return new_output("execute_result", data={kind: plain}, execution_count=1, **more)


def printed(text, name="stdout"):
    return new_output("stream", name=name, text=text)


def notebook(*outputs, tags=()):
    cell = new_code_cell("x", id="x", outputs=list(outputs), metadata={"tags": list(tags)})
    return new_notebook(cells=[new_markdown_cell("# A", id="m"), cell])


def png(size=200):
    from PIL import Image

    stored = io.BytesIO()
    image = Image.radial_gradient("L").resize((size, size)).convert("RGBA")
    image.save(stored, "PNG", compress_level=0)
    return base64.b64encode(stored.getvalue()).decode()


@pytest.mark.parametrize(
    ("output", "fault"),
    [
        (printed("a warning\nmore", "stderr"), "it writes to stderr: a warning"),
        (shown("<f at 0x7f3a5c001230>"), "an object's address, 'at 0x7f3a5c001230'"),
        (shown("<b>at 0x7f3a5c001230</b>", kind="text/html"), "an object's address"),
        (printed("saved in /home/ada/x.svg"), "'/home/ada'"),
        (printed("saved in /tmp/tmpx1/x.svg"), "'/tmp"),
        (printed(r"saved in C:\Users\ada"), "'C:\\\\Users\\\\ada'"),
        (printed("/srv/course/build/x.svg"), "'/srv/course'"),
        (printed("took 3.5 ms"), "a time, '5 ms'"),
        (printed("took 12.25 s"), "a time, '2.25 s'"),
        (shown("2026-01-31 12:00"), "a time, '2026-01-31 12:00'"),
        (printed("at 23:59:01"), "a time, '23:59:01'"),
        (shown({}, kind="application/vnd.jupyter.widget-view+json"), "it shows a widget"),
    ],
)
def test_what_would_not_be_the_same_elsewhere_is_found(output, fault):
    ((index, found),) = faults(notebook(output), ROOT)
    assert index == 1
    assert fault in found


@pytest.mark.parametrize(
    "output",
    [
        printed("a matmul of 5 x 7 gives float32[5, 7] in 3 steps; 12 nodes\n"),
        shown("203530 parameters, 13008896 FLOPs, ratio 1.5"),
        shown('<img src="data:image/png;base64,at0x7f3a5c001230" alt="x">', kind="text/html"),
    ],
)
def test_ordinary_words_are_no_fault(output):
    assert list(faults(notebook(output), ROOT)) == []


def test_a_volatile_cell_may_show_times_and_nothing_else():
    volatile = notebook(printed("3 ms"), printed("/home/ada"), tags=["volatile"])
    assert [fault for _, fault in faults(volatile, ROOT)] == [
        "it names a folder of this machine, '/home/ada'"
    ]


def test_pictures_become_small_and_stay_pictures():
    from PIL import Image

    large = png()
    figure = f'<img src="data:image/png;base64,{large}" alt="g">'
    stored = notebook(shown(large, kind="image/png"), shown(figure, kind="text/html"))
    tidy(stored)
    direct, embedded = (next(iter(output.data.values())) for output in stored.cells[1].outputs)
    assert len(direct) < len(large) / 5
    assert direct in embedded
    assert embedded.endswith('" alt="g">')
    assert Image.open(io.BytesIO(base64.b64decode(direct))).size == (200, 200)


def test_a_picture_that_cannot_get_smaller_stays_as_it_is():
    stored = notebook(shown(png(), kind="image/png"))
    tidy(stored)
    once = stored.cells[1].outputs[0].data["image/png"]
    tidy(stored)
    assert stored.cells[1].outputs[0].data["image/png"] == once


def test_bytes_of_pictures_are_not_compared_but_their_words_are():
    def figure(data, words, width=10):
        picture = f'<img width="{width}" src="data:image/png;base64,{data}" alt="{words}">'
        return notebook(shown(picture, kind="text/html"), shown(data, kind="image/png"))

    assert comparable(figure("AAAA", "a graph")) == comparable(figure("BBBB", "a graph", 12))
    assert comparable(figure("AAAA", "a graph")) != comparable(figure("AAAA", "a tree"))


def test_outputs_are_compared_unless_volatile():
    one, two = printed("1"), printed("2")
    assert comparable(notebook(one)) != comparable(notebook(two))
    assert comparable(notebook(one, tags=["volatile"])) == comparable(
        notebook(two, tags=["volatile"])
    )


def test_all_words_of_an_output_are_found():
    assert plain_text(printed("a")) == "a"
    assert plain_text(new_output("error", ename="E", evalue="v", traceback=["b", "c"])) == "b\nc"
    both = new_output("display_data", data={"text/plain": "d", "text/html": "<p>e &lt; f</p>"})
    assert plain_text(both) == "d\ne < f"
    assert html_words('<svg width="3"><text>hidden</text></svg>g') == "g"

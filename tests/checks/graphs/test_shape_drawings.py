from cgkit.checks.graphs import shape_drawings as draw


def test_broadcast_lines_up_from_the_right():
    assert draw.broadcast((2, 30), (2,)).splitlines() == [
        "a    2   30",
        "b         2",
        "     ▲    ▲",
    ]


def test_single_numbers():
    assert draw.broadcast((), (3,)).splitlines()[0].split() == ["a", "()"]
    assert draw.reduce((), None, False).splitlines()[1].split() == ["shape", "()"]


def test_matmul_marks_the_inner_sizes():
    first, second = draw.matmul((5, 2, 3), (3, 4)).splitlines()
    assert first.split() == ["a", "5", "2", "[3]"]
    assert second.split() == ["b", "[3]", "4"]


def test_reduce_marks_the_axes():
    lines = draw.reduce((2, 3, 4), (0, -1), True).splitlines()
    assert lines[2].count("▲") == 2
    assert lines[2].index("▲") == lines[1].index("2")


def test_reshape_counts():
    assert (
        draw.reshape((2, 6), (3, 4)) == "before   2 * 6 = 12 elements\nafter    3 * 4 = 12 elements"
    )
    assert "must make 0" in draw.reshape((0,), (-1, 2))
    assert draw.reshape((), ()).startswith("before   1 = 1")

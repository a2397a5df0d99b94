import operator

from cgkit.checks.plain_graphs import needed_by, operands_of, renamed, values_of

OPERATORS = {"subtract": operator.sub, "add": operator.add, "negate": operator.neg}

#        x ──► b ──► c          b and d are fed or not; e is read by nobody
#        └──► d ─────┘
GRAPH = {
    "c": ("subtract", "b", "d"),
    "x": ("placeholder",),
    "b": ("negate", "x"),
    "d": ("add", "x", "x"),
    "e": ("negate", "d"),
}


def test_what_is_needed_stops_at_what_is_fed():
    assert needed_by(GRAPH, ["c"], {"x": 1}) == {"b", "c", "d"}
    assert needed_by(GRAPH, ["c"], {"d": 1, "x": 1}) == {"b", "c"}
    assert needed_by(GRAPH, ["c"], {"c": 1}) == set()
    assert needed_by(GRAPH, ["x", "e"], {"x": 1}) == {"d", "e"}
    assert operands_of(GRAPH, ["c", "e"]) == {"b", "d"}


def test_values_by_hand():
    assert values_of(GRAPH, ["c"], {"x": 3}, OPERATORS) == {"x": 3, "b": -3, "d": 6, "c": -9}
    assert values_of(GRAPH, ["c"], {"x": 3, "d": 1}, OPERATORS)["c"] == -3 - 1
    assert values_of(GRAPH, ["b", "x"], {"b": 0, "x": 3}, OPERATORS) == {"b": 0, "x": 3}
    assert values_of({"k": ("constant", 5)}, ["k"], {"k": 2}, OPERATORS) == {"k": 2}


def test_depth_is_no_matter():
    graph = {f"n{at}": ("negate", f"n{at - 1}") for at in range(20_000, 0, -1)}
    graph["n0"] = ("input",)
    assert values_of(graph, ["n20000"], {"n0": 7}, OPERATORS)["n20000"] == 7
    assert len(needed_by(graph, ["n20000"], {"n0"})) == 20_000


def test_new_names_leave_what_a_constant_holds():
    graph = {"a": ("constant", "a"), "b": ("add", "a", "x"), "x": ("input",)}
    nodes, new = renamed(graph, "_")
    assert nodes == {"_a": ("constant", "a"), "_b": ("add", "_a", "_x"), "_x": ("input",)}
    assert new == {"a": "_a", "b": "_b", "x": "_x"}

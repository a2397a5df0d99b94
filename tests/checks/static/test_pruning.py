import pytest

from cgkit.checks.static import pruning
from cgkit.checks.static.cases import Case

#   x ──► a ──► b (fed) ──► c        d is read by nobody
#         └───► d
GRAPH = {
    "x": ("placeholder",),
    "a": ("negate", "x"),
    "b": ("negate", "a"),
    "c": ("add", "b", "x"),
    "d": ("negate", "a"),
    "e": ("negate", "d"),
}
CASE = Case(GRAPH, {"b": 1, "x": 2}, ["c"])


def test_recursion_is_right_and_not_deep(wrong_02b, failure):
    assert pruning.needed(wrong_02b.recursive_needed).points == 3
    failed = failure(pruning.needed_deep, wrong_02b.recursive_needed)
    assert failed.misconception == "naive recursion"
    assert "20,000" in failed.called
    assert "15,000" in failed.expected


def test_who_names_all_of_a_deep_graph_is_wrong(failure):
    def all_of_it(graph, fetches, feeds):
        return {name for name in graph if name not in feeds}

    failed = failure(pruning.needed_deep, all_of_it)
    assert failed.got == "a set of 20,000 names"
    assert "no fetch leads there" in failed.why


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"c", "b"}, "b is fed"),
        ({"c", "a"}, "a is read by b, and b is fed"),
        ({"c", "x"}, "x is fed"),
        ({"c", "e"}, "Nobody reads e, and it is not fetched"),
        ({"c", "d"}, "d is read by e, and no fetch leads there"),
        ({"c", "w"}, "w is no node"),
        ({3, "c"}, "3 is no node"),
        (set(), "c is missing, and it is fetched"),
        (["c"], "a set of names"),
    ],
)
def test_the_reason_says_why_a_run_can_do_without(given, words):
    assert words in pruning.other_names(given, {"c"}, CASE).why


def test_the_reason_says_who_reads_what_is_missing():
    unfed = Case(GRAPH, {"x": 2}, ["c"])
    assert pruning.other_names({"c", "b"}, unfed.needed(), unfed).why.endswith("and b reads it.")


def test_a_list_is_no_set(wrong_02b, failure):
    def listed(*arguments):
        return sorted(wrong_02b.right_needed(*arguments))

    failed = failure(pruning.needed, listed)
    assert failed.stage == "type"
    assert "a set of names" in failed.why


def test_what_is_expected_is_shown(failure):
    failed = failure(pruning.needed, lambda *arguments: {"nobody"})
    assert failed.expected
    failed = failure(pruning.needed, lambda *arguments: [])
    assert failed.expected


def test_the_reason_names_a_node(wrong_02b, failure):
    def one_more(graph, fetches, feeds):
        found = wrong_02b.right_needed(graph, fetches, feeds)
        return found | {next(iter(graph))} if len(graph) > 2 else found

    failed = failure(pruning.needed, one_more)
    assert "x is fed" in failed.why
    assert "▶" in failed.drawing

    def one_less(*arguments):
        return set(sorted(wrong_02b.right_needed(*arguments))[1:])

    assert "is missing" in failure(pruning.needed, one_less).why


def test_whoever_runs_everything_is_shown_the_graph_of_the_task(wrong_02b, failure):
    failed = failure(pruning.needed, wrong_02b.all_operators)
    assert failed.called == "needed(graph, ['c'], {'x': 3})"
    assert "▶ d" in failed.drawing
    assert "▶ e" in failed.drawing
    assert "▶ b" not in failed.drawing
    assert "go against the arrows" in " ".join(failed.why.split())

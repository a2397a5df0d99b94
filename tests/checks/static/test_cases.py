from cgkit.checks import search
from cgkit.checks.cases import OPERATORS
from cgkit.checks.plain_graphs import needed_by
from cgkit.checks.static import cases
from cgkit.checks.static.cases import Case

#        x ──► b ──► c          b and d are fed or not; e is read by nobody
#        └──► d ─────┘
GRAPH = {
    "c": ("subtract", "b", "d"),
    "x": ("placeholder",),
    "b": ("negate", "x"),
    "d": ("add", "x", "x"),
    "e": ("negate", "d"),
}


def drawn(count=150, **settings):
    found = []
    search.smallest(
        cases.cases(**settings), lambda case: bool(found.append(case)), seed=3, tries=count
    )
    return found


def test_all_placeholders_are_fed_where_that_is_asked():
    unfed = [
        [n for n, node in case.graph.items() if node == ("placeholder",) and n not in case.feeds]
        for case in drawn(feed_all=True)
    ]
    assert not any(unfed)
    assert any(
        node == ("placeholder",) and n not in case.feeds
        for case in drawn()
        for n, node in case.graph.items()
    )


def test_cases_can_be_computed_and_hold_all_that_tells_mistakes_apart():
    found = drawn()
    for case in found:
        assert set(case.fetches) <= set(case.values())
    inner = [case for case in found if any(case.graph[n][0] in OPERATORS for n in case.feeds)]
    unused = [
        case for case in found if len(case.needed()) < len(needed_by(case.graph, case.graph, {}))
    ]
    several = [case for case in found if len(case.fetches) > 1]
    zero = [case for case in inner if 0 in case.feeds.values()]
    assert min(map(len, (inner, unused, several, zero))) > 10
    assert all(len(case.fetches) == 1 for case in drawn(40, most_fetches=1))


def test_a_drawing_tells_what_is_fed_and_fetched():
    lines = Case(GRAPH, {"d": 5, "x": 1}, ["c", "d"]).drawing(["b"]).splitlines()
    assert lines[0].endswith("◄── b, d   fetched")
    assert lines[1].split() == ["x", "placeholder", "fed", "1"]
    assert lines[2].startswith("▶ b")
    assert lines[3].endswith("fed 5, fetched")


def test_the_deep_graph_punishes_whoever_computes_too_much():
    case = cases.deep(4)
    assert len(case.needed()) == 15_000 < len(case.graph) - 1
    assert case.values()["n14999"] in range(-2, 3)
    assert next(iter(case.graph)) != "x"
    assert cases.start_of(case.graph).endswith("and so on, 20,000 times, in another order")


def test_constants_are_fed_too():
    assert any(case.graph[name][0] == "constant" for case in drawn() for name in case.feeds)


def test_new_names_change_no_value():
    case = Case(GRAPH, {"d": 5, "x": 1}, ["c", "d"])
    other = case.renamed()
    assert [*other.values().values()] == [*case.values().values()]
    assert not {*other.graph} & {*case.graph}

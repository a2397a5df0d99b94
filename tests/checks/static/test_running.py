import pytest

from cgkit.checks.static import running


def test_feeding_in_the_middle_has_its_own_reason(wrong_02b, failure):
    failed = failure(running.run, wrong_02b.kind_first)
    assert "fed" in failed.drawing
    assert "Any tensor may be fed" in failed.why


def test_feeds_may_not_be_changed(wrong_02b, failure):
    failed = failure(running.run, wrong_02b.fills_feeds)
    assert failed.stage == "invariants"
    assert "argument 3 was changed" in failed.got


def test_the_graph_may_not_be_changed(wrong_02b, failure):
    def pops(graph, fetches, feeds, operators):
        return wrong_02b.deep_no_more({**graph}, graph and fetches, feeds, operators) + (
            graph.pop(next(iter(graph)), 0) and 0
        )

    assert failure(running.run, pops).stage in ("invariants", "type")


@pytest.mark.parametrize("shape", ["(0, 2)", "()"])
def test_arrays_are_fed_too(wrong_02b, failure, shape):
    def no_arrays(graph, fetches, feeds, operators):
        if any(str(getattr(value, "shape", None)) == shape for value in feeds.values()):
            return 0.0
        return wrong_02b.deep_no_more(graph, fetches, feeds, operators)

    assert "arrays" in failure(running.run, no_arrays).called


def test_a_run_may_not_need_what_it_does_not_use(wrong_02b, failure):
    def asks_for_all(graph, fetches, feeds, operators):
        for name, node in graph.items():
            if node == ("placeholder",) and name not in feeds:
                raise ValueError(f"{name} is not fed")
        return wrong_02b.deep_no_more(graph, fetches, feeds, operators)

    failed = failure(running.run_part, asks_for_all)
    assert failed.misconception == "asks for what is not needed"
    assert "nobody has fed it" in failed.why


def test_who_computes_all_is_right_in_task_2_and_told_so_in_task_3(wrong_02b, failure):
    # every placeholder has a value in task 2: that nobody needs some of them is asked in task 3
    def feeds_first(graph, fetches, feeds, operators):
        known = {n: feeds[n] for n, node in graph.items() if node == ("placeholder",)}
        return wrong_02b.everything(graph, fetches, {**known, **feeds}, operators)

    assert running.run(feeds_first).points == 5
    assert failure(running.run_part, feeds_first).misconception == "asks for what is not needed"


def test_another_error_is_not_taken_for_a_missing_feed():
    case = running.Case({"x": ("placeholder",), "k": ("constant", 0)}, {"x": 1}, ["k"])
    for error in (KeyError("next"), TypeError("x")):
        fault = running.Fault("error", "", "", "", "as before", error=error)
        assert running._with_unfed(fault, case, {}).why == "as before"


def test_the_order_of_the_dict_is_named_where_feeds_come_first(failure):
    def in_order(graph, fetches, feeds, operators):
        values = dict(feeds)
        for name, (kind, *rest) in graph.items():
            if name not in values:
                constant = kind == "constant"
                values[name] = rest[0] if constant else operators[kind](*[values[n] for n in rest])
        return values[fetches]

    assert failure(running.run, in_order).misconception == "runs in the order of the dict"


def test_naive_recursion_is_told_from_running_everything(wrong_02b):
    # told apart by the number of calls: as many as there are paths
    case = running.Case(
        {"x": ("placeholder",), "a": ("add", "x", "x"), "b": ("add", "a", "a")}, {"x": 1}, ["b"]
    )
    assert running._paths(case, "b") == 3
    exam = running.Exam(running.PART, wrong_02b.again_and_again, 1)
    assert running._probe_count(exam, case).misconception == "naive recursion"
    exam = running.Exam(running.PART, wrong_02b.everything, 1)
    more = {"c": ("negate", "x"), "d": ("negate", "c")}
    wide = running.Case({**case.graph, **more}, {"x": 1}, ["b"])
    assert running._probe_count(exam, wide).misconception == "runs more than the ancestors"


def test_recursion_is_right_and_not_deep(wrong_02b, failure):
    assert running.run_part(wrong_02b.deep_no_more).points == 2
    failed = failure(running.run_deep, wrong_02b.deep_no_more)
    assert failed.misconception == "naive recursion"
    assert "20,000" in failed.called


def test_paths_are_not_walked_on_a_deep_graph(failure):
    def walks(graph, fetches, feeds, operators):
        last, other = f"n{len(graph) - 2}", "x"
        for _ in range(50_000):
            operators["add"](1, 1)
        return last, other

    assert "more than 40,000 calls" in failure(running.run_deep, walks).got


def test_what_stands_above_a_fed_node_is_not_computed(wrong_02b, failure):
    def needs_too_much(graph, fetches, feeds, operators):
        for name in wrong_02b.fed_too(graph, [fetches], feeds) - {fetches, *feeds}:
            kind, *rest = graph[name]
            if {*rest} <= {*feeds}:
                operators[kind](*[feeds[one] for one in rest])
        return wrong_02b.deep_no_more(graph, fetches, feeds, operators)

    failed = failure(running.run_part, needs_too_much)
    assert failed.misconception == "runs more than the ancestors"


def test_hard_coded_examples_do_not_pass(failure):
    def by_heart(graph, fetches, feeds, operators):
        return {"c": 2.0 * feeds.get("x", 0) + 1.0}.get(fetches, 0)

    failure(running.run, by_heart)

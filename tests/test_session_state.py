"""What a session keeps: its state goes to another session whole or not at all, name by name."""

import numpy as np
import pytest

from cgkit import GraphBuilder, GraphError, Session, TensorType, ops
from cgkit.errors import StateError
from cgkit.optimizers import SGD
from cgkit.static import minimize


@pytest.fixture
def builder():
    return GraphBuilder()


def test_state_goes_from_one_session_to_another(builder):
    w = builder.variable(np.ones(2), name="w")
    noise = ops.uniform(builder.key(), shape=(2,))
    step = minimize((w * w).sum(), SGD(0.1, momentum=0.9))
    first = Session(builder, seed=5)
    for _ in range(3):
        first.run([step, noise])
    second = Session(builder)
    second.load_state(first.state())
    for _ in range(2):
        a, b = first.run([w, step, noise]), second.run([w, step, noise])
        assert np.array_equal(a[0], b[0])
        assert np.array_equal(a[2], b[2])


def test_states_that_do_not_fit(builder):
    w = builder.variable(np.ones(2), name="w")
    session = Session(builder)
    with pytest.raises(StateError) as caught:
        session.load_state({"v": np.ones(2), "w": np.ones(3)})
    assert "v is unknown" in str(caught.value)
    assert "w is float64[2], got float64[3]" in str(caught.value)
    assert session.run(w).tolist() == [1, 1]
    builder.variable(1.0, name="w")
    with pytest.raises(StateError, match="the name 'w', as another"):
        session.state()


def test_a_variable_is_no_random_key_by_its_name(builder):
    w = builder.variable(5.0, name="random key")
    noise = ops.uniform(builder.key(), shape=())
    session = Session(builder)
    assert session.run([w, noise])[0] == 5
    assert session.runs == 1
    with pytest.raises(StateError, match="the name 'random key', as the random numbers have"):
        session.state()


def test_variables_of_one_name_in_two_scopes_and_of_open_size(builder):
    """A network as books write it: each layer calls its weights W, each step adds its own state."""
    x = inputs = builder.placeholder((None, 2), name="x")
    for layer in ("first", "second"):
        with builder.scope(layer):
            x = x @ builder.variable(np.eye(2) + 1.0, name="W")
    steps = [minimize((x * x).sum(), SGD(0.01, momentum=0.9)) for _ in range(2)]
    seen = builder.variable(TensorType((None, 2), "float64"), name="seen", trainable=False)
    saw = builder.assign(seen, x)
    session, feeds = Session(builder), {inputs: np.ones((3, 2))}
    session.run([saw, steps[0]], feeds)
    with pytest.raises(GraphError, match="two assigns of first/W have no order"):
        session.run(steps, feeds)
    state = session.state()
    assert [*state] == [
        "first/W", "second/W",
        "SGD/first/W/step", "SGD/first/W/velocity", "SGD/second/W/step", "SGD/second/W/velocity",
        "SGD 2/first/W/step", "SGD 2/first/W/velocity",
        "SGD 2/second/W/step", "SGD 2/second/W/velocity", "seen", "random key",
    ]  # fmt: skip
    other = Session(builder)
    other.load_state(state)
    for one in (session, other):
        one.run(steps[0], feeds)
    assert np.array_equal(session.run(x, feeds), other.run(x, feeds))
    assert other.run(seen).shape == (3, 2)
    with pytest.raises(StateError, match=r"seen is float64\[N2, 2\], got float64\[3, 4\]"):
        other.load_state({**state, "seen": np.ones((3, 4))})


@pytest.mark.parametrize("state", [
    {"w": np.zeros(2), "random key": 3}, {"w": np.zeros(2), "random key": ["a", "b"]},
    {"w": np.zeros(2), "random key": np.array([1, -1])}, {"w": [[1], [2, 3]]}, {"w": None}, None,
    [("w", np.zeros(2))],
])  # fmt: skip
def test_a_state_is_taken_whole_or_not_at_all(builder, state):
    w = builder.variable(np.ones(2), name="w")
    session = Session(builder, seed=4)
    with pytest.raises(StateError):
        session.load_state(state)
    assert session.run(w).tolist() == [1, 1]
    assert session.state()["random key"].tolist() == [4, 0]

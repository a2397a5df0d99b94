"""Answers of the course run behind the best fence there is, and where there is none, too."""

import pytest

from cgkit.errors import EnvironmentFault
from cgkit.grading.sandbox import Situation
from cgkit.grading.situation import UNSANDBOXED
from cgkit.notebooks import fence


@pytest.mark.parametrize(("here", "label"), [(True, ""), (False, UNSANDBOXED)])
def test_the_best_fence_or_none(monkeypatch, here, label):
    def find(which=None):
        if which is None and not here:
            raise EnvironmentFault("no sandbox on this machine")
        return Situation(which or "system")

    monkeypatch.setattr(fence, "find", find)
    assert fence.best().label == label

import pytest

from cgkit.checks.static import pruning, run_mistakes, running

pytestmark = pytest.mark.slow  # the same mistakes as students write them: test_notebook.py


@pytest.mark.parametrize("mistake", run_mistakes.NEEDED, ids=lambda mistake: mistake.name)
def test_mistakes_in_needed_recognize_themselves(mistake, failure):
    failed = failure(pruning.needed, mistake.algorithm)
    assert failed.misconception == mistake.name
    assert failed.why == mistake.why


@pytest.mark.parametrize("mistake", run_mistakes.RUN, ids=lambda mistake: mistake.name)
def test_mistakes_in_run_recognize_themselves(mistake, failure):
    failed = failure(running.run, mistake.algorithm)
    assert failed.misconception == mistake.name
    assert failed.why == mistake.why

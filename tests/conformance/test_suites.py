"""Suites by name: each is known by its own, and an unknown one is refused with those there are."""

import pytest

from cgkit.conformance.suites import SUITES, find_suite
from cgkit.errors import UsageFault


def test_each_is_known_by_its_own_name():
    assert all(find_suite(name) is suite and suite.name == name for name, suite in SUITES.items())
    assert "opinfo" in SUITES


def test_unknown_suites():
    with pytest.raises(UsageFault, match=r"no suite 'opinfos'\n  suites: opinfo") as caught:
        find_suite("opinfos")
    assert caught.value.attempt == "'opinfo'"
    with pytest.raises(UsageFault) as caught:
        find_suite("zzz")
    assert not caught.value.attempt

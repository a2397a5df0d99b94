from typing import get_args

from cgkit import ops
from cgkit.kinds import Family, Kind


def test_kinds_stand_from_the_easiest_to_fuse():
    assert list(Kind) == sorted(Kind)
    assert Kind.ELEMENTWISE < Kind.BROADCAST < Kind.MOVEMENT < Kind.REDUCTION < Kind.MATMUL
    assert max(Kind) == Kind.OPAQUE


def test_every_operator_is_of_a_family():
    assert {operator.family for operator in ops.ALL.values()} <= set(get_args(Family))

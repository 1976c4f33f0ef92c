"""Draws of the generators."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.utils import seeding as gymnasiums
from hypothesis import given
from hypothesis import strategies as st

from stb_env.seeding import draw


@given(st.integers(0, 2**64), st.integers(0, 3))
def test_a_draw_is_that_of_gymnasiums_generator_and_leaves_it_as_that_does(seed: int, before: int):
    mine, theirs = gymnasiums.np_random(seed)[0], gymnasiums.np_random(seed)[0]
    for generator in (mine, theirs):
        # An odd number of short draws leaves half of a long one over.
        generator.integers(10, size=before, dtype=np.uint32)
    drawn = [draw(mine) for _ in range(5)]
    assert drawn == [int(theirs.integers(2**63)) for _ in range(5)]
    assert {type(number) for number in drawn} == {int}
    assert mine.bit_generator.state == theirs.bit_generator.state
    assert mine.integers(1000, size=3).tolist() == theirs.integers(1000, size=3).tolist()


@pytest.mark.parametrize("bits", [np.random.MT19937, np.random.Philox, np.random.SFC64, np.random.PCG64DXSM])
def test_a_draw_of_any_other_generator_is_its_own(bits):
    mine, theirs = np.random.Generator(bits(3)), np.random.Generator(bits(3))
    assert [draw(mine) for _ in range(5)] == [int(theirs.integers(2**63)) for _ in range(5)]

"""No program takes more than two seconds or 300 megabytes, whatever it says; honest ones run through."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import pytest

from stb_env.suites.sambanova.common.interpreter.budget import MAX_STEPS
from tests.suites.sambanova.bombs import FAMILIES, WHOLE

SHORT = 4_000
"""Steps of a bomb in the table: a share of what it may take, in a share of the time."""

pytest.importorskip("pandas")
pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="memory is bounded and measured as Linux does it"
)


def blasted(programs: Iterable[tuple[str, str]], steps: int) -> list[dict[str, Any]]:
    """Run programs in a process of their own, which has room for 300 megabytes more than at its start."""
    asked = "".join(json.dumps(each) + "\n" for each in programs)
    command = [sys.executable, "-W", "ignore", "-m", "tests.suites.sambanova.blast", str(steps)]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


REPEATED = [(family.world, program) for family in FAMILIES for program in family.programs()]


@pytest.fixture(scope="module")
def repeated() -> list[dict[str, Any]]:
    """What the bombs took, and after them the first of each family once more."""
    firsts = [(family.world, family.programs()[0]) for family in FAMILIES]
    return blasted([*REPEATED, *firsts], SHORT)


def too_much(measured: Iterable[tuple[tuple[str, str], dict[str, Any]]], seconds: float) -> list[str]:
    """Return what took too long or too much memory."""
    return [
        f"{took['seconds']:.2f} s, {took['megabytes']:.0f} MB: {program[-200:]}"
        for (_, program), took in measured
        if took["seconds"] > seconds or took["megabytes"] > 300
    ]


@pytest.mark.heavy
def test_no_bomb_takes_more_than_its_share(repeated: list[dict[str, Any]]):
    assert len(REPEATED) + len(WHOLE) > 250
    # Beside its steps, a program may take once what a single operation takes.
    assert not too_much(zip(REPEATED, repeated, strict=False), 2 * SHORT / MAX_STEPS + 0.2)


@pytest.mark.heavy
def test_a_bomb_ends_by_its_steps_and_in_the_same_way_each_time(repeated: list[dict[str, Any]]):
    ends = dict(zip((program for _, program in REPEATED), repeated, strict=False))
    for family, again in zip(FAMILIES, repeated[len(REPEATED) :], strict=True):
        end = ends[family.programs()[0]]
        assert f"the program takes more than {SHORT} steps" in end["said"], family.name
        assert end["said"] == again["said"]


@pytest.mark.heavy
def test_whole_bombs_take_no_more_than_two_seconds_and_honest_programs_run_through():
    honest = [(family.world, family.honest) for family in FAMILIES]
    took = blasted([*WHOLE, *honest], MAX_STEPS)
    assert not too_much(zip(WHOLE, took, strict=False), 2)
    assert [end["said"] for end in took[len(WHOLE) :] if end["end"] != "value"] == []

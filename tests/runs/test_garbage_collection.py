"""Python looks for reference cycles less often while episodes are played, and as before afterwards."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from stb_env.runs import plan, run_batch
from stb_env.runs.baselines import load_agent
from stb_env.runs.garbage_collection import seldom
from stb_env.testing.notes import notes


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_a_batch_lets_it_run_less_often_and_then_as_before():
    gc.set_threshold(700, 10, 10)
    seen: list[int] = []
    run_batch(
        notes,
        load_agent("gold"),
        plan(notes().tasks, episodes=None),
        progress=lambda _: seen.append(gc.get_threshold()[0]),
    )
    assert min(seen) > 10_000
    assert gc.get_threshold() == (700, 10, 10)


def test_the_last_of_several_batches_puts_it_back():
    gc.set_threshold(700, 10, 10)
    with seldom():
        with seldom():
            pass
        assert gc.get_threshold()[0] > 10_000
    assert gc.get_threshold()[0] == 700


@pytest.mark.parametrize("own", [(0, 10, 10), (1_000_000, 5, 5)])
def test_a_setting_that_has_it_run_less_still_is_kept(own: tuple[int, int, int]):
    gc.set_threshold(*own)
    with seldom():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


def test_a_setting_made_meanwhile_is_kept():
    with seldom():
        gc.set_threshold(900, 10, 10)
    assert gc.get_threshold() == (900, 10, 10)


class _Node:
    def __init__(self) -> None:
        self.itself = self


def test_what_was_made_meanwhile_is_not_looked_through_when_it_ends():
    gc.set_threshold(700, 10, 10)
    looks: list[str] = []
    with seldom():
        kept = [[] for _ in range(5_000)]
        gc.callbacks.append(lambda phase, info: looks.append(phase))
    kept += [[] for _ in range(100)]
    gc.callbacks.pop()
    assert not looks


@pytest.mark.heavy
def test_a_cycle_made_meanwhile_is_found_by_the_next_look_at_everything():
    with seldom():
        alive = weakref.ref(_Node())
    gc.collect()
    assert alive() is None


def test_what_somebody_froze_stays_frozen():
    gc.set_threshold(700, 10, 10)
    gc.freeze()
    try:
        with seldom():
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()

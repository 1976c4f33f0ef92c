"""Which tasks are played, and which groups are kept."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from stb_env import load_agent, play
from stb_env.errors import ConfigError, DataError
from stb_env.runs import Curriculum, Group
from stb_env.runs.groups import avaried_batch, varied_batch
from stb_env.testing.notes import notes
from stb_env.trajectory import Trajectory

SOLVED, UNSOLVED = (play(notes(), load_agent(name)(), task_id="day", seed=0) for name in ("gold", "give_up"))
INVALID = replace(UNSOLVED, valid=False)


def of(*episodes: Trajectory) -> Group:
    return Group("day", 0, episodes, len(episodes))


MIXED, ALIKE, LOST = of(SOLVED, UNSOLVED), of(SOLVED, SOLVED), of(SOLVED, INVALID)


def test_a_batch_holds_groups_with_variance_and_counts_the_others():
    stream = itertools.cycle([ALIKE, MIXED, LOST])
    batch = varied_batch(stream, 2)
    assert (batch.groups, batch.equal, batch.invalid, batch.full) == ([MIXED, MIXED], 2, 1, True)
    assert next(stream) is LOST


def test_a_limit_ends_a_batch_that_would_never_be_full():
    batch = varied_batch(itertools.repeat(ALIKE), 2, limit=5)
    assert (batch.groups, batch.equal, batch.seen, batch.full) == ([], 5, 5, False)


def test_a_batch_is_drawn_on_a_loop_too():
    async def stream() -> AsyncIterator[Group]:
        for group in (ALIKE, MIXED, MIXED):
            yield group

    assert asyncio.run(avaried_batch(stream(), 1)) == varied_batch([ALIKE, MIXED], 1)


@pytest.mark.parametrize(("size", "limit"), [(0, None), (1, 0)])
def test_a_batch_of_nothing_is_refused(size: int, limit: int | None):
    with pytest.raises(ConfigError, match=rf"^size and limit must be at least 1, got {size} and {limit}$"):
        varied_batch([], size, limit=limit)


def three(**settings: Any) -> Curriculum:
    curriculum = Curriculum(["easy", "right", "hard", "new"], **settings)
    for task, successes in {"easy": [1] * 8, "right": [1, 0] * 4, "hard": [0] * 8}.items():
        curriculum.note(task, successes)
    return curriculum


def test_tasks_between_the_bounds_and_new_ones_are_drawn_more_often():
    curriculum = three(rest=0.1)
    drawn = Counter(curriculum.draw(1)[0] for _ in range(400))
    assert min(drawn["right"], drawn["new"]) > 4 * max(drawn["easy"], drawn["hard"])
    assert min(drawn["easy"], drawn["hard"]) > 0


def test_a_draw_has_each_task_once_before_any_comes_again():
    drawn = three().draw(6)
    assert sorted(drawn[:4]) == sorted(three().tasks)


def test_what_is_drawn_follows_from_seed_and_history():
    assert [three().draw(2) for _ in range(2)] == [three().draw(2)] * 2
    assert {tuple(three(seed=seed).draw(4)) for seed in range(8)} != {tuple(three().draw(4))}


def test_a_restored_curriculum_goes_on_where_it_was():
    curriculum = three()
    curriculum.draw(3)
    again = Curriculum.restored(json.loads(json.dumps(curriculum.state())))
    assert [again.draw(3) for _ in range(5)] == [curriculum.draw(3) for _ in range(5)]
    assert again.state() == curriculum.state()


def test_a_task_that_the_model_learns_leaves_the_bounds_as_old_trials_are_forgotten():
    curriculum = Curriculum(["day"], memory=4)
    for successes in ([0, 0], [1, 0], [1, 1, 1]):
        curriculum.note("day", successes)
    assert curriculum.rates == {"day": 0.75}


def test_invalid_trials_say_nothing_about_a_task():
    curriculum = Curriculum(["day"])
    curriculum.record(LOST)
    assert curriculum.rates == {"day": 1.0}
    curriculum.record(of(INVALID))
    assert curriculum.rates == {"day": 1.0}


@pytest.mark.parametrize(
    ("tasks", "settings", "message"),
    [
        ([], {}, r"^a curriculum takes tasks, each of them once$"),
        (["a", "a"], {}, r"^a curriculum takes tasks, each of them once$"),
        (["a"], {"low": 0.9, "high": 0.1}, r"^low and high must be rates with low <= high, got 0.9 and 0.1$"),
        (["a"], {"memory": 0}, r"^rest must be at least 0 and memory at least 1, got 0.1 and 0$"),
    ],
)
def test_a_curriculum_that_cannot_draw_is_refused(tasks: list[str], settings: dict[str, Any], message: str):
    with pytest.raises(ConfigError, match=message):
        Curriculum(tasks, **settings)


@pytest.mark.parametrize("state", [{}, {"version": 2}, {"version": 1, "tasks": 3, "settings": {}}])
def test_what_is_no_state_is_refused(state: dict[str, Any]):
    with pytest.raises(
        DataError, match=r"^(not the state of a curriculum|curriculum version 2; this package)"
    ):
        Curriculum.restored(state)

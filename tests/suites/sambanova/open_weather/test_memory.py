"""A process that plays on and on does not grow: what it remembers of tasks and requests is bounded."""

from __future__ import annotations

from stb_env.suites.sambanova.common.rest import curl, world
from stb_env.suites.sambanova.open_weather import judge, places, service, tasks
from stb_env.suites.sambanova.open_weather.env import make

REMEMBERED = [
    remembered
    for module in (curl, judge, places, service, tasks, world)
    for remembered in vars(module).values()
    if hasattr(remembered, "cache_info") and remembered.__module__ == module.__name__
]


def sizes():
    return [remembered.cache_info() for remembered in REMEMBERED]


def play(episodes):
    env = make(split="train", program=True)
    for index in episodes:
        env.reset(seed=0, options={"task_id": f"train-{index}"})
        env.step(env.task.goal["labels"][0])


def test_what_is_remembered_of_tasks_and_requests_is_bounded():
    play(range(300))
    before = sizes()
    play(range(300, 500))
    after = sizes()
    # What has no bound of its own holds content that is read once, and is full after the first tasks.
    growing = [old for old, new in zip(before, after, strict=True) if new.currsize > old.currsize]
    assert len(REMEMBERED) > 8
    assert all(info.maxsize is not None and info.maxsize <= 1_024 for info in growing)

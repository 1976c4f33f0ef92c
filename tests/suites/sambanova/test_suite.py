"""The list of tasks, and what follows from it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from stb_env.suites.sambanova.suite import SUITE as DECLARED
from stb_env.suites.sambanova.tasks import SUITE, TASKS
from tests.shared import objects

HOME = "stb_env.suites.sambanova"


def test_every_environment_comes_from_the_list():
    assert list(DECLARED.environments) == [
        "stb/OpenWeather-v1",
        "stb/CatAPI-v1",
        "stb/HomeSearch-v1",
        "stb/TripBooking-v1",
        "stb/GoogleSheets-v1",
        "stb/VirtualHome-v1",
        "stb/WebShop-v1",
        "stb/Tabletop-v1",
    ]


def test_every_part_of_a_task_is_in_its_own_folder_or_shared():
    for task in TASKS:
        folder = f"{HOME}.{task.id.removesuffix('_short')}"
        for part in filter(None, (task.env, task.documents, task.demonstrations, task.calls, task.turns)):
            assert part.startswith((f"{folder}.", f"{HOME}.common."))


def test_importing_the_package_reads_declarations_and_nothing_else_of_a_task():
    code = f"import sys, stb_env; print(*(name for name in sys.modules if name.startswith('{HOME}')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    light = {HOME, f"{HOME}.suite", f"{HOME}.tasks", f"{HOME}.common", f"{HOME}.common.task"}
    assert set(done.stdout.split()) == light


def test_the_alignment_data_have_the_sizes_and_complexities_that_were_printed_golden(shared_data: Path):
    printed = objects(shared_data, "toolbench_tasks/*.json", "table9")[0]["table9"]
    shown = [task for task in SUITE.values() if task.id != "web_shop_short"]
    assert [task.id for task in shown] == [name.removeprefix("the_") for name in printed["task"]]
    assert [task.templates for task in shown] == printed["templates"]
    assert [task.repeats for task in shown] == printed["repeat"]
    assert [task.samples for task in shown] == printed["training_samples"]
    assert [task.published_complexity for task in shown] == printed["complexity"]

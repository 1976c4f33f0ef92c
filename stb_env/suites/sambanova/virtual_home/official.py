"""Household tasks from files that a user has: SambaNova's folder, or VirtualHome's activities."""

from __future__ import annotations

from pathlib import Path

from stb_env.errors import ConfigError, DataError
from stb_env.suites.sambanova.common.official import read_official
from stb_env.suites.sambanova.common.program_task import Supplied
from stb_env.suites.sambanova.virtual_home.activities import read_activities
from stb_env.suites.sambanova.virtual_home.chores import Activity
from stb_env.suites.sambanova.virtual_home.judge import steps_of
from stb_env.suites.sambanova.virtual_home.tasks import NAME, household_task
from stb_env.suites.sambanova.virtual_home.tools import tools_of
from stb_env.suites.sambanova.virtual_home.vocabulary import Vocabulary, embedded, read_vocabulary
from stb_env.tasks import TaskSet

OBJECT_LISTS = "valid_object_lists.json"


def read_household(path: str | Path, split: str = "test") -> Supplied[Vocabulary]:
    """Read a version folder with ``test.jsonl``, or an activity file (JSON list of texts).

    A folder's object lists are taken where it has them, otherwise the published ones. Activities are
    chosen and divided as in `activities`; what is not test is ``train``.

    Raises:
        ConfigError: A folder has a test split alone.
        DataError: A file is broken.
    """
    path = Path(path)
    if path.is_file() and path.suffix == ".json":
        return _from_activities(path, split)
    if split != "test":
        raise ConfigError(f"{path} has a test split alone, got split={split!r}; leave out data or split")
    items = read_official(path).items
    lists = (path if path.is_dir() else path.parent) / OBJECT_LISTS
    vocabulary = read_vocabulary(lists) if lists.is_file() else embedded()
    known = [(str(item.number), Activity(item.goal, item.labels)) for item in items]
    return _official(path, "test", known, vocabulary)


def _from_activities(path: Path, split: str) -> Supplied[Vocabulary]:
    if split not in ("test", "train"):
        raise ConfigError(f"unknown split {split!r}; known: test, train")
    test, others = read_activities(path).split()
    chosen = test if split == "test" else others
    steps = {step for known in (*test, *others) for program in known.solutions for step in steps_of(program)}
    numbered = [(f"{split}-{number}", known) for number, known in enumerate(chosen)]
    return _official(path, split, numbered, embedded().with_steps(steps))


def _official(
    path: Path, split: str, known: list[tuple[str, Activity]], vocabulary: Vocabulary
) -> Supplied[Vocabulary]:
    tools = tools_of(vocabulary)
    tasks = []
    for task_id, activity in known:
        try:
            task = household_task(task_id, split, activity, tools)
            _check(activity, vocabulary)
        except DataError as error:
            raise DataError(f"{path}, {task_id}: {error}") from error
        tasks.append(task)
    return Supplied(TaskSet(tasks, NAME), vocabulary)


def _check(activity: Activity, vocabulary: Vocabulary) -> None:
    for program in activity.solutions:
        for step in steps_of(program):
            if not vocabulary.allows(step.name, step.objects):
                raise DataError(f"a label has {step.line!r}, which the object lists do not allow; correct it")

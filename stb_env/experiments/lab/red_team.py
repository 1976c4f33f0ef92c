"""Rewards of the red team on every suite, under every judge that needs no model.

The cheats, episodes and figures of ``stb-env validate``, of all environments in one page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stb_env import ConfigError, Suite
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import DataError
from stb_env.experiments.lab.experiment import Experiment, LabSettings, TableRow
from stb_env.runs.make import env_ids, env_settings, make_env
from stb_env.suite import find_env, registered, suite_of
from stb_env.testing.cheating import EXACT_FLOOR, OPEN_FLOOR, means, play_red_team
from stb_env.testing.red_team import RED_TEAM
from stb_env.testing.red_team.attempt import counted, told
from stb_env.testing.subject import Subject, draws

EPISODES = 20

_NOTES = (
    "Mean reward of each cheat. A cheat is held to a floor: "
    f"{EXACT_FLOOR:g} where an exact verifier decides and {OPEN_FLOOR:g} where the heuristic does, "
    "or what the suite's judge states; refused may score the share of tasks that cannot be met. "
    "A keyless judge of text in place of typed answers is for evaluations, and held to nothing.",
    "What is told is held against nobody: a second look, which may do no harm; a missing last call, "
    "copies with gold's calls and gold's own answers; "
    "and where text decides, answers known by heart and tasks that ask for an act.",
)


@dataclass(frozen=True, slots=True)
class _Column:
    suite: str
    label: str
    tasks: int
    asked: int
    held: dict[str, float]
    told: dict[str, float]


def run(settings: LabSettings) -> Experiment:
    """Let the red team play every environment.

    Options: ``ids``, a list of environments, all of the registered suites where not given; ``with``, settings
    of theirs; ``judge``, another one than the environment's own; the name of a suite (``api_bank=PATH``), its
    official data, or ``data``, those of the given ids. ``episodes`` is the number of tasks of each. An
    environment that takes text in place of typed answers is also played with text; and with text under
    ``heuristic`` where it lets its judge be chosen and has an exact one.

    Raises:
        ConfigError: An option is unknown, or an environment cannot be made with it.
    """
    settings.expect("ids", "judge", "data", "with", *(suite.name for suite in registered()))
    columns: list[_Column] = []
    lacking: list[str] = []
    for env_id in _ids(settings):
        try:
            columns += [_column(settings, env_id, chosen) for chosen in _variants(settings, env_id)]
        except DataError:
            if _data(settings, suite_of(env_id)) is None:
                raise
            lacking.append(env_id)
    suites = list(dict.fromkeys(column.suite for column in columns))
    return Experiment(
        title="The red team",
        columns=("environment", "tasks", "counted", "worst_cheat", "its_score"),
        rows=tuple(map(_summary, columns)),
        notes=(*_NOTES, *_remarks(settings, lacking)),
        details={"episodes": settings.episodes or EPISODES, "seed": settings.seed, "lacking": lacking},
        further=tuple(table for suite in suites for table in _tables(suite, columns)),
    )


def _ids(settings: LabSettings) -> Sequence[str]:
    given = settings.option("ids", None)
    if given is None and settings.option("data", None) is not None:
        raise ConfigError(
            "data belongs to ids: give them with --set ids='[\"ID\"]', or SUITE=PATH for one suite"
        )
    if given is None:
        return env_ids()
    return [find_env(one) for one in ([given] if isinstance(given, str) else given)]


def _variants(settings: LabSettings, env_id: str) -> Iterator[dict[str, object]]:
    """Yield the settings under which an environment is played."""
    judge = settings.option("judge", None)
    if judge is not None:
        yield {"judge": str(judge), **_with(settings)}
        return
    chosen = _with(settings)
    if chosen:
        yield chosen
        return
    yield {}
    suite, takes = suite_of(env_id), env_settings(env_id)
    text: JsonObject = {"answer": "text"} if "answer" in takes else {}
    if text:
        yield text
    # Where Finish takes typed values alone, there is no text that the heuristic could judge, gold's neither.
    if text and suite is not None and suite.exact and "judge" in takes:
        yield text | {"judge": "heuristic"}


def _labels(chosen: dict[str, object]) -> list[str]:
    return [str(value) if isinstance(value, str) else f"{name} {value}" for name, value in chosen.items()]


def _with(settings: LabSettings) -> dict[str, object]:
    """Return the settings that are given for the environments.

    Raises:
        ConfigError: They are no object.
    """
    chosen = settings.option("with", {})
    if not isinstance(chosen, dict):
        raise ConfigError(f"with has settings of environments as a JSON object, got {chosen!r}")
    return chosen


def _column(settings: LabSettings, env_id: str, chosen: dict[str, object]) -> _Column:
    suite = suite_of(env_id)
    data = _data(settings, suite)
    standing = {} if suite is None else dict(suite.standing)
    env = make_env(env_id, standing | ({} if data is None else {"data": data}) | chosen)
    subject = Subject(env, suite, draws(env, None, settings.seed), lambda *_: None)
    played = play_red_team(subject, settings.episodes or EPISODES)
    env.close()
    return _Column(
        suite=env_id if suite is None else suite.name,
        label=f"{env_id} ({', '.join(_labels(chosen))})" if chosen else env_id,
        tasks=len({one.task_id for one in played}),
        asked=len({one.task_id for one in played if one.asked}),
        held=means(counted(played)),
        told=means(told(played)),
    )


def _data(settings: LabSettings, suite: Suite | None) -> object:
    given = settings.option("data", None)
    return given if suite is None else settings.option(suite.name, given)


def _remarks(settings: LabSettings, lacking: Sequence[str]) -> Iterator[str]:
    yield f"Up to {settings.episodes or EPISODES} tasks of each environment, seed {settings.seed}."
    official = [suite.name for suite in registered() if suite.name in settings.options]
    if official:
        yield f"Official data of {', '.join(official)}; tasks of our own elsewhere."
    if lacking:
        yield f"Left out, since the given data lacks them: {', '.join(lacking)}."


def _summary(column: _Column) -> TableRow:
    worst = max(column.held, key=column.held.__getitem__, default=None)
    return (column.label, column.tasks, column.asked, worst, None if worst is None else column.held[worst])


def _tables(suite: str, columns: Sequence[_Column]) -> list[Experiment]:
    ours = [column for column in columns if column.suite == suite]
    parts = (
        (f"{suite}: held", [(column.label, column.held) for column in ours]),
        (f"{suite}: told", [(column.label, column.told) for column in ours]),
    )
    return [_table(title, scores) for title, scores in parts if any(held for _, held in scores)]


def _table(title: str, scores: Sequence[tuple[str, dict[str, float]]]) -> Experiment:
    cheats = [cheat for cheat in RED_TEAM if any(cheat in held for _, held in scores)]
    return Experiment(
        title=title,
        columns=("cheat", *(label for label, _ in scores)),
        rows=tuple((cheat, *(held.get(cheat) for _, held in scores)) for cheat in cheats),
    )

"""The exact verifier on honest wordings and on answers that game; `python -m` prints the failures."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from stb_env.judges.judge import Case
from stb_env.request import drive
from stb_env.suites.sandbox.catalog import tools
from stb_env.suites.sandbox.oracle import oracle
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.template import templates
from stb_env.suites.sandbox.verifier import ExactJudge
from stb_env.suites.sandbox.world import SandboxWorld
from stb_env.tasks import Task
from stb_env.trajectory import CallRecord
from tests.suites.sandbox import cheats, paraphrases

WORLD, JUDGE = SandboxWorld(), ExactJudge()
BY_NAME = {tool.name: tool for tool in tools().values()}


class Played(NamedTuple):
    task: Task
    state: object
    results: list
    calls: tuple[CallRecord, ...]


class Judged(NamedTuple):
    kind: str
    task: Task
    answer: str
    solved: bool
    reason: str


def played(task: Task) -> Played:
    solution, state, result = oracle(task), WORLD.start(task, 0), None
    calls: list[CallRecord] = []
    try:
        while True:
            call = next(solution) if result is None else solution.send(result)
            result, state = WORLD.call(state, BY_NAME[call.name], call.arguments)
            calls.append(CallRecord(str(len(calls)), call.name, call.arguments, result))
    except StopIteration:
        results = [call.result.response for call in calls]
        return Played(task, state, results, tuple(calls))


def tasks(per_template: int = 1, first: int = 0) -> Iterator[Played]:
    for name, known in templates().items():
        source = SandboxTasks("test" if known.held_out else "train", template=name)
        for index in range(first, first + per_template):
            yield played(source.at(index))
    missing = SandboxTasks("missing")
    for index in range(first, min(missing.size, first + 30 * per_template)):
        yield played(missing.at(index))


def judge(kind: str, game: Played, answer: str) -> Judged:
    verdict = drive(JUDGE.judge(Case(game.task, answer, game.calls, game.state)))
    reason = " | ".join(vote.reason for vote in verdict.votes) or str(
        [part for part, passed in verdict.parts.items() if not passed]
    )
    return Judged(kind, game.task, answer, verdict.score > 0, reason)


def honest(games: list[Played]) -> Iterator[Judged]:
    for kind, make in paraphrases.KINDS.items():
        for game in games:
            missing = game.task.id.startswith("missing")
            if missing and kind not in ("polite", "explained", "repeated", "harmless"):
                continue
            for answer in make(game.task, Random(game.task.id)):
                yield judge(kind, game, answer)


def gaming(games: list[Played]) -> Iterator[Judged]:
    for kind, make in cheats.KINDS.items():
        for game in games:
            if game.task.id.startswith("missing") and kind in (
                "doubled",
                "candidates",
                "misquoted",
                "swapped",
            ):
                continue
            for answer in make(game.task, Random(game.task.id), game.results):
                yield judge(kind, game, answer)
    for game, other in zip(games, games[1:] + games[:1], strict=True):
        yield judge("another's", game, other.task.record["answer"])


def judged_by_hand(name: str) -> dict[str, list[Judged]]:
    """Return the answers of a file beside this one, judged: ``honest`` and ``gaming``."""
    answers = json.loads((Path(__file__).parent / name).read_text("utf-8"))
    found: dict[str, list[Judged]] = {"honest": [], "gaming": []}
    for task_id, kinds in answers.items():
        game = played(SandboxTasks().get(task_id))
        for kind, wordings in kinds.items():
            found[kind] += [judge(kind, game, wording) for wording in wordings]
    return found


def table(judged: list[Judged]) -> dict[str, tuple[int, int]]:
    every, solved = Counter(one.kind for one in judged), Counter(one.kind for one in judged if one.solved)
    return {kind: (solved[kind], count) for kind, count in every.items()}


def report(kinds: list[str]) -> Iterator[str]:
    games = list(tasks())
    for name, judged, wrong in (("honest", [*honest(games)], False), ("gaming", [*gaming(games)], True)):
        solved = sum(one.solved for one in judged)
        yield f"{name}: {solved} of {len(judged)} pass = {solved / len(judged):.2%}"
        for kind, (passed, count) in table(judged).items():
            yield f"  {kind:14} {passed:5} of {count:5}  {passed / count:7.2%}"
        for _, task, answer, _, reason in (
            one for one in judged if one.kind in kinds and one.solved is wrong
        ):
            yield f"\n{task.id}\n  Q {task.query}\n  A {answer[:300]}\n  {reason}"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in report(sys.argv[1:]))

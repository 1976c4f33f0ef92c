"""Rewards: by the verdict, by its parts, or spread over the steps; and null agents earn nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from stb_env.backend.world import Tables
from stb_env.core.answers import object_schema, right_fields
from stb_env.core.request import Slow
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, JudgeError
from stb_env.judges.judge import Case
from stb_env.runs import play
from stb_env.runs.baselines import load_agent
from stb_env.suites.sandbox.env import make as sandbox
from stb_env.tasks import Task, TaskSet
from stb_env.testing.notes import ADD, DELETE, DENTIST, FIND, LEMONS, START, Notebook
from stb_env.tools import FINISH
from stb_env.verdict import KEPT, Verdict, reward_of

MODES = ("sparse", "partial", "dense")
NULL = ("noop", "give_up", "echo", "inject", "random")
ANSWER = object_schema({"day": {"type": "string"}, "notes": {"type": "integer"}})
# A number that is not drawn at random.
EXPECTED = {"day": "Tuesday", "notes": 4711}
WANTED = "Call the bank"
CANNOT = {"not_found": ["note"]}


class PartJudge:
    """Two fields, one change that is asked for, and a guard: what was there must stay there."""

    name = "parts"

    def judge(self, case: Case) -> Slow[Verdict]:
        yield from ()
        texts = [row["text"] for row in case.state.table("notes").values()]
        right = right_fields(ANSWER, EXPECTED, case.answer)
        parts = {f"answer:{name}": held for name, held in right.items()}
        parts |= {"state:notes": WANTED in texts, f"{KEPT}old notes": {DENTIST, LEMONS} <= set(texts)}
        return Verdict.of("solved" if all(parts.values()) else "unsolved", judge=self.name, parts=parts)


def reached(task: Task, state: Any, calls: Sequence[Any]) -> float:
    """Say how far an episode has come: the note is found, and it is written."""
    written = any(row["text"] == WANTED for row in state.table("notes").values())
    return 0.5 * written + 0.25 * any(call.name == FIND.name for call in calls)


def notes(mode: str, judge: Any = None, **settings: Any) -> ToolEnv:
    task = Task("1", "Write it down.", (ADD, FIND, DELETE), suite="notes", answer=ANSWER, cannot=CANNOT)
    potential = {"potential": reached} if mode == "dense" else {}
    return ToolEnv(TaskSet([task]), Notebook(), judge or PartJudge(), reward=mode, **potential, **settings)


def call(tool: Any, value: str) -> dict[str, Any]:
    return {"name": tool.name, "arguments": {tool.parameters["required"][0]: value}}


def finish(**arguments: Any) -> dict[str, Any]:
    return {"name": FINISH, "arguments": arguments}


FIND_IT, WRITE_IT, BREAK_IT = call(FIND, "dentist"), call(ADD, WANTED), call(DELETE, "note-001")
RIGHT, HALF = finish(answer=EXPECTED), finish(answer={"day": "Tuesday", "notes": 9})
NONE = finish(answer={"day": "x", "notes": 0})
REFUSED = finish(cannot={"reason": "not_found", "what": ["note"]})
BROKEN = finish(answer={"day": 2})


def rewards(env: ToolEnv, actions: Sequence[Any]) -> list[float]:
    env.reset(seed=0)
    earned = []
    for action in actions:
        _, reward, terminated, truncated, _ = env.step(action)
        earned.append(reward)
        if terminated or truncated:
            break
    return earned


@pytest.mark.parametrize(
    ("actions", "sparse", "partial"),
    [
        ([FIND_IT, WRITE_IT, RIGHT], 1.0, 1.0),
        ([FIND_IT, WRITE_IT, HALF], 0.0, 2 / 3),
        ([FIND_IT, RIGHT], 0.0, 2 / 3),
        ([FIND_IT, HALF], 0.0, 1 / 3),
        ([WRITE_IT, NONE], 0.0, 1 / 3),
        # What nobody did is no part, however much of it holds at the start.
        ([NONE], 0.0, 0.0),
        ([FIND_IT, NONE], 0.0, 0.0),
        # A guard that is broken costs everything.
        ([FIND_IT, WRITE_IT, BREAK_IT, RIGHT], 0.0, 0.0),
        ([BREAK_IT, NONE], 0.0, 0.0),
        # A refusal earns no field, but the change that was made stays made.
        ([REFUSED], 0.0, 0.0),
        ([WRITE_IT, REFUSED], 0.0, 1 / 3),
    ],
)
def test_an_episode_earns_its_verdict_or_its_parts(actions: list[Any], sparse: float, partial: float):
    assert sum(rewards(notes("sparse"), actions)) == sparse
    assert sum(rewards(notes("partial"), actions)) == pytest.approx(partial)
    assert sum(rewards(notes("dense"), actions)) == pytest.approx(sparse)


def test_dense_rewards_come_with_the_steps_that_get_further():
    assert rewards(notes("dense"), [FIND_IT, WRITE_IT, RIGHT]) == pytest.approx([0.25, 0.5, 0.25])
    assert rewards(notes("dense"), [FIND_IT, WRITE_IT, NONE]) == pytest.approx([0.25, 0.5, -0.75])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "actions",
    [
        [FIND_IT, WRITE_IT, "Tuesday, and there are 3 notes."],
        [FIND_IT, WRITE_IT, BROKEN],
        [FIND_IT, WRITE_IT, finish(final_answer="Tuesday; 3.")],
        [FIND_IT, WRITE_IT, finish(answer=EXPECTED, return_type="give_answer")],
    ],
)
def test_an_episode_without_a_finish_that_fits_earns_nothing(mode: str, actions: list[Any]):
    assert sum(rewards(notes(mode, max_turns=3), actions)) == pytest.approx(0.0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NULL)
def test_null_agents_earn_exactly_nothing_in_every_mode(name: str, mode: str):
    # Random calls may write the note by chance of nothing: no sampled text is the wanted one.
    env = notes(mode, max_turns=8)
    for seed in range(5):
        episode = play(env, load_agent(name)(), task_id="1", seed=seed)
        assert sum(step["reward"] for step in episode.steps) == 0.0
        assert episode.reward == 0.0


@pytest.mark.heavy
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["noop", "echo", "inject", "give_up"])
def test_null_agents_earn_exactly_nothing_in_the_sandbox(name: str, mode: str):
    env = sandbox(reward=mode)
    tasks = [env.tasks.at(index) for index in range(20)]
    # An agent that always refuses is right where just that is lacking: its share is published.
    for task in (task for task in tasks if not task.goal["cannot"]):
        episode = play(env, load_agent(name)(), task_id=task.id, seed=0)
        assert sum(step["reward"] for step in episode.steps) == 0.0
        assert episode.reward == 0.0


@pytest.mark.parametrize("mode", MODES)
def test_gold_earns_everything_in_the_sandbox(mode: str):
    env = sandbox(reward=mode)
    for task in map(env.tasks.at, range(6)):
        assert play(env, load_agent("gold")(), task_id=task.id, seed=0).reward == pytest.approx(1.0)


@pytest.mark.parametrize("mode", MODES)
def test_a_judge_that_fails_leaves_an_invalid_episode_without_a_reward_for_its_end(mode: str):
    class Broken:
        name = "broken"

        def judge(self, case: Case) -> Slow[Verdict]:
            yield from ()
            raise JudgeError("no verdict", kind="internal", retryable=False)

    env = notes(mode, Broken())
    earned = rewards(env, [FIND_IT, RIGHT])
    assert earned[-1] == 0.0
    assert env.snapshot().valid is False


@pytest.mark.parametrize(
    ("parts", "partial"),
    [
        ({}, 1.0),
        ({"answer:a": True}, 1.0),
        ({"answer:a": True, "answer:b": False}, 0.5),
        ({"answer:a": True, "act:1 send": False, "state:mails": True}, 2 / 3),
        ({"answer:a": True, f"{KEPT}mails": False}, 0.0),
        ({"answer:a": False, f"{KEPT}mails": True}, 0.0),
        ({f"{KEPT}mails": True}, 1.0),
        ({f"{KEPT}mails": False}, 0.0),
    ],
)
def test_parts_that_held_at_the_start_are_guards_and_no_earnings(parts: dict[str, bool], partial: float):
    verdict = Verdict.of("solved", judge="exact", parts=parts)
    assert verdict.reward("partial") == pytest.approx(partial)
    assert verdict.reward("sparse") == verdict.reward("dense") == 1.0
    assert reward_of(verdict.to_dict(), "partial") == verdict.reward("partial")


def test_what_could_not_be_judged_earns_nothing():
    verdict = Verdict.of("na", judge="exact", parts={"answer:a": True})
    assert [verdict.reward(mode) for mode in ("sparse", "partial", "dense")] == [0.0, 0.0, 0.0]


def test_dense_rewards_need_a_potential():
    task = Task("1", "Write it down.", (ADD,), answer=ANSWER)
    with pytest.raises(ConfigError, match="reward='dense' needs potential="):
        ToolEnv(TaskSet([task]), Notebook(), PartJudge(), reward="dense")


def test_the_start_has_what_the_guard_keeps():
    assert isinstance(START, Tables)
    assert {row["text"] for row in START.table("notes").values()} == {DENTIST, LEMONS}

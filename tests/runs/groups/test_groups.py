"""Groups: where their trials begin, what is masked, and that neither order nor concurrency changes a byte."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import gymnasium as gym
import pytest

from stb_env import ChatAgent, ScriptedModel, load_agent, make, play
from stb_env.core.request import Slow
from stb_env.errors import ConfigError, InfrastructureError
from stb_env.runs import Agent, Deadlines, as_agent
from stb_env.runs.episode import unplayed
from stb_env.runs.groups import Group, agroups, groups
from stb_env.runs.groups.stream import group_seed
from stb_env.seeding import rng
from stb_env.testing.notes import MOVED, notes
from stb_env.usage import Usage
from stb_env.wrappers.base import ToolWrapper

FIND = {"name": "find_notes", "arguments": {"word": "dentist"}}
ADD = {"name": "add_note", "arguments": {"text": "Call the bank"}}
MOVES = [{"name": tool.name, "arguments": {tool.parameters["required"][0]: given}} for tool, given in MOVED]


def finish(answer: str) -> Mapping[str, Any]:
    return {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": answer}}


class Guesser(Agent):
    """Looks once, then guesses a day that follows from its seed."""

    name = "guesser"

    def reset(self, env: gym.Env[Any, Any], seed: int) -> None:
        self.day = rng(seed).choice(["Monday", "Tuesday"])
        self.usage = Usage(total_tokens=10, calls=1)

    def act(self, observation: Any, info: Any) -> Any:
        return FIND if observation["turn"] == 0 else finish(self.day)


class LaterGuesser(Guesser):
    async def act(self, observation: Any, info: Any) -> Any:
        await asyncio.sleep(0)
        return super().act(observation, info)


def finisher() -> Agent:
    return as_agent(lambda observation, info: finish("Done."))


def lines(played: list[Group]) -> list[str]:
    return [episode.to_json() for group in played for episode in group.episodes]


def one(**settings: Any) -> Group:
    (group,) = groups(
        notes(), ["day"], settings.pop("k", 8), agent=settings.pop("agent", Guesser), **settings
    )
    return group


def test_trials_differ_by_their_agents_seed_alone():
    group = one()
    assert {episode.seed for episode in group.episodes} == {group_seed(0, "day")}
    assert [episode.trial for episode in group.episodes] == list(range(8))
    assert set(group.rewards) == {0.0, 1.0}
    assert group.varied
    assert group.success_rate == sum(group.rewards) / 8


@pytest.mark.parametrize("agent", [Guesser, LaterGuesser])
@pytest.mark.parametrize("settings", [{}, {"stop_equal": 3}, {"branch_at": 1}])
def test_concurrency_changes_no_byte(agent: type[Agent], settings: dict[str, Any]):
    tasks = ["day", "move", "day", "write"]
    alone, many = (
        list(groups(notes(), tasks, 4, agent=agent, concurrency=number, **settings)) for number in (1, 16)
    )
    assert lines(alone) == lines(many)
    assert [group.task_id for group in many] == tasks


def test_rewards_that_add_up_to_the_verdict_are_refused_and_parts_of_it_are_not():
    dense = make("stb/Sandbox-v1", reward="dense")
    with pytest.raises(
        ConfigError, match=r"^reward='dense' tells the episodes of a group nothing: .*'partial'"
    ):
        next(groups(dense, [dense.tasks.at(0).id], 2, agent=Guesser))
    partial = make("stb/Sandbox-v1", reward="partial")
    (group,) = groups(partial, [partial.tasks.at(0).id], 2, agent=load_agent("gold"))
    assert [episode.reward_mode for episode in group.episodes] == ["partial", "partial"]


def test_a_task_that_comes_again_is_another_group():
    first, second = groups(notes(), ["day", "day"], 2, agent=Guesser)
    assert first.seed != second.seed


def test_groups_are_drawn_as_they_are_needed():
    endless = groups(notes(), itertools.cycle(["day", "move"]), 2, agent=Guesser, concurrency=4)
    assert [group.task_id for group in itertools.islice(endless, 3)] == ["day", "move", "day"]
    endless.close()


def test_a_caller_on_a_loop_iterates_there():
    async def main() -> list[Group]:
        return [group async for group in agroups(notes(), ["day"], 4, agent=LaterGuesser)]

    assert lines(asyncio.run(main())) == lines([one(k=4, agent=LaterGuesser)])


def test_an_invalid_episode_has_no_reward_and_no_advantage():
    class Flaky(Guesser):
        def act(self, observation: Any, info: Any) -> Any:
            if self.day == "Monday":
                raise InfrastructureError("gone", kind="transport", stage="agent")
            return super().act(observation, info)

    group = one(agent=Flaky)
    pairs = set(zip(group.rewards, group.advantages, strict=True))
    assert pairs == {(None, None), (1.0, 0.0)}
    assert group.success_rate == 1.0


class Sleeper(Guesser):
    """Sleeps for ever where it would have guessed Monday."""

    async def act(self, observation: Any, info: Any) -> Any:
        if self.day == "Monday":
            await asyncio.Event().wait()
        return super().act(observation, info)


def test_without_an_order_a_group_waits_for_no_earlier_one():
    came: list[str] = []

    async def act(observation: Any, info: Any) -> Any:
        while info["task_id"] == "day" and not came:
            await asyncio.sleep(0.001)
        return finish("Tuesday")

    tasks = ["day", "move"]
    played = groups(notes(), tasks, 2, agent=lambda: as_agent(act), concurrency=4, ordered=False)
    came.append(next(played).task_id)
    came.append(next(played).task_id)
    assert came == ["move", "day"]


@pytest.mark.parametrize("concurrency", [1, 16])
def test_a_trial_that_passes_a_deadline_is_invalid_and_the_others_of_its_group_count(concurrency: int):
    group = one(agent=Sleeper, deadlines=Deadlines(call=0.01), concurrency=concurrency)
    assert set(group.rewards) == {None, 1.0}
    assert [episode.failure for episode in group.episodes if not episode.valid] == [
        {
            "kind": "timeout",
            "stage": "call",
            "retryable": True,
            "message": "the call took longer than its deadline of 0.01 s",
        }
    ] * group.rewards.count(None)


async def sleep(observation: Any, info: Any) -> Any:
    await asyncio.Event().wait()


@pytest.mark.parametrize("stage", ["step", "episode"])
def test_steps_and_whole_trials_have_deadlines_too(stage: str):
    group = one(agent=lambda: as_agent(sleep), k=2, deadlines=Deadlines(**{stage: 0.01}))
    assert [episode.failure["stage"] for episode in group.episodes if episode.failure] == [stage] * 2


def test_a_caller_on_a_loop_has_deadlines_too():
    async def main() -> list[Group]:
        limits = Deadlines(call=0.01)
        return [group async for group in agroups(notes(), ["day"], 8, agent=Sleeper, deadlines=limits)]

    assert lines(asyncio.run(main())) == lines([one(agent=Sleeper, deadlines=Deadlines(call=0.01))])


def test_a_lead_that_passes_a_deadline_leaves_a_group_without_rewards():
    group = one(agent=lambda: as_agent(sleep), k=4, branch_at=1, deadlines=Deadlines(call=0.01))
    assert (group.rewards, group.stopped) == ([None], True)


def test_an_agents_own_bug_costs_its_trial_alone():
    told: list[str] = []
    group = one(agent=lambda: as_agent(lambda observation, info: info["secret"]), k=3, remark=told.append)
    assert group.rewards == [None, None, None]
    assert len(told) == 1


@pytest.mark.parametrize(("agent", "size"), [("gold", 3), ("noop", 3)])
def test_a_group_without_variance_is_stopped(agent: str, size: int):
    group = one(agent=load_agent(agent), stop_equal=3)
    assert (len(group.episodes), group.planned, group.stopped) == (size, 8, True)


def test_a_group_with_variance_is_played_whole():
    group = one(stop_equal=6)
    assert group.varied
    assert (len(group.episodes), group.stopped) == (8, False)


def test_sampled_steps_are_shared_and_their_cost_counts_once():
    group = one(k=4, branch_at=1)
    assert group.branch == 1
    assert [[step.get("prefix", False) for step in episode.steps] for episode in group.episodes] == [
        [True, False]
    ] * 4
    assert [episode.usage["calls"] for episode in group.episodes] == [1] * 4


def test_a_branch_behind_the_end_is_before_the_last_step():
    assert one(k=3, branch_at=20).branch == 1


def test_given_actions_lead_where_trials_begin():
    (group,) = groups(notes(), ["move"], 3, agent=finisher, prefix={"move": MOVES})
    assert group.rewards == [1.0, 1.0, 1.0]
    assert group.branch == len(MOVES)


def test_a_saved_episode_leads_there_too_with_its_seed():
    saved = play(notes(), load_agent("gold")(), task_id="move", seed=5)
    (group,) = groups(notes(), ["move"], 2, agent=finisher, prefix={"move": saved})
    assert (group.rewards, group.seed, group.branch) == ([1.0, 1.0], 5, len(saved.steps) - 1)
    (early,) = groups(notes(), ["move"], 2, agent=finisher, prefix={"move": saved}, branch_at=1)
    assert (early.rewards, early.branch) == ([0.0, 0.0], 1)


def test_a_task_that_comes_again_with_a_saved_episode_is_another_group_of_the_same_episode():
    saved = play(notes(), load_agent("gold")(), task_id="move", seed=5)
    prefix = {"move": saved}
    alone, many = (
        list(groups(notes(), ["move"] * 2, 4, agent=Guesser, prefix=prefix, branch_at=1, concurrency=number))
        for number in (1, 8)
    )
    assert [group.seed for group in alone] == [5, 5]
    assert [[trial.trial for trial in group.episodes] for group in alone] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    first, second = ([trial.final_answer for trial in group.episodes] for group in alone)
    assert first != second
    assert lines(alone) == lines(many)


def test_a_chat_model_reads_the_shared_steps():
    read: list[Any] = []

    def reply(request: Any) -> str:
        read.append([message["role"] for message in request.messages])
        return "Tuesday"

    agent = lambda: ChatAgent(ScriptedModel(reply), answer="text")  # noqa: E731
    (group,) = groups(notes(), ["day"], 2, agent=agent, prefix={"day": [FIND]})
    assert group.rewards == [1.0, 1.0]
    assert [roles[-3:] for roles in read] == [["user", "assistant", "tool"]] * 2


def test_what_one_agent_adds_to_its_lists_no_other_reads():
    sizes: list[int] = []

    def hoarder(observation: Any, info: Any) -> Any:
        sizes.append(len(info["messages"]))
        info["messages"].append({"role": "user", "content": "mine"})
        return finish("Tuesday")

    one(agent=lambda: as_agent(hoarder), k=3)
    assert len(set(sizes)) == 1


def test_a_prefix_that_ends_the_episode_is_refused():
    played = groups(notes(), ["day"], 2, agent=Guesser, prefix={"day": [FIND, finish("Tuesday")]})
    with pytest.raises(
        ConfigError, match=r"^the prefix of task 'day' ends its episode after 2 actions; trials"
    ):
        next(played)


def test_a_prefix_that_is_too_short_is_refused():
    played = groups(notes(), ["day"], 2, agent=Guesser, prefix={"day": [FIND]}, branch_at=3)
    with pytest.raises(ConfigError, match=r"^branch_at is 3, but the prefix has 1 action$"):
        next(played)


MOVED_EPISODE = play(notes(), load_agent("gold")(), task_id="move", seed=5)
NO_PREFIX = (
    r"^the prefix of task 'day' must be a saved episode of it \(a Trajectory\) or a list of actions, got "
)


@pytest.mark.parametrize(
    ("prefix", "message"),
    [
        (
            {"day": MOVED_EPISODE},
            r"^the prefix of task 'day' is an episode of task 'move', expected 'day'; give an episode of the "
            r"task itself, or a list of actions$",
        ),
        (
            {"move": replace(MOVED_EPISODE, suite="Sandbox")},
            r"^the prefix of task 'move' is an episode of suite 'Sandbox', expected 'notes'; give an episode",
        ),
        ({"day": "hello"}, NO_PREFIX + r"the text 'hello'; put a single action into a list$"),
        ({"day": FIND}, NO_PREFIX + r"dict; put a single action into a list$"),
        ({"day": iter([FIND])}, NO_PREFIX + r"list_iterator; "),
        (
            {"dya": [FIND]},
            r"^prefix needs ids of tasks: no task 'dya' among the 3 of notes. Did you mean 'day'\?$",
        ),
        (
            MOVED_EPISODE,
            r"^prefix must be a mapping, got Trajectory; give each prefix under the id of its task$",
        ),
    ],
)
def test_a_prefix_that_is_none_or_of_another_task_is_refused_before_anything_is_played(
    prefix: Any, message: str
):
    with pytest.raises(ConfigError, match=message):
        next(groups(notes(), ["write", "day"], 2, agent=Guesser, prefix=prefix))


def test_tasks_that_are_not_played_may_have_a_prefix_too():
    (group,) = groups(notes(), ["day"], 2, agent=Guesser, prefix={"day": [FIND], "move": MOVED_EPISODE})
    assert group.branch == 1


def test_an_episode_that_could_not_be_started_tells_no_suite_and_shares_no_step():
    lost = unplayed("day", 3, 0, InfrastructureError("gone"))
    (group,) = groups(notes(), ["day"], 2, agent=Guesser, prefix={"day": lost})
    assert (group.seed, group.branch) == (3, 0)


def test_a_lead_that_fails_before_the_branch_leaves_a_group_without_rewards():
    def gone(observation: Any, info: Any) -> Any:
        raise InfrastructureError("gone", kind="transport", stage="agent", retryable=True)

    group = one(agent=lambda: as_agent(gone), k=4, branch_at=1)
    assert (group.rewards, group.stopped, group.branch) == ([None], True, 0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 1}, r"^a group takes at least 2 trials, got k=1$"),
        ({"branch_at": -1}, r"^branch_at must be at least 0, got -1$"),
        ({"stop_equal": 1}, r"^stop_equal must be at least 2, got 1$"),
        ({"advantages": "gae"}, r"^there is no estimator 'gae'; expected one of grpo, dr_grpo, rloo$"),
        ({"concurrency": 0}, r"^concurrency must be at least 1, got 0$"),
        ({"k": "4"}, r"^k must be a whole number, got '4'$"),
        ({"branch_at": 1.5}, r"^branch_at must be None or a whole number, got 1.5$"),
        ({"stop_equal": "3"}, r"^stop_equal must be None or a whole number, got '3'$"),
        ({"concurrency": "4"}, r"^concurrency must be a whole number, got '4'$"),
        (
            {"agent": "gold"},
            r"^agent must be what makes an agent, got the text 'gold'; give load_agent\('gold'\)$",
        ),
        (
            {"agent": Guesser()},
            r"^agent must be what makes an agent, got Guesser; give its class, or a function that returns a "
            r"new one each time$",
        ),
        (
            {"version": lambda: "step-3"},
            r"^version must tell a whole number, got 'step-3'; count the model's updates$",
        ),
    ],
)
def test_settings_that_make_no_group_are_refused(settings: dict[str, Any], message: str):
    with pytest.raises(ConfigError, match=message):
        one(**settings)


def test_an_environment_that_does_not_fork_is_refused():
    with pytest.raises(ConfigError, match=r"^groups need an environment that forks: .* got TimeLimit$"):
        next(groups(gym.wrappers.TimeLimit(notes(), 3), ["day"], 2, agent=Guesser))


class Counting(ToolWrapper):
    """Says in every observation how many actions it has seen."""

    def _reset(self, seed: int | None, options: Any) -> Slow[Any]:
        self._own = 0
        return (yield from super()._reset(seed, options))

    def _step(self, action: object) -> Slow[Any]:
        self._own += 1
        observation, *rest = yield from super()._step(action)
        return {**observation, "seen": self._own}, *rest


def test_every_trial_begins_with_what_a_wrapper_remembers_of_the_shared_steps():
    seen: list[int] = []

    def watcher(observation: Any, info: Any) -> Any:
        seen.append(observation["seen"])
        return finish("Done.")

    played = groups(
        Counting(notes()), ["day"], 3, agent=lambda: as_agent(watcher), prefix={"day": [FIND, FIND]}
    )
    next(played)
    assert seen == [2, 2, 2]


def test_each_step_keeps_the_version_that_its_decision_began_with():
    version = itertools.count()
    group = one(k=2, version=lambda: next(version))
    engines = [[step["engine"]["model_version"] for step in episode.steps] for episode in group.episodes]
    assert (engines, group.version) == ([[0, 1], [2, 3]], 4)
    stale = group.staleness()
    assert (stale.steps, stale.mean, stale.most) == (4, 2.5, 4)
    assert group.staleness(current=10).most == 10


def test_an_agent_that_knows_its_models_version_needs_nobody_to_tell():
    class Versioned(Guesser):
        engine: ClassVar = {"model_version": 7}

    group = one(k=2, agent=Versioned)
    assert (group.version, group.staleness(9).mean) == (None, 2.0)


def test_an_agent_that_tells_its_models_version_in_words_is_refused():
    class Named(Guesser):
        engine: ClassVar = {"model_version": "v7"}

    group = one(k=2, agent=Named)
    with pytest.raises(
        ConfigError, match=r"^model_version of an engine must be a whole number, got 'v7'; co"
    ):
        group.staleness()


def test_shared_steps_say_nothing_about_staleness():
    version = itertools.count()
    assert one(k=2, branch_at=1, version=lambda: next(version)).staleness().steps == 2

"""The environment contract, kept by every search."""

from __future__ import annotations

import asyncio
import json
import pickle
from functools import partial
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

from stb_env.errors import ConfigError, InfrastructureError
from stb_env.runs import Agent, play
from stb_env.tools import Status
from stb_env.trajectory import Trajectory
from stb_env.wrappers import (
    BeamSearch,
    BestFirstSearch,
    DepthFirstSearch,
    DiscreteActions,
    IndependentChains,
    MonteCarloTreeSearch,
    ToolRetrieval,
    ToolWrapper,
)
from stb_env.wrappers.search import NodeView, branches
from tests.wrappers.search.searching import (
    GIVE_UP,
    CountingJudge,
    actions,
    answer,
    go,
    maze,
    nodes_after,
    played_out,
)

SEARCHES: dict[str, Any] = {
    "chains": partial(IndependentChains, tries=40, max_queries=30),
    "dfs": partial(DepthFirstSearch, max_queries=30),
    "ranked dfs": partial(DepthFirstSearch, max_queries=30, filter=True),
    "best-first": partial(BestFirstSearch, max_queries=30),
    "beam": partial(BeamSearch, max_queries=30),
    "uct": partial(MonteCarloTreeSearch, max_queries=30),
    "original": partial(DepthFirstSearch, max_queries=30, compat="original"),
    "original chains": partial(IndependentChains, tries=40, compat="original"),
}
every_search = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
scripts = st.text("abcw.-?", max_size=12)


class Scripted(Agent):
    """Plays the actions of a script, then gives up."""

    def __init__(self, script: str) -> None:
        self.script = script

    def reset(self, env: Any, seed: int) -> None:
        self.left = iter(actions(self.script))

    def act(self, observation: Any, info: Any) -> Any:
        return next(self.left, GIVE_UP)


class Numb(ToolWrapper):
    """Says nothing that is JSON."""

    def _step(self, action: Any) -> Any:
        observation, *rest = yield from self.env._step(action)
        return {**observation, "result": "hm"}, *rest


def take(env: Any, script: str) -> list[Any]:
    """The transitions of a script, as far as the episode goes."""
    seen: list[Any] = []
    for action in actions(script):
        seen.append(env.step(action))
        if seen[-1][2] or seen[-1][3]:
            break
    return seen


@pytest.mark.filterwarnings("ignore")
@every_search
def test_gymnasium_accepts_a_search(search):
    check_env(search(gym.make("stb/Sandbox-v1")), skip_render_check=True)


@every_search
def test_step_and_astep_make_the_same_transitions(search):
    async def awaited() -> list[Any]:
        env = search(maze(slow=True))
        await env.areset(seed=0)
        return [await env.astep(action) for action in actions("ab-cw.a")]

    env = search(maze())
    env.reset(seed=0)
    assert take(env, "ab-cw.a") == asyncio.run(awaited())


@every_search
@settings(max_examples=15)
@given(scripts, scripts, scripts)
def test_a_fork_and_its_origin_do_not_see_each_other(search, before, one, other):
    env, twin = search(maze()), search(maze())
    for each in (env, twin):
        each.reset(seed=0)
        take(each, before)
    if env.tree.over:
        return
    branch = env.fork()
    take(branch, other)
    assert take(env, one) == take(twin, one)
    assert pickle.dumps(env.snapshot()) == pickle.dumps(twin.snapshot())


@every_search
@settings(max_examples=15)
@given(scripts, scripts)
def test_a_pickled_snapshot_continues_the_search_elsewhere(search, before, after):
    env, elsewhere = search(maze()), search(maze())
    env.reset(seed=0)
    take(env, before)
    elsewhere.restore(pickle.loads(pickle.dumps(env.snapshot())))
    if not env.tree.over:
        assert take(elsewhere, after) == take(env, after)


@every_search
@settings(max_examples=25)
@given(st.text("abcw.-?!", max_size=40))
def test_any_script_keeps_the_observation_in_its_space_and_its_result_parsable(search, script):
    env = search(maze(limits={"result": 256}))
    env.reset(seed=0)
    for observation, reward, _, _, info in take(env, script):
        assert observation in env.observation_space
        assert isinstance(reward, float)
        assert observation["result"] == "" or json.loads(observation["result"])
        assert info["node"] < len(env.tree.nodes)


@every_search
def test_a_spec_makes_the_search_again(search):
    env = search(gym.make("stb/Sandbox-v1"))
    again = gym.make(env.spec)
    assert type(again) is type(env)
    assert again.settings == env.settings


def test_a_spec_keeps_a_value_as_it_is():
    def value(view: NodeView) -> float:
        return 0.5

    again = gym.make(BestFirstSearch(gym.make("stb/Sandbox-v1"), value=value, width=3).spec)
    assert (again.value, again.width) == (value, 3)


def test_a_search_that_has_ended_wants_to_be_reset():
    env = DepthFirstSearch(maze())
    played_out(env, "!")
    with pytest.raises(ResetNeeded, match=r"this episode is over; call env\.reset\(\) before env\.step\(\)"):
        env.step(go("a"))


def test_a_search_that_was_never_reset_wants_to_be():
    with pytest.raises(ResetNeeded, match=r"no episode is running; call env\.reset\(\) first"):
        DepthFirstSearch(maze()).step(go("a"))


@every_search
def test_a_reset_forgets_the_tree(search):
    env = search(maze())
    nodes_after(env, "ab")
    _, info = env.reset(seed=0)
    assert (len(env.tree.nodes), info["node"]) == (1, 0)


@every_search
def test_the_budget_is_spent_to_the_last_action(search):
    env = search(maze(max_turns=1000))
    env.reset(seed=0)
    steps = take(env, "abc" * 20)
    if env.max_queries is not None:
        assert (len(steps), env.tree.queries) == (30, 30)


@every_search
def test_a_search_without_an_answer_gives_up_without_a_judge(search):
    judge = CountingJudge()
    env = search(maze(judge))
    env.reset(seed=0)
    *_, terminated, truncated, info = take(env, "-" * 60)[-1]
    assert (terminated, truncated, info["verdict"]["status"], judge.cases) == (True, False, "unsolved", [])


@every_search
def test_the_judge_is_asked_once_and_only_at_the_end(search):
    judge = CountingJudge()
    env = search(maze(judge))
    env.reset(seed=0)
    seen = take(env, "ab-cb?" + "-" * 60)
    assert len(judge.cases) == 1
    assert all("verdict" not in info for *_, info in seen[:-1])
    assert seen[-1][4]["verdict"]["status"] == "unsolved"


def test_a_failure_on_a_branch_ends_the_episode_as_invalid():
    env = DepthFirstSearch(maze())
    env.reset(seed=0)
    env.step(go("a"))
    observation, reward, terminated, truncated, info = env.step(go("fire"))
    assert (observation["status"], reward, terminated, truncated) == (Status.FAILURE, 0.0, False, True)
    assert (info["valid"], info["failure"]["kind"]) == (False, "transport")
    assert info["tree"]["nodes"][-1]["outcome"] == "failed"


def test_a_failure_on_a_branch_of_the_original_ends_the_episode_as_invalid_too():
    env = DepthFirstSearch(maze(), compat="original")
    env.reset(seed=0)
    *_, truncated, info = env.step([go("a"), go("fire"), go("b")])
    assert (truncated, info["valid"], len(info["calls"])) == (True, False, 2)


def test_a_failure_of_the_judge_leaves_the_episode_invalid():
    *_, truncated, info = played_out(DepthFirstSearch(maze(CountingJudge(broken=True))), "a!")
    assert (truncated, info["valid"], info["failure"]["stage"]) == (True, False, "judge")


def test_a_search_goes_on_without_a_value_that_fails_and_says_so():
    def value(view: NodeView) -> float:
        if view.answer == "nothing":
            raise InfrastructureError("no value", kind="timeout", stage="judge")
        return 0.4

    env = IndependentChains(maze(), tries=2, answers=2, value=value)
    *_, truncated, info = played_out(env, "!?")
    assert (truncated, info["valid"]) == (False, True)
    assert info["tree"]["notes"] == ["node 2 has no value of its own: no value"]
    assert [node["value"] for node in info["tree"]["nodes"]] == [None, 0.4, 0.5]


def test_a_search_whose_value_holds_has_no_notes():
    *_, info = played_out(IndependentChains(maze(), value=lambda view: 0.4), "!")
    assert "notes" not in info["tree"]


@pytest.mark.parametrize("search", [BeamSearch, BestFirstSearch, DepthFirstSearch, MonteCarloTreeSearch])
def test_a_search_whose_last_branch_met_the_turn_limit_gives_up(search: Any):
    _, reward, terminated, truncated, info = played_out(search(maze(max_turns=1), width=1), "a")
    assert (reward, info["valid"], info["verdict"]["status"]) == (0.0, True, "unsolved")
    assert (terminated or truncated, info["tree"]["nodes"][1]["outcome"]) == (True, "depth")


def test_usage_covers_every_branch():
    env = DepthFirstSearch(maze())
    *_, info = played_out(env, "ab-a-ca!")
    assert info["usage"]["calls"] == 5


def test_the_turn_limit_of_the_environment_inside_ends_a_branch_and_not_the_search():
    env = DepthFirstSearch(maze(max_turns=2))
    assert nodes_after(env, "abcab!") == [1, 1, 0, 4, 4, "end"]
    assert [node.outcome for node in env.tree.nodes[1:4]] == ["open", "depth", "depth"]


def test_rewards_that_are_shaped_still_add_up_to_the_verdict():
    env = DepthFirstSearch(maze(potential=lambda task, backend, calls: len(backend) / 10), max_depth=3)
    env.reset(seed=0)
    rewards = [step[1] for step in take(env, "abcb-ab!")]
    assert sum(rewards) == pytest.approx(1.0)
    assert rewards[1] == pytest.approx(0.1)


def test_going_back_earns_the_difference_in_potential():
    env = DepthFirstSearch(maze(potential=lambda task, backend, calls: len(backend) / 10))
    env.reset(seed=0)
    assert [step[1] for step in take(env, "ab-")] == pytest.approx([0.1, 0.1, -0.1])


def test_calls_beside_an_answer_are_made_when_it_is_played():
    judge = CountingJudge()
    env = DepthFirstSearch(maze(judge))
    env.reset(seed=0)
    *_, info = env.step([go("a"), answer()])
    assert [call["name"] for call in info["calls"]] == ["go", "Finish"]
    assert judge.cases[0].state == "a"


def test_an_action_that_is_changed_after_it_was_taken_is_played_as_it_was():
    env = DepthFirstSearch(maze(), answers=2)
    env.reset(seed=0)
    mine = answer()
    env.step(mine)
    mine["arguments"]["final_answer"] = "lead"
    *_, info = env.step(answer("nothing"))
    assert info["verdict"]["status"] == "solved"


def test_an_invalid_finish_is_a_step_like_any_other():
    env = DepthFirstSearch(maze())
    env.reset(seed=0)
    observation, *_, info = env.step({"name": "Finish", "arguments": {"return_type": "give_answer"}})
    assert (observation["status"], info["node"]) == (Status.INVALID_ARGUMENTS, 1)


def test_a_result_that_is_no_json_is_shown_all_the_same():
    env = DepthFirstSearch(Numb(maze()))
    env.reset(seed=0)
    for action in actions("ab-"):
        observation, *_ = env.step(action)
    data = json.loads(observation["result"])
    assert (data["response"], len(data["tried"])) == ("hm", 1)


def test_a_search_goes_around_other_wrappers():
    env = DepthFirstSearch(ToolRetrieval(gym.make("stb/Sandbox-v1"), retriever="bm25"))
    observation, _ = env.reset(options={"task_id": "train-sun_times-0"})
    found, *_ = env.step({"name": "search_tools", "arguments": {"query": "sunrise", "k": 1}})
    assert len(found["tools"]) > len(observation["tools"])
    env.step(GIVE_UP)
    again, *_ = env.step(GIVE_UP)
    assert env.env.snapshot().own.names == ()
    assert again["tools"] == observation["tools"]


def test_numbered_actions_go_around_a_search_and_its_finish_is_kept_back():
    env = DiscreteActions(DepthFirstSearch(gym.make("stb/Sandbox-v1"), max_queries=9, answers=2), size=8)
    _, info = env.reset(seed=0)
    done = next(index for index, text in enumerate(info["candidates"]) if "Finish" in text)
    _, _, terminated, _, info = env.step(done)
    assert (terminated, info["node"], info["action_mask"].sum()) == (False, 0, len(info["candidates"]))
    assert env.step(done)[2] is True


REFUSED = {"name": "Finish", "arguments": {"cannot": {"reason": "not_found", "what": ["film"]}}}


def test_vector_environments_gather_trees_with_and_without_an_answer():
    envs = gym.vector.SyncVectorEnv(
        [lambda: DepthFirstSearch(gym.make("stb/Sandbox-v1"), width=1) for _ in range(2)]
    )
    envs.reset(seed=0)
    *_, infos = envs.step([json.dumps(REFUSED), json.dumps(GIVE_UP)])
    assert list(infos["tree"]["best"]) == [1, None]


@every_search
def test_a_played_search_is_saved_with_its_tree_and_every_branch_of_it(search):
    env = search(maze())
    saved = play(env, Scripted("ab-cw!"), task_id="1", seed=0)
    again = Trajectory.from_json(saved.to_json())
    tree = again.tree
    assert tree["method"] == env.method
    assert [node["parent"] for node in tree["nodes"]] == [node.parent for node in env.tree.nodes]
    parts = branches(again)
    assert len(parts) == sum(not node.children for node in env.tree.nodes)
    judged = [part for part in parts if part.verdict is not None]
    assert [part.final_answer for part in judged] == [again.final_answer][: len(judged)]
    assert all(not part.valid and part.failure is None for part in parts if part.verdict is None)


def test_the_played_branch_has_the_conversation_that_the_judge_saw():
    saved = play(DepthFirstSearch(maze()), Scripted("ab-c!"), task_id="1", seed=0)
    (judged,) = (part for part in branches(saved) if part.verdict is not None)
    assert [message["role"] for message in judged.messages] == [
        *("system", "user", "assistant", "tool", "assistant", "tool", "assistant", "tool")
    ]
    assert judged.solved


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DepthFirstSearch(maze(), width=0), r"^width must be at least 1, got 0$"),
        (lambda: DepthFirstSearch(maze(), max_depth=0), r"^max_depth must be at least 1, got 0$"),
        (lambda: DepthFirstSearch(maze(), max_queries=0), r"^max_queries must be at least 1, got 0$"),
        (lambda: DepthFirstSearch(maze(), answers=0), r"^answers must be at least 1, got 0$"),
        (
            lambda: DepthFirstSearch(maze(), compat="stb"),
            r"^compat must be None or 'original', got 'stb'$",
        ),
        (lambda: DepthFirstSearch(maze(), depth="calls"), r"^depth must be 'turns' or 'nodes', got 'calls'$"),
        (lambda: IndependentChains(maze(), tries=0), r"^tries must be at least 1, got 0$"),
        (lambda: IndependentChains(maze(), compat="x"), r"^compat must be None or 'original', got 'x'$"),
        (lambda: BeamSearch(maze(), beam=0), r"^beam must be at least 1, got 0$"),
        (lambda: MonteCarloTreeSearch(maze(), c=-1.0), r"^c must be at least 0, got -1.0$"),
        (
            lambda: played_out(BestFirstSearch(maze(), value=lambda view: 2.0), "a"),
            r"^a value must be from 0 to 1, got 2.0$",
        ),
        (
            lambda: played_out(MonteCarloTreeSearch(maze(), value=lambda view: float("nan")), "!"),
            r"^a value must be from 0 to 1, got nan$",
        ),
    ],
)
def test_a_setting_out_of_range_is_refused(make, message):
    with pytest.raises(ConfigError, match=message):
        make()

"""The environment contract, on every id."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import gymnasium as gym
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st

import stb_env
from stb_env.backend.cache import CacheEntry
from stb_env.backend.user import Said
from stb_env.core.request import Request, Slow
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import BackendError, ConfigError, DataError, JudgeError
from stb_env.judges.judge import Case
from stb_env.runs.make import env_ids
from stb_env.tasks import Task, TaskSet
from stb_env.tools import FINISH, Tool, ToolCall, ToolId, ToolResult
from stb_env.verdict import Verdict

ANSWER = {"name": FINISH, "arguments": {"return_type": "give_answer", "final_answer": "42"}}
GIVE_UP = {"name": FINISH, "arguments": {"return_type": "give_up_and_restart"}}
CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["city"],
}
TOOLS = (Tool("forecast", "Weather.", CITY, ToolId("w", "t", "forecast")),)


class Service:
    """A backend that answers, records, waits or fails as its script says."""

    fingerprint: ClassVar[dict[str, Any]] = {"mode": "scripted"}

    def __init__(self, answer: Any = None, recorded: ToolResult | None = None):
        self.script, self.recording = answer, recorded

    def start(self, task: Task, seed: int) -> tuple[str, ...]:
        return ()

    def answer(self, state: tuple[str, ...], tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, Any]]:
        value = yield Request(run=lambda: self._ask(call))
        return ToolResult.of(value, source="real"), (*state, call.id)

    def _ask(self, call: ToolCall) -> Any:
        if isinstance(self.script, BackendError):
            raise self.script
        return dict(call.arguments) if self.script is None else self.script

    def recorded(self, state: Any, tool: Tool, call: ToolCall) -> ToolResult | None:
        return self.recording

    def close(self) -> None:
        pass


class Ruling:
    """A judge that says what it was told to say."""

    name = "ruling"

    def __init__(self, verdict: Any = "solved"):
        self.verdict = verdict
        self.cases: list[Case] = []

    def judge(self, case: Case) -> Slow[Verdict]:
        self.cases.append(case)
        if isinstance(self.verdict, Exception):
            raise self.verdict
        return Verdict.of(self.verdict, judge=self.name)
        yield


def make(
    backend: Any = None, judge: Any = None, tools: tuple[Tool, ...] = TOOLS, **settings_: Any
) -> ToolEnv:
    tasks = TaskSet([Task(str(i), f"Will it rain? ({i})", tools, "Demo") for i in range(5)], "demo")
    return ToolEnv(tasks, backend or Service(), judge or Ruling(), **settings_)


def started(**kwargs: Any) -> ToolEnv:
    env = make(**kwargs)
    env.reset(seed=0)
    return env


def call(city: Any = "Oslo", name: str = "forecast", **more: Any) -> dict[str, Any]:
    return {"name": name, "arguments": {"city": city} | more}


@pytest.mark.heavy
@pytest.mark.parametrize("env_id", env_ids())
@pytest.mark.filterwarnings("ignore")
def test_gymnasium_accepts_every_id(env_id: str):
    check_env(gym.make(env_id).unwrapped)


@pytest.mark.parametrize("env_id", env_ids())
def test_what_make_returns_can_be_forked_and_awaited(env_id: str):
    env = gym.make(env_id)
    assert all(hasattr(env, name) for name in ("snapshot", "restore", "fork", "astep", "areset"))


def test_a_spec_with_plain_settings_survives_json():
    env = gym.make("stb/I1Instruction-v0", mode="offline", max_turns=7, ids=["900101"])
    spec = EnvSpec.from_json(env.spec.to_json())
    again = gym.make(spec)
    assert again.reset(seed=3)[0] == env.reset(seed=3)[0]


@pytest.mark.heavy
def test_a_module_prefix_registers_the_ids_in_a_fresh_process():
    code = "import gymnasium as gym; print(gym.make('stb_env:stb/Sandbox-v1').reset(seed=0)[1]['suite'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "Sandbox\n"


def test_stepping_before_reset_needs_a_reset():
    with pytest.raises(ResetNeeded, match=r"^no episode is running; call env.reset\(\) first$"):
        make().step("x")


def test_stepping_after_the_end_needs_a_reset():
    env = started()
    env.step(ANSWER)
    with pytest.raises(ResetNeeded, match="this episode is over"):
        env.step(ANSWER)


def test_an_answered_call_is_observed_and_reported():
    obs, reward, terminated, truncated, info = started().step(call())
    assert json.loads(obs["result"]) == {"error": "", "response": {"city": "Oslo"}}
    assert (obs["status"], obs["turn"], reward, terminated, truncated) == (0, 1, 0.0, False, False)
    (reported,) = info["calls"]
    assert reported == {
        "id": "call_0",
        "name": "forecast",
        "arguments": {"city": "Oslo"},
        "error": "",
        "response": {"city": "Oslo"},
        "source": "real",
        "status": 0,
        "violations": [],
    }


@pytest.mark.parametrize(
    ("action", "status", "error"),
    [
        ("just talking", 4, "no tool call found; write one as"),
        (call(name="forcast"), 3, "no tool is named 'forcast'. Did you mean 'forecast'?"),
        ({"name": "forecast", "arguments": {}}, 2, "invalid arguments: "),
        (call(town="x"), 2, "invalid arguments: "),
        ({"name": FINISH, "arguments": {}}, 2, "Finish needs final_answer"),
        ({"name": FINISH, "arguments": {"return_type": "done"}}, 2, "return_type must be 'give_answer' or"),
        ({"name": FINISH, "arguments": {"return_type": "give_answer"}}, 2, "Finish needs final_answer"),
    ],
)
def test_what_the_agent_does_wrong_is_an_observation_and_costs_a_turn(action: Any, status: int, error: str):
    obs, reward, terminated, truncated, info = started().step(action)
    assert obs["status"] == status
    assert error in json.loads(obs["result"])["error"]
    assert (obs["turn"], reward, terminated, truncated, info["valid"]) == (1, 0.0, False, False, True)


def test_a_lossless_coercion_is_applied_and_recorded():
    *_, info = started().step(call(n="5"))
    assert info["calls"][0]["arguments"] == {"city": "Oslo", "n": 5}
    assert [note["kind"] for note in info["calls"][0]["violations"]] == ["coerced"]


def test_a_recording_of_an_invalid_call_is_preferred_to_our_complaint():
    recorded = ToolResult.of("really said", source="cache")
    obs, *_, info = started(backend=Service(recorded=recorded)).step({"name": "forecast", "arguments": {}})
    assert json.loads(obs["result"])["response"] == "really said"
    assert info["calls"][0]["violations"]


def test_calls_after_a_finish_are_not_made_and_the_step_says_which():
    env = started()
    obs, reward, terminated, _, info = env.step([call("Oslo"), ANSWER, call("Rome"), call("Bonn")])
    assert [c["name"] for c in info["calls"]] == ["forecast", FINISH]
    assert [r["response"] for r in json.loads(obs["result"])][:1] == [{"city": "Oslo"}]
    assert [left["arguments"] for left in info["not_called"]] == [{"city": "Rome"}, {"city": "Bonn"}]
    assert env.snapshot().steps[-1].to_dict()["not_called"] == info["not_called"]
    assert (reward, terminated) == (1.0, True)


def test_calls_after_a_finish_that_is_none_are_made():
    *_, info = started().step([{"name": FINISH, "arguments": {}}, call("Rome")])
    assert [c["name"] for c in info["calls"]] == [FINISH, "forecast"]
    assert "not_called" not in info


def test_the_original_makes_all_calls_and_finishes_last():
    obs, reward, terminated, _, info = started(compat="original").step([ANSWER, call("Oslo"), call("Rome")])
    assert [c["name"] for c in info["calls"]] == ["forecast", "forecast", FINISH]
    assert len({c["id"] for c in info["calls"]}) == 3
    assert [r["response"] for r in json.loads(obs["result"])][:2] == [{"city": "Oslo"}, {"city": "Rome"}]
    assert (reward, terminated) == (1.0, True)


@pytest.mark.parametrize("worst_first", [False, True])
def test_the_status_of_a_step_is_the_highest_of_its_calls(worst_first: bool):
    calls = [call("Oslo"), call([]), call("Rome", name="nowhere")]
    obs, *_, info = started().step(calls[::-1] if worst_first else calls)
    assert sorted(made["status"] for made in info["calls"]) == [0, 2, 3]
    assert obs["status"] == 3


@pytest.mark.parametrize(
    ("status", "reward", "valid"), [("solved", 1.0, True), ("unsure", 0.5, True), ("na", 0.0, False)]
)
def test_the_reward_is_the_verdict(status: Any, reward: float, valid: bool):
    obs, got, terminated, truncated, info = started(judge=Ruling(status)).step(ANSWER)
    assert (obs["status"], got, terminated, truncated, info["valid"]) == (6, reward, True, False, valid)
    assert info["verdict"] == {"status": status, "score": reward, "votes": [], "judge": "ruling"}


def test_a_text_that_was_an_error_is_no_reply_to_judge():
    judge = Ruling()
    env = started(judge=judge)
    env.step("just chatting")
    env.step(ANSWER)
    assert judge.cases[0].replies == ()


def test_what_is_done_to_the_verdict_in_info_changes_no_state():
    env = started()
    *_, info = env.step(ANSWER)
    info["verdict"]["status"] = "unsolved"
    assert env.snapshot().verdict["status"] == "solved"


def test_the_judge_sees_answer_calls_and_state():
    judge = Ruling()
    env = started(judge=judge)
    env.step(call())
    env.step(ANSWER)
    (case,) = judge.cases
    assert (case.final_answer, case.state, [c.name for c in case.calls]) == (
        "42",
        ("call_0",),
        ["forecast", FINISH],
    )


def test_giving_up_is_unsolved_without_a_judge():
    judge = Ruling()
    obs, reward, terminated, _, info = started(judge=judge).step(GIVE_UP)
    assert (obs["status"], reward, terminated, info["verdict"]["status"]) == (5, 0.0, True, "unsolved")
    assert judge.cases == []


def test_the_turn_limit_cuts_the_episode_off_without_a_judge():
    judge = Ruling()
    env = started(judge=judge, max_turns=2)
    env.step(call())
    obs, reward, terminated, truncated, info = env.step(call())
    assert (obs["turn"], reward, terminated, truncated) == (2, 0.0, False, True)
    assert (info["valid"], info["verdict"]["status"], judge.cases) == (True, "unsolved", [])


def test_a_failing_backend_ends_the_episode_as_invalid():
    failing = Service(BackendError("no answer in 5 s", kind="timeout", stage="real", retryable=True))
    obs, reward, terminated, truncated, info = started(backend=failing).step(call())
    assert (obs["status"], reward, terminated, truncated, info["valid"]) == (7, 0.0, False, True, False)
    assert info["failure"] == {
        "kind": "timeout",
        "stage": "real",
        "retryable": True,
        "message": "no answer in 5 s",
    }
    assert "verdict" not in info


def test_a_failing_judge_ends_the_episode_as_invalid():
    obs, reward, terminated, truncated, info = started(judge=Ruling(JudgeError("no verdict"))).step(ANSWER)
    assert (obs["status"], reward, terminated, truncated, info["valid"]) == (7, 0.0, False, True, False)
    assert info["failure"]["stage"] == "judge"


def test_calls_after_a_failure_are_not_made():
    failing = Service(BackendError("down", kind="transport"))
    *_, info = started(backend=failing).step([call("a"), call("b"), ANSWER])
    assert len(info["calls"]) == 1


@pytest.mark.parametrize("response", ["x" * 5_000, ["y" * 99] * 99, {str(i): "z" * 99 for i in range(99)}])
def test_an_over_long_response_is_cut_so_that_it_still_parses(response: Any):
    env = started(backend=Service(response), limits={"result": 1_000})
    obs, *_ = env.step(call())
    assert obs in env.observation_space
    assert "...[cut]" in json.dumps(json.loads(obs["result"])["response"])


@pytest.mark.parametrize("length", [1_000 // 3, 5_000])
def test_over_long_responses_of_several_calls_share_the_room(length: int):
    response = "x" * (length - len(ToolResult.of("", source="real").text))
    env = started(backend=Service(response), limits={"result": 1_000})
    obs, *_ = env.step([call(str(number)) for number in range(3)])
    first, second, third = json.loads(obs["result"])
    assert first == second == third
    assert len(obs["result"]) <= 1_000


@pytest.mark.parametrize("actions", [[call()] * 60, [call(name="nowhere" * 30)] * 60, [call([])] * 60])
@pytest.mark.parametrize("limit", [256, 1_000, 5_000])
def test_the_results_of_any_number_of_calls_are_in_the_observation_space(actions: list[Any], limit: int):
    env = started(backend=Service("x" * 500), limits={"result": limit})
    obs, *_, info = env.step(actions)
    assert len(info["calls"]) > 10
    assert isinstance(json.loads(obs["result"]), list)
    assert env.observation_space.contains(obs)


def test_tools_and_messages_come_at_the_ends_only():
    env = make()
    _, info = env.reset(seed=0)
    assert [spec["function"]["name"] for spec in info["tools"]] == ["forecast", FINISH]
    assert [message["role"] for message in info["messages"]] == ["system", "user"]
    *_, info = env.step(call())
    assert not {"tools", "messages", "verdict", "failure"} & info.keys()
    *_, info = env.step(ANSWER)
    assert [m["role"] for m in info["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
    ]


def test_the_task_can_be_named_by_option():
    assert make().reset(seed=0, options={"task_id": "3"})[1]["task_id"] == "3"


def test_naming_the_task_draws_nothing_differently():
    one, other = make(), make()
    one.reset(seed=5, options={"task_id": "3"})
    other.reset(seed=5)
    assert one.reset()[1]["task_id"] == other.reset()[1]["task_id"]


def test_sequential_order_visits_the_shard_in_order():
    env = make(order="sequential", shard=(1, 2))
    assert [env.reset()[1]["task_id"] for _ in range(4)] == ["1", "3", "0", "2"]


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"max_turns": 0}, r"^max_turns must be at least 1, got 0$"),
        ({"max_turns": "x"}, r"^max_turns must be a whole number, got 'x'$"),
        ({"max_trns": 3}, r"^ToolEnv has no setting 'max_trns'; it takes .* mean 'max_turns'\?$"),
        ({"order": "shuffled"}, r"^order must be 'random' or 'sequential', got 'shuffled'$"),
        ({"shard": (2, 2)}, r"^shard must be \(i, n\) with 0 <= i < n, got \(2, 2\)$"),
        ({"shard": 2}, r"^shard must be a list of 2 values, got 2$"),
        ({"compat": "paper"}, r"^compat must be None or 'original', got 'paper'$"),
        (
            {"render_mode": "rgb_array"},
            r"^render_mode must be None, 'ansi', 'html' or 'human', got 'rgb_array'$",
        ),
        ({"limits": {"results": 9}}, r"^limits has no setting 'results'; it takes .* mean 'result'\?$"),
        ({"limits": {"result": 9}}, r"each limit must be at least 256 characters"),
    ],
)
def test_a_wrong_setting_says_what_was_expected(settings_: dict, message: str):
    with pytest.raises(ConfigError, match=message):
        make(**settings_)


def test_an_unknown_reset_option_is_answered_with_the_nearest():
    with pytest.raises(ConfigError, match=r"unknown reset option 'task'; .* Did you mean 'task_id'\?"):
        make().reset(options={"task": "1"})


def test_an_unknown_task_is_answered():
    with pytest.raises(DataError, match=r"^no task '77' among the 5 of demo"):
        make().reset(options={"task_id": "77"})


def test_tools_that_do_not_fit_the_observation_are_refused():
    wide = tuple(Tool(f"tool_{i}", "d" * 500, CITY, ToolId("c", "t", str(i))) for i in range(9))
    with pytest.raises(DataError, match=r"limits.tools allows 2000; offer fewer .*--retrieve 20"):
        make(tools=wide, limits={"tools": 2_000}).reset()


# -- branching -----------------------------------------------------------------------------------


def test_a_restored_state_goes_on_where_it_was_taken():
    env = started()
    before = env.snapshot()
    first = env.step(call("Oslo"))
    env.restore(before)
    assert env.step(call("Oslo")) == first


def test_a_state_survives_pickling_into_another_environment():
    env = started()
    env.step(call())
    other = make()
    other.restore(pickle.loads(pickle.dumps(env.snapshot())))
    assert other.step(ANSWER) == env.step(ANSWER)


def test_a_fork_and_its_parent_do_not_influence_each_other():
    env = started()
    branch = env.fork()
    branch.step(ANSWER)
    branch.action_space.tools = ()
    obs, *_ = env.step(call())
    assert obs["turn"] == 1
    assert env.action_space.tools


def test_equal_forks_reset_equally():
    env = started()
    assert env.fork().reset()[0] == env.fork().reset()[0]


def test_forks_of_different_turns_reset_differently():
    env = started()
    branches = [env.fork()]
    env.step(call())
    branches.append(env.fork())
    seeds = []
    for branch in branches:
        branch.reset()
        seeds.append(branch.snapshot().seed)
    assert seeds[0] != seeds[1]


def test_a_branch_goes_on_drawing_from_one_reset_to_the_next():
    branch = started().fork()
    seeds = []
    for _ in range(4):
        branch.reset()
        seeds.append(branch.snapshot().seed)
    assert len(set(seeds)) == 4


def test_a_branch_resets_without_moving_its_parent():
    env, twin = started(), started()
    env.fork().reset()
    assert env.reset()[0] == twin.reset()[0]


# -- determinism and concurrency -----------------------------------------------------------------

SCRIPT = """
import json, gymnasium as gym, stb_env
lines = []
for env_id in ("stb/Sandbox-v1", "stb/I2Category-v0"):
    env = gym.make(env_id)
    lines += env.reset(seed=7)
    env.action_space.seed(7)
    for _ in range(6):
        *out, info = env.step(env.action_space.sample())
        lines += [out, info]
        if out[2] or out[3]: break
print(json.dumps(lines, sort_keys=False))
"""


@pytest.mark.heavy
def test_equal_seeds_give_equal_bytes_whatever_the_hash_seed():
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
        ).stdout
        for hash_seed in ("0", "271828")
    }
    assert len(outputs) == 1


def test_step_and_astep_agree():
    env, other = started(), started()

    async def play() -> list[Any]:
        return [await other.astep(call()), await other.astep(ANSWER)]

    assert asyncio.run(play()) == [env.step(call()), env.step(ANSWER)]


def test_areset_and_reset_agree():
    assert asyncio.run(make().areset(seed=4)) == make().reset(seed=4)


@pytest.mark.parametrize("env_id", ["stb/Sandbox-v1", "stb/I1Instruction-v0"])
def test_vector_environments_step_every_copy(env_id: str):
    envs = gym.make_vec(env_id, num_envs=8, vectorization_mode="sync")
    obs, _ = envs.reset(seed=0)
    assert len(obs["query"]) == 8
    refused = {"cannot": {"reason": "not_found", "what": ["film"]}, "final_answer": "There is none."}
    arguments = refused if "Sandbox" in env_id else {"final_answer": "There is none."}
    for action in ("not a call", json.dumps({"name": FINISH, "arguments": arguments})):
        obs, _rewards, terminated, _, infos = envs.step([action] * 8)
    assert list(terminated) == [True] * 8
    assert len(infos["task_id"]) == 8
    envs.close()


@pytest.mark.heavy
def test_spawned_vector_environments_step_also_where_some_fail(tmp_path: Path):
    cache = stb_env.ResponseCache(tmp_path)
    entry = CacheEntry.of(ToolId("w", "t", "a"), {}, "unrelated")
    cache.put(entry.key, entry)
    cache.close()
    envs = gym.vector.AsyncVectorEnv(
        [Replaying(str(tmp_path)), Offline()], shared_memory=False, context="spawn"
    )
    envs.reset(seed=0)
    ask = [json.dumps(envs_call) for envs_call in (REAL_CALL, REAL_CALL)]
    _obs, _rewards, _terminated, truncated, infos = envs.step(ask)
    assert list(truncated) == [True, False]
    assert list(infos["valid"]) == [False, True]
    envs.step([json.dumps(GIVE_UP)] * 2)
    envs.close()


REAL_CALL = {"name": "forecast_for_hill_weather", "arguments": {"place": "Hallstatt"}}


class Offline:
    def __call__(self) -> gym.Env:
        return gym.make("stb_env:stb/I1Category-v0", ids=["900201"])


class Replaying:
    def __init__(self, cache: str):
        self.cache = cache

    def __call__(self) -> gym.Env:
        return gym.make("stb_env:stb/I1Category-v0", ids=["900201"], mode="replay", cache=self.cache)


# -- robustness ----------------------------------------------------------------------------------

junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=12,
)
finish_like = st.builds(lambda a: {"name": FINISH, "arguments": a}, junk)
call_like = st.builds(lambda a: {"name": "forecast", "arguments": a}, junk)


@given(st.lists(junk | finish_like | call_like | st.text(), max_size=6))
def test_no_action_raises_and_every_observation_is_in_the_space(actions: list[Any]):
    env = started()
    for action in actions:
        obs, _reward, terminated, truncated, info = env.step(action)
        assert obs in env.observation_space
        json.loads(obs["result"])
        json.dumps(info)
        if terminated or truncated:
            return


def test_the_episode_can_be_rendered_as_text():
    env = started(render_mode="ansi")
    env.step(call())
    env.step(ANSWER)
    text = env.render()
    assert text is not None
    assert '[assistant] -> forecast({"city": "Oslo"})' in text
    assert "[verdict] solved (ruling)" in text


def test_human_rendering_writes_to_standard_output(capsys: pytest.CaptureFixture[str]):
    env = started(render_mode="human")
    env.step(call())
    assert "-> forecast" in capsys.readouterr().out


class Parrot:
    """A user who repeats what the agent said, once."""

    fingerprint: ClassVar[dict[str, str]] = {"user": "parrot"}

    def start(self, task, seed):
        return 0

    def reply(self, task, state, text):
        yield from ()
        return Said(None if state else f"You said {text}", state + 1)


def conversation():
    env = gym.make("stb/Sandbox-v1", user=Parrot())
    env.reset(seed=0)
    return env


def test_a_user_answers_what_is_written_without_a_call():
    env = conversation()
    observation, reward, terminated, truncated, _ = env.step("Which city?")
    assert json.loads(observation["result"])["response"] == "You said Which city?"
    assert (observation["status"], reward, terminated, truncated) == (0, 0.0, False, False)
    assert env.messages[-2:] == [
        {"role": "assistant", "content": "Which city?"},
        {"role": "user", "content": "You said Which city?"},
    ]


def test_an_episode_ends_when_the_user_has_nothing_more_to_say():
    env = conversation()
    env.step("Which city?")
    _, _, terminated, _, info = env.step("Then I cannot help.")
    assert terminated
    assert info["verdict"]["judge"] == "exact"
    assert env.messages[-1] == {"role": "assistant", "content": "Then I cannot help."}


def test_what_the_user_remembers_is_part_of_a_snapshot():
    env = conversation()
    before = env.snapshot()
    env.step("Which city?")
    env.restore(before)
    assert "You said" in env.step("Hello?")[0]["result"]

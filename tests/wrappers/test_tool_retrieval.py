"""Episodes in which tools have to be found first."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the environments)
from stb_env.backend.virtual import VirtualBackend
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, DataError
from stb_env.judges.heuristic import HeuristicJudge
from stb_env.retrieval import NgramRetriever
from stb_env.suites.sandbox.catalog import tools as sandbox_tools
from stb_env.tasks import Task, TaskSet
from stb_env.tools import Tool, ToolCatalog, ToolId
from stb_env.wrappers.tool_retrieval import ToolRetrieval

SUN = {"name": "sun_times_for_sky_almanac", "arguments": {"city_name": "Mirabad", "date": "2026-05-01"}}
TASK = {"task_id": "train-sun_times-0"}
DONE = {"name": "Finish", "arguments": {"final_answer": "Done."}}
REFUSED = {"name": "Finish", "arguments": {"cannot": {"reason": "not_found", "what": ["film"]}}}
OPEN = {"type": "object", "properties": {}}


def sandbox(**settings: Any) -> ToolEnv:
    env = gym.make("stb/Sandbox-v1", **settings)
    assert isinstance(env, ToolEnv)
    return env


def started(**settings: Any) -> ToolRetrieval:
    env = ToolRetrieval(sandbox(), **settings)
    env.reset(seed=0, options=TASK)
    return env


def search(query: str, **arguments: Any) -> dict[str, Any]:
    return {"name": "search_tools", "arguments": {"query": query, **arguments}}


def offered(observation: dict[str, Any]) -> list[str]:
    return [tool["function"]["name"] for tool in json.loads(observation["tools"])]


def error(observation: dict[str, Any]) -> str:
    said: str = json.loads(observation["result"])["error"]
    return said


def small(*tools: Tool, relevant: Sequence[Tool] = (), **settings: Any) -> ToolEnv:
    """An environment of one task with these tools; nothing marks what is relevant unless given."""
    task = Task("1", "What is it?", tools, relevant=tuple(tool.id for tool in relevant))
    return ToolEnv(TaskSet([task], "small"), VirtualBackend(), HeuristicJudge(), **settings)


def tool(name: str, description: str = "") -> Tool:
    return Tool(name, description, OPEN, ToolId("Test", "small", name))


# -- what is offered --------------------------------------------------------------------------------


def test_an_episode_starts_with_the_search_and_finish_alone():
    env = ToolRetrieval(sandbox())
    observation, info = env.reset(seed=0, options=TASK)
    assert offered(observation) == ["search_tools", "Finish"]
    assert info["tools"] == json.loads(observation["tools"])


def test_sampled_actions_call_what_is_offered():
    env = started()
    assert {json.loads(env.action_space.sample())["name"] for _ in range(30)} == {"search_tools", "Finish"}


def test_a_search_answers_with_documentation_and_offers_what_it_found():
    env = started()
    observation, reward, *_ = env.step(search("sunrise and sunset", k=2))
    found = json.loads(observation["result"])["response"]
    assert [sorted(each) for each in found] == [["description", "name", "parameters"]] * 2
    assert offered(observation) == ["search_tools", *(each["name"] for each in found), "Finish"]
    assert (observation["status"], reward) == (0, 0.0)


def test_a_found_tool_answers_as_it_does_without_the_wrapper():
    env, plain = started(), sandbox()
    plain.reset(seed=0, options=TASK)
    env.step(search("sunrise and sunset"))
    assert env.step(SUN)[0]["result"] == plain.step(SUN)[0]["result"]


def test_what_several_searches_found_stays_offered():
    env = started()
    first = offered(env.step(search("sunrise and sunset", k=2))[0])
    both = offered(env.step(search("exchange rate of currencies", k=2))[0])
    assert set(first) < set(both)
    assert len(both) == len(set(both))


def test_a_search_returns_k_tools_unless_it_asks_for_another_number():
    env = started(k=3)
    for arguments, count in [({}, 3), ({"k": 7}, 7), ({"k": "2"}, 2)]:
        observation = env.step(search("weather", **arguments))[0]
        assert len(json.loads(observation["result"])["response"]) == count


def test_tools_that_are_always_offered_can_be_called_at_once():
    env = started(always=(SUN["name"],))
    assert offered(env.step("hello")[0]) == ["search_tools", SUN["name"], "Finish"]
    assert env.step(SUN)[0]["status"] == 0


def test_found_tools_beyond_the_limit_are_put_away_the_oldest_first():
    env = ToolRetrieval(sandbox(limits={"tools": 6_000}), k=4)
    env.reset(seed=0, options=TASK)
    queries = ["weather", "bank transfer", "hotel room", "news", "recipes", "parcel"]
    for query in queries:
        observation = env.step(search(query))[0]
        latest = [each["name"] for each in json.loads(observation["result"])["response"]]
        assert len(observation["tools"]) <= 6_000
    assert offered(observation)[-2] == latest[-1]
    assert len(offered(observation)) < 4 * len(queries)


def test_a_tool_that_does_not_fit_puts_away_all_that_were_found_before_it():
    tide, moon = tool("tide_table", "High water."), tool("moon", "Full.")
    atlas = tool("atlas", "Maps. " * 400)
    env = ToolRetrieval(small(tide, moon, limits={"tools": 2_500}), catalog=ToolCatalog([atlas]), k=1)
    env.reset(seed=0)
    for query, names in [("high water", ["tide_table"]), ("maps", []), ("full moon", ["moon"])]:
        assert offered(env.step(search(query))[0]) == ["search_tools", *names, "Finish"]


# -- what is refused --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [SUN["name"], "get_rate_for_coin_desk", "zzz"])
def test_a_tool_that_was_not_found_is_unknown_and_the_error_says_how_to_find_it(name: str):
    observation = started().step({"name": name, "arguments": {}})[0]
    assert observation["status"] == 3
    assert (
        error(observation)
        == f"no tool {name!r} has been found so far; describe to search_tools what you need."
    )


def test_a_slip_of_the_pen_gets_the_nearest_offered_name():
    observation = started().step({"name": "finish_", "arguments": {}})[0]
    assert error(observation).endswith("Did you mean 'Finish'?")


def test_a_tool_found_in_an_action_is_for_the_next_one():
    env = started()
    observation = env.step([search("sunrise and sunset"), SUN])[0]
    assert [bool(each["error"]) for each in json.loads(observation["result"])] == [False, True]
    assert env.step(SUN)[0]["status"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "missing required parameter 'query'"),
        ({"query": "weather", "k": 0}, "k"),
        ({"query": "weather", "k": 21}, "k"),
        ({"query": ""}, "query"),
        ({"query": "weather", "limit": 2}, "unknown parameter 'limit'"),
        ("weather", "object"),
    ],
)
def test_a_search_with_wrong_arguments_says_so_and_finds_nothing(arguments: Any, message: str):
    env = started()
    observation = env.step({"name": "search_tools", "arguments": arguments})[0]
    assert observation["status"] == 2
    assert message in error(observation)
    assert offered(observation) == ["search_tools", "Finish"]
    assert env.step(REFUSED)[4]["retrieval"]["searches"] == 0


# -- the catalogue ----------------------------------------------------------------------------------


def test_the_tools_of_every_task_can_be_found():
    env = ToolRetrieval(gym.make("stb/I2Instruction-v0"))
    env.reset(seed=0)
    every = {each.name for index in range(env.tasks.size or 0) for each in env.tasks.at(index).tools}
    for name in every:
        observation = env.step(search(name.replace("_", " "), k=3))[0]
    assert set(offered(observation)) == {"search_tools", "Finish", *every}
    assert len(every) > len(env.task.tools)


def test_the_tools_of_a_given_catalogue_can_be_found_and_called():
    other = tool("tide_table", "High and low water at a harbour.")
    env = ToolRetrieval(small(tool("ping")), catalog=ToolCatalog([other]), k=1)
    env.reset(seed=0)
    assert "tide_table" in offered(env.step(search("when is high water"))[0])
    assert env.step({"name": "tide_table", "arguments": {}})[0]["status"] == 0


def test_of_endless_tasks_the_tools_of_each_are_searched():
    env = ToolRetrieval(gym.make("stb/Worlds-v0"), retriever="bm25", k=20)
    for seed in (0, 1):
        observation, info = env.reset(seed=seed)
        assert [each["function"]["name"] for each in info["tools"]] == ["search_tools", "Finish"]
        found = {*offered(env.step(search(observation["query"]))[0])} - {"search_tools", "Finish"}
        assert found
        assert found <= {each.name for each in env.env.task.tools}


def small_train() -> ToolEnv:
    class Endless:
        name = "Sandbox"
        size = None

        def __init__(self, inner: Any) -> None:
            self.at, self.get, self.hash = inner.at, inner.get, inner.hash

    env = sandbox(split="train")
    env.tasks = Endless(env.tasks)
    return env


def test_a_task_brings_its_own_tools_where_the_catalogue_lacks_them():
    few = [each for each in sandbox_tools().values() if each.name != SUN["name"]][:20]
    env = ToolRetrieval(small_train(), catalog=ToolCatalog(few))
    env.reset(seed=0, options=TASK)
    assert SUN["name"] in offered(env.step(search("sunrise and sunset"))[0])
    assert env.step(SUN)[0]["status"] == 0


def test_a_retriever_of_ones_own_is_asked():
    assert SUN["name"] in offered(started(retriever=NgramRetriever).step(search("sun times"))[0])


# -- figures ----------------------------------------------------------------------------------------


def test_the_last_step_counts_searches_and_what_they_found():
    env = started()
    info = env.step(search("sunrise and sunset", k=2))[4]
    assert "retrieval" not in info
    env.step(search("sunset and sunrise", k=2))
    info = env.step(REFUSED)[4]
    found = len(info["tools"]) - 2
    assert info["retrieval"] == {"searches": 2, "found": found, "relevant": 1, "recall": 1.0}


def test_a_search_in_the_last_action_counts_too():
    info = started().step([search("sunrise and sunset", k=1), REFUSED])[4]
    assert info["retrieval"] == {"searches": 1, "found": 1, "relevant": 1, "recall": 1.0}
    assert len(info["tools"]) == 3


def test_recall_is_the_share_of_relevant_tools_that_were_found():
    tide, moon = tool("tide_table", "High water."), tool("moon_phase", "Full moon.")
    env = ToolRetrieval(small(tide, moon, tool("ping", "Answers pong."), relevant=[tide, moon]), k=1)
    env.reset(seed=0)
    env.step(search("high water"))
    assert env.step(DONE)[4]["retrieval"]["recall"] == 0.5


def test_a_relevant_tool_that_is_offered_from_the_start_counts_as_found_in_the_recall_alone():
    tide, moon = tool("tide_table", "High water."), tool("moon_phase", "Full moon.")
    env = ToolRetrieval(small(tide, moon, relevant=[tide, moon]), always=[tide.name])
    env.reset(seed=0)
    figures = env.step(DONE)[4]["retrieval"]
    assert figures == {"searches": 0, "found": 0, "relevant": 2, "recall": 0.5}


def test_without_relevant_tools_there_is_no_recall():
    env = ToolRetrieval(small(tool("ping")))
    env.reset(seed=0)
    assert env.step(DONE)[4]["retrieval"] == {"searches": 0, "found": 0, "relevant": 0}


# -- settings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 0}, r"^k must be from 1 to 20 tools, got 0$"),
        ({"k": 21}, r"^k must be from 1 to 20 tools, got 21$"),
        ({"retriever": "bm52"}, r"^no retriever 'bm52'; known: .* Did you mean 'bm25'\?$"),
        (
            {"always": ["sun_times_for_sky_almanack"]},
            r"^always names .* Did you mean 'sun_times_for_sky_almanac'\?$",
        ),
        (
            {"catalog": ToolCatalog([tool("search_tools")])},
            r"^a tool of the catalogue is named 'search_tools'",
        ),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str):
    with pytest.raises(ConfigError, match=message):
        ToolRetrieval(sandbox(), **settings)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ToolRetrieval(sandbox()),
        lambda: small(tool("ping"), visible=lambda task, _state: task.tools[:1]),
    ],
)
def test_one_search_is_enough(make: Callable[[], gym.Env[Any, Any]]):
    with pytest.raises(ConfigError, match=r"^the tools of this environment have to be found already"):
        ToolRetrieval(make())


def test_the_originals_look_up_has_no_open_catalogue():
    with pytest.raises(ConfigError, match=r"^compat='original' gives APIs equal names"):
        ToolRetrieval(gym.make("stb/I1Instruction-v0", compat="original"))


def test_a_catalogue_with_another_api_of_the_same_name_is_refused():
    other = Tool("ping", "", OPEN, ToolId("Other", "small", "ping"))
    with pytest.raises(DataError, match=r"^two APIs are named 'ping'"):
        ToolRetrieval(small(tool("ping")), catalog=ToolCatalog([other]))


def test_a_foreign_environment_is_refused():
    with pytest.raises(ConfigError, match=r"^ToolRetrieval wraps a ToolEnv"):
        ToolRetrieval(gym.make("CartPole-v1"))

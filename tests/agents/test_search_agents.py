"""Agents that search: what they read, what they ask, and how parallel calls count."""

from __future__ import annotations

import json
from typing import Any

import pytest
from stb_env.agents.best_of_n import BestOfNAgent
from stb_env.agents.common import own_judge
from stb_env.agents.cot import CoTAgent
from stb_env.agents.dfs import DFSAgent
from stb_env.agents.uct import UCTAgent

from stb_env.errors import ConfigError
from stb_env.judges.heuristic import HeuristicJudge
from stb_env.judges.pass_judge import PassJudge
from stb_env.models import ChatReply, ModelError, ScriptedModel, Usage
from stb_env.runs import play
from stb_env.runs.baselines import load_agent
from stb_env.runs.baselines.chat import ChatAgent
from stb_env.wrappers import DepthFirstSearch
from tests.agents.talking import doors, played, said, walking
from tests.wrappers.search.searching import CountingJudge, maze


def solved(text: str) -> str:
    """A judge's vote, by whether the gold is in the answer."""
    return "Solved" if "gold\nanswer" in text else "Unsolved"


def test_cot_answers_along_one_chain():
    episode = played(CoTAgent(walking("a", "b", "!")))
    assert (episode.reward, episode.tree["method"], episode.tree["queries"]) == (1.0, "CoT@1", 3)


def test_cot_n_starts_again_after_a_give_up_and_knows_nothing_of_it():
    model = walking("a", "-", "b", "!")
    episode = played(CoTAgent(model, n=2))
    assert (episode.reward, doors(episode)) == (1.0, [["a"], ["Finish"], ["b"], ["Finish"]])
    assert list(model.requests[2].messages) == list(model.requests[0].messages)
    assert "door" not in json.dumps(model.requests[3].messages[:2])


def test_cot_stops_at_the_first_answer_even_where_it_is_wrong():
    assert played(CoTAgent(walking("a", "?"), n=3)).reward == 0.0


def test_two_tries_in_the_same_situation_ask_questions_of_their_own():
    model = walking("-", "-", "!")
    played(CoTAgent(model, n=3))
    assert len({request.key for request in model.requests}) == 3


def test_equal_seeds_ask_equal_questions():
    def keys() -> list[str]:
        model = walking("a", "-", "b", "!")
        played(DFSAgent(model))
        return [request.key for request in model.requests]

    assert keys() == keys()


def test_dfs_goes_back_and_reads_what_was_tried_there():
    model = walking("a", "b", "-", "c", "!")
    episode = played(DFSAgent(model))
    assert (episode.reward, episode.tree["method"]) == (1.0, "DFS_woFilter_w2")
    system, query, went, room, *tried = model.requests[3].messages
    assert [message["role"] for message in (system, query, went, room)] == [
        "system",
        "user",
        "assistant",
        "tool",
    ]
    assert json.loads(room["content"])["response"] == {"room": "a"}
    assert len(tried) == 1
    assert '"outcome": "give_up"' in tried[0]["content"]


def test_what_was_left_is_not_in_the_conversation_that_is_kept():
    episode = played(DFSAgent(walking("a", "b", "-", "c", "!")))
    made = [call for said in episode.messages for call in said.get("tool_calls") or ()]
    assert [json.loads(call["function"]["arguments"]).get("door") for call in made] == ["a", "c", None]


@pytest.mark.parametrize("make", [CoTAgent, DFSAgent])
def test_parallel_calls_are_made_in_order_in_one_step_and_each_is_answered(make: Any):
    model = walking("abw", "!")
    episode = played(make(model))
    assert doors(episode)[0] == ["a", "b", "wall"]
    *_, first, second, third = model.requests[1].messages
    assert [said["tool_call_id"] for said in (first, second, third)] == ["c0", "c1", "c2"]
    assert [json.loads(said["content"])["response"] for said in (first, second)] == [
        {"room": "a"},
        {"room": "ab"},
    ]
    assert json.loads(third["content"])["error"] == "a wall"


def test_calls_beside_an_answer_are_made_when_it_is_played():
    episode = played(DFSAgent(walking("ab!")))
    assert [call["name"] for call in episode.steps[-1]["calls"]] == ["go", "go", "Finish"]
    assert episode.reward == 1.0


def test_calls_beside_a_give_up_are_not_made():
    episode = played(DFSAgent(walking("a-", "!")))
    assert doors(episode) == [["Finish"], ["Finish"]]


def test_filtering_dfs_compares_with_the_same_model_and_counts_that():
    def prefer(text: str) -> str:
        return "First" if "two steps" in text else "Second"

    model = walking("w", "a", "!", "!", better=prefer, candidate=prefer, answer=prefer)
    episode = played(DFSAgent(model, filter=True))
    assert episode.tree["method"] == "DFS_w2"
    assert episode.usage["calls"] > episode.tree["queries"]


def test_uct_plays_the_answer_that_it_values_most():
    agent = UCTAgent(walking("w", "?", "a", "!", "b", "!"), value="calls", max_queries=6, c=0.5)
    episode = played(agent)
    assert (episode.reward, episode.tree["queries"]) == (1.0, 6)
    values = {node["answer"]: node["value"] for node in episode.tree["nodes"] if node["outcome"] == "answer"}
    assert max(values, key=lambda answer: values[answer]) == "gold"


def test_the_best_of_n_is_what_the_agents_own_judge_prefers():
    test = CountingJudge()
    model = walking("a", "?", "b", "!", "?", Solved=solved)
    episode = played(BestOfNAgent(model, n=3), test)
    assert (episode.final_answer, episode.reward) == ("gold", 1.0)
    assert len(test.cases) == 1
    assert [call.arguments for call in test.cases[0].calls[:-1]] == [{"door": "b"}]


@pytest.mark.parametrize("agent", [BestOfNAgent, UCTAgent])
def test_an_agent_goes_on_where_its_own_judge_writes_nothing_of_use(agent: Any):
    model = walking("?", "!", "!", Solved=lambda text: "hm", reply=lambda text: "hm")
    settings = {"max_queries": 3} if agent is UCTAgent else {"n": 3}
    episode = played(agent(model, **settings))
    assert (episode.valid, episode.final_answer) == (True, "nothing")
    assert len(episode.tree["notes"]) == 3
    assert "votes of judge pass:walker:v3 are missing" in episode.tree["notes"][0]


def test_filtering_dfs_goes_on_in_the_order_of_making_where_its_ranker_fails():
    def reply(request: Any) -> Any:
        made = sum(bool(asked.tools) for asked in model.requests)
        return said("?!"[made - 1]) if request.tools else ModelError("down", kind="transport")

    model = ScriptedModel(reply)
    episode = played(DFSAgent(model, filter=True))
    assert (episode.valid, episode.final_answer) == (True, "nothing")
    assert episode.tree["notes"] == ["nodes 1 and 2 were not compared: down"]


def test_an_own_judge_that_scores_the_episodes_too_is_refused():
    model = ScriptedModel([], name="m")
    for judge, name in ((HeuristicJudge(), "heuristic"), (PassJudge(model), "model")):
        with pytest.raises(ConfigError, match=r"^the episodes are scored by .*; take another judge"):
            BestOfNAgent(model, judge=name).wrap(maze(judge))  # type: ignore[arg-type] # any judge


def test_an_own_judge_is_never_the_exact_one():
    with pytest.raises(ConfigError, match=r"^an agent's own judge is model or heuristic, got 'exact'$"):
        own_judge("exact", ScriptedModel([]), maze())


def test_any_chat_agent_plays_a_search_reading_what_the_search_shows():
    model = walking("a", "b", "-", "c", "!")
    episode = play(DepthFirstSearch(maze()), ChatAgent(model), task_id="1", seed=0)
    assert (episode.reward, episode.tree["method"], doors(episode)[3]) == (1.0, "DFS_woFilter_w2", ["c"])
    assert [message["role"] for message in model.requests[3].messages][-2:] == ["tool", "user"]
    assert len({request.key for request in model.requests}) == 5


def test_an_agent_that_played_a_search_plays_without_one_as_before():
    model = walking("a", "!", "a", "!")
    agent = ChatAgent(model)
    for env in (DepthFirstSearch(maze()), maze()):
        assert play(env, agent, task_id="1", seed=0).steps[0]["calls"][0]["name"] == "go"
    assert [message["role"] for message in model.requests[3].messages] == [
        "system",
        "user",
        "assistant",
        "tool",
    ]


def test_what_is_asked_beside_the_episode_is_paid_for_and_not_remembered():
    model = walking("a", "!", aside=lambda text: "Noted.")
    agent = ChatAgent(model)
    env = maze()
    observation, info = env.reset(seed=0)
    agent.reset(env, seed=0)
    assert agent.ask([{"role": "user", "content": "An aside?"}]) == "Noted."
    agent.act(observation, info)
    assert agent.usage.calls == 2
    assert "aside" not in str(model.requests[1].messages)


def test_a_model_that_fails_ends_the_episode_as_invalid():
    def reply(request: Any) -> Any:
        return said("a") if len(request.messages) == 2 else ModelError("down", kind="transport")

    episode = played(DFSAgent(ScriptedModel(reply)))
    assert (episode.valid, episode.failure["kind"], episode.failure["stage"]) == (False, "transport", "agent")


def test_what_messages_cost_is_in_the_tree_and_in_the_usage():
    def reply(request: Any) -> Any:
        letters = "a" if len(request.messages) == 2 else "!"
        return ChatReply({"role": "assistant", **said(letters)}, "stop", Usage(7, 3, 10, calls=1), "m")

    episode = played(CoTAgent(ScriptedModel(reply)))
    assert (episode.tree["tokens"], episode.usage["total_tokens"]) == (20, 20)
    # The maze counts its own call too.
    assert episode.usage["calls"] == 3


def test_settings_are_part_of_what_a_manifest_says():
    assert DFSAgent(walking(), width=3).fingerprint == {
        "model": "walker",
        "search": {"width": 3, "max_depth": 12, "max_queries": 200, "filter": False},
    }


def test_an_agent_needs_the_environment_that_it_wrapped():
    with pytest.raises(ConfigError, match=r"^CoTAgent plays a search; give it the environment that"):
        CoTAgent(walking()).reset(maze(), 0)


@pytest.mark.parametrize(
    ("spec", "settings"),
    [
        ("cot(n=4)", {"n": 4, "max_depth": 12, "max_queries": None}),
        ("dfs(width=3, filter=True)", {"width": 3, "filter": True}),
        ("uct(value='calls')", {"value": "calls"}),
        ("best_of_n(judge='heuristic')", {"judge": "heuristic"}),
        ("reflexion(n=2)", {"n": 2}),
        ("agents/dfs.py:DFSAgent(width=3)", {"width": 3}),
        ("stb_env.agents.dfs:DFSAgent(width=3)", {"width": 3}),
    ],
)
def test_every_agent_is_loaded_by_name_or_path_with_settings_and_a_models_file(
    spec: str, settings: dict[str, Any], tmp_path: Any, monkeypatch: pytest.MonkeyPatch, request: Any
):
    monkeypatch.chdir(request.config.rootpath)
    models = tmp_path / "models.toml"
    models.write_text('[models.agent]\nmodel = "mine"\nbase_url = "http://127.0.0.1:9/v1"\n')
    made = load_agent(spec, models=models)().fingerprint
    assert made["model"] == "mine"
    assert settings.items() <= made["search"].items()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("dfs(widht=2)", r"^dfs has no setting 'widht'; it takes model, width, .* Did you mean 'width'\?$"),
        ("dfs(width='2')", r"^width must be a whole number, got '2'$"),
        ("uct(value='judge')", r"^value must be 'calls', 'model' or 'heuristic', got 'judge'$"),
        ("best_of_n(judge='modl')", r"^judge must be 'model' or 'heuristic', got 'modl'\. .* 'model'\?$"),
        ("reflexion(judge=3)", r"^judge must be None, 'model' or 'heuristic', got 3$"),
        ("dfs(model=5)", r"^model must be None, a ChatModel or a path, got 5$"),
    ],
)
def test_a_wrong_setting_is_answered_before_a_model_is_asked_for(spec: str, message: str):
    with pytest.raises(ConfigError, match=message):
        load_agent(spec)

"""Wrappers that are refused: orders that would not work, and settings of another kind."""

from __future__ import annotations

import itertools
import json
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from stb_env.errors import ConfigError
from stb_env.spaces import TextSpace
from stb_env.testing.notes import notes
from stb_env.wrappers import (
    BeamSearch,
    BestFirstSearch,
    CallBudget,
    ChainOfThought,
    DepthFirstSearch,
    DiscreteActions,
    FaultInjection,
    IndependentChains,
    MonteCarloTreeSearch,
    ResultLimit,
    RewardShaping,
    TextFeatures,
    ToolRetrieval,
    ToolWrapper,
)

FIND = {"name": "find_notes", "arguments": {"word": "dentist"}}
FIRST, SECOND = "the first", "the second"
GIVE_UP = {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}
ACTIONS = [FIND, "Let me think.", FIND, GIVE_UP, FIND, GIVE_UP, GIVE_UP, GIVE_UP]


def calls_made(task: Any, state: Any, calls: Any) -> float:
    return min(1.0, len(calls) / 4)


Wrap = Callable[[Any], ToolWrapper]
WRAPPERS: dict[str, Wrap] = {
    "budget": lambda env: CallBudget(env, 2),
    "thought": ChainOfThought,
    "choices": lambda env: DiscreteActions(env, size=8),
    "choices with texts": lambda env: DiscreteActions(env, size=8, texts=True),
    "faults": lambda env: FaultInjection(env, {"errors": {"503": 0.3}}),
    "limit": lambda env: ResultLimit(env, 300),
    "shaping": lambda env: RewardShaping(env, calls_made),
    "cost": lambda env: RewardShaping(env, call_cost=0.1),
    "features": lambda env: TextFeatures(env, size=8),
    "retrieval": lambda env: ToolRetrieval(env, retriever="bm25", k=2),
    "chains": lambda env: IndependentChains(env, tries=2, max_queries=6),
    "dfs": lambda env: DepthFirstSearch(env, max_queries=6),
    "best-first": lambda env: BestFirstSearch(env, max_queries=6),
    "beam": lambda env: BeamSearch(env, max_queries=6),
    "uct": lambda env: MonteCarloTreeSearch(env, max_queries=6),
}
SEARCHES = ("chains", "dfs", "best-first", "beam", "uct")
CHOICES = ("choices", "choices with texts")
# What each goes around, of those it may not.
REFUSED = {
    *itertools.product(("choices", "choices with texts", "retrieval", *SEARCHES), CHOICES),
    *itertools.product(("choices", "choices with texts", "features", "retrieval", *SEARCHES), ["features"]),
    *itertools.product(("retrieval", "thought", *SEARCHES), SEARCHES),
    *itertools.product(SEARCHES, ["shaping"]),
    *(("features", "choices"), ("budget", "budget"), ("retrieval", "retrieval")),
}
pairs = list(itertools.product(WRAPPERS, WRAPPERS))


@pytest.mark.parametrize(("outer", "inner"), [pair for pair in pairs if pair not in REFUSED])
def test_an_order_that_is_taken_keeps_to_its_spaces_over_an_episode(outer: str, inner: str):
    env = WRAPPERS[outer](WRAPPERS[inner](notes(max_turns=8)))
    observation, info = env.reset(seed=0)
    assert observation in env.observation_space
    promised = promises(info)
    over = False
    for number, written in enumerate(ACTIONS):
        action = written if not isinstance(env.action_space, gym.spaces.Discrete) else number % 4
        state, branch = pickle.loads(pickle.dumps(env.snapshot())), env.fork()
        told = env.step(action)
        branch.step(ACTIONS[1])
        branch.restore(state)
        assert alike(branch.step(action), told)
        observation, _, terminated, truncated, info = told
        assert observation in env.observation_space
        assert promises(info) == promised
        over = terminated or truncated
        if over:
            break
    assert over


@pytest.mark.parametrize(("outer", "inner"), sorted(REFUSED))
def test_an_order_that_would_not_work_is_refused_when_it_is_made(outer: str, inner: str):
    inside = WRAPPERS[inner](notes())
    with pytest.raises(ConfigError):
        WRAPPERS[outer](inside)


def promises(info: dict[str, Any]) -> set[str]:
    """Return what `info` has of what wrappers promise at every reset and step."""
    return info.keys() & {"action_mask", "candidates", "calls_left", "node"}


def alike(one: Any, other: Any) -> bool:
    plain = [json.dumps(each, default=np.ndarray.tolist) for each in (one, other)]
    return plain[0] == plain[1]


@pytest.mark.parametrize(
    ("wrap", "error"),
    [
        (
            lambda env: DepthFirstSearch(DiscreteActions(env, size=8)),
            r"^DepthFirstSearch needs actions that are text, and DiscreteActions takes Discrete\(8\); put "
            r"DiscreteActions around DepthFirstSearch$",
        ),
        (
            lambda env: ToolRetrieval(CallBudget(DiscreteActions(env, size=8), 2)),
            r"^ToolRetrieval needs .*; put DiscreteActions around ToolRetrieval$",
        ),
        (
            lambda env: DiscreteActions(DiscreteActions(env, size=8, texts=True)),
            r"takes Discrete\(8\); one DiscreteActions is enough$",
        ),
        (
            lambda env: DiscreteActions(TextFeatures(env)),
            r"^DiscreteActions reads query and tools, and TextFeatures leaves query and tools out of the "
            r"observation; put TextFeatures around DiscreteActions$",
        ),
        (
            lambda env: TextFeatures(DiscreteActions(env)),
            r"^TextFeatures reads query and result, and DiscreteActions leaves query and result out of the "
            r"observation; make DiscreteActions with texts=True$",
        ),
        (
            lambda env: MonteCarloTreeSearch(ResultLimit(TextFeatures(env), 300)),
            r"^MonteCarloTreeSearch reads tools and result, and TextFeatures leaves tools and result out of "
            r"the observation; put TextFeatures around MonteCarloTreeSearch$",
        ),
        (
            lambda env: ToolRetrieval(DepthFirstSearch(env)),
            r"^ToolRetrieval needs an episode that goes straight on, and DepthFirstSearch goes back in it; "
            r"put DepthFirstSearch around ToolRetrieval$",
        ),
        (
            lambda env: BeamSearch(DepthFirstSearch(env)),
            r"^BeamSearch cannot search in a search, and DepthFirstSearch is one; one is enough$",
        ),
        (
            lambda env: BeamSearch(RewardShaping(env, calls_made)),
            r"^BeamSearch goes from branch to branch, .*; put RewardShaping around BeamSearch$",
        ),
    ],
)
def test_the_error_says_the_order_that_works(wrap: Wrap, error: str):
    with pytest.raises(ConfigError, match=error):
        wrap(notes())


@pytest.mark.parametrize(
    ("wrapper", "settings", "error"),
    [
        (CallBudget, {"calls": 1.5}, r"^calls must be a whole number, got 1.5$"),
        (DiscreteActions, {"size": "8"}, r"^size must be a whole number, got '8'$"),
        (ToolRetrieval, {"k": None}, r"^k must be a whole number, got None$"),
        (DepthFirstSearch, {"width": "2"}, r"^width must be a whole number, got '2'$"),
        (MonteCarloTreeSearch, {"c": "2"}, r"^c must be a number, got '2'$"),
        (ResultLimit, {"character": 300}, r"^ResultLimit has no setting 'character'; .* 'characters'\?$"),
    ],
)
def test_a_setting_of_another_kind_is_refused(wrapper: Any, settings: dict[str, Any], error: str):
    with pytest.raises(ConfigError, match=error):
        wrapper(notes(), **settings)


class Numbered(ToolWrapper):
    """Takes a number for an action, as a wrapper of somebody else may."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.action_space = gym.spaces.Discrete(3)


class Listening(ToolWrapper):
    """Reads what the user asked."""

    reads_texts = ("query",)


def test_wrappers_of_others_are_held_to_what_they_say():
    with pytest.raises(ConfigError, match=r"put Numbered around IndependentChains$"):
        IndependentChains(Numbered(notes()))
    with pytest.raises(ConfigError, match=r"^Listening reads query, .*; put TextFeatures around Listening$"):
        Listening(TextFeatures(notes()))


class Spoken(ToolWrapper):
    """Takes a candidate's text for its number."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.action_space = TextSpace(1000)

    def _step(self, action: Any) -> Any:
        return self.env._step([FIRST, SECOND].index(action))


def test_a_wrapper_that_takes_text_again_is_taken():
    env = DepthFirstSearch(Spoken(DiscreteActions(notes(), size=8, texts=True)))
    env.reset(seed=0)
    assert env.step(FIRST)[4]["node"] == 1


def test_what_a_search_found_is_offered_as_a_candidate():
    env = DiscreteActions(ToolRetrieval(gym.make("stb/Sandbox-v1"), retriever="bm25", k=2), size=16)
    _, info = env.reset(seed=0)
    assert {json.loads(text)["name"] for text in info["candidates"]} == {"search_tools", "Finish"}
    *_, info = env.step(0)
    found = {tool["name"] for call in info["calls"] for tool in call["response"]}
    assert found
    assert found <= {json.loads(text)["name"] for text in info["candidates"]}


def test_thoughts_inside_a_retrieval_do_not_list_the_tools_that_it_hides():
    env = ToolRetrieval(ChainOfThought(notes()), retriever="bm25")
    _, info = env.reset(seed=0)
    assert "search_tools" in info["messages"][0]["content"]
    assert "add_note" not in info["messages"][0]["content"]
    assert info["messages"] == env.messages


@pytest.mark.parametrize(
    "wrap",
    [lambda env: CallBudget(DepthFirstSearch(env), 2), lambda env: DepthFirstSearch(CallBudget(env, 2))],
)
def test_a_search_that_goes_back_has_the_budget_of_where_it_is(wrap: Wrap):
    env = wrap(notes())
    _, info = env.reset(seed=0)
    left = [info["calls_left"]]
    for action in (FIND, FIND, GIVE_UP):
        observation, *_, info = env.step(action)
        assert observation["calls_left"] == info["calls_left"]
        left.append(info["calls_left"])
    assert left == [2, 1, 0, 1]

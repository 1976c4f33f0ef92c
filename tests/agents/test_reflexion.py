"""Tries that learn: which ones count as failed, what is noted, and who reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from stb_env.agents.reflexion import ReflexionAgent

from stb_env.models import ChatRequest, ScriptedModel
from tests.agents.talking import doors, played, walking
from tests.wrappers.search.searching import CountingJudge


def note(text: str) -> str:
    return f"Take another door ({'b' if 'door' in text else 'none'} was seen)."


def lessons_read(model: ScriptedModel) -> list[str]:
    """The lessons that each question with tools shows; empty where there are none."""
    asked = [request.messages for request in model.requests if request.tools]
    return [next((m["content"] for m in said[2:3] if m["role"] == "user"), "") for said in asked]


def test_a_try_after_a_give_up_reads_its_lesson():
    model = walking("a", "-", "b", "!", tried=note)
    agent = ReflexionAgent(model, judge=None)
    episode = played(agent)
    assert episode.reward == 1.0
    assert agent.lessons == ["Take another door (b was seen)."]
    read = lessons_read(model)
    assert [agent.lessons[0] in text for text in read] == [False, False, True, True]


def test_the_lesson_is_drawn_from_the_whole_try():
    model = walking("a", "w", "-", "!", tried=note)
    played(ReflexionAgent(model, judge=None))
    asked = str(next(request.messages[-1]["content"] for request in model.requests if not request.tools))
    assert all(text in asked for text in ("Where is the gold?", "a wall", '"room": "a"', "You gave up."))


def test_a_try_that_runs_out_of_steps_has_failed_too():
    model = walking("a", "b", "!", tried=note)
    agent = ReflexionAgent(model, judge=None, max_depth=2)
    assert (played(agent).reward, len(agent.lessons)) == (1.0, 1)


def test_an_answer_that_its_own_judge_rejects_is_a_failed_try_which_the_test_never_sees():
    test = CountingJudge()
    model = walking("a", "?", "b", "!", tried=note, Solved=verdict)
    agent = ReflexionAgent(model)
    episode = played(agent, test)
    assert (episode.final_answer, len(agent.lessons)) == ("gold", 1)
    assert [case.final_answer for case in test.cases] == ["gold"]
    reflected = [r.messages[-1]["content"] for r in model.requests if "You tried" in str(r.messages)]
    assert "nothing" in str(reflected[0])


def test_an_answer_that_its_own_judge_cannot_check_is_given_and_that_is_said():
    model = walking("a", "!", Solved=lambda text: "hm", reply=lambda text: "hm")
    agent = ReflexionAgent(model)
    episode = played(agent)
    assert (episode.valid, episode.final_answer, agent.lessons) == (True, "gold", [])
    (note,) = episode.tree["notes"]
    assert note.startswith("the answer 'gold' was not checked: 1 of 1 votes")
    assert episode.usage["calls"] - 1 == len(model.requests) == 5


def test_an_empty_answer_is_a_failed_try_too():
    empty = {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": ""}}
    replies = iter([empty, "Say something."])

    def reply(request: ChatRequest) -> Mapping[str, Any] | str:
        said = next(replies, empty)
        return said if isinstance(said, str) else {"content": json.dumps(said)}

    agent = ReflexionAgent(ScriptedModel(reply), n=2)
    played(agent)
    assert agent.lessons == ["Say something."]


def test_a_long_try_is_told_within_bounds_its_last_calls_at_least():
    turns = ["a" * 10] * 6 + ["-", "!"]
    model = walking(*turns, tried=note)
    played(ReflexionAgent(model, judge=None))
    asked = str(next(request.messages[-1]["content"] for request in model.requests if not request.tools))
    assert asked.count('"name": "go"') == 39
    assert len(asked) < 20_000


def test_the_last_answer_is_given_unchecked():
    model = walking("?", "?", tried=note, Solved=lambda text: "Unsolved")
    agent = ReflexionAgent(model, n=2)
    assert (played(agent).final_answer, len(agent.lessons)) == ("nothing", 1)


def test_every_failed_try_leaves_a_lesson_until_none_is_left():
    agent = ReflexionAgent(walking("-", "-", "-", tried=note), n=3, judge=None)
    episode = played(agent)
    assert (episode.reward, doors(episode), len(agent.lessons)) == (0.0, [["Finish"]] * 3, 2)


def test_what_lessons_and_checks_cost_is_counted():
    model = walking("-", "!", tried=note, Solved=verdict)
    episode = played(ReflexionAgent(model, n=3))
    assert episode.usage["calls"] == len(model.requests) == 4


@pytest.mark.parametrize("seed", [0, 1])
def test_an_episode_forgets_the_lessons_of_the_one_before(seed: int):
    agent = ReflexionAgent(walking("-", "!", "!", tried=note), n=2, judge=None)
    played(agent)
    played(agent)
    assert agent.lessons == []


def verdict(text: str) -> str:
    return "Solved" if "gold\nanswer" in text else "Unsolved"

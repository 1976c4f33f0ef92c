"""An episode that somebody else's loop drives."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from stb_env import load_agent, play
from stb_env.runs import DrivenEpisode
from stb_env.runs.make import make_env
from tests.integrations.scripted import SETTINGS, calls_of, failing, gold_turns

NOTES = "stb_env.testing.notes:test/Notes-v0"


@pytest.mark.parametrize("env_id", SETTINGS)
def test_what_a_model_that_knows_writes_earns_everything(env_id: str):
    episode = DrivenEpisode(env_id, **SETTINGS[env_id])
    task_id = episode.env.tasks.at(0).id
    episode.start(task_id=task_id)
    for turn in gold_turns(env_id, task_id, **SETTINGS[env_id]):
        for name, arguments in calls_of(turn):
            episode.call(name, arguments)
        if not turn.get("tool_calls"):
            episode.say(turn["content"])
    assert (episode.over, episode.reward, episode.failure) == (True, 1.0, None)


@pytest.mark.parametrize("env_id", SETTINGS)
def test_a_failure_is_no_reward_at_all(env_id: str, tmp_path: Path):
    episode = DrivenEpisode(env_id, **failing(env_id, tmp_path))
    task_id = episode.env.tasks.at(0).id
    episode.start(task_id=task_id)
    for turn in gold_turns(env_id, task_id, **SETTINGS[env_id]):
        for name, arguments in calls_of(turn):
            asyncio.run(episode.acall(name, arguments))
        if not turn.get("tool_calls"):
            asyncio.run(episode.asay(turn["content"]))
    assert (episode.over, episode.reward, episode.verdict) == (True, None, None)
    assert episode.failure is not None


def test_text_without_a_call_is_the_answer_where_nobody_listens():
    episode = DrivenEpisode(NOTES)
    episode.start(task_id="day")
    assert episode.say("Tuesday").over
    assert episode.reward == 1.0


def test_text_without_a_call_is_no_typed_answer():
    episode = DrivenEpisode("stb/Sandbox-v1")
    episode.start(task_id="test-account_balance-0")
    for take in (episode.say, episode.conclude, lambda text: asyncio.run(episode.asay(text))):
        reply = take("It holds 12 AUR.")
        assert (reply.status, reply.over, reply.answers_call) == (4, False, False)
    assert (episode.reward, episode.env.snapshot().turn) == (0.0, 3)
    assert episode.trajectory().final_answer == ""


def test_the_user_of_a_conversation_hears_text_and_says_something_back():
    episode = DrivenEpisode("stb/APIBankCall-v1")
    episode.start(task_id=episode.env.tasks.at(0).id)
    reply = episode.say("Of which year?")
    assert not reply.over
    assert not reply.text.startswith("{")


def test_calls_that_are_written_in_the_text_are_made():
    episode = DrivenEpisode(NOTES)
    episode.start(task_id="day")
    reply = episode.say('<tool_call>{"name": "find_notes", "arguments": {"word": "dentist"}}</tool_call>')
    assert "note-001" in reply.text
    assert not reply.over


def test_nothing_happens_after_the_end():
    episode = DrivenEpisode(NOTES)
    episode.start(task_id="day")
    episode.say("Friday")
    assert episode.say("Tuesday").text == "The episode is over."
    assert asyncio.run(episode.asay("Tuesday")).text == "The episode is over."
    assert episode.reward == 0.0


@pytest.mark.parametrize("env_id", SETTINGS)
def test_it_is_saved_as_an_agent_of_ours_would_be(env_id: str):
    episode = DrivenEpisode(env_id, **SETTINGS[env_id])
    task_id = episode.env.tasks.at(0).id
    episode.start(task_id=task_id, seed=0)
    for turn in gold_turns(env_id, task_id, **SETTINGS[env_id]):
        for name, arguments in calls_of(turn):
            episode.call(name, arguments)
        if not turn.get("tool_calls"):
            episode.say(turn["content"])
    ours = play(make_env(env_id, SETTINGS[env_id]), load_agent("gold")(), task_id=task_id, seed=0)
    assert episode.trajectory() == ours


def test_an_episode_that_was_left_is_saved_as_far_as_it_came():
    episode = DrivenEpisode(NOTES)
    episode.start(task_id="day", seed=7)
    episode.call("find_notes", {"word": "dentist"})
    left = episode.trajectory(trial=2)
    assert (left.key, len(left.steps), left.verdict, left.valid) == (("day", 2, 7), 1, None, True)
    assert [message["role"] for message in left.messages] == ["system", "user", "assistant", "tool"]

"""The same conversation is the same episode in every adapter; those of frameworks are tested beside them."""

from __future__ import annotations

from typing import Any

import pytest

from stb_env import load_agent, make, play
from stb_env.errors import ConfigError
from stb_env.integrations.trl import Environments, TokenEpisode, reward
from stb_env.runs import Agent, DrivenEpisode
from stb_env.testing.notes import notes
from stb_env.wrappers import DepthFirstSearch, ToolRetrieval
from tests.integrations.characters import TOJSON, Characters
from tests.integrations.conversations import (
    BALANCE,
    CONVERSATIONS,
    SANDBOX,
    Conversation,
    alike,
    expected,
    hermes,
    made,
    outcome,
)

CASES = pytest.mark.parametrize("conversation", CONVERSATIONS, ids=str)


def test_there_are_twenty():
    assert len(CONVERSATIONS) == 20


@CASES
def test_our_own_loop_earns_what_it_should(conversation: Conversation):
    told = expected(conversation)
    assert (told["reward"], told["valid"]) == (conversation.reward, True)


@CASES
def test_messages_as_an_agent_of_ours_writes_them(conversation: Conversation):
    env = made(conversation)
    episode = DrivenEpisode(env)
    episode.start(task_id=conversation.task, seed=0)
    for text, calls in conversation.turns:
        if episode.over:
            break
        called = [{"name": name, "arguments": given} for name, given in calls]
        if called:
            episode.take(env.step(called))
        else:
            episode.say(text)
    alike(outcome(episode), expected(conversation))


@CASES
def test_calls_that_a_framework_brings_one_by_one(conversation: Conversation):
    episode = DrivenEpisode(made(conversation))
    episode.start(task_id=conversation.task, seed=0)
    for text, calls in conversation.turns:
        for name, given in calls:
            episode.call(name, given)
        if not calls:
            episode.say(text)
    # A message with several calls is a turn for each here.
    alike(outcome(episode), expected(conversation), turns=conversation.one_call_each)


@CASES
def test_calls_that_are_written_in_text(conversation: Conversation):
    episode = DrivenEpisode(made(conversation))
    episode.start(task_id=conversation.task, seed=0)
    for text, calls in conversation.turns:
        episode.say(hermes(text, calls))
    told = outcome(episode)
    alike(told, expected(conversation))


@CASES
def test_token_by_token(conversation: Conversation):
    tokenizer = Characters(TOJSON)
    episode = TokenEpisode.begin(made(conversation), tokenizer, conversation.task, longest=200_000)
    for text, calls in conversation.turns:
        if not episode.over:
            episode.act(tokenizer(hermes(text, calls) + "<|end|>", add_special_tokens=False)["input_ids"])
    told = outcome(episode.trajectory(), episode.earned)
    alike(told, expected(conversation))


@pytest.mark.parametrize(
    ("make", "why"),
    [
        ("stb/APIBankCall-v1", "a user answers what a model writes without a call"),
        (lambda: ToolRetrieval(notes(), "bm25"), "an episode offers other tools later than at its start"),
        (lambda: DepthFirstSearch(notes()), "a search goes back in an episode"),
    ],
)
def test_what_trls_own_loop_cannot_play_is_refused(make: Any, why: str):
    with pytest.raises(ConfigError, match=f"{why}: its episodes would end early with a reward of 0; give "):
        Environments(make, tasks=1)


@CASES
def test_trls_environments(conversation: Conversation):
    (row,) = (environments := Environments(lambda: made(conversation), [conversation.task])).rows
    played = environments[row["environment"]]()
    played.reset(**row)
    last, whole = "", True
    for text, calls in conversation.turns:
        last = text
        if any(not isinstance(given, dict) for _, given in calls):
            # TRL takes a message whose calls it cannot read for text, and stops there.
            last, whole = hermes(text, calls), False
            break
        for name, given in calls:
            # Of a tool that there is not, TRL itself says so.
            if hasattr(played, name):
                getattr(played, name)(**given)
            else:
                whole = False
        if not calls:
            break
    told = outcome(played._started, *reward([[{"role": "assistant", "content": last}]], [played]))
    if whole and conversation.task != "test-account_balance-0":
        alike(told, expected(conversation), turns=conversation.one_call_each)
    elif whole:
        # Where answers are typed, TRL ends with the first text, which is none.
        assert told["reward"] == expected(conversation)["reward"]
    else:
        assert told["reward"] in (0.0, expected(conversation)["reward"])
        assert told["valid"]


def test_who_talks_first_where_answers_are_typed_goes_on_in_our_loop_and_has_ended_in_trls():
    class TalksFirst(Agent):
        def reset(self, env: Any, seed: int) -> None:
            self.gold = load_agent("gold")()
            self.gold.reset(env, seed)
            self.begun = False

        def act(self, observation: Any, info: Any) -> Any:
            if not self.begun:
                self.begun = True
                return "I look."
            return self.gold.act(observation, info)

    episode = play(make(SANDBOX), TalksFirst(), task_id=BALANCE, seed=0)
    assert (episode.reward, episode.steps[0]["calls"]) == (1.0, [])
    (row,) = (environments := Environments(SANDBOX, [BALANCE])).rows
    played = environments[row["environment"]]()
    played.reset(**row)
    assert reward([[{"role": "assistant", "content": "I look."}]], [played]) == [0.0]
    assert played._started.valid

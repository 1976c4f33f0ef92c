"""An agent and its user as two players of one PettingZoo environment."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pettingzoo.test import api_test, seed_test

import stb_env
from stb_env import load_agent, play
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.runs import Run
from stb_env.runs.two_players import env, raw_env
from stb_env.suites.worlds.tasks.making import task_of
from stb_env.testing.notes import notes
from stb_env.trajectory import Trajectory
from stb_env.wrappers import DepthFirstSearch

WORLDS = "stb/Worlds-v0", {"hidden": 2, "level": 2}
DIALOGUES = "stb/APIBankCall-v1", {}
TASK = "vet_clinic-5.1.0.h2"
User = Callable[[JsonMapping, JsonMapping], object]


def talking(**settings: Any) -> ToolEnv:
    return notes(user=lambda task, state, text: "Go on.", **settings)


def script(observation: JsonMapping, info: JsonMapping) -> object:
    """Say what the user of the single-player environment says."""
    del observation
    return info["script"]


def played(game: Any, user: User = script, **options: str) -> tuple[dict[str, float], Trajectory]:
    """Let gold and a user play an episode; return what each earned, and the episode."""
    game.reset(seed=3, options=options)
    agent = load_agent("gold")()
    agent.reset(game.unwrapped.env_of("agent"), 3)
    earned = dict.fromkeys(game.possible_agents, 0.0)
    for player in game.agent_iter():
        observation, reward, terminated, truncated, info = game.last()
        earned[player] += reward
        act = agent.act if player == "agent" else user
        game.step(None if terminated or truncated else act(observation, info))
    return earned, game.unwrapped.trajectory()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "make",
    [
        lambda: env(talking(max_turns=6)),
        pytest.param(lambda: env(WORLDS[0], **WORLDS[1], max_turns=6), marks=pytest.mark.heavy),
        pytest.param(lambda: env(DIALOGUES[0], max_turns=6), marks=pytest.mark.heavy),
    ],
    ids=["notes", "worlds", "dialogues"],
)
def test_pettingzoo_accepts_both_players(make: Callable[[], Any]) -> None:
    api_test(make(), num_cycles=25)
    seed_test(make, num_cycles=25)


@pytest.mark.parametrize(("name", "settings"), [WORLDS, DIALOGUES])
def test_who_repeats_the_script_plays_the_episodes_of_one_player(name: str, settings: JsonObject) -> None:
    earned, episode = played(env(name, **settings))
    alone = play(stb_env.make(name, **settings), load_agent("gold")(), task_id=episode.task_id, seed=3)
    assert episode.to_json() == alone.to_json()
    assert earned == {"agent": 1.0, "user": 1.0}


def test_a_user_who_tells_the_facts_of_another_task_fails_both() -> None:
    key, level, number, dials = TASK.split(".")
    twin = task_of(f"{key}.{level}.{int(number) ^ 1}.{dials}").task.record["knows"]

    def liar(observation: JsonMapping, info: JsonMapping) -> object:
        about = json.loads(observation["asked"])["about"]
        fact = twin.get(about)
        return info["script"] if fact is None else json.dumps(fact["replies"][-1])

    earned, episode = played(raw_env("stb/Worlds-v0", hidden=2), liar, task_id=TASK)
    assert earned == {"agent": 0.0, "user": 0.0}
    assert episode.valid
    assert episode.verdict is not None
    assert episode.verdict["status"] == "unsolved"


def test_the_user_sees_what_it_knows_what_it_is_asked_and_what_was_said(tmp_path: Path) -> None:
    seen: list[JsonMapping] = []

    def user(observation: JsonMapping, info: JsonMapping) -> object:
        seen.append(observation)
        return script(observation, info)

    game = raw_env("stb/Worlds-v0", hidden=2)
    _, episode = played(game, user, task_id=TASK)
    assert all(each in game.observation_space("user") for each in seen)
    assert {"client name", "client plan"} == json.loads(seen[0]["facts"]).keys()
    assert json.loads(seen[1]["asked"])["about"] in ("client name", "client plan")
    said = [one["said"]["says"] for one in json.loads(seen[-1]["dialogue"])]
    run = Run(tmp_path, {"env": "stb/Worlds-v0"})
    run.add(episode, seconds=0.0)
    run.close()
    saved = (tmp_path / "trajectories.jsonl").read_text("utf-8")
    assert len(said) >= 2
    assert all(text in saved for text in said)


def test_a_text_is_said_and_the_empty_one_ends_a_dialogue() -> None:
    game = raw_env(talking())
    game.reset(seed=0)
    for said in ("Which note?", "Mine."), ("The lemons?", {"says": "Yes."}), ("Good.", ""):
        game.step(said[0])
        assert game.agent_selection == "user"
        if said[0] == "Which note?":
            with pytest.raises(ConfigError, match=r"a text or plain JSON, .* got a set that is neither"):
                game.step({"Mine."})
        game.step(said[1])
    assert game.agent_selection == "agent"
    assert game.terminations == {"agent": True, "user": True}
    told = [message["content"] for message in game.trajectory().messages]
    assert told[-5:] == ["Which note?", "Mine.", "The lemons?", '{"says": "Yes."}', "Good."]


def test_a_new_episode_can_begin_while_the_user_is_asked() -> None:
    game = raw_env(talking())
    game.reset(seed=0)
    game.step("Which note?")
    game.reset(seed=0)
    assert (game.agent_selection, game.observe("user")["asked"]) == ("agent", "")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: raw_env("stb/Worlds-v0"), r"nobody is asked in these tasks: .* hidden=2"),
        (lambda: raw_env(notes(), max_turns=3), r"settings go with an environment id"),
        (lambda: raw_env(DepthFirstSearch(talking())), r"a search goes back in an episode; leave it out"),
        (lambda: raw_env("not one"), r"unknown environment"),
        (lambda: raw_env(object()), r"two players need a ToolEnv or a wrapper"),  # type: ignore[arg-type]
        (lambda: raw_env(*WORLDS[:1], **WORLDS[1]).env_of("usr"), r"there are agent and user\. Did you mean"),
    ],
)
def test_what_two_cannot_play_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make()

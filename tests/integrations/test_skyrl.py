"""SkyRL-gym itself makes, plays and aggregates our environments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("skyrl_gym", reason="SkyRL-gym is not installed: pip install 'stb-env[skyrl]'")

import skyrl_gym
from skyrl_gym.metrics import aggregate_for_environment

from stb_env.errors import ConfigError
from stb_env.integrations.skyrl import ENV_CLASS, dataset, register
from tests.integrations.conversations import CONVERSATIONS, Conversation, alike, expected, hermes, outcome
from tests.integrations.scripted import NOTES, SETTINGS, WRONG, failing, gold_turns, page_script

SANDBOX = "stb/Sandbox-v1"


@pytest.fixture(autouse=True)
def registered():
    if ENV_CLASS not in skyrl_gym.envs.registration.registry:
        register()


def written(turn: dict[str, Any]) -> str:
    """Return a turn of a model as text alone."""
    functions = [call["function"] for call in turn.get("tool_calls") or ()]
    calls = [{**function, "arguments": json.loads(function["arguments"])} for function in functions]
    said = "\n".join(f"<tool_call>{json.dumps(call)}</tool_call>" for call in calls)
    return said or turn["content"]


def played(
    row: dict[str, Any], texts: list[str], settings: dict[str, Any] | None = None, max_turns: int = 24
):
    """Play as SkyRL's generator does, and return outputs and metrics."""
    extras = {**{name: row[name] for name in row if name != "prompt"}, "max_turns": max_turns}
    env = skyrl_gym.make(ENV_CLASS, env_config={"settings": settings or {}}, extras=extras)
    chat, _ = env.init(row["prompt"])
    assert chat == row["prompt"]
    outputs = []
    for text in texts:
        outputs.append(env.step(text))
        if outputs[-1]["done"]:
            break
    metrics = env.get_metrics()
    env.close()
    return outputs, metrics


@pytest.mark.parametrize("env_id", SETTINGS)
def test_a_model_that_knows_gets_every_point(env_id: str):
    settings = SETTINGS[env_id]
    for row in dataset(env_id, 3, **settings):
        texts = [written(turn) for turn in gold_turns(env_id, row["extra_info"]["task_id"], **settings)]
        outputs, metrics = played(row, texts, settings)
        assert sum(output["reward"] for output in outputs) == 1.0
        assert [output["done"] for output in outputs] == [False] * (len(texts) - 1) + [True]
        assert outputs[-1]["observations"] == []
        assert (metrics["valid"], metrics["reward"]) == (1.0, 1.0)


@pytest.mark.parametrize("env_id", SETTINGS)
def test_an_episode_that_failed_says_so_and_counts_in_no_mean(env_id: str, tmp_path: Path):
    settings = failing(env_id, tmp_path)
    row = dataset(env_id, 1, **settings)[0]
    turns = gold_turns(env_id, row["extra_info"]["task_id"], **SETTINGS[env_id])
    outputs, metrics = played(row, [written(turn) for turn in turns], settings)
    last = outputs[-1]
    assert (last["done"], last["reward"], last["metadata"]["valid"]) == (True, 0.0, False)
    assert last["metadata"]["failure"]["kind"] in ("judge", "cache_miss")
    assert metrics == {"valid": 0.0}
    both = aggregate_for_environment(ENV_CLASS, [metrics, {"valid": 1.0, "reward": 1.0, "turns": 2.0}])
    assert both == {"valid": 0.5, "reward": 1.0, "turns": 2.0}


def test_a_wrong_answer_earns_nothing_and_counts():
    finish = json.dumps({"name": "Finish", "arguments": WRONG})
    outputs, metrics = played(dataset(SANDBOX, 1)[0], [f"<tool_call>{finish}</tool_call>"])
    assert (outputs[0]["done"], outputs[0]["reward"]) == (True, 0.0)
    assert metrics == {"valid": 1.0, "reward": 0.0, "turns": 1.0}


def test_text_is_the_answer_where_answers_are_text_and_a_lost_turn_where_they_are_typed():
    outputs, _ = played(dataset(NOTES, "day")[0], ["Monday"])
    assert (outputs[0]["done"], outputs[0]["metadata"]["status"]) == (True, 6)
    outputs, _ = played(dataset(SANDBOX, 1)[0], ["It holds 12 AUR."])
    assert (outputs[0]["done"], outputs[0]["metadata"]["status"]) == (False, 4)
    assert outputs[0]["observations"][0]["content"].startswith('{"error": "no tool call found')


def test_the_trainers_last_turn_is_the_environments():
    call = '<tool_call>{"name": "list_accounts_for_pocket_bank", "arguments": {}}</tool_call>'
    outputs, _ = played(dataset(SANDBOX, 1)[0], [call] * 9, max_turns=3)
    assert [output["done"] for output in outputs] == [False, False, True]


def test_a_call_that_is_wrong_is_told_as_a_result():
    wrong = '<tool_call>{"name": "no_such_tool", "arguments": {}}</tool_call>'
    outputs, _ = played(dataset(SANDBOX, 1)[0], [wrong])
    told = outputs[0]["observations"][0]
    assert told["role"] == "user"
    assert told["content"].startswith('<tool_response>\n{"error": ')
    assert outputs[0]["metadata"]["status"] == 3


def test_every_tool_stands_in_the_prompt():
    row = dataset(SANDBOX, 1)[0]
    system = row["prompt"][0]["content"]
    lines = system.partition("<tools>\n")[2].partition("\n</tools>")[0].splitlines()
    assert json.loads(lines[-1])["name"] == "Finish"


def test_the_settings_of_a_row_are_the_environments_and_others_are_refused():
    row = dataset(SANDBOX, 1, answer="text")[0]
    finish = json.dumps({"name": "Finish", "arguments": {"final_answer": "I do not know."}})
    outputs, _ = played(row, [f"<tool_call>{finish}</tool_call>"])
    assert (outputs[0]["done"], outputs[0]["metadata"]["status"]) == (True, 6)
    played(row, [finish], {"answer": "text", "max_turns": 3})
    with pytest.raises(ConfigError, match="was made with answer='text', and environment"):
        played(row, [finish], {"answer": "typed"})


def test_the_script_of_the_page_plays(capsys: pytest.CaptureFixture[str]):
    skyrl_gym.envs.registration.deregister(ENV_CLASS)
    exec(compile(page_script("skyrl"), "docs/integrations.md", "exec"), {})
    assert capsys.readouterr().out == "0.0 True\n"


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=str)
def test_a_conversation_is_the_same_episode_as_in_our_own_loop(conversation: Conversation):
    (row,) = dataset(conversation.env_id, conversation.task)
    extras = {**row, "max_turns": conversation.turn_limit}
    env = skyrl_gym.make(ENV_CLASS, env_config={}, extras=extras)
    env.init(row["prompt"])
    earned = [env.step(hermes(*turn))["reward"] for turn in conversation.turns]
    told = outcome(env.unwrapped.episode if hasattr(env, "unwrapped") else env.episode)
    assert sum(earned) == told["reward"]
    alike(told, expected(conversation))

"""What a provider wants back goes back with the conversation, in a search too, and to nobody else."""

from __future__ import annotations

import json
from typing import Any

from stb_env.models import ChatReply, ScriptedModel
from stb_env.models.opaque import OPAQUE, with_opaque
from stb_env.runs import play
from stb_env.runs.baselines.chat import ChatAgent
from stb_env.wrappers import DepthFirstSearch
from tests.agents.talking import said
from tests.wrappers.search.searching import go, maze

SIGNED = {"provider": "google", "response": {"parts": [{"signature": "c2ln"}]}}


def signed(door: str) -> ChatReply:
    function = {"name": "go", "arguments": json.dumps(go(door)["arguments"])}
    call = {"id": f"call-{door}", "type": "function", "function": function}
    message = {"role": "assistant", "content": "", "tool_calls": [call], OPAQUE: {**SIGNED, "door": door}}
    return ChatReply(message, "tool_calls", extra={OPAQUE: {**SIGNED, "door": door}})


def opaque(messages: Any) -> list[str]:
    return [message[OPAQUE]["door"] for message in messages if OPAQUE in message]


def test_it_goes_back_in_every_later_request_and_stands_in_the_trajectory_once():
    model = ScriptedModel([signed("a"), signed("gold"), said("!")])
    episode = play(maze(), ChatAgent(model), task_id="1", seed=0)
    assert [opaque(request.messages) for request in model.requests] == [[], ["a"], ["a", "gold"]]
    assert opaque(episode.messages) == []
    assert [step["engine"].get(OPAQUE, {}).get("door") for step in episode.steps] == ["a", "gold", None]
    # Whoever goes on from a step has it again.
    assert opaque(with_opaque(episode.messages, episode.steps)) == ["a", "gold"]


def test_it_goes_back_in_a_search():
    model = ScriptedModel([signed("a"), signed("gold"), said("!")])
    play(DepthFirstSearch(maze()), ChatAgent(model), task_id="1", seed=0)
    assert [opaque(request.messages) for request in model.requests] == [[], ["a"], ["a", "gold"]]

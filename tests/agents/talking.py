"""Models that walk the maze by a script, and the agents that they play."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from stb_env.agents.common import SearchAgent

from stb_env.models import ChatRequest, ScriptedModel
from stb_env.runs import play
from stb_env.tools import FINISH
from stb_env.trajectory import Trajectory
from stb_env.usage import Usage
from tests.wrappers.search.searching import CountingJudge, maze

ENDS = {
    "-": {"return_type": "give_up_and_restart"},
    "!": {"return_type": "give_answer", "final_answer": "gold"},
    "?": {"return_type": "give_answer", "final_answer": "nothing"},
}


def said(letters: str) -> dict[str, Any]:
    """A message with a call for each letter: doors, ``w`` for a wall, ``-`` ``!`` ``?`` for the ends."""
    calls = [_call(letter, f"c{number}") for number, letter in enumerate(letters)]
    return {"content": f"I try {letters}.", "tool_calls": calls}


def _call(letter: str, call_id: str) -> dict[str, Any]:
    if letter in ENDS:
        name, arguments = FINISH, ENDS[letter]
    else:
        name, arguments = "go", {"door": "wall" if letter == "w" else letter}
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(arguments)},
    }


def walking(*turns: str, **asked: Callable[[str], str]) -> ScriptedModel:
    """A model that makes these turns in order.

    Args:
        *turns: Letters of each turn.
        **asked: What it writes where it may call nothing, by a word of the question.
    """
    left = list(turns)

    def reply(request: ChatRequest) -> Mapping[str, Any] | str:
        if request.tools and request.tools[-1]["function"]["name"] == FINISH:
            return said(left.pop(0))
        text = str(request.messages[-1]["content"])
        return next(write(text) for word, write in asked.items() if word in text)

    return ScriptedModel(reply, name="walker")


def played(agent: SearchAgent, judge: CountingJudge | None = None) -> Trajectory:
    """One episode in the maze."""
    return play(agent.wrap(maze(judge)), agent, task_id="1", seed=0)


def doors(trajectory: Trajectory) -> list[list[str]]:
    """The doors of each step in the tree, in the order in which they were made."""
    steps = (node["step"] for node in trajectory.tree["nodes"] if node["step"])
    return [[call["arguments"].get("door", call["name"]) for call in step["calls"]] for step in steps]


def spent(trajectory: Trajectory) -> Usage:
    return Usage(**trajectory.usage)

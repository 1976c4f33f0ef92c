"""Twenty conversations as a model may write them, and what an episode comes to that each makes.

A turn is the text of a message and its calls: name, and arguments as the model wrote them, an object or text.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from stb_env.runs import DrivenEpisode
from stb_env.testing.notes import notes
from tests.integrations.scripted import NOTES

Call = tuple[str, Any]
SANDBOX = "stb/Sandbox-v1"
BALANCE = "test-account_balance-0"
FIND: Call = ("find_notes", {"word": "dentist"})
ADD: Call = ("add_note", {"text": "Call the bank"})
TUESDAY: Call = ("Finish", {"final_answer": "Tuesday"})
CANNOT: Call = ("Finish", {"cannot": {"reason": "missing_detail", "what": ["account"]}})


@dataclass(frozen=True)
class Conversation:
    """One conversation.

    Attributes:
        name: What it is about.
        turns: Text and calls of each message.
        task: Its task: of the notebook, or of the Sandbox.
        reward: What it earns.
        turn_limit: Turns that the environment allows.
    """

    name: str
    turns: tuple[tuple[str, tuple[Call, ...]], ...]
    task: str = "day"
    reward: float = 0.0
    turn_limit: int = 24

    @property
    def env_id(self) -> str:
        """Id of its environment."""
        return SANDBOX if self.task == BALANCE else NOTES

    @property
    def one_call_each(self) -> bool:
        """True if no message has several calls."""
        return all(len(calls) < 2 for _, calls in self.turns)

    @property
    def broken(self) -> bool:
        """True if arguments are no JSON object somewhere."""
        return any(not isinstance(given, dict) for _, calls in self.turns for _, given in calls)

    def __str__(self) -> str:
        return self.name


def _said(name: str, *turns: tuple[str, tuple[Call, ...]], **more: Any) -> Conversation:
    return Conversation(name, turns, **more)


def _calls(*calls: Call) -> tuple[str, tuple[Call, ...]]:
    return "", calls


def _text(text: str) -> tuple[str, tuple[Call, ...]]:
    return text, ()


CONVERSATIONS = (
    _said("right", _calls(FIND), _calls(TUESDAY), reward=1.0),
    _said("right, and the answer is text", _calls(FIND), _text("Tuesday"), reward=1.0),
    _said("words beside a call", ("I look it up.", (FIND,)), _calls(TUESDAY), reward=1.0),
    _said("wrong answer", _calls(FIND), _calls(("Finish", {"final_answer": "Friday"}))),
    _said("wrong answer in text", _text("It is on Friday.")),
    _said("wrong parameter", _calls(("find_notes", {"text": "dentist"})), _calls(TUESDAY), reward=1.0),
    _said("missing parameter", _calls(("find_notes", {})), _calls(TUESDAY), reward=1.0),
    _said("broken JSON", _calls(("find_notes", '{"word": "dent')), _calls(TUESDAY), reward=1.0),
    _said("a list for arguments", _calls(("find_notes", '["dentist"]')), _calls(TUESDAY), reward=1.0),
    _said("unknown tool", _calls(("read_mail", {"word": "dentist"})), _calls(TUESDAY), reward=1.0),
    _said("a tool that fails", _calls(("delete_note", {"id": "note-9"})), _calls(TUESDAY), reward=1.0),
    _said("parallel calls", _calls(FIND, ("find_notes", {"word": "bank"})), _calls(TUESDAY), reward=1.0),
    _said("parallel with one wrong", _calls(FIND, ("find_notes", {})), _calls(TUESDAY), reward=1.0),
    _said(
        "an act and the end in one message",
        _calls(ADD, ("Finish", {"final_answer": "Done."})),
        task="write",
        reward=1.0,
    ),
    _said("a call after the end", _calls(TUESDAY, FIND), reward=1.0),
    _said("finish at once", _calls(TUESDAY), reward=1.0),
    _said("Finish without an answer", _calls(("Finish", {})), _calls(TUESDAY), reward=1.0),
    _said("more turns than there are", *[_calls(FIND)] * 4, _calls(TUESDAY), turn_limit=3),
    _said("prose where answers are typed", _text("It holds 12 AUR."), _calls(CANNOT), task=BALANCE),
    _said("give up where answers are typed", _calls(CANNOT), task=BALANCE),
)


def made(conversation: Conversation) -> Any:
    """Return the environment of a conversation."""
    import stb_env

    if conversation.task == BALANCE:
        return stb_env.make(SANDBOX, max_turns=conversation.turn_limit)
    return notes(max_turns=conversation.turn_limit)


def outcome(episode: Any, reward: float | None = None) -> dict[str, Any]:
    """Return what an episode came to: its calls with what came back, reward, validity, verdict and turns."""
    saved = episode.trajectory() if hasattr(episode, "trajectory") else episode
    steps = saved.to_dict()["steps"]
    return {
        "calls": [
            (call["name"], call["arguments"], call["status"], call["error"], call["response"])
            for step in steps
            for call in step["calls"]
        ],
        "texts": [step["text"] for step in steps if not step["calls"] and step.get("text")],
        "reward": saved.reward if reward is None else reward,
        "valid": saved.valid,
        "verdict": saved.verdict and saved.verdict["status"],
        "turns": len(steps),
    }


def expected(conversation: Conversation) -> dict[str, Any]:
    """Return the outcome of a conversation in our own loop: each message is one action."""
    episode = DrivenEpisode(made(conversation))
    episode.start(task_id=conversation.task, seed=0)
    for text, calls in conversation.turns:
        if calls:
            asyncio.run(episode.acalls(calls))
        else:
            episode.say(text)
    return outcome(episode)


def hermes(text: str, calls: tuple[Call, ...]) -> str:
    """Return a message as models write it in text."""
    bodies = [(name, given if isinstance(given, str) else json.dumps(given)) for name, given in calls]
    written = [f'<tool_call>{{"name": "{name}", "arguments": {body}}}</tool_call>' for name, body in bodies]
    return "\n".join(filter(None, [text, *written]))


def alike(one: dict[str, Any], other: dict[str, Any], *, turns: bool = True) -> None:
    """Assert that two outcomes are one; ``turns`` says whether their turns count too."""
    left_out = () if turns else ("turns",)
    assert {name: one[name] for name in one if name not in left_out} == {
        name: other[name] for name in other if name not in left_out
    }

"""Replies of five well-behaved models about ferries and tides."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from stb_env.experiments.synthesis import MULTI, ModelAuthor, Pipeline, Settings
from stb_env.experiments.synthesis.ability import Ability
from stb_env.experiments.synthesis.api import Api
from stb_env.experiments.synthesis.dialogue import Dialogue
from stb_env.experiments.synthesis.scene import Scene
from stb_env.models import ChatReply, ChatRequest, ScriptedModel, Usage

WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty")


def parameter(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "description": f"A {kind}.", **more}


TIDES = {
    "name": "TideTable",
    "description": "High water of a harbour on a day.",
    "input_parameters": {"harbour": parameter("str"), "day": parameter("str", required=False)},
    "output_parameters": {"high_water": parameter("str")},
}
FERRY = {
    "name": "BookFerry",
    "description": "Books a crossing.",
    "input_parameters": {"harbour": parameter("str"), "seats": parameter("int")},
    "output_parameters": {"booking": parameter("str")},
}
APIS = {record["name"]: Api.from_record(record) for record in (TIDES, FERRY)}
USES: Mapping[str, dict[str, Any]] = {
    "TideTable": {
        "name": "TideTable",
        "arguments": {"harbour": "Brest"},
        "result": {"high_water": "06:10"},
    },
    "BookFerry": {
        "name": "BookFerry",
        "arguments": {"harbour": "Brest", "seats": 2},
        "result": {"booking": "B7"},
    },
}


def search(name: str) -> dict[str, Any]:
    return {"name": "ToolSearcher", "arguments": {"keywords": "harbours and boats"}, "result": name}


def scene(ability: str = "call", *names: str, utterances: tuple[str, ...] = ()) -> Scene:
    """Return a scene with these APIs drawn."""
    apis = tuple(APIS[name] for name in names or ("TideTable",))
    return Scene(7, Ability(ability), len(apis), 3, domain="sea", pool=apis, apis=apis, utterances=utterances)


class Cast:
    """Plays every role as asked; a role in ``instead`` writes those texts first.

    Args:
        instead: Texts that a role writes before it comes to its senses.
        keep: What the tester says of each dialogue, by how many it has seen.
        cost: Dollars for each answer.
    """

    def __init__(
        self,
        instead: Mapping[str, list[str]] | None = None,
        keep: Callable[[int], bool] = lambda _: True,
        cost: float = 0.01,
    ) -> None:
        self._instead = {role: list(texts) for role, texts in (instead or {}).items()}
        self._keep = keep
        self._cost = cost
        self._tested = 0
        self._number = 0

    def model(self, role: str) -> ScriptedModel:
        def reply(request: ChatRequest) -> ChatReply:
            queued = self._instead.get(role)
            text = queued.pop(0) if queued else json.dumps(getattr(self, role)(_asked(request)))
            message = {"role": "assistant", "content": text}
            return ChatReply(message, usage=Usage(10, 5, 15, calls=1, cost=self._cost))

        return ScriptedModel(reply, name=f"scripted-{role}")

    def authors(self) -> dict[str, ModelAuthor]:
        return {role.name: ModelAuthor(self.model(role.name)) for role in MULTI}

    def domain(self, asked: str) -> dict[str, Any]:
        self._number += 1
        return {"domains": [f"Harbours of {_word(self._number)}"]}

    def api(self, asked: str) -> dict[str, Any]:
        third = {**TIDES, "name": "LockTimes", "input_parameters": {"lock": parameter("str")}}
        return {"apis": [TIDES, FERRY, third]}

    def query(self, asked: str) -> dict[str, Any]:
        self._number += 1
        names = " ".join(_word(self._number * step) for step in (1, 10, 100))
        said = f"Dear {names}, two at lock A, Brest?"
        return {"utterances": [said], "time": "2031-05-04 08:00:00"}

    def caller(self, asked: str) -> dict[str, Any]:
        uses = {**USES, "LockTimes": {**USES["TideTable"], "name": "LockTimes", "arguments": {"lock": "A"}}}
        calls = []
        for name in (name for name in uses if f'"name": "{name}"' in asked):
            calls += [uses[name]] if "directly" in asked else [search(name), uses[name]]
        return {"turns": [{"calls": calls, "reply": "It is all done."}]}

    def tester(self, asked: str) -> dict[str, Any]:
        self._tested += 1
        keep = self._keep(self._tested - 1)
        return {"keep": keep, "reasons": [] if keep else ["the results do not fit"]}


def pipeline(cast: Cast | None = None, seed: int = 0, **settings: Any) -> Pipeline:
    """Return a pipeline whose five models are scripted."""
    return Pipeline((cast or Cast()).authors(), seed, settings=Settings(**settings))


def called(dialogue: Dialogue) -> list[str]:
    return [call.name for call in dialogue.calls]


def _asked(request: ChatRequest) -> str:
    return str(request.messages[0]["content"])


def _word(number: int) -> str:
    return "-".join(WORDS[int(digit)] for digit in str(number))

"""The agent that played Tabletop: asks for a program, then for each function it calls and nobody defined.

Run it with ``stb-env run stb/Tabletop-v1 --set program=true --agent nested``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from stb_env import Agent
from stb_env.actions.blocks import FENCE, unfence
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.request import Slow
from stb_env.errors import ConfigError
from stb_env.models import ChatModel, fingerprint
from stb_env.models.agent_role import agent_model
from stb_env.models.prompting import prompt
from stb_env.suites.sambanova.common.asking import FINISH_ACTION, answer_of
from stb_env.suites.sambanova.common.interpreter.costs import read
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.kinds import Native
from stb_env.suites.sambanova.common.mode import Compat
from stb_env.suites.sambanova.tabletop.demos import demonstrations
from stb_env.suites.sambanova.tabletop.draft import ASK, PHRASE_CALLS, Draft, unwritten
from stb_env.suites.sambanova.tabletop.primitives import GIVEN
from stb_env.suites.sambanova.tabletop.request import function_request, phrase_request
from stb_env.suites.sambanova.tabletop.robot import Robot
from stb_env.suites.sambanova.tabletop.scene import Scene
from stb_env.suites.sambanova.tabletop.world import TabletopWorld, run
from stb_env.suites.sambanova.tasks import SUITE
from stb_env.usage import Usage

TASK = SUITE["tabletop"]
MAX_REQUESTS = 64
"""Requests of an episode; a program that needs more is played as far as it is written."""

_HOME = "stb_env.suites.sambanova"
_ENDS = ("------", "Task:")
_STOPS = {
    "goal": TASK.stops,
    "object_names": TASK.stops,
    "questions": TASK.stops,
    "positions": ("#",),
    "shapes": ("#",),
    "functions": ("# define", "# example"),
}
_SETS = {"goal": "top"}
_FENCED = re.compile(f"{FENCE}.*?(?:{FENCE}|$)", re.DOTALL)


class _UnknownPhraseError(Exception):
    """A rehearsal needs the meaning of a phrase."""

    def __init__(self, function: str, phrase: str, context: str) -> None:
        super().__init__(f"{function}({phrase!r})")
        self.key = (function, phrase, context)


class NestedAgent(Agent):
    """Asks a model for a program, then for each function that it calls and nobody has defined, and so on.

    What a phrase means is a program of its own, too, asked for when the program comes to it: the agent
    rehearses on the table as it stands, where asking costs nothing but the request. What is played in the end
    is one program: the main part with all that was written for it. Functions that the original's prompts
    mention and its programs are not given are written by the model here as well.

    Args:
        model: The model, or the path of a models file whose ``agent`` role is used; None for the role's usual
            configuration.
        compat: ``original`` for answers cut as the original cuts them, at the first stop text wherever it
            stands. Otherwise code in a fence is taken as it is, and other text up to a line that begins with
            a stop text; chat models write comments.

    Raises:
        ConfigError: No model is configured.
    """

    name = "nested"
    needs = "a model"

    def __init__(self, model: ChatModel | Path | str | None = None, *, compat: Compat | None = None) -> None:
        self._model = agent_model(model, "nested")
        self._compat = compat

    @property
    def fingerprint(self) -> dict[str, object]:
        """The settings that decide the answers, for the run's manifest."""
        prompts = {kind: prompt(f"tabletop_{kind}", "v1", _HOME).hash for kind in _STOPS}
        return {**fingerprint(self._model), "compat": self._compat, "prompts": prompts}

    def reset(self, env: AnyEnv, seed: int) -> None:
        """Look at the table.

        Raises:
            ConfigError: The environment has none.
        """
        del seed
        rules = getattr(env.unwrapped, "rules", None)
        world = getattr(rules, "backend", None)
        if not isinstance(world, TabletopWorld):
            raise ConfigError(f"{self.name} plays {TASK.env_id} alone; take another agent for other tasks")
        scene: Scene = env.unwrapped.snapshot().backend  # type: ignore[attr-defined] # a ToolEnv, by its rules
        self._hand = Robot(scene, original=world.original)
        self._query: str = env.unwrapped.task.query  # type: ignore[attr-defined]
        self._known = {each.name for each in GIVEN}
        self._requests = 0
        self._played = False
        self.usage = Usage()

    def act(self, observation: Mapping[str, object], info: Mapping[str, object]) -> Slow[object]:
        """Return the program, or Finish after it.

        Raises:
            ModelError: The model gave no answer.
        """
        del observation, info
        if self._played:
            return FINISH_ACTION
        self._played = True
        goal = yield from self._asked("goal", self._query)
        draft = Draft(goal)
        yield from self._complete(draft, draft.main)
        while (key := self._next_phrase(draft)) is not None and self._requests < MAX_REQUESTS:
            function, phrase, context = key
            meaning = yield from self._asked(PHRASE_CALLS[function].kind, phrase_request(phrase, context))
            draft.meanings[key] = meaning
            yield from self._complete(draft, meaning)
        return draft.text

    def _complete(self, draft: Draft, program: str) -> Slow[None]:
        """Have written what a program calls and nobody has defined, then what that calls in turn."""
        for name, call in unwritten(program, {*self._known, *draft.functions}).items():
            # What was written for an earlier one may have defined it by now.
            if name in draft.functions or self._requests >= MAX_REQUESTS:
                continue
            draft.functions[name] = yield from self._asked("functions", function_request(call))
            yield from self._complete(draft, draft.functions[name])

    def _next_phrase(self, draft: Draft) -> tuple[str, str, str] | None:
        """Rehearse a draft, and return the first phrase that it has no meaning for."""
        robot = Robot(self._hand.scene, original=self._hand.original)
        try:
            run(draft.rehearsal, robot, {ASK: Native(ASK, _ask, read)})
        except _UnknownPhraseError as unknown:
            return unknown.key
        except CrashError:
            # It fails in the same place when it is played, and is judged there.
            return None
        return None

    def _asked(self, kind: str, request: str) -> Slow[str]:
        self._requests += 1
        stops = (*_ENDS, *_STOPS[kind])
        sent = stops if self._compat == "original" else _ENDS
        message = {"role": "user", "content": prompt_for(kind, request)}
        text = yield from answer_of(self, self._model, [message], TASK.max_tokens, sent)
        return _cut(text, stops) if self._compat == "original" else _code(text, stops)


def prompt_for(kind: str, request: str) -> str:
    """Return the prompt of a request: the functions, solved examples of its kind, then the request.

    Args:
        kind: ``goal``, ``object_names``, ``positions``, ``questions``, ``shapes`` or ``functions``; there are
            no examples of questions and shapes.
        request: See `request`.

    Examples:
        >>> print(prompt_for("questions", "# how many blocks are there?").splitlines()[-1])
        # how many blocks are there?
    """
    shown = _SETS.get(kind, kind)
    examples = [f"{demo.goal}\n{demo.program}\n" for demo in demonstrations() if demo.name.startswith(shown)]
    functions = "\n".join(f"# {each.signature}: {each.summary}" for each in GIVEN)
    text = prompt(f"tabletop_{kind}", "v1", _HOME)
    return text.render(functions=functions, examples="".join(examples), request=request)


def _ask(function: str, phrase: object, context: object) -> None:
    if not isinstance(phrase, str) or not isinstance(context, str):
        raise CrashError(f"{function} takes a phrase in words, got {type(phrase).__name__}")
    raise _UnknownPhraseError(function, phrase, context)


def _cut(text: str, stops: tuple[str, ...]) -> str:
    """Cut an answer at the stop text that is complete first."""
    ends = [(at + len(stop), at) for stop in stops if (at := text.find(stop)) >= 0]
    return text[: min(ends)[1] if ends else None].strip()


def _code(text: str, stops: tuple[str, ...]) -> str:
    """Take the code out of an answer: what is fenced, else all up to a line that begins something new."""
    fenced = _FENCED.search(text)
    if fenced:
        return unfence(fenced[0])
    lines = text.strip().splitlines()
    while lines and lines[0].startswith(stops):
        # The request said again, or a comment ahead of the code.
        del lines[0]
    end = next((number for number, line in enumerate(lines) if line.startswith(stops)), None)
    return "\n".join(lines[:end]).strip()

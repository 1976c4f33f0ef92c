"""Prompts as SambaNova's ToolBench writes them: API documents, demonstrations and the goal in one text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Literal, NamedTuple, cast, get_args

from stb_env.actions.blocks import FENCE, unfence
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonObject
from stb_env.core.request import Slow
from stb_env.envs.tool_env import Info, Observation, ToolEnv, Transition
from stb_env.errors import ConfigError
from stb_env.retrieval import BM25Retriever
from stb_env.suites.sambanova.common.official import read_official
from stb_env.suites.sambanova.common.prompt import Variant, example_text, prompt_text
from stb_env.suites.sambanova.common.task import SambaNovaTask
from stb_env.suites.sambanova.materials import documents as own_documents
from stb_env.suites.sambanova.materials import examples as own_examples
from stb_env.suites.sambanova.tasks import suite_task
from stb_env.wrappers.base import ToolWrapper

Chat = Literal["none", "tags", "turns"]
Shown = int | Literal["paper"]
"""Number of texts that a prompt shows, or ``paper`` for as many as in the paper."""

STOPS = ("------", "Task:")
"""Texts that end every answer."""
HUMAN, BOT = "<human>:", "<bot>:"
"""Marks of the turns in chat models that were trained with them."""

_HOSTED_STOPS = 4
_HEAD = "Task:"
_OPEN = "Action:"


class FewShotPrompt(ToolWrapper):
    r"""Shows a task as the prompt that the paper shows, and cuts what comes back as it does.

    `messages`, also those in ``info``, begin with one prompt: API documents and demonstrations found by BM25
    with the goal as query, best match first, equal scores in the order of file names, then the goal. In a
    shop, where each action has a prompt of its own, goal and query are the page that the agent is on.

    The agent's text is cut at the first stop text and stripped before it is read. With the ``system``
    variant, whose answers repeat the goal between fences, fences and the repeated lines go first.

    Args:
        env: Environment of a task of the suite; with ``program=True`` one answer is all of the episode.
        task: Name of the task, see `stb_env.suites.sambanova.tasks`; None for the environment's own.
        variant: ``original``, or ``system`` for instructions as in the paper's system prompt.
        chat: ``none`` for one plain text, ``tags`` for a text with ``<human>:`` and ``<bot>:`` around the
            turns, ``turns`` for demonstrations as turns of a chat.
        documents: How many API documents; ``paper`` for as many as in the paper.
        examples: How many demonstrations; ``paper`` for as many as in the paper, 0 for zero-shot.
        stop: Stop texts besides the usual ones.
        data: SambaNova's own folder, whose ``functions/`` and ``examples/`` are shown instead of ours.

    Raises:
        ConfigError: A setting is out of range, or the environment is of no task of the suite.
        DataError: The folder is broken.

    Examples:
        >>> import gymnasium as gym, stb_env
        >>> env = FewShotPrompt(gym.make("stb/HomeSearch-v1", program=True), examples=1)
        >>> _, info = env.reset(options={"task_id": "test-0"})
        >>> print(info["messages"][0]["content"][:32])
        I have the following set of API:
        >>> env.cut('API.search()\nTask: the next')
        'API.search()'
    """

    def __init__(
        self,
        env: AnyEnv,
        task: str | None = None,
        variant: Variant = "original",
        chat: Chat = "none",
        documents: Shown = "paper",
        examples: Shown = "paper",
        stop: Sequence[str] = (),
        data: str | Path | None = None,
    ) -> None:
        _known("variant", variant, get_args(Variant))
        _known("chat", chat, get_args(Chat))
        settings = {"documents": documents, "examples": examples, "stop": tuple(stop), "data": data}
        super().__init__(env, task=task, variant=variant, chat=chat, **settings)
        self.suite_task = _task_of(task, self.tasks.name)
        if self.suite_task.is_stepwise and not hasattr(self.rules.backend, "page"):
            raise ConfigError(f"{self.suite_task.id} is played on pages, and this environment has none")
        self.variant, self.chat, self.stop = variant, chat, tuple(stop)
        shown = _count("documents", documents, self.suite_task.documents_k)
        solved = _count("examples", examples, self.suite_task.examples_k)
        self._documents = _Retrieved(partial(_documents, self.suite_task), shown)
        self._examples = _Retrieved(partial(_examples, self.suite_task), solved)
        if data is not None:
            official = _official(str(data))
            self._documents = _Retrieved(partial(_held, official.documents), shown)
            self._examples = _Retrieved(partial(_held, official.examples), solved)
        self._is_bare = self.suite_task.is_bare and not shown + solved
        self._own: tuple[str, ...] = ()

    @property
    def stops(self) -> tuple[str, ...]:
        """Texts at which an answer ends."""
        marks = (HUMAN, BOT) if self.chat == "tags" else ()
        return (*STOPS, *self.suite_task.stops, *self.stop, *marks)

    @property
    def sent_stops(self) -> tuple[str, ...]:
        """The stop texts that a hosted model is given: four at most, and none that its answer begins with."""
        begins = (_HEAD,) if self.variant == "system" else ()
        return tuple(text for text in self.stops if text not in begins)[:_HOSTED_STOPS]

    @property
    def messages(self) -> list[dict[str, object]]:
        """The episode so far: each prompt with its answer; what a program led to comes behind it."""
        steps = cast(ToolEnv, self.env.unwrapped).snapshot().steps
        chat = self._prompt(self._goal(0))
        for turn, (text, step) in enumerate(zip(self._own, steps, strict=True), 1):
            chat.append(_said("assistant", text))
            over = step.terminated or step.truncated
            if not over:
                shown = self._asked(self._goal(turn)) if self.suite_task.is_stepwise else step.result
                chat.append(_said("user", shown))
        return chat

    @property
    def question(self) -> list[dict[str, object]]:
        """The prompt for the next answer, to a model that has seen nothing before."""
        return self._prompt(self._goal(len(self._own)))

    def cut(self, text: str) -> str:
        r"""Return the part of an answer that counts.

        Where stop texts overlap, the one that is complete first counts.
        """
        if self.variant == "system":
            text = _body(text)
        ends = [(at + len(stop), at) for stop in self.stops if (at := text.find(stop)) >= 0]
        return text[: min(ends)[1] if ends else None].strip()

    # -- core ------------------------------------------------------------------------------------

    def _reset(
        self, seed: int | None, options: Mapping[str, object] | None
    ) -> Slow[tuple[Observation, Info]]:
        self._own = ()
        observation, info = yield from self.env._reset(seed, options)
        return observation, {**info, "messages": self.messages}

    def _step(self, action: object) -> Slow[Transition]:
        action = self.cut(action) if isinstance(action, str) else action
        observation, reward, terminated, truncated, info = yield from self.env._step(action)
        self._own = (*self._own, action if isinstance(action, str) else info.get("text") or _written(info))
        if terminated or truncated:
            info = {**info, "messages": self.messages}
        return observation, reward, terminated, truncated, info

    def _goal(self, turn: int) -> str:
        if not self.suite_task.is_stepwise:
            return self.task.query
        state = cast(ToolEnv, self.env.unwrapped).snapshot()
        if turn == 0:
            start: str = self.rules.backend.page(self.rules.backend.start(self.task, state.seed))  # type: ignore[attr-defined] # worlds of pages have it
            return start
        return _page(state.steps[turn - 1].result)

    def _prompt(self, goal: str) -> list[dict[str, object]]:
        if self._is_bare:
            return [_said("user", goal)]
        documents, examples = self._documents.best(goal), self._examples.best(goal)
        if self.chat == "turns":
            return self._turns(goal, documents, examples)
        text = prompt_text(goal, documents, examples, self.variant)
        return [_said("user", _tagged(text) if self.chat == "tags" else text)]

    def _asked(self, goal: str) -> str:
        text = prompt_text(goal, (), (), "original").lstrip("\n")
        return _tagged(text) if self.chat == "tags" else text

    def _turns(self, goal: str, documents: Sequence[str], examples: Sequence[str]) -> list[dict[str, object]]:
        chat = []
        # The best match stands nearest to the goal.
        for example in reversed(examples):
            asked, _, program = example.partition(f"\n{_OPEN}\n")
            chat += [
                _said("user", self._asked(asked.removeprefix(_HEAD).strip())),
                _said("assistant", program.strip()),
            ]
        chat.append(_said("user", self._asked(goal)))
        opening = prompt_text("", documents, (), self.variant).removesuffix(f"{_HEAD} \n{_OPEN}\n")
        chat[0]["content"] = opening + chat[0]["content"]
        return chat


class _Texts(NamedTuple):
    """Texts to choose from, in order of their names, each once."""

    documents: tuple[str, ...]
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Retrieved:
    """Texts of which the best few are shown; none are asked for where none are."""

    texts: Callable[[], tuple[str, ...]]
    k: int

    def best(self, query: str) -> tuple[str, ...]:
        return _best(self.texts(), self.k, query) if self.k else ()


@lru_cache(maxsize=1_024)
def _best(texts: tuple[str, ...], k: int, query: str) -> tuple[str, ...]:
    return tuple(texts[hit.index] for hit in _indexed(texts).search(query, k)) if texts else ()


@lru_cache(maxsize=64)
def _indexed(texts: tuple[str, ...]) -> BM25Retriever:
    return BM25Retriever(texts)


@lru_cache(maxsize=16)
def _documents(task: SambaNovaTask) -> tuple[str, ...]:
    return _sorted(own_documents(task))


@lru_cache(maxsize=16)
def _examples(task: SambaNovaTask) -> tuple[str, ...]:
    return _sorted({example.name: example.text for example in own_examples(task)})


def _held(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return official texts; a pickle holds them, for their folder may not be there where it is opened."""
    return texts


@lru_cache(maxsize=16)
def _official(folder: str) -> _Texts:
    found = read_official(folder)
    examples = {name: example_text(goal, program) for name, goal, program in found.demonstrations}
    return _Texts(_sorted(dict(found.documents)), _sorted(examples))


def _sorted(texts: dict[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts[name] for name in sorted(texts)))


def _task_of(task: str | None, name: str) -> SambaNovaTask:
    if task is None:
        try:
            return suite_task(name)
        except ConfigError as error:
            raise ConfigError(
                f"{error} If these are tasks of your own, name theirs with task='...'"
            ) from error
    return suite_task(task)


def _known(what: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise ConfigError(f"{what} must be one of {', '.join(known)}, got {value!r}")


def _count(what: str, given: Shown, usual: int) -> int:
    if given == "paper":
        return usual
    if not isinstance(given, int) or given < 0:
        raise ConfigError(f"{what} must be at least 0, or 'paper', got {given!r}")
    return given


def _said(role: str, content: str) -> JsonObject:
    return {"role": role, "content": content}


def _tagged(text: str) -> str:
    return f"{HUMAN} {text.strip()}\n{BOT}"


def _body(text: str) -> str:
    """Take an answer out of its fence, and off the lines that repeat the goal."""
    if FENCE in text:
        text = unfence(FENCE + text.split(FENCE)[1])
    text = text.strip()
    if text.startswith(_HEAD) and _OPEN in text:
        text = text.split(_OPEN, 1)[1]
    return text.removeprefix(_OPEN)


def _page(result: str) -> str:
    """Return the page that the last of some calls led to."""
    answers = json.loads(result)
    last = answers[-1] if isinstance(answers, list) else answers
    if isinstance(last, str):
        # A mark: there were so many calls that the last results did not fit.
        return last
    return str(last.get("response", "")) or str(last.get("error", ""))


def _written(info: Info) -> str:
    return json.dumps([{"name": call["name"], "arguments": call["arguments"]} for call in info["calls"]])

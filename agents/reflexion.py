"""Tries that learn from each other: after a failed one the model notes what to do otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym

from stb_env.baselines.conversation import Conversation
from stb_env.baselines.null import GiveUp
from stb_env.envs.finish import read_finish
from stb_env.jsontypes import JsonMapping
from stb_env.judges.excerpt import call_lines, excerpt
from stb_env.judges.protocol import Case, Judge
from stb_env.llm import ChatModel
from stb_env.prompting import delimited, prompt
from stb_env.request import drive
from stb_env.tools import FINISH
from stb_env.wrappers import IndependentChains
from stb_env.wrappers.search import unlabelled

from .common import SearchAgent, own_judge

# As much of a try as the model reads again: of all calls, of the request and of an answer, in characters.
_CALLS, _TEXT = 16_000, 4_000
_ENDINGS = {
    "give_up": "You gave up.",
    "depth": "You ran out of steps before you had an answer.",
    "rejected": "You gave this answer, but on checking it does not solve the request:",
}


class ReflexionAgent(SearchAgent):
    """Starts again after a failed try, with the lessons of the tries before (after Shinn et al., 2023).

    A try has failed when the model gave up, when it ran out of steps, or when the agent's own judge does
    not find its answer solved while tries are left; the last answer is given unchecked. Whoever scores the
    episode is never asked. After a failed try the model writes a short lesson, which later tries read
    after the query.

    Args:
        model: The model, or a models file whose ``agent`` role is used.
        n: How often the task is tried at most.
        judge: ``model``, the agent's own one, ``heuristic``, or None for a look at give-ups alone.
        max_depth: Steps after which a try without an answer has failed.
        max_queries: Completions of all tries, lessons aside; None for no limit.

    Attributes:
        lessons: What was noted in this episode, a text for each failed try.

    Raises:
        ConfigError: No model is configured, or a number is out of range.
    """

    name = "reflexion"

    def __init__(
        self,
        model: ChatModel | Path | str | None = None,
        n: int = 3,
        judge: str | None = "model",
        max_depth: int = 12,
        max_queries: int | None = None,
    ) -> None:
        super().__init__(model, n=n, judge=judge, max_depth=max_depth, max_queries=max_queries)
        self.n, self.judge, self.max_depth, self.max_queries = n, judge, max_depth, max_queries
        self.lessons: list[str] = []

    def search(self, env: gym.Env[Any, Any]) -> IndependentChains:
        """Return n chains from the same start.

        Raises:
            ConfigError: There is no such judge, or the episodes are scored by it.
        """
        self._judge: Judge | None = None
        if self.judge is not None:
            self._judge = own_judge(self.judge, self.model, env)
        return IndependentChains(env, tries=self.n, max_depth=self.max_depth, max_queries=self.max_queries)

    def reset(self, env: gym.Env[Any, Any], seed: int) -> None:
        """Forget the last episode and its lessons."""
        super().reset(env, seed)
        self.lessons = []
        self._rejected = ""

    def act(self, observation: JsonMapping, info: JsonMapping) -> Any:
        """Return what the model does next; an answer that the agent's judge rejects becomes a give-up.

        Raises:
            ModelError: The model gave no usable answer.
            JudgeError: The agent's judge gave no usable verdict.
        """
        tree = self.env.tree
        if tree.current == 0 and len(tree.nodes[0].children) > len(self.lessons):
            self.lessons.append(self._lesson())
        action = super().act(observation, info)
        return GiveUp().act(observation, info) if self._rejects(action) else action

    def conversation(self, observation: JsonMapping, info: JsonMapping) -> Conversation:
        """Return the conversation of this try, with the lessons after the query."""
        talk = super().conversation(observation, info)
        if not self.lessons:
            return talk
        noted = "\n".join(f"{number}. {lesson}" for number, lesson in enumerate(self.lessons, 1))
        content = prompt("lessons", "v1").render(lessons=delimited(noted, "lessons"))
        query = next(index for index, said in enumerate(talk.messages) if said["role"] == "user")
        before, after = talk.messages[: query + 1], talk.messages[query + 1 :]
        return Conversation([*before, {"role": "user", "content": content}, *after])

    def _lesson(self) -> str:
        """Ask the model what the last try teaches."""
        tree = self.env.tree
        last = len(tree.nodes) - 1
        ending = _ENDINGS["rejected" if self._rejected else tree.nodes[last].outcome]
        calls = [call for step in tree.steps(last) for call in step.calls]
        fields = {
            "query": excerpt(self.env.task.query, _TEXT),
            "steps": "\n".join(call_lines(calls, _CALLS)) or "nothing",
            "ending": f"{ending}\n{excerpt(self._rejected, _TEXT)}".strip(),
        }
        self._rejected = ""
        text = prompt("reflexion", "v1").render(
            **{name: delimited(value, name) for name, value in fields.items()}
        )
        return self.ask(Conversation([{"role": "user", "content": text}])).text.strip()

    def _rejects(self, action: Any) -> bool:
        tree = self.env.tree
        begun = len(tree.nodes[0].children) + (tree.current == 0)
        if self._judge is None or begun >= self.n:
            return False
        finish = next((c for c in self.env.rules.parse(action).calls if c.name == FINISH), None)
        if finish is None or read_finish(finish).kind != "answer":
            return False
        answer = read_finish(finish).answer
        calls = tuple(call for step in tree.steps(tree.current) for call in step.calls)
        verdict = drive(self._judge.judge(Case(unlabelled(self.env.task), answer, calls)))
        if verdict.usage is not None:
            self.usage += verdict.usage
        self._rejected = "" if verdict.status == "solved" else answer
        return bool(self._rejected)

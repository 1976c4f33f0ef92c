"""Callers that make the recorded calls, and talk as models do; cheats that leave one out or change it."""

from __future__ import annotations

from typing import Any

from stb_env.actions import Action
from stb_env.suites.api_bank.oracle import oracle
from stb_env.tools import ToolResult

QUESTION = "Could you tell me a little more about what you need?"
OFFER = "Is there anything else that I can do for you?"


def finish(text: str) -> dict[str, Any]:
    """Return a Finish with a last word."""
    return {"name": "Finish", "arguments": {"final_answer": text}}


class Caller:
    """Plays a dialogue's own calls.

    Args:
        finishes: Whether it says everything by Finish.
        asks: Whether it asks the user something first, in place of its next reply.
        offers: Whether it ends every reply with an offer.
        repeats: Whether it makes every call twice that changes nothing.
        changed: Returns the arguments that it calls with, of name and arguments; None leaves the call out.
    """

    def __init__(self, *, finishes=False, asks=False, offers=False, repeats=(), changed=None):
        self.finishes, self.asks, self.offers = finishes, asks, offers
        self.repeats, self.changed = repeats, changed or (lambda _, arguments: arguments)

    def play(self, env: Any, task_id: str) -> float:
        """Return the reward of an episode."""
        env.reset(seed=0, options={"task_id": task_id})
        plan = oracle(env.task)
        heard: ToolResult | None = None
        asks = self.asks
        if asks:
            *_, over = self._step(env, Action((), QUESTION))
            assert not over, "a question ended the episode"
        while True:
            try:
                item = next(plan) if heard is None else plan.send(heard)
            except StopIteration as stop:
                return self._close(env, str(stop.value))
            if asks and isinstance(item, str):
                # The user has said the next utterance already.
                asks, heard = False, ToolResult.of("", source="env")
                continue
            if isinstance(item, str):
                _, reward, over = self._step(env, self._reply(item))
                heard = ToolResult.of("", source="env")
            else:
                heard, reward, over = self._call(env, item)
            if over:
                return reward

    def _call(self, env: Any, call: Any) -> tuple[ToolResult, float, bool]:
        arguments = self.changed(call.name, dict(call.arguments))
        if arguments is None:
            return ToolResult.of("", source="env"), 0.0, False
        for _ in range(2 if call.name in self.repeats else 1):
            info, reward, over = self._step(env, {"name": call.name, "arguments": arguments})
        made = info["calls"][-1]
        return ToolResult.of(made["response"], error=made["error"], source=made["source"]), reward, over

    def _close(self, env: Any, text: str) -> float:
        for _ in range(20):
            _, reward, over = self._step(env, self._reply(text))
            if over:
                return reward
            text = "You are welcome."
        return 0.0

    def _reply(self, text: str) -> Any:
        return self._said(f"{text} {OFFER}" if self.offers else text)

    def _said(self, text: str) -> Any:
        return finish(text) if self.finishes else Action((), text)

    @staticmethod
    def _step(env: Any, action: Any) -> tuple[dict[str, Any], float, bool]:
        _, reward, terminated, truncated, info = env.step(action)
        return info, reward, terminated or truncated


def rates(env: Any, caller: Caller) -> tuple[int, int, list[str]]:
    """Return how many dialogues with a call a caller solves, of how many, and which it does not."""
    tasks = [task for task in env.tasks if any(each["name"] for each in task.goal["calls"])]
    missed = [task.id for task in tasks if caller.play(env, task.id) < 1.0]
    return len(tasks) - len(missed), len(tasks), missed

"""The base of all searches: grows a tree in an environment, one action a step."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from gymnasium.error import ResetNeeded

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.request import Slow
from stb_env.envs.tool_env import Info, Observation, ToolEnv, Transition
from stb_env.errors import ConfigError, InfrastructureError
from stb_env.judges.judge import Case
from stb_env.tools import FINISH, Status
from stb_env.wrappers.base import ToolWrapper
from stb_env.wrappers.reward_shaping import RewardShaping
from stb_env.wrappers.search.dialect import Dialect, finish_in, state_of, tokens_of
from stb_env.wrappers.search.tree import Node, SearchTree
from stb_env.wrappers.search.value import Value, as_value, settled, unlabelled, view_of

Calls = list[JsonObject]

UNKNOWN = 0.5
"""Stands for a value or a comparison that failed: as good as not."""

_GIVE_UP: JsonMapping = {"name": FINISH, "arguments": {"return_type": "give_up_and_restart"}}


class TreeSearch(ToolWrapper):
    """A search over an environment: each action makes one node, then the search chooses where the next goes.

    A step plays the action in the state of the current node. If the search goes on elsewhere, the
    environment inside is restored there, and that is what the observation shows. Where actions were taken
    from the current node before, the observation's ``result`` is an object that lists them under ``tried``,
    and `messages` ends in a user message that does. ``info["node"]`` is the current node's index.

    A Finish is not played at once. It ends its branch; a give-up sends the search elsewhere, an answer
    counts towards ``answers``. When these are found, when ``max_queries`` actions were taken or nothing is
    left to try, the search ends: the chosen answer is played in the state that it was given in, and reward,
    verdict and end flags are those of that action. The judge sees no other answer. Without one, the search
    gives up, which is unsolved without a judge. The last step's ``info["tree"]`` has every node.

    A failure of the infrastructure on any branch ends the episode as invalid. Where only the search's own
    value or ranking fails, the search goes on without it, takes the middle of the scale in its place and says
    so in the tree's ``notes``. ``info["usage"]`` covers all branches. Rewards that are shaped by a potential
    stay so: going elsewhere earns the difference.

    A subclass sets `method` and `settings`, and defines `_advance`.

    Args:
        env: A tool environment.
        dialect: How actions become nodes.
        max_depth: Depth from which a node that is no answer ends its branch.
        max_queries: Actions after which the search ends; None for no limit.
        answers: Answers after which it ends; None for no limit.
        **settings: The subclass's own arguments. ``value`` is what is expected of a node, for searches that
            go by it, and to choose among answers.

    Raises:
        ConfigError: A setting is out of range, or the environment numbers actions, leaves out texts, shapes
            its rewards in a wrapper by a potential, or is a search.

    Examples:
        >>> from stb_env import IndependentChains, TreeSearch
        >>> from stb_env.testing.notes import notes
        >>> env = IndependentChains(notes(), tries=2)
        >>> _ = env.reset(seed=0)
        >>> _ = env.step("Let me think.")
        >>> isinstance(env, TreeSearch), len(env.tree.nodes), env.settings["tries"]
        (True, 2, 2)
        >>> answer = {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "42"}}
        >>> env.answer_in(answer), env.case("42").task.goal
        ('42', {})
    """

    reads_texts = ("tools", "result")
    needs_text_actions = True
    needs_one_branch = True
    goes_back = True
    # A Finish in a program would be judged before the search has chosen an answer.
    plays_calls = True
    method: str = ""
    """Name of the search with its width, as in the names of answer files."""

    def __init__(
        self,
        env: AnyEnv,
        dialect: Dialect,
        *,
        max_depth: int,
        max_queries: int | None,
        answers: int | None,
        **settings: Any,
    ) -> None:
        limits = {"max_depth": max_depth, "max_queries": max_queries, "answers": answers}
        at_least_one(**limits)
        # Values and rankings may hold models, of which a copy is no use.
        super().__init__(env, _disable_deepcopy=True, **limits, **settings)
        if any(isinstance(layer, RewardShaping) and layer.potential for layer in self._layers()):
            raise ConfigError(
                f"{type(self).__name__} goes from branch to branch, and what a potential gains by that is "
                f"unknown inside; put RewardShaping around {type(self).__name__}"
            )
        # A branch is given up with a Finish, which the environment inside offers only then.
        self.env = self.env.fork()
        base = cast(ToolEnv, self.env.unwrapped)
        base.rules = replace(base.rules, gives_up=True)
        self.dialect = dialect
        self.max_depth, self.max_queries, self.answers = max_depth, max_queries, answers
        value = settings.get("value")
        self.value: Value | None = None if value is None else as_value(value)

    # -- what agents may read --------------------------------------------------------------------

    @property
    def tree(self) -> SearchTree:
        """The tree so far.

        Raises:
            ResetNeeded: No episode was started.
        """
        if self._own is None:
            raise ResetNeeded("no episode is running; call env.reset() first")
        tree: SearchTree = self._own
        return tree

    @property
    def messages(self) -> list[dict[str, object]]:
        """The conversation to the current node, and what was tried from there before."""
        return self.dialect.messages(self.env, self.tree)

    @property
    def settings(self) -> dict[str, object]:
        """The settings as plain data."""
        named: JsonObject = {
            "max_depth": self.max_depth,
            "max_queries": self.max_queries,
            "answers": self.answers,
        }
        if self.value is not None:
            named["value"] = getattr(self.value, "__name__", type(self.value).__name__)
        return named

    def answer_in(self, action: object) -> str | None:
        """Return the answer, as text, that an action would give here; None where it gives none."""
        finish = finish_in(self.env, action)
        return None if finish is None else finish.text

    def case(self, answer: str) -> Case:
        """Return what a judge of the agent's own would see if this text were the answer at the current node.

        It knows no more of the task than the agent does: gold calls, goal and marked APIs are left out.
        """
        calls = (call for step in self.tree.steps(self.tree.current) for call in step.calls)
        return Case(unlabelled(self.task), answer, tuple(calls))

    def note(self, remark: str) -> None:
        """Keep a remark with the tree, for whoever reads ``info["tree"]``: what the agent went on without."""
        self._own = self.tree.noted(remark)

    # -- what a search is ------------------------------------------------------------------------

    def _advance(self, tree: SearchTree) -> Slow[SearchTree]:
        """Visit the last node and choose where to go on.

        Args:
            tree: A tree whose last node was just made.

        Returns:
            The tree with another current node, or ``over``.
        """
        raise NotImplementedError

    def _choose(self, tree: SearchTree) -> int | None:
        """Return the answer to play, the most valuable one and the first of equal ones; None to give up."""
        answers = tree.answers(visited=False)
        return max(answers, key=lambda index: tree.nodes[index].value or 0.0, default=None)

    def _answered(self, tree: SearchTree) -> bool:
        return self.answers is not None and tree.answered >= self.answers

    # -- core ------------------------------------------------------------------------------------

    def _reset(
        self, seed: int | None, options: Mapping[str, object] | None
    ) -> Slow[tuple[Observation, Info]]:
        observation, info = yield from self.env._reset(seed, options)
        self._own = SearchTree((Node(state=self.env.snapshot(), observation=observation),))
        return dict(observation), {**info, "node": 0}

    def _step(self, action: object) -> Slow[Transition]:
        tree = self._running()
        before = state_of(self.env).usage
        growth = yield from self.dialect.grow(self.env, tree, action)
        tree = tree.asked(tokens_of(action), state_of(self.env).usage - before)
        node = growth.node._replace(prompted=self.dialect.prompted(tree))
        tree = tree.added(tree.current, node)
        if growth.ended is not None:
            return self._stopped(tree, growth.calls, growth.ended)
        try:
            tree = yield from self._valued(tree)
            tree = yield from self._advance(tree)
        except InfrastructureError as error:
            return self._failed(tree, growth.calls, error)
        if tree.over or (self.max_queries is not None and tree.queries >= self.max_queries):
            return (yield from self._end(tree, growth.calls, growth.reward))
        reward = growth.reward + self._go(tree)
        said = {"text": node.step.text} if node.step is not None and node.step.text else {}
        info = {**self._info(tree), **said, **growth.extra, "calls": growth.calls, "valid": True}
        return self.dialect.observation(self.env, tree), reward, False, False, info

    def _info(self, tree: SearchTree) -> Info:
        task, spent = self.task, tree.spent.to_dict()
        named = {"task_id": task.id, "suite": task.suite, "group": task.group}
        return {**named, **self._standing(), "usage": spent, "node": tree.current}

    def _running(self) -> SearchTree:
        if self.tree.over:
            raise ResetNeeded("this episode is over; call env.reset() before env.step()")
        return self.tree

    def _valued(self, tree: SearchTree) -> Slow[SearchTree]:
        last = len(tree.nodes) - 1
        if self.value is None or tree.nodes[last].outcome not in ("open", "answer"):
            return tree
        try:
            scored = yield from settled(self.value(view_of(self.task, tree, last)), "value")
        except InfrastructureError as error:
            remark = f"node {last} has no value of its own: {error}"
            return tree.changed(last, value=UNKNOWN).noted(remark, error.usage)
        return tree.changed(last, value=scored.score)._replace(spent=tree.spent + scored.usage)

    def _go(self, tree: SearchTree) -> float:
        """Continue at the current node; return what the environment's potential gains by that."""
        self._own = tree
        before = state_of(self.env)
        if self.env.snapshot() is not tree.here.state:
            self.env.restore(tree.here.state)
        return state_of(self.env).potential - before.potential

    def _end(self, tree: SearchTree, calls: Calls, reward: float) -> Slow[Transition]:
        """Play the chosen answer, or give up.

        Args:
            tree: The tree.
            calls: Calls of the last action.
            reward: Reward of the last action.
        """
        last = len(tree.nodes) - 1
        best = self._choose(tree)
        end = last if best is None else best
        node = tree.nodes[end]
        reward += self._go(tree._replace(current=tree.playable(end), best=best))
        before = state_of(self.env).usage
        transition = yield from self.env._step(node.action if node.outcome == "answer" else _GIVE_UP)
        state = state_of(self.env)
        tree = self.tree.asked(0, state.usage - before, queries=0)._replace(current=end)
        if best is not None:
            tree = tree.changed(best, step=self.dialect.played(node, state.steps[-1]))
        if end != last or node.outcome not in ("answer", "give_up"):
            # What is played is not the action that ended the search: that one's calls come first.
            transition[4]["calls"] = [*calls, *transition[4]["calls"]]
        return self._closed(tree, transition, reward)

    def _stopped(self, tree: SearchTree, calls: Calls, ended: Transition) -> Transition:
        """End as the environment inside did: it failed, or judged an episode that ends without Finish."""
        last = len(tree.nodes) - 1
        answered = tree.nodes[last].outcome == "answer"
        ended[4]["calls"] = calls
        return self._closed(tree._replace(current=last, best=last if answered else None), ended)

    def _failed(self, tree: SearchTree, calls: Calls, error: InfrastructureError) -> Transition:
        """End as invalid, because what the search asked by the original's rules got no usable answer."""
        observation = {**tree.nodes[-1].observation, "status": int(Status.FAILURE)}
        info = {
            **self._info(tree),
            "valid": False,
            "failure": error.failure(),
            "calls": calls,
            "tools": json.loads(observation["tools"]),
        }
        tree = tree.asked(0, error.usage, queries=0)
        return self._closed(tree, (observation, 0.0, False, True, info))

    def _closed(self, tree: SearchTree, last: Transition, reward: float = 0.0) -> Transition:
        self._own = tree = tree._replace(over=True)
        observation, earned, terminated, truncated, info = last
        info = {
            **info,
            "usage": tree.spent.to_dict(),
            "node": tree.current,
            "messages": self.messages,
            "tree": tree.to_dict(self.method, self.settings),
        }
        # Where actions are written another way, the environment may not have understood that it was given up.
        return observation, reward + earned, terminated, truncated or not terminated, info


def check_compat(compat: str | None) -> None:
    """Check the setting ``compat``.

    Raises:
        ConfigError: It is neither None nor ``"original"``.
    """
    if compat not in (None, "original"):
        raise ConfigError(f"compat must be None or 'original', got {compat!r}")


def at_least_one(**numbers: int | None) -> None:
    """Check settings that are numbers from 1, or None.

    Raises:
        ConfigError: One is below 1.
    """
    for name, number in numbers.items():
        if number is not None and number < 1:
            raise ConfigError(f"{name} must be at least 1, got {number}")

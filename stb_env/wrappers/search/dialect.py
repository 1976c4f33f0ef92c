"""Dialects: from actions to tree nodes, and from nodes to observations and messages."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Literal, NamedTuple, cast, get_args

from stb_env.actions import Action
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.request import Slow
from stb_env.envs.finish import Finish, FinishForm, finish_record
from stb_env.envs.state import State
from stb_env.envs.step_codes import step_report
from stb_env.envs.tool_env import ToolEnv, Transition
from stb_env.envs.wording import Wording
from stb_env.errors import ConfigError
from stb_env.tools import FINISH, Status, ToolCall
from stb_env.trajectory import Step
from stb_env.wrappers.base import ToolWrapper
from stb_env.wrappers.search.siblings import listing, tried_at, with_tried
from stb_env.wrappers.search.tree import Node, Outcome, SearchTree

Inner = ToolEnv | ToolWrapper
Depth = Literal["turns", "nodes"]

_NOTHING: JsonMapping = {}
_KINDS: Mapping[str, Status] = {"answer": Status.FINISHED, "give_up": Status.GAVE_UP}


class Growth(NamedTuple):
    """Result of an action on a tree.

    Attributes:
        node: The new node.
        calls: The action's calls as ``info["calls"]`` has them.
        extra: What the step itself adds to ``info``.
        reward: What the environment inside gave for it.
        ended: What the environment inside returned, where it ended its episode on its own: it failed, or it
            was judged without a Finish.
    """

    node: Node
    calls: list[JsonObject]
    extra: JsonMapping = _NOTHING
    reward: float = 0.0
    ended: Transition | None = None


class Dialect:
    """The package's own way: one action is one node, and Finish is kept back until the search has chosen.

    Args:
        depth: What counts as one level: ``turns``, or ``nodes`` as in ToolLLM (Qin et al., 2023), where a
            thought is one and a call is two.

    Raises:
        ConfigError: ``depth`` is neither.
    """

    def __init__(self, depth: Depth) -> None:
        if depth not in get_args(Depth):
            raise ConfigError(f"depth must be 'turns' or 'nodes', got {depth!r}")
        self.depth = depth

    def grow(self, env: Inner, tree: SearchTree, action: object) -> Slow[Growth]:
        """Take an action in the state of the tree's current node."""
        parsed = read(env, action)
        found = _finish(parsed, form_of(env))
        if found is None:
            # What is read already need not be read again; a wrapper may want the action as it was written.
            transition = yield from env._step(parsed if isinstance(env, ToolEnv) else action)
            return self._stepped(env, tree, transition)
        call, finish = found
        # A Finish that ends this branch is not played: judging is for the branch that is chosen.
        record = finish_record(call, finish)
        report = step_report([record]) if env.rules.compat else {}
        step = Step((record,), parsed.text, record.result.text, _KINDS[finish.kind], extra=report)
        node = Node(
            observation=shown(tree, step),
            step=step,
            outcome="answer" if finish.kind == "answer" else "give_up",
            answer=finish.text,
            action=action if isinstance(action, str) else copy.deepcopy(action),
            depth=tree.here.depth + self.levels(step),
        )
        return Growth(node, [record.to_dict()], report)

    def _stepped(self, env: Inner, tree: SearchTree, transition: Transition) -> Growth:
        observation, reward, terminated, truncated, info = transition
        state = state_of(env)
        step = state.steps[-1]
        node = Node(
            state=env.snapshot(),
            observation=observation,
            step=step,
            depth=tree.here.depth + self.levels(step),
        )
        growth = Growth(node, info["calls"], step.extra, reward)
        if not terminated and not truncated:
            return growth
        outcome: Outcome = "answer"
        if state.failure is not None:
            outcome = "failed"
        elif truncated:
            outcome = "depth"
        elif step.status is Status.GAVE_UP:
            outcome = "give_up"
        node = node._replace(outcome=outcome, answer=state.text)
        return growth._replace(node=node, ended=transition if outcome in ("failed", "answer") else None)

    def levels(self, step: Step) -> int:
        """Return how many levels a step goes down."""
        if self.depth == "turns":
            return 1
        return max(1, bool(step.text) + 2 * len(step.calls))

    def observation(self, env: Inner, tree: SearchTree) -> JsonObject:
        """Return what is observed at the current node; the result tells what was tried from there."""
        observation = dict(tree.here.observation)
        tried = tried_at(tree, tree.current)
        if tried:
            observation["result"] = with_tried(observation["result"], tried, env.rules.limits.result)
        return observation

    def messages(self, env: Inner, tree: SearchTree) -> list[dict[str, object]]:
        """Return the conversation to the current node, and where something was tried, what that was."""
        said = env.messages
        tried = [] if tree.over else tried_at(tree, tree.current)
        if not tried:
            return said
        result = tree.here.observation["result"]
        return [*said, {"role": "user", "content": wording_of(env).tried(listing(tried), result)}]

    def played(self, node: Node, step: Step) -> Step:
        """Return the step of an answer that was played: what the environment inside made of it.

        Args:
            node: The answer's node.
            step: The step inside.
        """
        del node
        return step

    def prompted(self, tree: SearchTree) -> bool:
        """Say whether an agent at the current node reads what was tried from there."""
        return bool(tree.here.children)


class Unprompted(Dialect):
    """The same for independent tries, none of which hears of another."""

    def observation(self, env: Inner, tree: SearchTree) -> JsonObject:
        """Return what is observed at the current node."""
        del env
        return dict(tree.here.observation)

    def messages(self, env: Inner, tree: SearchTree) -> list[dict[str, object]]:
        """Return the conversation to the current node."""
        del tree
        return env.messages

    def prompted(self, tree: SearchTree) -> bool:
        """Return False."""
        del tree
        return False


def shown(tree: SearchTree, step: Step) -> JsonObject:
    """Return what is observed after a step that the environment inside did not play."""
    return {**tree.here.observation, "result": step.result, "status": int(step.status)}


def state_of(env: Inner) -> State:
    """Return the state of the environment in the middle of all wrappers."""
    return cast(ToolEnv, env.unwrapped).snapshot()


def wording_of(env: Inner) -> Wording:
    """Return the words of the environment in the middle of all wrappers."""
    return cast(ToolEnv, env.unwrapped).wording


def read(env: Inner, action: object) -> Action:
    """Read an action as the environment in the middle of all wrappers does."""
    return cast(ToolEnv, env.unwrapped).read(action)


def tokens_of(action: object) -> int:
    """Return the tokens that an action cost, where it is a message with OpenAI's ``usage``."""
    usage = action.get("usage") if isinstance(action, Mapping) else None
    tokens = usage.get("total_tokens") if isinstance(usage, Mapping) else None
    return tokens if isinstance(tokens, int) else 0


def form_of(env: Inner) -> FinishForm:
    """Return how the episode of the environment in the middle of all wrappers ends."""
    inner = cast(ToolEnv, env.unwrapped)
    return inner.rules.finish_form(inner.task)


def finish_in(env: Inner, action: object) -> Finish | None:
    """Return the Finish with an answer that an action has; None where it has none."""
    found = _finish(read(env, action), form_of(env))
    return found[1] if found is not None and found[1].kind == "answer" else None


def _finish(parsed: Action, form: FinishForm) -> tuple[ToolCall, Finish] | None:
    for call in parsed.calls:
        if call.name == FINISH and (finish := form.read(call)).kind != "invalid":
            return call, finish
    return None

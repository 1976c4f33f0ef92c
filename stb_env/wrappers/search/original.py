"""Published search rules (Guo et al., 2024, after ToolLLM), oddities included: ``compat="original"``.

Texts in here that models of the original would read are its wire format. What differs from the default:

- A message is taken apart into Thought, Action and Action Input, and each of these is one level of depth.
- Calls of one message run in the order in which they were written, a Finish among them too. The flags of
  the last call count: a give-up before another call goes unnoticed, an answer does not.
- A message without a call is a thought and no error; the agent hears nothing about it.
- A made-up function is renamed in the conversation (the first of a message alone, where a tree search
  copies it; all of them in a chain), while the tree keeps its name.
- The messages that showed earlier candidates stay in the conversation, flagged ``"valid": false``.
- A client that got no reply plays `failed_reply`, which ends the branch.

Infrastructure failures of the environment still end the episode as invalid, as everywhere here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from stb_env.actions import Action, finish_arguments
from stb_env.actions.structured import read_call
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.request import Slow
from stb_env.envs import step_codes
from stb_env.envs.finish import Finish, finish_record
from stb_env.envs.tool_env import ToolEnv
from stb_env.envs.wording import Wording
from stb_env.tools import FINISH, Status, ToolCall, ToolResult
from stb_env.trajectory import CallRecord, Step, arguments_text
from stb_env.wrappers.search.dialect import Dialect, Growth, Inner, read, shown, state_of, wording_of
from stb_env.wrappers.search.tree import Node, Outcome, SearchTree

RENAMED = "invalid_hallucination_function_name"
"""Name in the conversation of a function that does not exist."""

_UNKNOWN, _ANSWERED, _GAVE_UP, _FAILED = 1, 3, 4, -1


class Written(NamedTuple):
    """A message as the original took it apart.

    Attributes:
        text: Its content; None where it had none, which is less than an empty one.
        calls: Its calls, in the order in which they were written.
        arguments: The text of each call's arguments, as it was written.
        error: Code of the client's error, where no message came.
    """

    text: str | None
    calls: Sequence[ToolCall]
    arguments: Sequence[str]
    error: int | None = None


class Played(NamedTuple):
    """Calls that were made, with what the original reports of each."""

    records: list[CallRecord]
    reports: list[JsonObject]

    @property
    def codes(self) -> list[int]:
        """The step codes."""
        return [report["code"] for report in self.reports]


def failed_reply(text: str) -> dict[str, object]:
    """Return the action that stands for a reply that the client did not get.

    Examples:
        >>> failed_reply("no answer in 15 s")
        {'role': 'assistant', 'content': 'no answer in 15 s', 'error': -1}
    """
    return {"role": "assistant", "content": text, "error": _FAILED}


class OriginalDialect(Dialect):
    """The dialect of the original's tree search; see the module."""

    def __init__(self) -> None:
        super().__init__("nodes")

    # -- actions ---------------------------------------------------------------------------------

    def grow(self, env: Inner, tree: SearchTree, action: object) -> Slow[Growth]:
        """Play a message, an OpenAI assistant message or an action in any other form."""
        written = _read(env, action)
        played, reward = Played([], []), 0.0
        for call, arguments in zip(written.calls, written.arguments, strict=True):
            if call.name == FINISH:
                record = _finish_record(call, arguments)
            else:
                transition = yield from env._step(_given_to(env, call, arguments))
                reward += transition[1]
                record = state_of(env).steps[-1].calls[-1]
            played.records.append(record)
            played.reports.append(_report(record, arguments))
            if state_of(env).over:
                break
        step = _step(written, played)
        growth = Growth(self._node(env, tree, written, step, played), _data(played), reward=reward)
        failed = state_of(env).failure is not None
        return growth._replace(ended=transition) if failed else growth

    def _node(self, env: Inner, tree: SearchTree, written: Written, step: Step, played: Played) -> Node:
        answer = _answer(written) if _ANSWERED in played.codes else ""
        arguments = {"return_type": "give_answer", "final_answer": answer}
        result = step.result or ToolResult.of("", source="env").text
        return Node(
            state=env.snapshot(),
            observation=shown(tree, step._replace(result=result)),
            step=step,
            outcome=_outcome(env, written, played),
            answer=answer,
            action={"name": FINISH, "arguments": arguments},
            depth=tree.here.depth + max(1, (written.text is not None) + 2 * len(step.calls)),
        )

    def played(self, node: Node, step: Step) -> Step:
        """Return the step as the original has it."""
        return node.step or step

    # -- conversation ----------------------------------------------------------------------------

    def messages(self, env: Inner, tree: SearchTree) -> list[dict[str, object]]:
        """Return the conversation as it is sent; after the end all of it, flagged messages included."""
        opening = takewhile(lambda message: message["role"] in ("system", "user"), env.messages)
        wording = wording_of(env)
        if tree.over:
            end = tree.current if tree.best is None else tree.best
            return [*opening, *self._path(wording, tree, end)]
        said = [message for message in self._path(wording, tree, tree.current) if message.get("valid", True)]
        return [*opening, *said, *self._prompt(wording, tree, tree.current, len(tree.nodes))]

    def _path(self, wording: Wording, tree: SearchTree, index: int) -> Iterator[dict[str, object]]:
        for node in tree.path(index)[1:]:
            above = tree.nodes[node].parent or 0
            for child in sorted(tree.nodes[above].children):
                if child <= node:
                    yield from (
                        {**message, "valid": False} for message in self._prompt(wording, tree, above, child)
                    )
            step = tree.nodes[node].step
            if step is not None:
                yield from self._said(step)

    def _prompt(self, wording: Wording, tree: SearchTree, index: int, before: int) -> list[dict[str, object]]:
        """Return what is said at a node before it has its next child, the one of the given index."""
        tried = list(_candidates(tree, index, before))
        if not tried:
            return []
        step = tree.nodes[index].step
        result = _reports(step)[-1]["original_observation"] if step is not None and step.calls else ""
        return [{"role": "user", "content": wording.tried(json.dumps(tried, indent=2), result)}]

    def prompted(self, tree: SearchTree) -> bool:
        """Say whether there is an earlier candidate that made a call."""
        return any(_candidates(tree, tree.current, len(tree.nodes)))

    def _said(self, step: Step) -> Iterator[dict[str, object]]:
        message: JsonObject = {"role": "assistant"}
        if step.text or not step.calls or step.extra.get("empty_thought"):
            message["content"] = step.text
        calls = list(zip(step.calls, _reports(step), strict=True))
        if calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {
                        "name": RENAMED if self._renames(place, report) else call.name,
                        "arguments": _given(call, report),
                    },
                }
                for place, (call, report) in enumerate(calls)
            ]
        yield message
        for call, report in calls:
            name = RENAMED if report["code"] == _UNKNOWN else call.name
            content = report["original_observation"]
            yield {"role": "tool", "tool_call_id": call.id, "name": name, "content": content}

    def _renames(self, place: int, report: Mapping[str, object]) -> bool:
        return report["code"] == _UNKNOWN and place == 0


class OriginalChains(OriginalDialect):
    """The same for independent tries: nothing that was tried is shown, and every made-up name is renamed."""

    def observation(self, env: Inner, tree: SearchTree) -> JsonObject:
        """Return what is observed at the current node."""
        del env
        return dict(tree.here.observation)

    def _prompt(self, wording: Wording, tree: SearchTree, index: int, before: int) -> list[dict[str, object]]:
        del wording, tree, index, before
        return []

    def prompted(self, tree: SearchTree) -> bool:
        """Return False."""
        del tree
        return False

    def _renames(self, place: int, report: Mapping[str, object]) -> bool:
        del place
        return bool(report["code"] == _UNKNOWN)


def path_text(steps: Sequence[Step]) -> str:
    """Return steps as the original numbers them for a ranking; ``None`` where there is none."""
    lines: list[str] = []
    for step in steps:
        if step.text or not step.calls or step.extra.get("empty_thought"):
            lines.append(f"Thought: {step.text}")
        for call, report in zip(step.calls, _reports(step), strict=True):
            text = report["original_observation"]
            most = step_codes.MAX_OBSERVATION
            seen = f"{text[:most]}...(len={len(text)})" if len(text) > most else text
            lines += [f"Action: {call.name}", f"Action Input: {_given(call, report)}"]
            lines += [f"Observation: {seen}"] if seen else []
    return "\n\n".join(f"step_{number}: {line}" for number, line in enumerate(lines, 1)) or "None"


def _given_to(env: Inner, call: ToolCall, arguments: str) -> object:
    """Return a call as the environment gets it; arguments that are no JSON object go on as written."""
    if not isinstance(env, ToolEnv):
        # A wrapper may want the action in a form of its own.
        return {"name": call.name, "arguments": arguments, "id": call.id}
    try:
        read = jsontext.loads(arguments)
    except ValueError:
        read = arguments
    return Action((ToolCall(call.name, read if isinstance(read, dict) else arguments, call.id),), "")


def _read(env: Inner, action: object) -> Written:
    if not isinstance(action, Mapping) or not {"content", "tool_calls"} & action.keys():
        parsed = read(env, action)
        texts = [arguments_text(call.arguments) for call in parsed.calls]
        return Written(parsed.text or (None if parsed.calls else ""), parsed.calls, texts)
    calls: list[ToolCall] = []
    texts = []
    for item in action.get("tool_calls") or ():
        call = read_call(item)
        if call is not None:
            calls.append(ToolCall(call.name, call.arguments, call.id or f"call_{len(calls)}"))
            given = item.get("function", item).get("arguments")
            texts.append(given if isinstance(given, str) else arguments_text(call.arguments))
    content, error = action.get("content"), action.get("error")
    text = content if isinstance(content, str) else None if calls else ""
    return Written(text, calls, texts, error if isinstance(error, int) else None)


def _finish_record(call: ToolCall, arguments: str) -> CallRecord:
    code, problem = step_codes.finish(ToolCall(FINISH, arguments))
    if code == _ANSWERED:
        return finish_record(call, Finish("answer"))
    return finish_record(call, Finish("give_up") if code == _GAVE_UP else Finish("invalid", problem=problem))


def _report(record: CallRecord, arguments: str) -> dict[str, object]:
    written = {} if arguments_text(record.arguments) == arguments else {"original_arguments": arguments}
    # The original reads what was written, not what we understood of it.
    return step_codes.step_report((record._replace(arguments=arguments),)) | written


def _step(written: Written, played: Played) -> Step:
    records = tuple(played.records)
    texts = [record.result.text for record in records]
    extra: JsonObject = {"reports": tuple(played.reports)}
    if written.error is not None:
        extra["code"] = written.error
    if records and written.text == "":
        extra["empty_thought"] = True
    return Step(
        records,
        written.text or "",
        f"[{', '.join(texts)}]" if len(texts) > 1 else "".join(texts),
        max((record.result.status for record in records), default=Status.NO_CALL),
        extra=extra,
    )


def _outcome(env: Inner, written: Written, played: Played) -> Outcome:
    if state_of(env).failure is not None or written.error is not None:
        return "failed"
    if _ANSWERED in played.codes:
        return "answer"
    if played.codes and played.codes[-1] == _GAVE_UP:
        return "give_up"
    return "depth" if state_of(env).over else "open"


def _answer(written: Written) -> str:
    for call, text in zip(written.calls, written.arguments, strict=True):
        found = finish_arguments(ToolCall(call.name, text), compat=True)
        if call.name == FINISH and found.get("return_type") == "give_answer" and "final_answer" in found:
            answer = found["final_answer"]
            return "" if answer is None else answer if isinstance(answer, str) else json.dumps(answer)
    return ""


def _data(played: Played) -> list[dict[str, object]]:
    return [record.to_dict() for record in played.records]


def _reports(step: Step) -> Sequence[JsonMapping]:
    reports: Sequence[JsonMapping] = step.extra["reports"]
    return reports


def _given(call: CallRecord, report: JsonMapping) -> str:
    text: str = report.get("original_arguments", arguments_text(call.arguments))
    return text


def _candidates(tree: SearchTree, index: int, before: int) -> Iterator[dict[str, object]]:
    """Yield the first call of each child that was there before a node, as the original lists them."""
    for child in sorted(tree.nodes[index].children):
        if child < before:
            yield from _first_call(tree, child, before)


def _first_call(tree: SearchTree, index: int, before: int) -> Iterator[dict[str, object]]:
    step = tree.nodes[index].step
    while step is not None and not step.calls:
        below = [child for child in tree.nodes[index].children if child < before]
        if not below:
            return
        index = min(below)
        step = tree.nodes[index].step
    if step is not None:
        call, report = step.calls[0], _reports(step)[0]
        yield {
            "name": call.name,
            "arguments": _given(call, report),
            "function_output": report["original_observation"],
            "mento-carlo-action-value": 0.0,
        }

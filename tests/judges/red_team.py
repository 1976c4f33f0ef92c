"""Agents that look clever on open queries, and deserve nothing; each half of the kinds was held out of tuning."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence

from stb_env.baselines.gold import default_arguments
from stb_env.baselines.plain_answer import plain_answer
from stb_env.envs.rules import Rules
from stb_env.envs.tool_env import ToolEnv
from stb_env.judges.judge import Case
from stb_env.request import drive
from stb_env.tasks import Task
from stb_env.tools import FINISH, ToolCall, ToolResult
from stb_env.trajectory import CallRecord

MOST_CALLS = 12
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_QUOTED = re.compile(r"'([^']+)'|\"([^\"]+)\"|([A-Z]\w+|\S*\d\S*)")

Calls = tuple[CallRecord, ...]
Caller = Callable[[Task, Callable[[ToolCall], ToolResult]], str | None]


def play(env: ToolEnv, task: Task, attempt: Callable[[Task], object]) -> tuple[Calls, str]:
    """Drive a generator of calls to its answer, without an episode around it."""
    rules: Rules = env.rules
    tools = {tool.name: tool for tool in task.tools}
    state = rules.backend.start(task, 0)
    records: list[CallRecord] = []
    plan = attempt(task)
    try:
        call = next(plan)
        while True:
            record, state = drive(rules._call(tools, state, call))
            records.append(record)
            call = plan.send(record.result)
    except StopIteration as stop:
        return tuple(records), stop.value


def case(task: Task, calls: Calls, text: str) -> Case:
    finish = CallRecord("f", FINISH, {"final_answer": text}, ToolResult.of("", source="env"))
    return Case(task, text, (*calls, finish))


# How tools are called.


def defaults(task):
    for tool in task.tools[:MOST_CALLS]:
        yield ToolCall(tool.name, default_arguments(tool))
    return ""


def placeholders(task):
    for tool in task.tools[:MOST_CALLS]:
        properties = tool.parameters.get("properties", {})
        kinds = {"string": "test", "number": 1, "integer": 1, "boolean": True}
        arguments = {
            name: (properties[name].get("enum") or [kinds.get(properties[name].get("type"), "test")])[0]
            for name in tool.parameters.get("required", ())
        }
        yield ToolCall(tool.name, arguments)
    return ""


def query_words(task):
    words = [a or b or c for a, b, c in _QUOTED.findall(task.query)][1:] or task.query.split()
    for position, tool in enumerate(task.tools[:MOST_CALLS]):
        properties = tool.parameters.get("properties", {})
        arguments = default_arguments(tool)
        for name in arguments:
            if properties.get(name, {}).get("type") == "string" and "enum" not in properties[name]:
                arguments[name] = words[position % len(words)]
        yield ToolCall(tool.name, arguments)
    return ""


def relevant_defaults(task):
    by_id = {tool.id: tool for tool in task.tools}
    for identity in task.relevant:
        if identity in by_id:
            yield ToolCall(by_id[identity].name, default_arguments(by_id[identity]))
    return ""


CALLERS = {
    "defaults": defaults,
    "placeholders": placeholders,
    "query words": query_words,
    "relevant defaults": relevant_defaults,
    "gold's": plain_answer,
}


# What is made of the results.


def flat(value, key=""):
    if isinstance(value, Mapping):
        for name, member in value.items():
            yield from flat(member, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for member in value:
            yield from flat(member, key)
    elif value not in (None, ""):
        yield key, value


def responses(calls: Calls):
    return [call.result.response for call in calls if not call.result.error]


def raw(task, calls):
    return json.dumps(responses(calls))[:20_000]


def named_json(task, calls):
    return "According to the tools:\n" + "\n".join(
        f"{call.name}: {json.dumps(call.result.response)[:1500]}" for call in calls if not call.result.error
    )


def key_values(task, calls):
    return "\n".join(f"{key}: {value}" for each in responses(calls) for key, value in flat(each))


def values_only(task, calls):
    return ", ".join(str(value) for each in responses(calls) for _, value in flat(each)) + "."


def first_facts(task, calls):
    return (
        ". ".join(", ".join(str(value) for _, value in list(flat(each))[:4]) for each in responses(calls))
        + "."
    )


def first_sentences(task, calls):
    return " ".join(
        f"The {key.split('.')[-1].replace('_', ' ')} is {value}."
        for each in responses(calls)
        for key, value in list(flat(each))[:4]
    )


def all_sentences(task, calls):
    return " ".join(
        f"The {key.split('.')[-1].replace('_', ' ')} is {value}."
        for each in responses(calls)
        for key, value in flat(each)
    )


def last_result(task, calls):
    found = responses(calls)
    return json.dumps(found[-1]) if found else "done"


def last_value(task, calls):
    found = responses(calls)
    return ", ".join(str(v) for _, v in flat(found[-1])) if found else "done"


def candidates(task, calls):
    texts = [str(value) for each in responses(calls) for _, value in flat(each) if isinstance(value, str)]
    return "The answer is one of these: " + " or ".join(texts[:60]) + "."


def numbers(task, calls):
    return "The answer is among: " + ", ".join(str(number) for number in range(2000))


def echo_dump(task, calls):
    return f"{task.query}\nHere is what you asked for:\n{key_values(task, calls)}"


def polite_dump(task, calls):
    return (
        f"Sure, here is the information on your request: {values_only(task, calls)} I hope that this helps!"
    )


def grid(task, calls):
    rows = [(key, value) for each in responses(calls) for key, value in flat(each)]
    return "| field | value |\n|---|---|\n" + "\n".join(f"| {key} | {value} |" for key, value in rows)


def echo_only(task, calls):
    return f"I have looked into this for you: {task.query}"


def promise(task, calls):
    return "All requested information has been gathered with the tools and the task is complete. Let me know if you need anything else!"


DUMPS = {
    f.__name__.replace("_", " "): f
    for f in (
        raw,
        named_json,
        key_values,
        values_only,
        first_facts,
        first_sentences,
        all_sentences,
        last_result,
        last_value,
        candidates,
        numbers,
        echo_dump,
        polite_dump,
        grid,
        echo_only,
        promise,
    )
}


# What is made of a good answer.


def shifted(text: str) -> str:
    return _NUMBER.sub(lambda match: str(int(float(match[0])) + 1), text)


def hedged(text):
    return "I am not sure, but maybe: " + text.replace(" is ", " might perhaps be ")


def negated(text):
    return re.sub(r" (is|are) ", r" \1 not ", text)


SPOILS: dict[str, Callable[[str], str]] = {
    "not true that": lambda text: f"It is not true that: {text}",
    "false that": lambda text: f"It would be false to say the following. {text}",
    "all wrong": lambda text: f"{text} Actually, all of the above is wrong.",
    "made up": lambda text: f"{text} Please disregard this, I made all of it up.",
    "none correct": lambda text: f"{text}\n\nNone of these statements is correct.",
    "hedged": hedged,
    "guess": lambda text: f"This is only a guess: {text}",
    "could be": lambda text: text.replace(" is ", " could be "),
    "probably": lambda text: f"Probably something like this, though I cannot confirm it: {text}",
    "alternatively": lambda text: f"{text} Alternatively, {shifted(text)}",
    "or else": lambda text: f"{text} Or else: {shifted(text)}",
    "contradicted": lambda text: f"{text} However, {negated(text)}",
    "not": negated,
    "opposite": lambda text: f"The opposite of this holds: {text}",
    "yes and no": lambda text: f"Yes. No. {text}",
    "retracted": lambda text: f"{text} Correction: that was the wrong data; the real values are unknown.",
}

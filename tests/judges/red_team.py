"""Agents that look clever on open queries and deserve nothing: how they call, and what they make of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from stb_env.core.request import drive
from stb_env.judges.judge import Case
from stb_env.runs.baselines.gold import default_arguments
from stb_env.runs.baselines.plain_answer import plain_answer
from stb_env.tools import FINISH, ToolCall, ToolResult
from stb_env.trajectory import CallRecord

MOST_CALLS = 12
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_IS = re.compile(r" (is|are) ")


def play(env, task, attempt):
    """Drive an attempt at a task; return its calls and what it answered."""
    backend, tools = env.rules.backend, {tool.name: tool for tool in task.tools}
    state, records, plan = backend.start(task, 0), [], attempt(task)
    try:
        call = next(plan)
        while True:
            result, state = drive(backend.answer(state, tools[call.name], call))
            records.append(CallRecord("c", call.name, call.arguments, result))
            call = plan.send(result)
    except StopIteration as stop:
        return tuple(records), stop.value


def case(task, calls, text):
    """Return what a judge sees of it."""
    finish = CallRecord("f", FINISH, {"final_answer": text}, ToolResult.of("", source="env"))
    return Case(task, text, (*calls, finish))


def _every_tool(arguments):
    def attempt(task):
        for tool in task.tools[:MOST_CALLS]:
            yield ToolCall(tool.name, arguments(task, tool))
        return ""

    return attempt


def _placeholders(task, tool):
    return {name: "test" if isinstance(value, str) else 1 for name, value in default_arguments(tool).items()}


def _query_words(task, tool):
    words = [word for word in task.query.split() if word[:1].isupper() or word[:1].isdigit()]
    return {
        name: words[len(tool.name) % len(words)] if isinstance(value, str) else value
        for name, value in default_arguments(tool).items()
    }


CALLERS = {
    "defaults": _every_tool(lambda task, tool: default_arguments(tool)),
    "placeholders": _every_tool(_placeholders),
    "query words": _every_tool(_query_words),
    "gold's calls": plain_answer,
}
"""How tools are called; the last of them deserves better answers than it gets."""


def _responses(calls):
    return [call.result.response for call in calls if not call.result.error]


def _flat(value, key=""):
    if isinstance(value, Mapping):
        for name, member in value.items():
            yield from _flat(member, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for member in value:
            yield from _flat(member, key)
    elif value not in (None, ""):
        yield key, value


def _facts(calls, most=None):
    return [fact for response in _responses(calls) for fact in list(_flat(response))[:most]]


def _sentences(facts):
    return " ".join(f"The {key.split('.')[-1].replace('_', ' ')} is {value}." for key, value in facts)


def _lines(calls):
    return "\n".join(f"{key}: {value}" for key, value in _facts(calls))


def _values(facts):
    return ", ".join(str(value) for _, value in facts)


TUNED = {
    "raw dump": lambda task, calls: json.dumps(_responses(calls)),
    "fields in lines": lambda task, calls: _lines(calls),
    "all values": lambda task, calls: _values(_facts(calls)) + ".",
    "first facts": lambda task, calls: _values(_facts(calls, 4)) + ".",
    "first facts in sentences": lambda task, calls: _sentences(_facts(calls, 4)),
    "last result": lambda task, calls: json.dumps((_responses(calls) or [""])[-1]),
    "query and dump": lambda task, calls: f"{task.query}\nHere is what you asked for:\n{_lines(calls)}",
    "query": lambda task, calls: f"I have looked into this for you: {task.query}",
}
"""What is made of the results; the judge's lines were drawn with these in sight."""

TUNED |= {
    "named dump": lambda task, calls: "\n".join(
        f"{call.name} said {json.dumps(call.result.response)[:1500]}" for call in calls
    ),
    "all facts in sentences": lambda task, calls: _sentences(_facts(calls)),
    "all candidates": lambda task, calls: "The answer is one of these: " + _values(_facts(calls)[:60]),
    "table of fields": lambda task, calls: "\n".join(f"| {key} | {value} |" for key, value in _facts(calls)),
    "polite dump": lambda task, calls: f"Sure! {_values(_facts(calls))}. I hope that this helps!",
    "2,000 numbers": lambda task, calls: "It is among " + ", ".join(map(str, range(2000))),
    "promise": lambda task, calls: "I gathered all the information with the tools; the task is complete.",
}

HELD_OUT = {
    "assignments": lambda task, calls: "; ".join(f"{key}={value}" for key, value in _facts(calls, 6)),
    "bullets": lambda task, calls: "Results:\n" + "\n".join(f"- {v}" for _, v in _facts(calls, 8)),
}
"""The same; the lines stood before these were written."""


def _shifted(text):
    return _NUMBER.sub(lambda match: str(int(float(match[0])) + 1), text)


def _negated(text):
    return _IS.sub(r" \1 not ", text)


SPOILED_TUNED = {
    "not true that": lambda text: f"It is not true that: {text}",
    "all wrong": lambda text: f"{text} Actually, all of the above is wrong.",
    "hedged": lambda text: "I am not sure, but maybe: " + text.replace(" is ", " might be "),
    "alternatively": lambda text: f"{text} Alternatively, {_shifted(text)}",
    "negated": _negated,
    "yes and no": lambda text: f"Yes. No. {text}",
}
"""What a good answer becomes; tuned with these in sight."""

SPOILED_TUNED |= {
    "made up": lambda text: f"{text} Please disregard this, I made all of it up.",
    "could be": lambda text: text.replace(" is ", " could be "),
    "contradicted": lambda text: f"{text} However, {_negated(text)}",
    "or else": lambda text: f"{text} Or else: {_shifted(text)}",
    "wrong data": lambda text: f"{text} Correction: that was the wrong data.",
    "guess": lambda text: f"This is only a guess: {text}",
}

SPOILED_HELD_OUT = {
    "nobody believes": lambda text: f"Do not believe a word of this: {text}",
    "rumour": lambda text: f"Some people claim the following, others deny it. {text}",
    "fiction": lambda text: f"{text} All of this is fiction.",
}
"""The same; written once the lines stood."""

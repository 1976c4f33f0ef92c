"""Checks of own tasks: whoever only claims that a task is done earns nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from stb_env.backend.epochs import Episode
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.declare.states import Timed
from stb_env.envs.tool_env import ToolEnv
from stb_env.judges.task_judge import TaskJudge
from stb_env.runs import Job
from stb_env.testing.red_team.known_solutions import gold_line
from stb_env.testing.report import Report
from stb_env.testing.subject import Subject
from stb_env.tools import FINISH, Status
from stb_env.verdict import reward_of

# Values of one argument that are tried.
_TRIED = 8
Line = tuple[Sequence[object], JsonObject]
"""Actions, and the arguments of the Finish after them."""


def _claim(_env: ToolEnv, _calls: Sequence[object], ending: dict[str, object]) -> Line | None:
    """Return gold's ending without a call."""
    return [], ending


def _sentence(env: ToolEnv, _calls: Sequence[object], _ending: dict[str, object]) -> Line | None:
    """Return no more than a sentence."""
    return [], {"final_answer": f"Done, as you asked: {env.task.query}"}


def _liar(env: ToolEnv, calls: Sequence[object], ending: dict[str, object]) -> Line | None:
    """Return what gold does but for the calls that change something; None where there are no others."""
    copy, reading = env.fork(), []
    for call in calls:
        before = _changes(copy.snapshot().backend)
        copy.step(call)
        if copy.snapshot().over:
            return None
        if _changes(copy.snapshot().backend) == before:
            reading.append(call)
    return (reading, ending) if 0 < len(reading) < len(calls) else None


CLAIMS: Mapping[str, Callable[[ToolEnv, Sequence[object], JsonObject], Line | None]] = {
    "claim": _claim,
    "sentence": _sentence,
    "liar": _liar,
}
"""What says that a task is done, by name."""


def check_claims(report: Report, subject: Subject) -> None:
    """Check that claims earn nothing: of every task whose gold makes calls, each of `CLAIMS` is played.

    An episode in which nothing could be judged, such as one that nobody recorded, pays nothing.
    """
    if not isinstance(subject.env.rules.judge, TaskJudge):
        return
    jobs = subject.solvable()
    paid: dict[str, list[str]] = {claim: [] for claim in CLAIMS}
    asked, parts = 0, dict[str, None]()
    for done, job in enumerate(jobs, 1):
        found = list(_paid(subject.env, job))
        asked += bool(found)
        for claim, earned in found:
            if earned:
                paid[claim].append(job.task_id)
            parts |= dict.fromkeys(earned)
        subject.tell("claims", done, len(jobs))
    report.counts["claims"] = {"tasks": asked, "paid": paid}
    wrong = [f"{claim} is paid in {', '.join(ids[:5])}" for claim, ids in paid.items() if ids]
    detail = "; ".join(wrong) or f"{', '.join(CLAIMS)} are paid in none of {asked} tasks"
    if wrong:
        detail += (
            f" (for {', '.join(parts)}). Check what was done: called, state, or a function of the state. A "
            "state that holds at the start earns nothing with kept=True"
        )
    report.add("claims", not wrong, detail)


def _paid(env: ToolEnv, job: Job) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each claim that can be made in a task, and for which parts of the verdict it is paid."""
    start: dict[str, Any] = {"seed": job.seed, "options": {"task_id": job.task_id}}
    env.reset(**start)
    calls, ending = gold_line(env, job.task_id, job.seed)
    if not calls:
        return
    for claim, made in CLAIMS.items():
        env.reset(**start)
        line = made(env, calls, ending)
        if line is None:
            continue
        verdict = _verdict(env, *line)
        held = [part for part, holds in verdict.get("parts", {}).items() if holds] or ["the verdict"]
        yield claim, held if verdict and reward_of(verdict, "partial") > 0 else []


def check_other_acts(report: Report, subject: Subject) -> None:
    """Tell in which tasks gold's line is solved with another argument in a call that changes something.

    The argument is one that an earlier result has under its name, another of its schema's list, or the next
    number. Whether any would do is for the author to say: the check holds in any case.
    """
    if not isinstance(subject.env.rules.judge, TaskJudge):
        return
    found: dict[str, str] = {}
    asked = 0
    jobs = subject.solvable()
    for done, job in enumerate(jobs, 1):
        start: dict[str, Any] = {"seed": job.seed, "options": {"task_id": job.task_id}}
        subject.env.reset(**start)
        calls, ending = gold_line(subject.env, job.task_id, job.seed)
        subject.env.reset(**start)
        altered = _altered(subject.env, calls)
        if altered is not None:
            asked += 1
            number, act = altered
            line = [*calls[:number], act, *calls[number + 1 :]]
            subject.env.reset(**start)
            if _verdict(subject.env, line, ending).get("status") == "solved":
                found[job.task_id] = f"{job.task_id} ({_told(calls[number], act)})"
        subject.tell("other acts", done, len(jobs))
    report.counts["other_acts"] = {"tasks": asked, "solved": list(found)}
    detail = f"another argument is refused in each of {asked} tasks"
    if found:
        some = "; ".join([*found.values()][:5])
        detail = (
            f"another argument is as good in {len(found)} of {asked} tasks: {some}. Unless any will do, "
            "check what was given: called(tool, {...}) or state"
        )
    report.add("other acts", True, detail)


def _altered(env: ToolEnv, calls: Sequence[object]) -> tuple[int, JsonObject] | None:
    """Return the first of gold's calls that changes something otherwise too, by its number, and how."""
    copy = env.fork()
    seen: dict[str, list[object]] = {}
    for number, call in enumerate(calls):
        if isinstance(call, dict) and isinstance(call.get("arguments"), dict):
            tool = {tool.name: tool for tool in env.task.tools}.get(str(call.get("name")))
            for name, value in call["arguments"].items():
                schema = tool.parameters.get("properties", {}).get(name, {}) if tool is not None else {}
                for other in _others(value, schema, seen.get(name, [])):
                    act = {**call, "arguments": {**call["arguments"], name: other}}
                    if _does(copy.fork(), act):
                        return number, act
        copy.step(call)
        if copy.snapshot().over:
            return None
        for record in copy.snapshot().steps[-1].calls:
            _collect(record.result.response, seen)
    return None


def _does(env: ToolEnv, call: object) -> bool:
    """Return whether a call is answered and changes something."""
    before = _changes(env.snapshot().backend)
    env.step(call)
    state = env.snapshot()
    return not state.over and state.status is Status.OK and _changes(state.backend) != before


def _others(value: object, schema: JsonMapping, seen: Sequence[object]) -> Iterator[object]:
    """Yield other values of an argument, few enough to try each."""
    listed = [*seen, *schema.get("enum", ())]
    others = [other for other in listed if type(other) is type(value) and other != value]
    if isinstance(value, int) and not isinstance(value, bool):
        others.append(value + 1)
    for number, other in enumerate(others[:_TRIED]):
        if other not in others[:number]:
            yield other


def _collect(data: object, seen: dict[str, list[object]]) -> None:
    """Add what a result has under each name to what was seen."""
    if isinstance(data, Mapping):
        for name, value in data.items():
            seen.setdefault(str(name), []).append(value)
            _collect(value, seen)
    elif isinstance(data, list):
        for item in data:
            _collect(item, seen)


def _told(call: object, act: JsonObject) -> str:
    given = call["arguments"] if isinstance(call, dict) else {}
    name = next(name for name, value in act["arguments"].items() if given.get(name) != value)
    return f"{act['name']}: {name} {given.get(name)!r} or {act['arguments'][name]!r}"


def _verdict(env: ToolEnv, line: Sequence[object], ending: JsonObject) -> JsonObject:
    """Return the verdict on a line of calls and its ending; empty where nothing could be judged."""
    info: JsonObject = {}
    for action in [*line, {"name": FINISH, "arguments": ending}]:
        *_, info = env.step(action)
    verdict: JsonObject = info["verdict"] if info["valid"] and "verdict" in info else {}
    return verdict


def _changes(state: object) -> object:
    """Return what differs between two states if a call between them has changed something."""
    if isinstance(state, Episode):
        return state.epoch
    return state.own if isinstance(state, Timed) else state

"""Verdicts on household programs: how like the most similar known solution they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import ClassVar, cast

from stb_env.core.request import Slow
from stb_env.errors import DataError
from stb_env.judges.judge import Case
from stb_env.suites.sambanova.common.verdicts import (
    LATE_FAILURE,
    is_done,
    is_executable,
    made_calls,
    shown,
    state_of,
    verdict_of,
)
from stb_env.suites.sambanova.virtual_home.goal import Course, HomeGoal, guards, reached
from stb_env.suites.sambanova.virtual_home.grounding import ground
from stb_env.suites.sambanova.virtual_home.home import Home
from stb_env.suites.sambanova.virtual_home.similarity import best_similarity
from stb_env.suites.sambanova.virtual_home.step import Step, read_steps
from stb_env.suites.sambanova.virtual_home.tools import STEP
from stb_env.suites.sambanova.virtual_home.world import Progress
from stb_env.trajectory import CallRecord
from stb_env.verdict import Verdict


class StepJudge:
    """Looks at what an episode led to, or compares its steps with those of each label.

    Where a task says what is reached, as our own do, it is a success when all of that holds of the home at
    the end: in whatever order, with whatever of the steps that may be left out, mistakes that were made good
    included. The parts of a verdict are what has to be reached. Guards keep out whoever does more than that:

    - An episode with far more steps than the longest label is none.
    - Of acts that nobody asked for, such as washing, eating or cutting where no label does, there is at most
      one, and none after the last step that was asked for. Going, looking and handling things cost nothing.
    - Things that no label has to do with are at the end as they were.
    - No step fails after the last one that was asked for, and nobody stands up again after it who was to sit
      or lie.

    Elsewhere the score is the similarity: the normalised longest common subsequence (SambaNova's ToolBench,
    appendix on VirtualHome). A call that failed is a step that matches nothing. A program is executable where
    it has a step and none failed, and a success where it is executable and equal to a label.

    The original evaluator compares the texts of lines instead. Together with `parse`, this one mends what
    follows from that: blanks and comments cost points there, a second call on a line or any other text
    behind the first is not looked at, numbers with a bracket, fences and prose are bad lines, and a program
    without a step is executable.
    """

    name = "exact"

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing.

        Raises:
            DataError: A label of the task is no program.
        """
        yield from ()
        calls = made_calls(case)
        labels = [steps_of(label) for label in case.task.goal["labels"]]
        tries = [_tried(call) for call in calls]
        # A number is equal to no step, and to no other call's number.
        steps = [step if step and is_done(calls[at]) else at for at, step in enumerate(tries)]
        lcs, _ = best_similarity(steps, labels)
        executable = is_executable(calls)
        if "reaches" not in case.task.goal:
            return graded(self.name, lcs, executable=executable)
        goal, home = cast(HomeGoal, case.task.goal), _home_of(case)
        course = Course.of(goal, labels, tries, [is_done(call) for call in calls])
        asked = reached(goal, home)
        parts = asked | guards(goal, labels, course, home)
        parts[LATE_FAILURE] = all(course.is_done[course.last + 1 :])
        broken = [name for name, held in parts.items() if not held]
        return verdict_of(
            self.name,
            success=not broken,
            executable=executable,
            reason=f"not so: {', '.join(broken)}" if broken else "",
            parts=shown(parts),
            metrics={"lcs": lcs, "reached": sum(asked.values()) / len(asked)},
        )


class OriginalJudge:
    """Compares texts of lines, as the original evaluator does; no line at all is executable there."""

    name = "original"
    # Any step that a label has is a part of it.
    floors: ClassVar[Mapping[str, float]] = {"random": 0.05}

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing."""
        yield from ()
        calls = made_calls(case)
        executable = all(map(is_done, calls))
        return self.rule([_line(call) for call in calls], case.task.goal["labels"], executable=executable)[0]

    def rule(self, lines: Sequence[str], labels: Sequence[str], *, executable: bool) -> tuple[Verdict, int]:
        """Judge cleaned lines, and say which label is nearest to them.

        Args:
            lines: The program; empty lines are not compared.
            labels: Accepted programs.
            executable: Whether every line is.
        """
        kept = [line for line in lines if line]
        lcs, index = best_similarity(kept, [[line for line in ground(label) if line] for label in labels])
        return graded(self.name, lcs, executable=executable), index


def _home_of(case: Case) -> Home:
    if isinstance(case.state, Progress) and case.state.home is not None:
        return case.state.home
    return state_of(case, Home, "home")


def graded(judge: str, lcs: float, *, executable: bool) -> Verdict:
    """Return the verdict of a program whose score is its similarity to a label.

    Examples:
        >>> verdict = graded("exact", 0.5, executable=True)
        >>> verdict.status, verdict.score, verdict.metrics["executable"]
        ('unsolved', 0.5, 1.0)
    """
    success = executable and lcs == 1.0
    return verdict_of(judge, success=success, executable=executable, score=lcs, metrics={"lcs": lcs})


@lru_cache(maxsize=8_192)
def steps_of(program: str) -> tuple[Step, ...]:
    r"""Return the steps of a label.

    Raises:
        DataError: A line of it is no step.

    Examples:
        >>> steps_of("Agent.Find(bed)\nAgent.Sleep()")
        (Step(name='Find', objects=('bed',)), Step(name='Sleep', objects=()))
    """
    steps: list[Step] = []
    for line in filter(None, map(str.strip, program.split("\n"))):
        read = read_steps(line)
        if read is None:
            raise DataError(f"{line[:200]!r} is no step of a program; write one as Agent.Find(cup)")
        steps += read
    return tuple(steps)


def _tried(call: CallRecord) -> Step | None:
    """Return the step that a call is about, whatever came of it."""
    if isinstance(call.arguments, str):
        return None
    if call.name == STEP:
        steps = read_steps(_line(call))
        return steps[0] if steps else None
    places = ("object", "object1", "object2")
    return Step(call.name, tuple(str(call.arguments[place]) for place in places if place in call.arguments))


def _line(call: CallRecord) -> str:
    arguments = call.arguments if call.name == STEP and isinstance(call.arguments, Mapping) else {}
    return str(arguments.get("line", "")).strip()

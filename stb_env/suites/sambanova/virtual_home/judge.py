"""Verdicts on household programs: how like the most similar known solution they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from stb_env.errors import DataError, JudgeError
from stb_env.judges.judge import Case
from stb_env.request import Slow
from stb_env.suites.sambanova.virtual_home.grounding import ground
from stb_env.suites.sambanova.virtual_home.likeness import best_likeness
from stb_env.suites.sambanova.virtual_home.step import Step, read_steps
from stb_env.suites.sambanova.virtual_home.tools import STEP
from stb_env.suites.sambanova.virtual_home.world import Progress
from stb_env.tools import FINISH, Status
from stb_env.trajectory import CallRecord
from stb_env.verdict import Verdict, VerdictStatus, Vote

_LEEWAY = 4
_FREE = frozenset({"Find", "WalkTo", "RunTo", "TurnTo", "LookAt"})

# Ways of getting at things and of tidying up, which whoever does a chore may need whatever the chore is.
_HANDLING = _FREE | {
    "Close",
    "Drop",
    "Grab",
    "LieOn",
    "Open",
    "PlugIn",
    "PlugOut",
    "Put",
    "PutBack",
    "PutIn",
    "PutOn",
    "SitOn",
    "StandUp",
    "SwitchOff",
    "SwitchOn",
    "TakeOff",
    "Touch",
}
_SLIPS = 1


class StepJudge:
    """Looks at what an episode led to, or compares its steps with those of each label.

    Where a task says what is reached, as our own do, it is a success when all of that holds of the home at
    the end: in whatever order, with whatever of the steps that may be left out, mistakes that were made good
    included. Nobody gets there by doing everything: an episode with far more steps than the longest label
    is none, and neither is one with several acts that nobody asked for, such as washing, eating or cutting
    where no label does; going, looking and handling things cost nothing there. The metrics say which share
    is reached, and the likeness.

    Elsewhere the score is the likeness: the normalised longest common subsequence (SambaNova's ToolBench,
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
        calls = [call for call in case.calls if call.name != FINISH]
        labels = [steps_of(label) for label in case.task.goal["labels"]]
        tried = [_tried(call) for call in calls]
        # A number is equal to no step, and to no other call's number.
        steps = [
            step if step and call.result.status is Status.OK else index
            for index, (call, step) in enumerate(zip(calls, tried, strict=True))
        ]
        lcs, _ = best_likeness(steps, labels)
        executable = bool(calls) and _all_done(calls)
        if "reaches" not in case.task.goal:
            return rule(self.name, lcs, executable=executable)
        made = [step for step in steps if isinstance(step, Step)]
        idle = unasked([step for step in tried if step], labels)
        return _look(case, made, idle, labels, lcs, executable)


class OriginalJudge:
    """Compares texts of lines, as the original evaluator does; no line at all is executable there."""

    name = "original"

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing."""
        yield from ()
        calls = [call for call in case.calls if call.name != FINISH]
        return self.rule(
            [_line(call) for call in calls], case.task.goal["labels"], executable=_all_done(calls)
        )[0]

    def rule(self, lines: Sequence[str], labels: Sequence[str], *, executable: bool) -> tuple[Verdict, int]:
        """Judge cleaned lines, and say which label is nearest to them.

        Args:
            lines: The program; empty lines are not compared.
            labels: Accepted programs.
            executable: Whether every line is.
        """
        kept = [line for line in lines if line]
        lcs, index = best_likeness(kept, [[line for line in ground(label) if line] for label in labels])
        return rule(self.name, lcs, executable=executable), index


def _look(
    case: Case,
    steps: Sequence[Step],
    idle: Sequence[Step],
    labels: Sequence[Sequence[Step]],
    lcs: float,
    executable: bool,
) -> Verdict:
    if not isinstance(case.state, Progress) or case.state.home is None:
        raise JudgeError(
            f"task {case.task.id} is judged by its home, got {type(case.state).__name__}; pass the world's "
            "state in the case",
            kind="internal",
            retryable=False,
        )
    reaches = case.task.goal["reaches"]
    missing = [condition for condition in reaches if not case.state.home.meets(condition)]
    bounded = _effort(steps) <= _LEEWAY + 1.5 * max(map(_effort, labels))
    spared = len(idle) <= _SLIPS
    success = bounded and spared and not missing
    status: VerdictStatus = "solved" if success else "unsolved"
    reason = _reason(missing, bounded, () if spared else idle)
    return Verdict(
        status,
        float(success),
        StepJudge.name,
        votes=(Vote(status, reason),) if reason else (),
        parts={"executable": executable, "bounded": bounded and spared, "success": success},
        metrics={"lcs": lcs, "reached": 1 - len(missing) / len(reaches)},
    )


def _reason(missing: Sequence[str], bounded: bool, idle: Sequence[Step]) -> str:
    if missing:
        return f"not reached: {', '.join(missing)}"
    if not bounded:
        return "too many steps"
    return f"nobody asked for {', '.join(step.line for step in idle)}" if idle else ""


def unasked(steps: Sequence[Step], labels: Sequence[Sequence[Step]]) -> list[Step]:
    r"""Return the acts that no label calls for: of another kind, or done more often than any label does.

    What only handles a thing is no such act. Tries count like deeds: who tries everything was not asked to.

    Examples:
        >>> label = steps_of("Agent.Grab(beer)\nAgent.Drink(beer)")
        >>> unasked([*label, Step("Open", ("freezer",)), Step("Eat", ("beer",))], [label])
        [Step(name='Eat', objects=('beer',))]
    """
    done: Counter[Step] = Counter()
    found = []
    for step in steps:
        if step.name in _HANDLING:
            continue
        done[step] += 1
        asked = any(step.name == other.name for label in labels for other in label)
        if not asked or done[step] > max(1, *(label.count(step) for label in labels)):
            found.append(step)
    return found


def _effort(steps: Sequence[Step]) -> int:
    return sum(step.name not in _FREE for step in steps)


def rule(judge: str, lcs: float, *, executable: bool) -> Verdict:
    """Return the verdict of a program.

    Examples:
        >>> verdict = rule("exact", 0.5, executable=True)
        >>> verdict.status, verdict.score, dict(verdict.parts)
        ('unsolved', 0.5, {'executable': True, 'success': False})
    """
    success = executable and lcs == 1.0
    status: VerdictStatus = "solved" if success else "unsolved"
    parts = {"executable": executable, "success": success}
    return Verdict(status, lcs, judge, parts=parts, metrics={"lcs": lcs})


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


def _all_done(calls: Sequence[CallRecord]) -> bool:
    return all(call.result.status is Status.OK for call in calls)


def _tried(call: CallRecord) -> Step | None:
    """Return the step that a call is about, whatever came of it."""
    if isinstance(call.arguments, str):
        return None
    if call.name == STEP:
        steps = read_steps(_line(call))
        return steps[0] if steps else None
    places = ("object", "object1", "object2")
    return Step(call.name, tuple(call.arguments[place] for place in places if place in call.arguments))


def _line(call: CallRecord) -> str:
    arguments = call.arguments if call.name == STEP and isinstance(call.arguments, Mapping) else {}
    return str(arguments.get("line", "")).strip()

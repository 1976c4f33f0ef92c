"""Judge whether a form was filled in and submitted as it was asked for.

Where the default differs from the original evaluator, the evaluator lets something through that the
documentation forbids, or takes the form for the substance:

- A program that never searches is executable there, and a success where its criteria happen to be equal. Here
  nothing was asked for until ``search`` has submitted the criteria as they are; after a further criterion it
  has to be called again.
- A program without a call is executable there.
- Types are not checked there. Here arguments are read by their schema: what does not fit is refused, and what
  only spells the same value otherwise, such as ``"3"`` for 3, is that value.
- Programs crash there for a Markdown fence or for leaving out ``API.``. Here they are read.
- The original runs Python, whatever it does. Here programs run within bounds, in a machine without ``try``,
  classes and libraries other than math; in either mode they crash for these.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from typing import NamedTuple

from stb_env.core.request import Slow
from stb_env.errors import DataError
from stb_env.judges.judge import Case
from stb_env.suites.sambanova.common.agreement import Agreement, best_agreement
from stb_env.suites.sambanova.common.form.api import PROGRAM, SEARCH, Criteria, Form, FormApi
from stb_env.suites.sambanova.common.form.world import FormWorld
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.verdicts import (
    first_error,
    is_executable,
    late_failure,
    made_calls,
    state_of,
    verdict_on_agreement,
)
from stb_env.verdict import Verdict


class FormJudge:
    """Compares submitted criteria with those of the accepted programs.

    The parts of a verdict are the calls that set criteria, earned once these are submitted; precision, recall
    and F1 are those over all criteria. The last value of a criterion is the one that counts, and no call may
    fail after the last search.

    Args:
        api: The form.
        mends: Whether later calls can make up for one that failed; not where one program is all there is.
    """

    name = "exact"

    def __init__(self, api: FormApi, *, mends: bool = True) -> None:
        self._labels = Labels(api)
        self._mends = mends

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing.

        Raises:
            DataError: A label of the task does not run.
            JudgeError: The case does not carry the form.
        """
        yield from ()
        form, calls = state_of(case, Form, "form"), made_calls(case)
        flawless = is_executable(calls)
        reason = late_failure(calls, lambda call: call.name in (SEARCH, PROGRAM))
        if not form.submitted:
            reason = "nothing was submitted"
        elif not flawless and not self._mends:
            reason = "a call failed"
        submitted = {} if reason else form.criteria
        agreed, at = best_agreement(submitted, self._labels.of(case))
        label = case.task.goal["labels"][at]
        parts = {
            f"act:{number} {name}": all(submitted.get(key) == value for key, value in wanted.items())
            for number, name, wanted in self._labels.acts(label)
        }
        if not submitted.keys() <= self._labels.criteria(label).keys():
            parts["kept:other criteria"] = False
        return verdict_on_agreement(
            self.name, agreed, executable=flawless and form.submitted, reason=reason, parts=parts
        )


class OriginalJudge:
    """Judges as the original does: any failing call is a crash, and only the criteria count.

    Args:
        api: The form.
    """

    name = "original"

    def __init__(self, api: FormApi) -> None:
        self._labels = Labels(api, original=True)

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing.

        Raises:
            DataError: A label of the task does not run.
            JudgeError: The case does not carry the form.
        """
        yield from ()
        form, calls = state_of(case, Form, "form"), made_calls(case)
        if calls and not is_executable(calls):
            return verdict_on_agreement(self.name, Agreement(), executable=False, reason=first_error(calls))
        agreed, _ = best_agreement(form.criteria, self._labels.of(case))
        return verdict_on_agreement(self.name, agreed, executable=True)


@dataclass(frozen=True, slots=True)
class Labels:
    """The criteria of accepted programs, each run once.

    Attributes:
        api: The form.
        original: Whether they run in the original's own way.
    """

    api: FormApi
    _: KW_ONLY
    original: bool = False

    def of(self, case: Case) -> list[Criteria]:
        """Return the criteria of every label of a task.

        Raises:
            DataError: A label does not run.
        """
        return [self.criteria(label) for label in case.task.goal["labels"]]

    def criteria(self, label: str) -> Criteria:
        """Return the criteria of one label.

        Raises:
            DataError: It does not run.
        """
        return _criteria(self.api, self.original, label)[0]

    def acts(self, label: str) -> tuple[Act, ...]:
        """Return the calls of one label that set criteria.

        Raises:
            DataError: It does not run.
        """
        return _criteria(self.api, self.original, label)[1]


class Act(NamedTuple):
    """A call that sets criteria: its place in the program, its name, and what it sets."""

    number: int
    name: str
    criteria: Criteria


# Remembered here and not by a judge, which is pickled with its environment.
@lru_cache(maxsize=4_096)
def _criteria(api: FormApi, original: bool, label: str) -> tuple[Criteria, tuple[Act, ...]]:
    form, acts = Form(), []
    try:
        for number, (name, after) in enumerate(
            FormWorld(api, original=original).walk(label, trusted=True), 1
        ):
            changed = {key: value for key, value in after.criteria.items() if form.criteria.get(key) != value}
            if changed and name != SEARCH:
                acts.append(Act(number, name, changed))
            form = after
    except CrashError as error:
        raise DataError(_broken(label, f"does not run: {error.advice}", original)) from error
    if not form.criteria or not (form.submitted or original):
        problem = "leaves the form empty" if original else "does not end with search"
        raise DataError(_broken(label, problem, original))
    # A later call may have set a criterion anew.
    last = (act for act in acts if all(form.criteria.get(key) == act.criteria[key] for key in act.criteria))
    return form.criteria, tuple(last)


def _broken(label: str, problem: str, original: bool) -> str:
    hint = "" if original else ", or take compat='original', which lets more through"
    return f"the label {label[:200]!r} {problem}; correct it{hint}"

"""The original's judge of requests, and what the exact judges share with it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Generic

from stb_env.core.request import Slow
from stb_env.errors import DataError
from stb_env.judges.judge import Case
from stb_env.suites.sambanova.common.agreement import Agreement, best_agreement
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.rest.actions import command_of
from stb_env.suites.sambanova.common.rest.service import Fetch, Items, S, Service
from stb_env.suites.sambanova.common.verdicts import made_calls, verdict_on_agreement
from stb_env.tools import ToolCall
from stb_env.verdict import Verdict

_BLANKS = re.compile(r"[ \t]+")
_BREAKS = re.compile(r"\n+")
# The message is the original's, since verdicts of its mode are compared with its own.
_TEXTS_DIFFER = "string comparison between the generation and the label failed"


class OriginalJudge(Generic[S]):
    """Judges as the original does: by the last command's answer, or by its text where the task says so.

    Args:
        service: The service.
        fetch: Sends requests, if it is another service that answers.
        key: The key of that service.
        floors: Scores that null agents reach at most, by agent.
    """

    name = "original"

    def __init__(
        self,
        service: Service[S],
        fetch: Fetch[S] | None = None,
        key: str = "",
        *,
        floors: Mapping[str, float] | None = None,
    ) -> None:
        self._service, self._fetch, self._key = service, fetch, key
        if floors is not None:
            self.floors = floors

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing.

        Raises:
            DataError: A label of the task does not run.
        """
        yield from ()
        goal, calls = case.task.goal, made_calls(case)
        command = command_of(ToolCall(calls[-1].name, calls[-1].arguments)) if calls else None
        by_text = bool(goal.get("compare_string_only"))
        return self.rule(command or "", goal["labels"], self._service.start(case.task), by_text=by_text)[0]

    def rule(
        self, kept: str, labels: Sequence[str], state: S, *, by_text: bool = False
    ) -> tuple[Verdict, int]:
        """Judge a command, and say which label it was compared with.

        Args:
            kept: The first curl line of a generation, or all of it.
            labels: Accepted commands.
            state: The state before the command.
            by_text: Whether texts are compared instead of answers.

        Raises:
            DataError: A label does not run.
        """
        if by_text:
            # Runs of blanks count as one there, and runs of line breaks.
            folded = _BREAKS.sub("\n", _BLANKS.sub(" ", kept).strip()).strip()
            equal = [index for index, label in enumerate(labels) if folded == label]
            agreed = Agreement(1.0, 1.0, 1.0) if equal else Agreement()
            reason = "" if equal else _TEXTS_DIFFER
            return verdict_on_agreement(self.name, agreed, executable=bool(equal), reason=reason), (
                *equal,
                0,
            )[0]
        try:
            got, _ = self._service.run(kept, state, self._fetch, self._key)
        except CrashError as error:
            return verdict_on_agreement(self.name, Agreement(), executable=False, reason=str(error)), 0
        agreed, index = best_agreement(got, [self.answer_to(label, state) for label in labels])
        return verdict_on_agreement(self.name, agreed, executable=True), index

    def answer_to(self, label: str, state: S) -> Items:
        """Return the answer to a label.

        Raises:
            DataError: It does not run, or its answer is empty.
        """
        try:
            answer, _ = self._service.run(label, state, self._fetch, self._key)
        except CrashError as error:
            raise DataError(f"the label {label[:200]!r} does not run: {error}; correct it") from error
        if not answer:
            raise DataError(f"the label {label[:200]!r} has an empty answer; correct it")
        return answer

"""Decides whether an episode did to the account, or found out, what was asked for.

Where the default differs from the original evaluator, the evaluator has a defect:

- Adding any image whatever is a success there, because the answer does not name the image. Here the account
  itself is compared, as it is after the episode and after an accepted command.
- Deletions are compared by the text of the command there, so that double quotes, a header or a semicolon make
  it a failure, which is a crash at the same time. Here they are carried out.
- One live account is shared by all items and runs there. Here each task has its own.
- It takes what a goal leaves open for the default. Here number and size of the images are up to whoever
  answers where the label does not have them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import ClassVar, TypeAlias

from stb_env.errors import DataError, JudgeError
from stb_env.jsontypes import Json, JsonMapping
from stb_env.judges.judge import Case
from stb_env.request import Slow
from stb_env.suites.sambanova.cat_api.account import Account
from stb_env.suites.sambanova.cat_api.apis import BY_NAME, SEARCH
from stb_env.suites.sambanova.cat_api.command import as_typed, request_of
from stb_env.suites.sambanova.cat_api.original import STRINGS_DIFFER, Fetch, folded, run
from stb_env.suites.sambanova.cat_api.service import fetch, respond
from stb_env.suites.sambanova.cat_api.tools import BY_NAME as TOOLS
from stb_env.suites.sambanova.cat_api.world import KEY, start_of
from stb_env.suites.sambanova.common.agreement import Agreement, best_agreement
from stb_env.suites.sambanova.common.curl.crash import CrashError
from stb_env.suites.sambanova.common.curl.reader import CURL, command_of
from stb_env.suites.sambanova.common.curl.request import read_request
from stb_env.suites.sambanova.common.ruling import (
    is_done,
    is_executable,
    last_command,
    made_calls,
    rule,
)
from stb_env.tools import ToolCall
from stb_env.trajectory import CallRecord
from stb_env.validation import check_call
from stb_env.verdict import Verdict

Outcome: TypeAlias = dict[Hashable, Json]
"""Changes by kind and image, or entries of an answer by position."""

_OPEN = ("limit", "size")
"""Parameters of a search that are up to whoever answers where a goal does not name them."""


class AccountJudge:
    """Compares what changed in the account, and the last answer where the goal is to find something out.

    The goal is one request, and the last one is it: whoever is asked to change the account does nothing
    more when it is changed. The one part of a verdict is that request; precision, recall and F1 are those
    over changes and found entries.
    """

    name = "exact"

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing.

        Raises:
            DataError: A label of the task is no valid command.
            JudgeError: The case does not carry the account.
        """
        yield from ()
        if not isinstance(case.state, Account):
            raise JudgeError(
                f"task {case.task.id} is judged by its account, got {type(case.state).__name__}; "
                "pass the world's state in the case",
                kind="internal",
                retryable=False,
            )
        calls = made_calls(case)
        start = start_of(case.task)
        changes = start.changes(case.state)
        labels = case.task.goal["labels"]
        agreed, reason = Agreement(), ""
        for label in labels:
            wanted, reads = outcome_of(label, start, _chosen(calls))
            got = changes | _entries(calls) if reads else changes
            found = best_agreement(got, [wanted])[0]
            late = found.complete and not (reads or _writes(calls[-1]))
            if late:
                found, reason = Agreement(), "a call follows the one that was asked for"
            agreed = max(agreed, found, key=lambda each: each.f1)
        act = as_typed(ToolCall(CURL, {"command": labels[0]})).name
        return rule(
            self.name,
            agreed,
            executable=is_executable(calls),
            reason="" if agreed.complete else reason,
            parts={f"act:1 {act}": agreed.complete},
        )


class OriginalJudge:
    """Judges as the original does: by the last command's answer, or by its text where the goal is to delete.

    Args:
        fetch: Sends requests; by default to the embedded service.
        key: The service's key.
    """

    name = "original"
    # Any image that is added is the right one there.
    floors: ClassVar[Mapping[str, float]] = {"random": 0.1}

    def __init__(self, fetch: Fetch = fetch, key: str = KEY) -> None:
        self._fetch = fetch
        self._key = key

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing.

        Raises:
            DataError: A label of the task does not run.
        """
        yield from ()
        goal = case.task.goal
        labels = tuple(goal["labels"])
        by_text = bool(goal.get("compare_string_only"))
        return self.rule(last_command(case), labels, start_of(case.task), by_text=by_text)[0]

    def rule(
        self, kept: str, labels: tuple[str, ...], account: Account, *, by_text: bool
    ) -> tuple[Verdict, int]:
        """Judge a command, and say which label it was compared with.

        Args:
            kept: The first curl line of a generation, or all of it.
            labels: Accepted commands.
            account: The account before the command.
            by_text: Whether texts are compared instead of answers.

        Raises:
            DataError: A label does not run.
        """
        if by_text:
            equal = [index for index, label in enumerate(labels) if folded(kept) == label]
            agreed = Agreement(1.0, 1.0, 1.0) if equal else Agreement()
            reason = "" if equal else STRINGS_DIFFER
            return rule(self.name, agreed, executable=bool(equal), reason=reason), (*equal, 0)[0]
        try:
            got, _ = run(kept, self._key, self._fetch, account)
        except CrashError as error:
            return rule(self.name, Agreement(), executable=False, reason=str(error)), 0
        agreed, index = best_agreement(got, [self.answer_to(label, account) for label in labels])
        return rule(self.name, agreed, executable=True), index

    def answer_to(self, label: str, account: Account) -> Outcome:
        """Return the answer to a label.

        Raises:
            DataError: It does not run, or its answer is empty.
        """
        try:
            answer, _ = run(label, self._key, self._fetch, account)
        except CrashError as error:
            raise DataError(f"the label {label[:200]!r} does not run: {error}; correct it") from error
        if not answer:
            raise DataError(f"the label {label[:200]!r} has an empty answer; correct it")
        return answer


def outcome_of(label: str, account: Account, chosen: JsonMapping | None = None) -> tuple[Outcome, bool]:
    """Return what a label changes or finds, and whether it is there to find something.

    Args:
        label: An accepted command.
        account: The account before it.
        chosen: What a search may be given that the label leaves open.

    Raises:
        DataError: It is no valid command, or neither changes nor finds anything.

    Examples:
        >>> outcome_of("curl -X DELETE 'https://api.thecatapi.com/v1/favourites/q7'", Account.of(["q7"]))
        ({('removed', 'q7'): True}, False)
    """
    call = as_typed(ToolCall(CURL, {"command": label}))
    api = BY_NAME.get(call.name)
    if api is None or isinstance(call.arguments, str):
        raise DataError(f"the label {label[:200]!r} is no request that the service answers; correct it")
    problems = check_call(call, TOOLS[call.name]).violations
    if problems:
        raise DataError(
            f"the label {label[:200]!r} is no valid request: {problems[0].message}; correct it, or take "
            "compat='original', which passes over what it does not know"
        )
    arguments = {**(chosen or {}), **call.arguments} if api.path == SEARCH else call.arguments
    answer, after = respond(request_of(api, arguments), account)
    outcome: Outcome = dict(enumerate(answer.body)) if api.reads else dict(account.changes(after))
    if not outcome:
        raise DataError(f"the label {label[:200]!r} has no effect on this account; correct one of them")
    return outcome, api.reads


def _chosen(calls: tuple[CallRecord, ...]) -> JsonMapping:
    """Return what the last call gives that goals may leave open."""
    if not calls or not is_done(calls[-1]):
        return {}
    arguments = as_typed(ToolCall(calls[-1].name, calls[-1].arguments)).arguments
    return (
        {} if isinstance(arguments, str) else {name: arguments[name] for name in _OPEN if name in arguments}
    )


def _writes(call: CallRecord) -> bool:
    """Return whether a call was answered, and is one that changes the account."""
    if not is_done(call):
        return False
    typed = as_typed(ToolCall(call.name, call.arguments))
    api, command = BY_NAME.get(typed.name), command_of(typed)
    if api is not None:
        return not api.reads
    return command is not None and read_request(command).method != "GET"


def _entries(calls: tuple[CallRecord, ...]) -> Outcome:
    """Return the entries of the last call's answer; none where it failed or listed nothing."""
    if not calls or not is_done(calls[-1]):
        return {}
    found = calls[-1].result.response
    return dict(enumerate(found)) if isinstance(found, list) else {}

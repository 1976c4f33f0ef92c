"""Judge whether an episode did to the account, or found out, what was asked for.

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

from collections.abc import Mapping

from stb_env.core.request import Slow
from stb_env.errors import DataError
from stb_env.judges.judge import Case
from stb_env.suites.sambanova.cat_api.account import Account
from stb_env.suites.sambanova.cat_api.api import SERVICE, account_of, request_of
from stb_env.suites.sambanova.cat_api.service import SEARCH, respond
from stb_env.suites.sambanova.common.agreement import Agreement, best_agreement
from stb_env.suites.sambanova.common.rest.actions import command_of
from stb_env.suites.sambanova.common.rest.curl import read_request
from stb_env.suites.sambanova.common.rest.service import Items
from stb_env.suites.sambanova.common.verdicts import (
    is_done,
    is_executable,
    made_calls,
    state_of,
    verdict_on_agreement,
)
from stb_env.tools import ToolCall
from stb_env.trajectory import CallRecord
from stb_env.verdict import Verdict

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
        account, calls = state_of(case, Account, "account"), made_calls(case)
        start = account_of(case.task)
        changes = start.changes(account)
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
        act = SERVICE.typed_label(labels[0]).name
        return verdict_on_agreement(
            self.name,
            agreed,
            executable=is_executable(calls),
            reason="" if agreed.complete else reason,
            parts={f"act:1 {act}": agreed.complete},
        )


def outcome_of(
    label: str, account: Account, chosen: Mapping[str, object] | None = None
) -> tuple[Items, bool]:
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
    endpoint, arguments = SERVICE.label(label)
    if endpoint.path == SEARCH:
        arguments = {**(chosen or {}), **arguments}
    answer, after = respond(request_of(endpoint, arguments), account)
    outcome: Items = dict(enumerate(answer.body)) if endpoint.reads else dict(account.changes(after))
    if not outcome:
        raise DataError(f"the label {label[:200]!r} has no effect on this account; correct one of them")
    return outcome, endpoint.reads


def _chosen(calls: tuple[CallRecord, ...]) -> Mapping[str, object]:
    """Return what the last call gives that goals may leave open."""
    if not calls or not is_done(calls[-1]):
        return {}
    arguments = SERVICE.as_typed(ToolCall(calls[-1].name, calls[-1].arguments)).arguments
    return (
        {} if isinstance(arguments, str) else {name: arguments[name] for name in _OPEN if name in arguments}
    )


def _writes(call: CallRecord) -> bool:
    """Return whether a call was answered, and is one that changes the account."""
    if not is_done(call):
        return False
    typed = SERVICE.as_typed(ToolCall(call.name, call.arguments))
    endpoint, command = SERVICE.by_name.get(typed.name), command_of(typed)
    if endpoint is not None:
        return not endpoint.reads
    return command is not None and read_request(command).method != "GET"


def _entries(calls: tuple[CallRecord, ...]) -> Items:
    """Return the entries of the last call's answer; none where it failed or listed nothing."""
    if not calls or not is_done(calls[-1]):
        return {}
    found = calls[-1].result.response
    return dict(enumerate(found)) if isinstance(found, list) else {}

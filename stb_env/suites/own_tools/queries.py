"""Queries of one's own: a line each, text alone or with tools, gold calls and a check."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Required

from typing_extensions import TypedDict

from stb_env.actions.validation import check_call
from stb_env.core.user_tables import checked
from stb_env.errors import ConfigError, DataError
from stb_env.suites.own_tools.check import Check
from stb_env.tasks import Task
from stb_env.tools import FINISH, Tool, ToolCall, ToolCatalog

SUITE = "own_tools"

Offer = Callable[[str], Sequence[Tool]]
"""Of a query that names no tools: those that it gets."""


class _CallForm(TypedDict, total=False):
    """A gold call."""

    name: Required[str]
    arguments: dict[str, Any]


class _QueryForm(TypedDict, total=False):
    """A query as a line has it."""

    query: Required[str]
    id: str
    tools: list[str]
    gold: list[_CallForm]
    answer: str
    check: dict[str, Any]
    group: str
    split: str


def read_queries(path: str | Path, catalog: ToolCatalog, offer: Offer) -> list[Task]:
    """Read queries from a file: JSON Lines, or text with a query a line (``.txt``).

    A line is a text, or an object: ``query`` and, as needed, ``id`` (its number), ``tools`` (their names),
    ``gold`` (calls that solve it), ``answer`` (what gold says after them; else what the check tells, or the
    last response), ``check`` (see `Check`), ``group`` and ``split``.

    Args:
        path: The file.
        catalog: What tools there are.
        offer: Which of them a query gets that names none.

    Raises:
        DataError: The file cannot be read, or a line is no query; the message has its number.
    """
    tasks = query_tasks(_lines(Path(path)), str(path), catalog, offer)
    if not tasks:
        raise DataError(f"{path} has no queries; write one a line")
    return tasks


def query_tasks(
    lines: Iterable[tuple[int, object]], name: str, catalog: ToolCatalog, offer: Offer
) -> list[Task]:
    """Return queries as tasks; see `read_queries`.

    Args:
        lines: What each line holds, with its number.
        name: What errors call the whole.
        catalog: What tools there are.
        offer: Which of them a query gets that names none.

    Raises:
        DataError: A line is no query; the message has its number.
    """
    tasks = []
    for number, content in lines:
        where = f"{name}, line {number}"
        try:
            form = checked(_QueryForm, {"query": content} if isinstance(content, str) else content, where)
            tasks.append(_task(form, str(number), catalog, offer))
        except (ConfigError, DataError) as error:
            prefix = "" if where in str(error) else f"{where}: "
            raise DataError(f"{prefix}{error}") from error
    return tasks


def _lines(file: Path) -> Iterator[tuple[int, object]]:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise DataError(f"{file}: expected queries, one a line ({error})") from error
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        if file.suffix == ".txt":
            yield number, line.strip()
            continue
        try:
            yield number, json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(
                f'{file}, line {number}: expected JSON such as {{"query": "..."}} ({error}); '
                "plain text goes into a file that ends in .txt"
            ) from error


def _task(form: _QueryForm, number: str, catalog: ToolCatalog, offer: Offer) -> Task:
    query = form["query"].strip()
    if not query:
        raise DataError("the query is empty; say what the user asks")
    tools = [_known(name, catalog) for name in form["tools"]] if "tools" in form else offer(query)
    check = Check.of(form["check"]) if "check" in form else None
    gold = [_call(call, catalog) for call in form.get("gold", ())]
    missing = [catalog.get(call.name) for call in gold if all(tool.name != call.name for tool in tools)]
    if missing and "tools" in form:
        raise DataError(f"gold calls {gold[0].name!r}, which is none of the query's tools")
    # What solves a query belongs to what it offers, whatever a search finds.
    offered = [*tools, *dict.fromkeys(tool for tool in missing if tool is not None)]
    answer = form.get("answer") or (check.answer if check is not None else None)
    if gold and answer is not None:
        gold.append(ToolCall(FINISH, {"return_type": "give_answer", "final_answer": answer}))
    return Task(
        form.get("id") or number,
        query,
        tuple(offered),
        suite=SUITE,
        group=form.get("group", ""),
        split=form.get("split", "test"),
        relevant=tuple(dict.fromkeys(_known(call.name, catalog).id for call in gold if call.name != FINISH)),
        gold=tuple(gold),
        goal={"check": form["check"]} if check is not None else {},
        record=dict(form),
    )


def _known(name: str, catalog: ToolCatalog) -> Tool:
    tool = catalog.get(name)
    if tool is None:
        raise DataError(f"the catalogue has no tool {name!r}.{catalog.nearest(name)}")
    return tool


def _call(form: _CallForm, catalog: ToolCatalog) -> ToolCall:
    call = ToolCall(form["name"], form.get("arguments", {}))
    checked_call = check_call(call, _known(call.name, catalog))
    if checked_call.violations:
        problems = "; ".join(violation.message for violation in checked_call.violations)
        raise DataError(f"gold calls {call.name!r} with wrong arguments: {problems}")
    return ToolCall(call.name, checked_call.arguments)

"""Queries of one's own: a line each, text alone or with tools, gold calls and a check."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Required

from typing_extensions import TypedDict

from stb_env.backend.epochs import may_write
from stb_env.core.jsontypes import JsonObject
from stb_env.core.user_tables import checked
from stb_env.declare.queries import task, to_task
from stb_env.errors import ConfigError, DataError
from stb_env.judges.check_forms import CheckForm, read_checks
from stb_env.judges.checks import Called, Check, InOrder, StateRead, Words, tools_of
from stb_env.tasks import Task
from stb_env.tools import FINISH, Tool, ToolCall, ToolCatalog

SUITE = "own_tools"

Offer = Callable[[str], Sequence[Tool]]
"""Of a query that names no tools: those that it gets."""


class _CallForm(TypedDict, total=False):
    """A gold call."""

    name: Required[str]
    arguments: dict[str, Any]


class _CannotForm(TypedDict):
    """Why a query cannot be met, and what is lacking."""

    reason: str
    what: list[str]


class QueryForm(TypedDict, total=False):
    """A query as a line has it."""

    query: Required[str]
    id: str
    tools: list[str]
    gold: list[_CallForm]
    answer: Any
    cannot: _CannotForm
    schema: dict[str, Any]
    check: Any
    group: str
    split: str


def line_schema() -> JsonObject:
    """Return the JSON Schema of a line of a file of queries."""
    import pydantic  # heavy, and needed only where somebody asks

    check: JsonObject = pydantic.TypeAdapter(CheckForm).json_schema(ref_template="#/$defs/{model}")
    schema: JsonObject = pydantic.TypeAdapter(QueryForm).json_schema()
    definitions = {**schema.get("$defs", {}), **check.pop("$defs", {})}
    kinds = [{**kind, "additionalProperties": False} for kind in definitions.values()]
    schema["properties"]["check"] = {"anyOf": [check, {"type": "array", "items": check}]}
    schema["$defs"] = dict(zip(definitions, kinds, strict=True))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "additionalProperties": False,
    }


def read_queries(path: str | Path, catalog: ToolCatalog, offer: Offer) -> list[Task]:
    """Read queries from a file: JSON Lines, or text with a query a line (``.txt``).

    A line is a text, or an object: ``query`` and, as needed, ``id`` (its number), ``tools`` (their names),
    ``gold`` (calls that solve it), ``answer`` (the right values by name, which make the answer typed; or, as
    text, what gold says after its calls, else what the check tells, or the last response), ``schema`` (of the
    typed answer), ``cannot`` (why the query cannot be met; every query with a typed answer offers the reasons
    of all), ``check`` (one, or a list; see `stb_env.judges.checks`), ``group`` and ``split``.

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
        DataError: A line is no query, or has the id of another; the message has its number.
    """
    forms: dict[int, QueryForm] = {}
    for number, content in lines:
        with _naming(f"{name}, line {number}") as where:
            forms[number] = checked(
                QueryForm, {"query": content} if isinstance(content, str) else content, where
            )
    reasons: dict[str, list[str]] = {}
    for one in (form["cannot"] for form in forms.values() if "cannot" in form):
        reasons[one["reason"]] = sorted({*reasons.get(one["reason"], ()), *one["what"]})
    tasks = []
    first: dict[str, int] = {}
    for number, form in forms.items():
        with _naming(f"{name}, line {number}"):
            made = _task(form, str(number), catalog, offer, dict(sorted(reasons.items())))
            if first.setdefault(made.id, number) != number:
                raise DataError(f"the id {made.id!r} is that of line {first[made.id]}; give it another")
            tasks.append(made)
    return tasks


@contextmanager
def _naming(where: str) -> Iterator[str]:
    """Name the line in what is raised."""
    try:
        yield where
    except (ConfigError, DataError) as error:
        prefix = "" if where in str(error) else f"{where}: "
        raise DataError(f"{prefix}{error}") from error


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


def _task(
    form: QueryForm, number: str, catalog: ToolCatalog, offer: Offer, reasons: Mapping[str, Sequence[str]]
) -> Task:
    query, task_id = form["query"].strip(), form.get("id") or number
    if not query:
        raise DataError("the query is empty; say what the user asks")
    tools = [_known(name, catalog) for name in form["tools"]] if "tools" in form else offer(query)
    checks = read_checks(form["check"]) if "check" in form else ()
    gold = [ToolCall(call["name"], call.get("arguments", {})) for call in form.get("gold", ())]
    missing = [_known(call.name, catalog) for call in gold if all(tool.name != call.name for tool in tools)]
    if missing and "tools" in form:
        raise DataError(f"gold calls {missing[0].name!r}, which is none of the query's tools")
    answer = form.get("answer")
    said = answer if isinstance(answer, str) else _told(checks)
    typed = None if isinstance(answer, str) else answer
    if gold and typed is None and not {"schema", "cannot"} & form.keys() and said:
        gold.append(ToolCall(FINISH, {"return_type": "give_answer", "final_answer": said}))
    declared = task(
        query,
        gold=gold,
        check=checks,
        answer=typed,
        schema=form.get("schema"),
        cannot=(form["cannot"]["reason"], form["cannot"]["what"]) if "cannot" in form else None,
        group=form.get("group", ""),
        split=form.get("split", "test"),
    )
    # What solves a query belongs to what it offers, whatever a search finds.
    wanted = (
        [] if "tools" in form else tools_of(check for check in checks if isinstance(check, Called | InOrder))
    )
    missing += [tool for call in wanted if (tool := catalog.get(call.name)) is not None and tool not in tools]
    offered = [*tools, *dict.fromkeys(missing)]
    made = to_task(declared, task_id, SUITE, {tool.name: tool for tool in catalog}, offered, reasons or None)
    for check in checks:
        if isinstance(check, StateRead) and may_write(_known(check.tool, catalog)):
            raise DataError(
                f"the state is asked with {check.tool!r}, which may write; take a tool that reads, or set "
                '"reads": true in its source in the catalogue'
            )
    goal = made.goal
    if isinstance(form.get("check"), dict):
        goal = {**{name: value for name, value in goal.items() if name != "checks"}, "check": form["check"]}
    return replace(
        made,
        goal=goal,
        gold=tuple(_as_given(call, gold) for call in made.gold),
        relevant=tuple(dict.fromkeys(_known(call.name, catalog).id for call in gold if call.name != FINISH)),
        record=dict(form),
    )


def _told(checks: Sequence[Check]) -> str:
    """Return an answer that holds, where a check tells one."""
    told = [check.text.answer for check in checks if isinstance(check, Words)]
    return next((text for text in told if text is not None), "")


def _as_given(call: ToolCall, gold: Sequence[ToolCall]) -> ToolCall:
    """Return a Finish of gold in the form in which files have always been read."""
    text = call.name == FINISH and "answer" not in call.arguments
    return next((one for one in gold if one.name == FINISH), call) if text else call


def _known(name: str, catalog: ToolCatalog) -> Tool:
    tool = catalog.get(name)
    if tool is None:
        raise DataError(f"the catalogue has no tool {name!r}.{catalog.nearest(name)}")
    return tool

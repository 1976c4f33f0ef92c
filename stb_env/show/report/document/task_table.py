"""The table of single tasks: what each run made of them, to be searched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from stb_env.core.element import element
from stb_env.show.report.document.played_task import PlayedTask
from stb_env.show.report.document.reported_run import ReportedRun
from stb_env.show.report.document.tables import cut

_QUERY = 240


def task_section(runs: Sequence[ReportedRun]) -> Iterator[Element]:
    """Yield the fields that search the tasks, and the tasks.

    Args:
        runs: The runs of the report.
    """
    played = {run.name: {(run.env, task.task): task for task in run.tasks} for run in runs}
    keys = dict.fromkeys(key for tasks in played.values() for key in tasks)
    yield _search(len(runs) > 1)
    heads = ("task", *(run.name for run in runs))
    rows = (_row(task, [played[run.name].get((env, task)) for run in runs]) for env, task in keys)
    table = element(
        "table",
        element("caption", "Tasks", class_="hidden"),
        element("thead", element("tr", *(element("th", head, scope="col") for head in heads))),
        element("tbody", *rows),
        id="task-table",
        class_="tasks",
    )
    yield element("div", table, class_="scroll", tabindex="0", role="region", aria_label="Tasks")


def _search(several: bool) -> Element:
    outcomes = (("", "any outcome"), *((name, name) for name in ("solved", "unsure", "unsolved", "invalid")))
    choices = (element("option", shown, value=value) for value, shown in outcomes)
    differ = element("label", element("input", type="checkbox", id="differ"), " only where runs differ")
    # It shows itself where scripts run.
    return element(
        "form",
        element(
            "input",
            type="search",
            id="search",
            placeholder="Search tasks, queries, reasons",
            aria_label="Search tasks, queries, reasons",
        ),
        element("select", *choices, id="outcome", aria_label="Outcome"),
        differ if several else None,
        element("output", "", id="told", for_="search outcome"),
        class_="filters",
        id="filters",
        hidden="",
    )


def _row(name: str, tasks: Sequence[PlayedTask | None]) -> Element:
    there = [task for task in tasks if task is not None]
    first = there[0]
    outcomes = dict.fromkeys(outcome for task in there for outcome in task.outcomes)
    # Runs of other environments say nothing about the task, and numbers of trials may differ.
    differ = len({(task.solved / task.trials, frozenset(task.outcomes)) for task in there}) > 1
    return element(
        "tr",
        element(
            "th",
            element("code", name),
            element("span", first.group, class_="group") if first.group else None,
            element("p", cut(first.query, _QUERY)),
            scope="row",
        ),
        *(element("td", *_played(task)) if task else element("td", "-") for task in tasks),
        data_outcomes=" ".join(outcomes),
        data_differ="" if differ else None,
    )


def _played(task: PlayedTask) -> Iterator[Element]:
    kinds = set(task.outcomes)
    kind = kinds.pop() if len(kinds) == 1 else "mixed"
    yield element("b", task.outcome, class_=f"outcome is-{kind}")
    parts = [_plural(task.turns, "turn"), _plural(task.calls, "call")]
    if task.tokens:
        parts.append(f"{task.tokens:,.0f} tokens")
    if task.reward not in (None, 0.0, 1.0):
        parts.append(f"reward {task.reward:.2f}")
    yield element("span", " · ".join(parts), class_="figures")
    if task.reason:
        yield element("p", cut(task.reason), class_="reason")
    if task.failed:
        yield element("p", cut(f"not passed: {', '.join(task.failed)}"), class_="reason")


def _plural(number: float, noun: str) -> str:
    return f"{number:.3g} {noun}{'' if number == 1 else 's'}"

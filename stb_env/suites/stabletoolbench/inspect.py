"""Report on query files for ``stb-env data check`` and ``data import``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from rich.table import Table

from stb_env.console.inspection import Inspection
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import DataError
from stb_env.suites.stabletoolbench.queries import Loaded, load
from stb_env.suites.stabletoolbench.tool_files import ToolFiles
from stb_env.tasks import TaskSet

_SHOWN = 20


def inspect(source: Path, strict: bool) -> Inspection:
    """Report on the queries at a path and the tool files beside them, or on tool files alone.

    Raises:
        DataError: There is nothing at the path, or ``strict`` met a bad record or tool file.
    """
    tools = ToolFiles.beside(source)
    try:
        loaded = load(source, strict=strict, tools=tools)
    except DataError as error:
        # Tool files are JSON in folders, too, but their folder has no query file.
        alone = _tool_files_at(source) if source.is_dir() else None
        if alone is None:
            raise
        return _inspected_tools(alone, strict, error)
    found = inspection(loaded)
    if tools is not None:
        found.report["tool_files"] = _tools_report(tools)
    return found


def _tool_files_at(source: Path) -> ToolFiles | None:
    files = ToolFiles(source)
    return files if any(files) or files.problems else None


def _inspected_tools(files: ToolFiles, strict: bool, no_queries: DataError) -> Inspection:
    """Report on every tool file of a folder."""
    report = _tools_report(files)
    if not report["apis"]:
        raise no_queries
    if strict and report["problems"]:
        first = report["problems"][0]
        raise DataError(f"{first['file']}: {first['message']}")
    table = Table(
        title=f"{report['tools']} tools, {report['apis']} APIs; problems: {len(report['problems'])}"
    )
    for column in ("what", "where"):
        table.add_column(column)
    table.add_row("tool files", report["folder"])
    for problem in report["problems"][:_SHOWN]:
        table.add_row("problem", f"{problem['file']}: {problem['message']}")
    return Inspection(report, table, passed=not report["problems"])


def _tools_report(files: ToolFiles) -> JsonObject:
    found = list(files)
    problems = [{"file": str(file), "message": problem} for file, problem in files.problems.items()]
    return {
        "folder": str(files.folder),
        "tools": len(found),
        "apis": sum(len(file.apis) for file in found),
        "problems": problems,
    }


def inspection(loaded: Loaded) -> Inspection:
    """Report on queries that were read."""
    return Inspection(_report(loaded), _table(loaded), passed=not loaded.problems)


def _report(loaded: Loaded) -> dict[str, object]:
    return {
        "queries": len(loaded.tasks),
        "groups": dict(Counter(task.group for task in loaded.tasks)),
        "tools": len({tool.id[:2] for task in loaded.tasks for tool in task.tools}),
        "apis": len(loaded.tasks.catalog),
        "hash": loaded.tasks.hash,
        "cut_templates": loaded.cut_templates,
        "problems": [
            {"file": p.file, "index": p.index, "field": p.field, "message": p.message}
            for p in loaded.problems
        ],
    }


def _table(loaded: Loaded) -> Table:
    apis = len(loaded.tasks.catalog)
    table = Table(
        title=f"{len(loaded.tasks)} queries, {apis} APIs, problems: {len(loaded.problems)}",
        caption=f"hash {loaded.tasks.hash[:16]}; {loaded.cut_templates} cut template responses are repaired",
    )
    for column in ("group", "queries", "APIs a query", "relevant APIs a query"):
        table.add_column(column, justify="left" if column == "group" else "right")
    for group in dict.fromkeys(task.group for task in loaded.tasks):
        tasks = loaded.tasks.filter(group=group)
        table.add_row(group, str(len(tasks)), _mean(tasks, "tools"), _mean(tasks, "relevant"))
    if loaded.problems:
        table.add_section()
        for problem in loaded.problems[:_SHOWN]:
            table.add_row("problem", "", "", str(problem))
    return table


def _mean(tasks: TaskSet, name: str) -> str:
    counts = [len(getattr(task, name)) for task in tasks]
    return f"{sum(counts) / len(counts):.2f}"

"""``stb-env protocols``: every setting of each protocol, ours beside the paper's."""

from __future__ import annotations

import inspect
from typing import Annotated

import typer
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.runs.baselines.registry import AgentDescription, named_agents
from stb_env.runs.make import maker_of
from stb_env.runs.protocol import Protocol, Setting, find_protocol, protocols

Name = Annotated[
    str | None, typer.Argument(metavar="NAME", help="One protocol; all in short where not given.")
]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print a page of documentation instead.")]

_INTRODUCTION = """\
The settings that `--protocol NAME` gives `run`, `eval` and `judge`, beside the defaults without it. This page
is printed by `stb-env protocols --markdown`."""


@reporting
def protocols_command(name: Name = None, markdown: Markdown = False, as_json: options.AsJson = False) -> None:
    """Show what each protocol sets: our default, the paper's, and where the paper says so.

    Example: stb-env protocols stabletoolbench
    """
    chosen = protocols() if name is None else [find_protocol(name)]
    if markdown:
        typer.echo("\n\n".join(["# Protocols", _INTRODUCTION, *map(_page, chosen)]))
        return
    if name is None:
        emit({protocol.name: _data(protocol) for protocol in chosen}, as_json, _overview(chosen))
    else:
        emit(_data(chosen[0]), as_json, _table(chosen[0]))


def _data(protocol: Protocol) -> dict[str, object]:
    return {
        "version": protocol.version,
        "title": protocol.title,
        "paper": protocol.paper,
        "suite": protocol.suite,
        "environments": list(protocol.environments),
        "settings": [
            {
                "part": one.part,
                "name": one.name,
                "of": list(one.of),
                "ours": _ours(protocol, one),
                "protocol": one.value,
                "about": one.about,
                "source": one.source,
                "departure": one.departure,
            }
            for one in protocol.settings
        ],
    }


def _overview(chosen: list[Protocol]) -> Table:
    table = Table(title="protocols", caption="`stb-env protocols NAME` shows every setting")
    for column in ("name", "reproduces", "settings", "departures"):
        table.add_column(
            column, overflow="fold", justify="right" if column in ("settings", "departures") else "left"
        )
    for one in chosen:
        table.add_row(one.name, one.title, str(len(one.settings)), str(len(one.standing)))
    return table


def _table(protocol: Protocol) -> Table:
    departures = " ".join(f"Departs: {text}." for text in protocol.standing)
    table = Table(
        title=f"{protocol.name}, version {protocol.version}: {protocol.title}",
        caption=f"{protocol.paper}. {departures}".strip(),
        show_lines=True,
    )
    for column in ("setting", "ours", "the protocol's", "where it stands"):
        table.add_column(column, overflow="fold")
    for one in protocol.settings:
        table.add_row(_label(one), _ours(protocol, one), _shown(one.value), f"{one.source}: {one.about}")
    return table


def _page(protocol: Protocol) -> str:
    """Return a protocol as a section of a Markdown page."""
    rows = [
        (f"`{_label(one)}`", _ours(protocol, one), _shown(one.value), one.about, one.source)
        for one in protocol.settings
    ]
    lines = [
        f"## {protocol.name}",
        "",
        f"{protocol.title} (version {protocol.version}).",
        f"{protocol.paper}.",
        f"Environments: {', '.join(f'`{env_id}`' for env_id in protocol.environments)}.",
        "",
        "| setting | ours | the protocol's | what it does | where it stands |",
        "| --- | --- | --- | --- | --- |",
        *("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows),
        "",
        "Every run departs from the paper in this:"
        if protocol.standing
        else "No run departs from the paper.",
        "",
        *(f"- {text}" for text in protocol.standing),
    ]
    return "\n".join(lines).rstrip()


def _label(one: Setting) -> str:
    of = f" ({', '.join(one.of)})" if one.of else ""
    return f"{one.part}: {one.name}{of}"


def _ours(protocol: Protocol, one: Setting) -> str:
    """Return what holds without the protocol: what it says itself, or the setting's default in the code."""
    if one.ours or one.part in ("run", "rule", "simulator", "judge", "comparison"):
        return one.ours or "-"
    if one.part == "agent":
        agent = named_agents()[one.of[0]]
        return _shown(AgentDescription.of(one.of[0], agent).settings.get(one.name))
    parameters = inspect.signature(maker_of(one.of[0] if one.of else protocol.environments[0])).parameters
    return _shown(parameters[one.name].default) if one.name in parameters else "-"


def _shown(value: object) -> str:
    return "-" if value is None else value if isinstance(value, str) else str(value)

"""``stb-env models``: what the model of each role can do, before a run depends on it."""

from __future__ import annotations

import typer
from rich.console import Group
from rich.table import Table
from rich.text import Text

from stb_env.console import options
from stb_env.console.output import FAILED, emit, reporting
from stb_env.core.options import Models
from stb_env.http.url import shown_url
from stb_env.models import load_models
from stb_env.models.check import Check, check_models
from stb_env.models.models_file import given_settings

app = typer.Typer(no_args_is_help=True)

_MARKS = {True: "yes", False: "no", None: "-"}


@app.callback()
def _group() -> None:
    """Ask models what they can do."""


@app.command()
@reporting
def check(models: Models = None, as_json: options.AsJson = False) -> None:
    """Ask each role's endpoint what it can do; fails where one does not answer.

    With a models file, the roles that it or a variable sets are asked.

    Example: stb-env models check --models models.toml
    """
    configs = load_models(models)
    named = None if models is None else {role for role in configs if given_settings(role, models)}
    checks = check_models(configs, named=named)
    emit({"models": [one.to_dict() for one in checks]}, as_json, _tables(checks))
    if any(one.reachable is False for one in checks):
        raise typer.Exit(FAILED)


def _tables(checks: list[Check]) -> Group:
    table = Table(title="models")
    table.add_column("role", no_wrap=True)
    for column in ("answers", "tools shown", "one tool", "schema", "context", "price"):
        table.add_column(column)
    for one in checks:
        found = one.abilities
        marks = [one.reachable]
        marks += [None] * 3 if found is None else [found.rendered, found.tools, found.json_schema]
        context = "-" if one.context is None else f"{one.context:,}"
        price = "unknown" if one.config.price is None else "known"
        table.add_row(one.config.role, *(_MARKS[mark] for mark in marks), context, price)
    return Group(table, *(Text(_line(one)) for one in checks))


def _line(one: Check) -> str:
    remark = f": {one.remark}" if one.remark else ""
    where = "in this process" if one.config.local else f"at {shown_url(one.config.endpoint)}"
    return f"{one.config.role}: {one.config.model} {where}{remark}"

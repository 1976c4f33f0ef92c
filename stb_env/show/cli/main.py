"""The command-line application and its simple commands."""

from __future__ import annotations

import warnings
from typing import Annotated

import typer

from stb_env import __version__
from stb_env.judges.heuristic import UnnamedJudgeWarning
from stb_env.show.cli import cache, data, models, run, tools, validate
from stb_env.show.cli.bench import bench
from stb_env.show.cli.compare import compare
from stb_env.show.cli.costs import costs
from stb_env.show.cli.eval import evaluation
from stb_env.show.cli.export import export
from stb_env.show.cli.groups import groups
from stb_env.show.cli.judge import judge
from stb_env.show.cli.lab import lab
from stb_env.show.cli.list import list_suites
from stb_env.show.cli.new import new
from stb_env.show.cli.play import play
from stb_env.show.cli.protocols import protocols_command
from stb_env.show.cli.report import report
from stb_env.show.cli.serve import serve
from stb_env.show.cli.synthesize import synthesize_command
from stb_env.show.cli.view import view
from stb_env.suite import registered, resolved

app = typer.Typer(
    name="stb-env",
    help="Stable tool-use environments: run, validate and measure, offline by default.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(cache.app, name="cache", help="Import, inspect and freeze recorded API responses.")
app.add_typer(data.app, name="data", help="Fetch, check and import query files and answers.")
app.add_typer(models.app, name="models", help="Ask the models of all roles what they can do.")
app.add_typer(tools.app, name="tools", help="Import, list and call tools of your own.")
app.command("list")(list_suites)
app.command("run")(run.run)
app.command("groups")(groups)
app.command("judge")(judge)
app.command("eval")(evaluation)
app.command("compare")(compare)
app.command("costs")(costs)
app.command("lab")(lab)
app.command("new")(new)
app.command("play")(play)
app.command("protocols")(protocols_command)
app.command("report")(report)
app.command("validate")(validate.validate)
app.command("export")(export)
app.command("synthesize")(synthesize_command)
app.command("bench")(bench)
app.command("serve")(serve)
app.command("view")(view)
for suite in registered():
    if suite.commands is not None:
        app.add_typer(resolved(suite.commands), name=suite.name.replace("_", "-"))


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"stb-env {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    del version


def main() -> None:
    """Entry point of the ``stb-env`` script."""
    # Every table names its judge.
    warnings.simplefilter("ignore", UnnamedJudgeWarning)
    app()

"""``stb-env new``: a small package with an environment to begin with."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.declare.scaffold import Scaffold

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the package, for example my-todo.")]
Out = Annotated[Path | None, typer.Option("--out", help="Folder of the package; NAME where not given.")]


@reporting
def new(name: Name, out: Out = None, as_json: options.AsJson = False) -> None:
    """Write a small installable package with an environment, a test and a README that pass at once.

    Example: stb-env new my-todo --out my-todo
    """
    package = Scaffold(name)
    folder = Path(package.name) if out is None else out
    written = package.write(folder)
    commands = [
        f"cd {quote(str(folder))}",
        'pip install -e ".[test]" && pytest',
        f"stb-env validate {package.env_id}",
        f"stb-env run {package.env_id} --agent gold",
    ]
    table = Table(title=f"{package.env_id} in {folder}", show_header=False)
    for file in written:
        table.add_row("written", str(file))
    table.add_section()
    for command in commands:
        # Brackets are markup to rich.
        table.add_row("next", escape(command))
    report = {"id": package.env_id, "out": str(folder), "files": [str(file) for file in written]}
    emit(report | {"next": commands}, as_json, table)

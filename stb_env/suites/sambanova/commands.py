"""``stb-env sambanova``: alignment data, complexity, and the paper's table."""

from __future__ import annotations

import typer

from stb_env.suites.sambanova.alignment.command import align
from stb_env.suites.sambanova.complexity_command import complexity
from stb_env.suites.sambanova.table_command import ranks, table

app = typer.Typer(
    no_args_is_help=True, help="SambaNova's tasks: alignment data, complexity and the paper's table."
)
app.command("align")(align)
app.command("complexity")(complexity)
app.command("ranks")(ranks)
app.command("table")(table)

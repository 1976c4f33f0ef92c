"""Write the pages that are made when the site is built: commands, protocols, public names, changelog."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from typer.cli import get_docs_for_click
from typer.core import TyperGroup
from typer.testing import CliRunner

from stb_env.show.cli import app

ROOT = Path(__file__).resolve().parent.parent
_PUBLIC = re.compile(r"^from (?P<module>[\w.]+) import (?P<name>\w+) as \w+$", re.MULTILINE)

_SHOWN = """\
    options:
      heading_level: 2
      show_root_heading: true
      show_root_full_path: false"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that stand in no folder; called by MkDocs."""
    made = {f"commands/{name}.md": text for name, text in commands()}
    made["commands/index.md"] = command_index(list(commands()))
    made["protocols.md"] = protocols()
    made["api.md"] = reference()
    made["changelog.md"] = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for path, content in made.items():
        files.append(File.generated(config, path, content=content))
    return files


def commands() -> Iterator[tuple[str, str]]:
    """Yield each command's name with its help as a page."""
    group = typer.main.get_command(app)
    if not isinstance(group, TyperGroup):
        raise TypeError(f"the application is a group of commands, got {group!r}")
    for name, command in group.commands.items():
        full = f"stb-env {name}"
        yield name, get_docs_for_click(obj=command, ctx=typer.Context(command, info_name=full), name=full)


def command_index(pages: list[tuple[str, str]]) -> str:
    """Return the page that lists the commands, with the first line of what each says."""
    lines = ["# Commands", "", "Each page is what `stb-env COMMAND --help` says.", ""]
    lines += ["| command | what it does |", "| --- | --- |"]
    for name, text in pages:
        summary = text.split("\n\n")[1].replace("\n", " ")
        lines.append(f"| [`stb-env {name}`]({name}.md) | {summary} |")
    return "\n".join(lines) + "\n"


def protocols() -> str:
    """Return the page of every protocol's settings, as ``stb-env protocols --markdown`` prints it."""
    return CliRunner().invoke(app, ["protocols", "--markdown"], catch_exceptions=False).stdout


def public_names() -> list[tuple[str, str]]:
    """Return each public name with the module that defines it, as `stb_env/__init__.pyi` lists them."""
    listed = (ROOT / "stb_env" / "__init__.pyi").read_text(encoding="utf-8")
    return [(found["name"], found["module"]) for found in _PUBLIC.finditer(listed)]


def reference() -> str:
    """Return the page of the public names; mkdocstrings puts each docstring in its place."""
    parts = ["# API reference\n\nAll public names, `stb_env.NAME`; each is imported at first use."]
    for name, module in public_names():
        parts.append(f"::: {module}.{name}\n{_SHOWN}")
    return "\n\n".join(parts) + "\n"

"""``stb-env tools``: import, list and call somebody's own tools."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from stb_env.actions.validation import check_call
from stb_env.backend.real_api.catalog_api import CatalogAPI
from stb_env.backend.real_api.tool_import import import_document, import_server, reading, selected
from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.console.progress import saying
from stb_env.core import jsontext
from stb_env.core.options import Cache, Start
from stb_env.core.request import drive
from stb_env.envs.connections import connect_catalog
from stb_env.errors import ConfigError, DataError
from stb_env.formats.catalog_file import CatalogFile, source_of
from stb_env.formats.openapi import Import
from stb_env.suites.own_tools.queries import line_schema
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall, ToolResult

app = typer.Typer(no_args_is_help=True)

Catalog = Annotated[Path, typer.Argument(metavar="CATALOG", help="Catalogue that `tools import` wrote.")]

_SHOWN = 10


@app.command("import")
@reporting
def import_(
    out: Annotated[Path, typer.Option("--out", help="Catalogue to write (JSON).")],
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="SOURCE", help="OpenAPI document (file or URL), or a list of functions (JSON)."
        ),
    ] = None,
    mcp: Annotated[
        str | None, typer.Option("--mcp", help="MCP server: its URL, or the command that starts it.")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="Name of the source; its own where not given.")] = "",
    server: Annotated[
        str, typer.Option("--server", help="URL of the service, in place of the document's.")
    ] = "",
    server_variable: Annotated[
        list[str] | None,
        typer.Option("--server-variable", help="NAME=VALUE of a variable of the server's URL; repeatable."),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option("--key", help="SCHEME=VARIABLE: environment variable with that key; repeatable."),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            "--header", help="NAME=VARIABLE: header to send, and the variable with its value; repeatable."
        ),
    ] = None,
    env: Annotated[
        list[str] | None,
        typer.Option("--env", help="Environment variable that an MCP command is given; repeatable."),
    ] = None,
    token_env: Annotated[
        str, typer.Option("--token-env", help="Environment variable with the token of an MCP URL.")
    ] = "",
    reset: Annotated[
        str,
        typer.Option(
            "--reset",
            help="Resets the service for an episode: 'METHOD PATH [JSON]', or restart for an MCP command.",
        ),
    ] = "",
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Tools to take, as get_*; repeatable.")
    ] = None,
    reads: Annotated[
        list[str] | None,
        typer.Option("--reads", help="Tools that write nothing, as search_* by POST; repeatable."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Write the tools of an MCP server, an OpenAPI document or a list of functions to a catalogue.

    Example: stb-env tools import openapi.json --out tools.json
    """
    if (source is None) == (mcp is None):
        raise ConfigError("name one source: a document, or an MCP server with --mcp")
    if mcp is not None:
        if server or server_variable or key or header:
            raise ConfigError("--server, --server-variable, --key and --header are for OpenAPI documents")
        with saying(f"waiting for the tools of {mcp}", as_json):
            found = import_server(mcp, name=name, env=env or (), token_env=token_env)
    else:
        if env or token_env:
            raise ConfigError("--env and --token-env are for MCP servers; keys of a document go to --key")
        with saying(f"reading {source}", as_json):
            found = import_document(
                str(source),
                name=name,
                server=server,
                server_variables=_pairs(server_variable, "--server-variable"),
                key_variables=_pairs(key, "--key"),
                headers=_pairs(header, "--header"),
            )
    every = found.file.tools
    found = reading(selected(found, only or ()), reads or ())
    if reset:
        found = _with_reset(found, _reset(reset), every, [name.partition("=")[0] for name in header or ()])
    found.file.save(out)
    emit(_report(found, out), as_json, _imported(found, out))


@app.command("list")
@reporting
def list_(catalog: Catalog, as_json: options.AsJson = False) -> None:
    """List the tools of a catalogue, with what each takes and who answers it.

    Example: stb-env tools list tools.json
    """
    file = CatalogFile.load(catalog)
    table = Table(title=f"{catalog}: {len(file.tools)} tools")
    for column in ("name", "takes", "asked at", "what it does"):
        table.add_column(column, overflow="fold")
    for tool in file.tools:
        what = next(iter(tool.description.splitlines()), "")
        table.add_row(tool.name, _takes(tool), str(source_of(tool).get("from", "-")), escape(what))
    emit(file.to_dict() | {"hash": file.hash}, as_json, table)


@app.command("call")
@reporting
def call(
    catalog: Catalog,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of a tool.")],
    arguments: Annotated[str, typer.Argument(metavar="JSON", help="Its arguments, a JSON object.")] = "{}",
    cache: Cache = None,
    mode: Annotated[
        str, typer.Option("--mode", help="live, or record, replay or offline with --cache.")
    ] = "live",
    start: Start = False,
    as_json: options.AsJson = False,
) -> None:
    """Call one tool and print what it answered; exit 1 where there was no answer.

    Example: stb-env tools call tools.json get_todos '{"done": false}'
    """
    file = CatalogFile.load(catalog)
    tool = file.catalog.get(name)
    if tool is None:
        raise ConfigError(
            f"{catalog} has no tool {name!r}; `tools list` shows all.{file.catalog.nearest(name)}"
        )
    checked = check_call(ToolCall(name, _arguments(arguments)), tool)
    if checked.violations:
        problems = "; ".join(violation.message for violation in checked.violations)
        raise ConfigError(f"these arguments do not fit {name!r}: {problems}")
    result = _answer(file, tool, ToolCall(name, checked.arguments), mode, cache, start)
    told = {
        "name": name,
        "arguments": checked.arguments,
        "source": result.source,
        "status": result.status.name,
    }
    if as_json:
        emit(told | {"error": result.error, "response": result.response}, as_json)
    else:
        typer.echo(result.text)


@app.command("schema")
@reporting
def schema() -> None:
    """Print the JSON Schema of a line of a file of queries, checks included.

    Example: stb-env tools schema
    """
    typer.echo(json.dumps(line_schema(), indent=2))


def _answer(
    file: CatalogFile, tool: Tool, call: ToolCall, mode: str, cache: str | None, start: bool
) -> ToolResult:
    backend = connect_catalog(file, mode, cache, start=start)
    try:
        state = backend.start(Task("call", "", (tool,)), 0)
        known = backend.recorded(state, tool, call)
        return known if known is not None else drive(backend.answer(state, tool, call))[0]
    finally:
        backend.close()


def _arguments(text: str) -> Mapping[str, object]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"the arguments must be a JSON object such as '{{\"n\": 1}}' ({error})") from error
    if not isinstance(value, dict):
        raise ConfigError(f"the arguments must be a JSON object, got {jsontext.dumps(value)[:80]}")
    return value


def _pairs(texts: list[str] | None, option: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not name or not equals or not value:
            # What was got stays unsaid: it may hold a key.
            raise DataError(f"{option} takes NAME=VALUE")
        pairs[name] = value
    return pairs


def _reset(text: str) -> dict[str, object]:
    """Return the reset that an option describes."""
    if text == "restart":
        return {"restart": True}
    method, _, rest = text.strip().partition(" ")
    path, _, body = rest.strip().partition(" ")
    if not path.startswith("/"):
        raise ConfigError(f"--reset takes 'METHOD PATH [JSON]', as 'POST /reset', or restart; got {text!r}")
    try:
        return {"method": method, "path": path} | ({"body": json.loads(body)} if body.strip() else {})
    except ValueError as error:
        raise ConfigError(f"the body of --reset must be JSON, got {body!r} ({error})") from error


def _is_request(tool: Tool, reset: Mapping[str, object]) -> bool:
    source = source_of(tool)
    return "method" in reset and (str(source.get("method")).upper(), source.get("path")) == (
        str(reset["method"]).upper(),
        reset["path"],
    )


def _with_reset(
    found: Import, reset: dict[str, object], every: Sequence[Tool], headers: Sequence[str]
) -> Import:
    """Return an import with a reset.

    It is sent the keys of its operation. Where the document does not have that, it is sent those that all
    tools want, or else the given headers.
    """
    if not found.file.sources:
        raise ConfigError("--reset is for a service, and a list of functions has none")
    operation = next((tool for tool in every if _is_request(tool, reset)), None)
    asked: list[Mapping[str, Any]] = [source_of(tool) for tool in ([operation] if operation else every)]
    wanted = [source.get("security", []) for source in asked]
    keys = wanted[0] if all(one == wanted[0] for one in wanted) else [sorted(headers)]
    if any(keys):
        reset = {**reset, "security": keys}
    sources = {name: {**source, "reset": reset} for name, source in found.file.sources.items()}
    # An agent that could reset the service would undo what it did.
    tools = [tool for tool in found.file.tools if not _is_request(tool, reset)]
    file = CatalogFile(tuple(tools), sources)
    # Says what is wrong with it before the catalogue is written.
    CatalogAPI(file, start=True)
    return found._replace(file=file)


def _keys(found: Import) -> list[str]:
    forms = [form for source in found.file.sources.values() for form in source.get("keys", {}).values()]
    return sorted({str(form["env"]) for form in forms})


def _report(found: Import, out: Path) -> dict[str, object]:
    return {
        "out": str(out),
        "tools": [tool.name for tool in found.file.tools],
        "sources": {
            name: {word: value for word, value in source.items() if word != "schemas"}
            for name, source in found.file.sources.items()
        },
        "skipped": list(found.skipped),
        "keys": _keys(found),
        "hash": found.file.hash,
    }


def _imported(found: Import, out: Path) -> Table:
    table = Table(title=f"{len(found.file.tools)} tools in {out}", show_header=False)
    for name, source in found.file.sources.items():
        where = source.get("server") or source.get("url") or shlex.join(source.get("command", ()))
        table.add_row("source", f"{name}: {escape(where)}")
    for variable in _keys(found):
        table.add_row("export", variable)
    for tool in found.file.tools[:_SHOWN]:
        table.add_row("tool", f"{tool.name}({_takes(tool)})")
    if len(found.file.tools) > _SHOWN:
        table.add_row(
            "",
            f"{len(found.file.tools) - _SHOWN} more; `stb-env tools list {shlex.quote(str(out))}` shows all",
        )
    for reason in found.skipped:
        table.add_row("left out", escape(reason))
    return table


def _takes(tool: Tool) -> str:
    """Return the names of a tool's arguments, a question mark after those that may be missing."""
    required = tool.parameters.get("required", ())
    names = tool.parameters.get("properties", {})
    return ", ".join(name if name in required else f"{name}?" for name in names)

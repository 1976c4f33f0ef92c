"""``stb-env worlds``: show a world, check a kit, begin a new one, and figures of many worlds."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer
from rich.console import Group
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import FAILED, console, emit, reporting
from stb_env.console.progress import bar, spending
from stb_env.core.files import make_folder, write_text
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError
from stb_env.models import Meter, connect, load_models, metered
from stb_env.models.preflight import checking
from stb_env.suites.worlds.authoring.check_kit import sample_sentences
from stb_env.suites.worlds.authoring.kit_author import ATTEMPTS, author_file, drafts_of, told
from stb_env.suites.worlds.authoring.kit_trial import checked_kit, faults_in
from stb_env.suites.worlds.schema.joining import JOIN, kit_named
from stb_env.suites.worlds.schema.kit import Kit, read_kit
from stb_env.suites.worlds.stats import statistics_of
from stb_env.suites.worlds.tasks.dials import Dials
from stb_env.suites.worlds.tasks.making import kits, task_in
from stb_env.suites.worlds.world import Built, build
from stb_env.suites.worlds.world_page import world_page

app = typer.Typer(no_args_is_help=True, help="Generated worlds: look at them, and check or begin a kit.")

KitName = Annotated[str, typer.Argument(metavar="KIT", help="A kit's file, or the name of one that ships.")]
DialsText = Annotated[
    str, typer.Option("--dials", help="Conditions of episodes as ids tell them: b150h2, or nothing.")
]
_ROWS = 3


@app.command("show")
@reporting
def show(
    seed: Annotated[int, typer.Argument(min=0, help="The world's seed.")],
    kit: Annotated[
        str, typer.Option("--kit", help="A kit's file, or the name of one, or several: a+b.")
    ] = "vet_clinic",
    level: Annotated[int, typer.Option("--level", min=1, max=6, help="Level of the task that is shown.")] = 2,
    dials: DialsText = "",
    html: Annotated[
        Path | None, typer.Option("--html", help="Write it as a page to this file instead.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Show a world: its rows, tools and rules, and a task with its solution.

    Example: stb-env worlds show 17 --kit vet_clinic --level 3
    """
    world = build(_kit(kit, checked_kit), seed)
    task = task_in(world.key, level, _dials(dials))
    if html is not None:
        write_text(html, world_page(world, task))
        emit({"world": world.key, "task": None if task is None else task.id, "page": str(html)}, as_json)
        return
    shown: JsonObject = {
        "world": world.key,
        "name": world.blueprint.name,
        "entities": {
            entity: {
                "service": described.service,
                "rows": len(world.blueprint.data.rows[entity]),
                "first": [_row(world, entity, number) for number in range(_ROWS)],
            }
            for entity, described in world.blueprint.entities.items()
        },
        "tools": {tool.tool.name: tool.tool.description for tool in world.tools.values()},
        "rules": {
            f"{entity}.{name}": [*(rule.text for rule in queue.rules), queue.text]
            for entity, described in world.blueprint.entities.items()
            for name, queue in described.queues.items()
        },
    }
    if task is not None:
        shown["task"] = {
            "id": task.id,
            "query": task.query,
            "answer": task.goal["answer"],
            "calls": [{"name": call.name, "arguments": call.arguments} for call in task.gold],
            "script": task.goal.get("script", {}),
        }
    emit(shown, as_json, _world_tables(shown))


def _row(world: Built, entity: str, number: int) -> dict[str, object]:
    blueprint = world.blueprint
    row = blueprint.data.rows[entity][number]
    names = blueprint.entities[entity].attributes
    return {name: blueprint.text_of(entity, name, value) for name, value in zip(names, row, strict=True)}


def _world_tables(shown: JsonObject) -> Group:
    entities = Table("entity", "service", "rows", "the first", title=f"{shown['name']} ({shown['world']})")
    for name, entity in shown["entities"].items():
        first = ", ".join(f"{key} {value}" for key, value in entity["first"][0].items())
        entities.add_row(name, entity["service"], str(entity["rows"]), first)
    tools = Table("tool", "description")
    for name, description in shown["tools"].items():
        tools.add_row(name, description)
    parts = [entities, tools]
    for name, texts in shown["rules"].items():
        rules = Table(f"rules of {name}, in order")
        for text in texts:
            rules.add_row(text)
        parts.append(rules)
    if "task" in shown:
        task = shown["task"]
        told = Table(show_header=False, title=f"task {task['id']}")
        told.add_row("query", task["query"])
        told.add_row("answer", json.dumps(task["answer"]))
        for about, fact in task["script"].get("user", {}).get("facts", {}).items():
            replies = [*fact["replies"], *([fact["news"]] if "news" in fact else [])]
            told.add_row(f"user on {about}", "\n".join(reply["says"] for reply in replies))
        for call in task["calls"]:
            told.add_row("call", f"{call['name']} {json.dumps(call['arguments'])}")
        parts.append(told)
    return Group(*parts)


@app.command("check")
@reporting
def check(kit: KitName, as_json: options.AsJson = False) -> None:
    """Check a kit: every path, value, action and phrase; prints sentences of it. Exit 1 where it has faults.

    Example: stb-env worlds check my_kit.toml
    """
    declared = _kit(kit, read_kit)
    faults = faults_in(declared)
    sentences = [] if faults else sample_sentences(declared)
    table = Table("fault" if faults else f"sentences of {declared.name}")
    for text in faults or sentences:
        table.add_row(text)
    emit({"kit": declared.name, "faults": faults, "sentences": sentences}, as_json, table)
    if faults:
        raise typer.Exit(1)


@app.command("new")
@reporting
def new(
    path: Annotated[Path, typer.Argument(help="The file to write, such as my_kit.toml.")],
    as_json: options.AsJson = False,
) -> None:
    """Write a small kit that passes the check, to begin one of your own with.

    Example: stb-env worlds new my_kit.toml
    """
    if path.exists():
        raise ConfigError(f"{path} is there already; name a new file")
    text = files("stb_env.suites.worlds.authoring").joinpath("scaffold.toml").read_text("utf-8")
    make_folder(path.parent)
    write_text(path, text.replace('name = "tool_library"', f'name = "{_identifier(path)}"', 1))
    emit({"written": str(path), "next": f"stb-env worlds check {quote(str(path))}"}, as_json)


@app.command("author")
@reporting
def author(
    about: Annotated[str, typer.Argument(help="The domain in a few words, such as 'a blood bank'.")],
    out: Annotated[Path, typer.Option("--out", help="The file to write, such as blood_bank.toml.")],
    models: Annotated[
        Path | None, typer.Option("--models", help="Models file (TOML); its agent writes.")
    ] = None,
    attempts: Annotated[
        int, typer.Option("--attempts", min=1, help="How often the model is asked at most.")
    ] = ATTEMPTS,
    budget: Annotated[
        float | None, typer.Option("--budget", min=0, help="Dollars that the model may cost.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Let a model write a kit: it is told the faults of each try until one passes every check.

    Exit 1 where none does; the last try and its faults are kept beside the file, and the same command goes
    on from there.

    Example: stb-env worlds author "a blood bank" --models models.toml --out blood_bank.toml
    """
    config = load_models(models)["agent"]
    if budget is not None and config.price is None:
        raise ConfigError(f"--budget needs the price of {config.model}; add one under [prices]")
    meter = Meter(max_cost=budget)
    with checking(), metered(meter):
        model = connect(config)
    with bar("tries", as_json, meter) as progress:
        draft = author_file(model, about, out, attempts=attempts, progress=progress)
    report: JsonObject = {
        "kit": str(out) if not draft.faults else None,
        "attempts": draft.attempt,
        "model": model.name,
        "usage": meter.total.report(),
        "faults": list(draft.faults),
    }
    table = Table(show_header=False, title=f"kit of {about}")
    table.add_row("attempts", str(draft.attempt))
    table.add_row("spent", spending(meter))
    if draft.faults:
        kept, faults = drafts_of(out)
        report["draft"] = str(kept)
        table.add_row("no try passed", f"the last one is {kept}, and its faults are {faults}:")
        table.add_row("faults", escape(told(draft.faults)))
    else:
        table.add_row("passed", f"{out}; read its sentences: stb-env worlds check {quote(str(out))}")
    emit(report, as_json, table)
    if draft.faults:
        raise typer.Exit(FAILED)


@app.command("stats")
@reporting
def stats(
    worlds: Annotated[
        int, typer.Option("--worlds", min=1, help="How many worlds, with ten tasks each.")
    ] = 100,
    services: Annotated[
        int | None, typer.Option("--services", min=1, help="Services that a world has at least.")
    ] = None,
    dials: DialsText = "",
    as_json: options.AsJson = False,
) -> None:
    """Print figures of many worlds: tools, rows, goals, lengths, and how little they repeat.

    Example: stb-env worlds stats --worlds 1000
    """
    with Progress(console=console, transient=True, disable=as_json) as progress:
        bar = progress.add_task("tasks", total=10 * worlds)
        figures = statistics_of(
            worlds, lambda done: progress.update(bar, completed=done), services, _dials(dials)
        )
    emit(figures, as_json)


def _dials(text: str) -> Dials:
    found = Dials.of(text)
    if found is None:
        raise ConfigError(f"{text!r} tells no dials; each has a letter and a number, such as b150h2")
    if found.fault:
        raise ConfigError(f"{text!r} tells no dials: {found.fault}")
    return found


def _kit(text: str, read: Callable[[Path], Kit]) -> Kit:
    if set(text.split(JOIN)) <= set(kits()):
        return kit_named(text)
    path = Path(text)
    if path.suffix != ".toml":
        raise ConfigError(f"no kit {text!r}; a kit is a .toml file or one of {', '.join(kits())}")
    return read(path)


def _identifier(path: Path) -> str:
    name = "".join(char if char.isalnum() and char.isascii() else "_" for char in path.stem.lower())
    return name if name[:1].isalpha() else f"kit_{name}"

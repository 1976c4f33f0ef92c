"""A world as one HTML file that asks nothing of anyone: rows, tools, rules, and a task with its solution."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from xml.etree.ElementTree import Element

from stb_env import __version__
from stb_env.core.element import Child, element, markup
from stb_env.suites.worlds.data.rows import MISSING
from stb_env.suites.worlds.judge import current_goal
from stb_env.suites.worlds.schema.kit import Day, Entity, Quantity, Ref
from stb_env.suites.worlds.schema.nouns import forms
from stb_env.suites.worlds.tasks.dials import Dials
from stb_env.suites.worlds.world import Built, GeneratedWorld
from stb_env.tasks import Task
from stb_env.tools import Tool

_ROWS = 8
"""Rows of each entity that are shown."""
_STYLE = """
:root { --paper: #fbfaf8; --ink: #1d1f23; --quiet: #5f646d; --rule: #e3e0da; --soft: #f4f2ed; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181b; --ink: #e6e4df; --quiet: #a0a5ad; --rule: #32363c; --soft: #22262b; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 2rem 1.5rem 4rem; font: 15px/1.5 system-ui, sans-serif;
  background: var(--paper); color: var(--ink); }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: .7rem 0;
  border-block: 1px solid var(--rule); }
a { color: inherit; }
section { padding-top: 1.5rem; }
.note, caption, footer { color: var(--quiet); font-size: .87rem; text-align: left; }
.scroll { overflow-x: auto; margin: .6rem 0 1.4rem; }
table { border-collapse: collapse; font-size: .87rem; }
th, td { padding: .3rem .9rem .3rem 0; text-align: left; vertical-align: top; }
tr { border-bottom: 1px solid var(--rule); }
pre, code { font: .85rem/1.45 ui-monospace, monospace; }
pre { background: var(--soft); padding: .6rem .8rem; white-space: pre-wrap; overflow-wrap: anywhere; }
summary { cursor: pointer; overflow-wrap: anywhere; }
"""


def world_page(world: Built, task: Task | None = None) -> str:
    """Return a world as an HTML document, in which every text is escaped.

    Args:
        world: The world.
        task: A task of it, whose solution is played.
    """
    blueprint = world.blueprint
    title = f"{blueprint.name} ({world.key})"
    tools = {name: tool.tool for name, tool in world.tools.items()}
    tools |= {tool.name: tool for tool in (task.tools if task else ())}
    sections = [
        _section("Records", _records(world)),
        _section("Tools", _tools(list(tools.values()), task)),
        _section("Rules", _rules(blueprint.entities)),
        *([_section("Task", _task(task))] if task else []),
    ]
    links = (element("a", part[0].text, href=f"#{part.get('id')}") for part in sections)
    said = (
        f"Drawn from the kit {blueprint.kit.name} and the seed {blueprint.seed}. "
        f"Today is {date.fromordinal(blueprint.today)}; money is in {blueprint.currency}."
    )
    body = element(
        "body",
        element("h1", title),
        element("p", said),
        element("nav", *links, aria_label="Contents"),
        element("main", *sections),
        element("footer", f"Made by stb-env {__version__}."),
    )
    allowed = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{allowed}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("link", rel="icon", href="data:,"),
        element("title", title),
        element("style", _STYLE),
    )
    return f"<!doctype html>\n{markup(element('html', head, body, lang='en'))}\n"


def _section(title: str, parts: Iterable[Element]) -> Element:
    return element("section", element("h2", title), *parts, id=title.lower())


def _table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[Child]]) -> Element:
    head = element("tr", *(element("th", column, scope="col") for column in columns))
    body = [element("tr", *(element("td", cell) for cell in row)) for row in rows]
    grid = element("table", element("caption", caption), element("thead", head), element("tbody", *body))
    return element("div", grid, class_="scroll", tabindex="0", role="region", aria_label=caption)


def _pretty(value: object) -> Element:
    return element("pre", json.dumps(value, indent=2, ensure_ascii=False, default=dict))


# -- records ----------------------------------------------------------------------------------------


def _records(world: Built) -> Iterator[Element]:
    blueprint = world.blueprint
    for name, entity in blueprint.entities.items():
        rows = blueprint.data.rows[name]
        shown = [[_text(world, name, place, row) for place in entity.columns] for row in rows[:_ROWS]]
        columns = [f"{attribute}{_kind(world, entity, attribute)}" for attribute in entity.attributes]
        _, plural = forms(entity)
        yield element("h3", f"{plural}, kept by the service {entity.service}")
        yield _table(f"{len(shown)} of {len(rows)} rows of {name}", columns, shown)
        if entity.actions:
            done = ", ".join(f"{action} ({acted.type})" for action, acted in entity.actions.items())
            yield element("p", f"Actions: {done}", class_="note")


def _text(world: Built, entity: str, attribute: str, row: Sequence[int]) -> str:
    value = row[world.blueprint.entities[entity].columns[attribute]]
    return "" if value == MISSING else world.blueprint.text_of(entity, attribute, value)


def _kind(world: Built, entity: Entity, attribute: str) -> str:
    match entity.attributes[attribute]:
        case Quantity(type="money"):
            return f" ({world.blueprint.currency})"
        case Quantity(unit=unit) if unit:
            return f" ({unit})"
        case Day():
            return " (date)"
        case Ref(to=to):
            return f" (of {to})"
    return ""


# -- tools and rules --------------------------------------------------------------------------------


def _tools(tools: Sequence[Tool], task: Task | None) -> Iterator[Element]:
    offered = {tool.name for tool in (task.tools if task else tools)}
    others = f", of which the task offers {len(offered)}" if len(offered) < len(tools) else ""
    yield element("p", f"{len(tools)} tools{others}. A parameter with * must be given.", class_="note")
    for tool in tools:
        required = tool.parameters.get("required", ())
        rows = [
            (f"{name}{'*' if name in required else ''}", *_parameter(described))
            for name, described in tool.parameters.get("properties", {}).items()
        ]
        remark = "" if tool.name in offered else " (not offered in the task)"
        summary = element("summary", element("code", tool.name), f"{remark} {tool.description}")
        parts = (
            [_table(f"Parameters of {tool.name}", ("parameter", "type", "description"), rows)] if rows else []
        )
        yield element("details", summary, *parts)


def _parameter(described: Mapping[str, object]) -> tuple[str, str]:
    rest = {name: value for name, value in described.items() if name not in ("type", "description")}
    kind = str(described.get("type", ""))
    return f"{kind} {json.dumps(rest, ensure_ascii=False)}" if rest else kind, str(
        described.get("description", "")
    )


def _rules(entities: Mapping[str, Entity]) -> Iterator[Element]:
    for name, entity in entities.items():
        for key, queue in entity.queues.items():
            yield element("h3", f"Queue {name}.{key}: the first rule that applies decides")
            yield element(
                "ol", *(element("li", text) for text in (*(rule.text for rule in queue.rules), queue.text))
            )
        if entity.policies:
            yield element("h3", f"Policies on {name}")
            yield element("ul", *(element("li", policy.text) for policy in entity.policies))


# -- the task ---------------------------------------------------------------------------------------


def _task(task: Task) -> Iterator[Element]:
    dials = Dials.of(task.id.rpartition(".")[2]) or Dials()
    on = [(name, str(value)) for name, value in asdict(dials).items() if value]
    yield element(
        "p", element("code", task.id), f": level {task.record['level']}, {len(task.gold)} calls of gold"
    )
    yield element("blockquote", task.query)
    if on:
        yield _table("Dials", ("dial", "value"), on)
    if script := task.goal.get("script"):
        yield element("details", element("summary", "Script of the episode"), _pretty(script))
    yield element("h3", "Solution")
    backend = GeneratedWorld()
    known = {tool.name: tool for tool in task.tools}
    state = backend.start(task, 0)
    for call in task.gold:
        arguments = {} if isinstance(call.arguments, str) else call.arguments
        result, state = backend.call(state, known[call.name], arguments)
        said = f"{call.name} {json.dumps(arguments, ensure_ascii=False)}"
        yield element("details", element("summary", element("code", said)), _pretty(json.loads(result.text)))
    yield element("h3", "Answer")
    yield _pretty(current_goal(task.goal, state)["answer"])
    yield element("details", element("summary", "Its schema"), _pretty(task.answer))

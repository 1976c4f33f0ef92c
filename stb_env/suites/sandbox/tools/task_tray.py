"""Task Tray: the user's to-do lists."""

from __future__ import annotations

import random
from collections.abc import Mapping

from stb_env.backend.world import Table, Tables
from stb_env.core.jsontypes import Json, JsonObject
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.coming_days import iso_day
from stb_env.suites.sandbox.conventions import PAGE, added, found, page_of, parse_day
from stb_env.suites.sandbox.params import choice, day, text
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Productivity", "Task Tray", "The user's to-do lists.")
_ID = text("todo_id", "Id from Search To-dos.", "todo-001")
PRIORITIES = ("normal", "low", "high")
LISTS: Mapping[str, tuple[str, ...]] = {
    "Home": ("Clean the gutters", "Descale the kettle", "Fix the shelf", "Oil the hinges", "Prune the roses"),
    "Work": ("Archive the minutes", "Book the room", "Draft the memo", "Order toner", "Update the roster"),
    "Errands": ("Buy stamps", "Collect the suit", "Drop off glass", "Renew the permit", "Return the drill"),
}


@TOOL.starts_with
def rows(rng: random.Random, _household: int) -> Mapping[str, Table]:
    """Start with three lists of five to-dos, two of high priority in each."""
    todos: dict[str, JsonObject] = {}
    for list_name, titles in LISTS.items():
        priorities = rng.sample(("high", "high", "normal", "low", "low"), 5)
        for title, priority, offset in zip(titles, priorities, rng.sample(range(2, 32), 5), strict=True):
            key = f"todo-{len(todos) + 1:03}"
            todos[key] = {
                "todo_id": key,
                "list_name": list_name,
                "title": title,
                "due_date": iso_day(offset),
                "priority": priority,
                "done": False,
            }
    # No to-do has an id that one could know by heart.
    return {"todos": edition.renumbered(todos, rng)}


def _changed(state: Tables, todo_id: str, **fields: Json) -> Update:
    row = {**found(state.row("todos", todo_id), "to-do", todo_id), **fields}
    return dict(row), state.with_row("todos", todo_id, row)


@TOOL.api("Show Lists")
def show_lists(state: Tables) -> Response:
    """Names of the lists, with the number of open to-dos."""
    counts: dict[str, int] = {}
    for row in state.table("todos").values():
        counts[row["list_name"]] = counts.get(row["list_name"], 0) + (not row["done"])
    return {"lists": [{"list_name": name, "open": count} for name, count in counts.items()]}


@TOOL.api(
    "Search To-dos",
    text("title", "Part of the title, in any case; empty for all.", ""),
    text("list_name", "Only this list.", "", optional=True),
    choice("priority", "Only this priority.", ("any", *PRIORITIES), optional=True),
    day("due_by", "Only what is due by this day.", "", optional=True),
    PAGE,
)
def search_todos(
    state: Tables, title: str, list_name: str, priority: str, due_by: str, page: int
) -> Response:
    """Find to-dos, done ones included, by due date."""
    last = parse_day(due_by).isoformat() if due_by else "9999"
    rows = [
        row
        for row in state.table("todos").values()
        if title.casefold() in row["title"].casefold()
        and list_name.casefold() in ("", row["list_name"].casefold())
        and priority in ("any", row["priority"])
        and row["due_date"] <= last
    ]
    rows.sort(key=lambda row: (row["due_date"], row["todo_id"]))
    return page_of(rows, page)


@TOOL.api(
    "Add To-do",
    text("list_name", "The list; a new name starts a new list.", "Home"),
    text("title", "What is to be done.", "Sample"),
    day("due_date", "When it is due.", "2026-03-20"),
    choice("priority", "How urgent it is.", PRIORITIES, optional=True),
)
def add_todo(state: Tables, list_name: str, title: str, due_date: str, priority: str) -> Update:
    """Add a to-do to a list."""
    parse_day(due_date)
    if not title.strip() or not list_name.strip():
        raise ApiError("title and list_name must not be empty")
    return added(
        state,
        "todos",
        "todo",
        list_name=list_name,
        title=title,
        due_date=due_date,
        priority=priority,
        done=False,
    )


@TOOL.api("Complete To-do", _ID)
def complete_todo(state: Tables, todo_id: str) -> Update:
    """Tick a to-do off."""
    return _changed(state, todo_id, done=True)


@TOOL.api("Reschedule To-do", _ID, day("due_date", "The new day.", "2026-03-20"))
def reschedule_todo(state: Tables, todo_id: str, due_date: str) -> Update:
    """Give a to-do another due date."""
    return _changed(state, todo_id, due_date=parse_day(due_date).isoformat())


@TOOL.api("Set Priority", _ID, choice("priority", "The new priority.", PRIORITIES))
def set_priority(state: Tables, todo_id: str, priority: str) -> Update:
    """Give a to-do another priority."""
    return _changed(state, todo_id, priority=priority)


@TOOL.api("Delete To-do", _ID)
def delete_todo(state: Tables, todo_id: str) -> Update:
    """Remove a to-do for good."""
    row = found(state.row("todos", todo_id), "to-do", todo_id)
    return {"deleted": row["title"]}, state.without_row("todos", todo_id)

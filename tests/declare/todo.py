"""An environment that tests play, as somebody would write it; every kind of tool and check is in it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import stb_env
from stb_env.errors import BackendError


@dataclass
class Todo:
    """A list of things to do."""

    items: dict[str, bool] = field(default_factory=dict)

    def add(self, title: str) -> str:
        """Put an item on the list."""
        self.items[title] = True
        return f"added {title}"

    def done(self, title: str) -> str:
        """Mark an item as done."""
        if title not in self.items:
            raise LookupError(f"there is no item {title!r}")
        self.items[title] = False
        return "done"

    def spoil(self, title: str) -> None:
        """Change the list, and refuse."""
        self.items[title] = True
        raise ValueError("refused")

    async def slowly(self, title: str) -> str:
        """Put an item on the list, later."""
        await asyncio.sleep(0)
        if not title:
            raise ValueError("it needs a title")
        return self.add(title)


def look(todo: Todo, title: str) -> bool:
    """Say whether an item is open; a missing one is whatever a dict says."""
    return todo.items[title]


def count(todo: Todo) -> int:
    """Count the open items."""
    return sum(todo.items.values())


def crash(secret: str) -> str:
    """Have a bug that knows a secret."""
    raise RuntimeError(f"the key is {secret}")


async def crash_later(secret: str) -> str:
    """Have it later."""
    await asyncio.sleep(0)
    raise RuntimeError(f"the key is {secret}")


def unreachable() -> str:
    """Fail as the network does."""
    raise BackendError("no answer in 5 s", kind="timeout", stage="real", retryable=True)


def opaque() -> Any:
    """Return what is no JSON."""
    return object()


async def later(answer: str, todo: Todo) -> float:
    """Check, later."""
    await asyncio.sleep(0)
    return 0.25 if todo.items else 0.0


def careless(answer: str, todo: Todo) -> bool:
    """Check carelessly: the answer need not be a number."""
    return int(answer) == 1


WORDS = {
    "type": "object",
    "properties": {"words": {"type": "array", "items": {"type": "string"}}},
    "required": ["words"],
}

SUITE = stb_env.environment(
    "t/Todo-v0",
    description="A list of things to do.",
    tools=[
        Todo.add,
        Todo.done,
        Todo.spoil,
        Todo.slowly,
        look,
        count,
        crash,
        crash_later,
        unreachable,
        opaque,
    ],
    state=Todo,
    cannot={"not_found": ["order", "person"]},
    max_turns=6,
    tasks=[
        stb_env.task(
            "Add milk.", gold="add('milk')", check=lambda answer, todo: todo.items == {"milk": True}, id="add"
        ),
        stb_env.task("How many are open?", gold="count()", answer=0, id="count"),
        stb_env.task(
            "Both.",
            gold="add('x')\ncount()",
            answer={"open_items": 1, "first": "x"},
            check=lambda _, t: "x" in t.items,
            id="both",
        ),
        stb_env.task("Later.", gold="slowly(title='x')", check=later, id="later"),
        stb_env.task("Carelessly.", check=careless, id="careless", split="train"),
        stb_env.task(
            "With a start.",
            gold="done('tea')",
            state=Todo({"tea": True}),
            check=lambda answer, todo: (not todo.items["tea"], "the tea is open"),
            id="start",
        ),
        stb_env.task(
            "Say a and b.",
            gold="Finish(answer={'words': ['a', 'b']})",
            schema=WORDS,
            check=lambda answer, todo: sorted(answer["words"]) == ["a", "b"],
            id="typed check",
        ),
        stb_env.task("What is the price of my order?", answer={"price": 3}, id="found"),
        stb_env.task(
            "What is the price of my second order?",
            schema={"type": "object", "properties": {"price": {"type": "integer"}}, "required": ["price"]},
            cannot=("not_found", ["order"]),
            id="lost",
        ),
        stb_env.task("No verdict.", check=lambda answer, todo: "yes", id="no verdict", split="train"),
    ],
)

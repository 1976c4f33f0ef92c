"""Tickets: what a service hands out for a call that it carries out later.

A quote waits for its confirmation, an export until it is done. Both are kept in `State.notes`: the key has
the arguments, and the value what is left to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from stb_env.core import jsontext
from stb_env.seeding import derive
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.services.archetypes.tool import Bound

Kind = Literal["quote", "export"]
_MOST = 20
"""Tickets of a kind that a service remembers."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket.

    Attributes:
        key: Its key among the notes of a state.
        code: What callers know it by.
        tool: The name of the tool that it is for.
        bound: The arguments that it was asked for with.
        left: What is left to do: 0 where nothing is.
    """

    key: str
    code: str
    tool: str
    bound: Bound
    left: int


def issued(state: State, kind: Kind, prefix: str, tool: str, bound: Bound, left: int) -> tuple[str, State]:
    """Return the code of a new ticket, and the state that remembers it."""
    asked = jsontext.dumps(dict(bound))
    others = [each.key for each in _all(state, kind)]
    (count,) = state.notes.get(f"{kind}s", (0,))
    code = f"{prefix}-{derive(kind, tool, asked, count) % 16**6:06x}"
    forgotten = others[: max(0, len(others) + 1 - _MOST)]
    notes = {key: value for key, value in state.notes.items() if key not in forgotten}
    notes |= {f"{kind}s": (count + 1,), f"{kind} {code} {tool} {asked}": (left,)}
    return code, replace(state, notes=notes)


def ticket(state: State, kind: Kind, code: str) -> Ticket | None:
    """Return the ticket of a code, or None where there is none."""
    return next((each for each in _all(state, kind) if each.code == code), None)


def open_tickets(state: State, kind: Kind, tool: str) -> list[Ticket]:
    """Return the tickets of a tool of which something is left to do."""
    return [each for each in _all(state, kind) if each.tool == tool and each.left]


def left(state: State, each: Ticket, count: int) -> State:
    """Return the state in which so much is left to do of a ticket."""
    return replace(state, notes={**state.notes, each.key: (count,)})


def _all(state: State, kind: Kind) -> Iterator[Ticket]:
    for key, (count, *_) in state.notes.items():
        if key.startswith(f"{kind} "):
            _, code, tool, asked = key.split(" ", 3)
            yield Ticket(key, code, tool, jsontext.loads(asked), count)

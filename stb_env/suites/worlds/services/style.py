"""Styles: the conventions of a service's interface, drawn from the world's seed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Literal

from stb_env.seeding import rng

Case = Literal["snake", "camel", "kebab"]
Days = Literal["iso", "dotted", "slashed", "compact"]
Money = Literal["number", "cents", "text", "object"]
Flags = Literal["bool", "yes", "digit"]
Ids = Literal["integer", "prefixed", "hex"]
Paging = Literal["page", "offset", "cursor"]
Errors = Literal["code", "status", "plain"]

_VERBS: dict[str, tuple[str, ...]] = {
    "list": ("list", "query", "browse", "filter"),
    "get": ("get", "fetch", "read", "show"),
    "lookup": ("find", "lookup", "get", "resolve"),
    "search": ("search", "match"),
    "update": ("update", "set", "change", "edit"),
    "batch": ("get", "fetch", "load"),
    "rules": ("read", "get", "show"),
    "today": ("get", "read"),
    "create": ("create", "add", "register"),
    "delete": ("delete", "remove"),
    "convert": ("convert", "exchange"),
    "move": ("move", "transfer"),
    "void": ("void", "annul"),
    "sign_in": ("sign in", "log in", "open session"),
    "quote": ("quote", "preview"),
    "confirm": ("confirm", "commit", "execute"),
    "poll": ("check", "get", "poll"),
    "fetch": ("download", "collect", "fetch"),
    "report": ("get", "read", "show"),
    "refresh": ("refresh", "rebuild"),
}


_STATUSES = {
    "unauthorized": 401,
    "not_found": 404,
    "conflict": 409,
    "invalid": 422,
    "rate_limited": 429,
    "internal": 500,
    "unavailable": 503,
    "timeout": 504,
}


@dataclass(frozen=True, slots=True)
class Style:
    """The conventions of one service.

    Attributes:
        prefix: Letters that begin its identifiers.
        case: How names of tools and fields are written.
        noun_first: Whether a tool's name begins with what it is about: ``loans_list``.
        named: Whether tools carry the service's name.
        ids: The form of identifiers.
        days: The form of dates.
        money: The form of amounts.
        numbers_as_text: Whether numbers with decimals are text.
        flags: The form of true and false.
        upper: Whether values of categories are written as ``IN_STOCK``.
        nested_rows: Whether the fields of a row stand in an object of their own, beside the identifier.
        nested_refs: Whether a reference is an object.
        nested_filters: Name of the parameter that holds a list's filters; empty where they are flat.
        paging: How lists are cut into pages.
        page_size: Rows of a page by default.
        most_rows: Most rows of a page.
        items: Key of a list's rows; empty for the plural noun.
        total: Whether lists say how many rows there are in all.
        errors: The form of error messages.
        units_in_names: Whether names of fields carry the unit.
    """

    prefix: str
    case: Case
    noun_first: bool
    named: bool
    ids: Ids
    days: Days
    money: Money
    numbers_as_text: bool
    flags: Flags
    upper: bool
    nested_rows: bool
    nested_refs: bool
    nested_filters: str
    paging: Paging
    page_size: int
    most_rows: int
    items: str
    total: bool
    errors: Errors
    units_in_names: bool
    verbs: tuple[tuple[str, str], ...]

    def verb(self, kind: str) -> str:
        """Return the service's verb for a kind of tool."""
        return dict(self.verbs)[kind]

    def name(self, *words: str) -> str:
        """Write words as one name: ``due_date``, ``dueDate``, ``due-date``."""
        return _written("-" if self.case == "kebab" else self.case, words)

    def before(self, word: str, name: str) -> str:
        """Return a name that is written already with a word in front."""
        match self.case:
            case "camel":
                return f"{_written('camel', (word,))}{name[0].upper()}{name[1:]}"
            case "kebab":
                return f"{_written('-', (word,))}-{name}"
            case "snake":
                return f"{_written('snake', (word,))}_{name}"

    def field(self, *words: str) -> str:
        """Write words as the name of a field; no interface has hyphens there."""
        return _written(self.case, words)

    def error(self, kind: str, message: str) -> str:
        """Return the text of an error."""
        match self.errors:
            case "code":
                return f"{kind.upper()}: {message}"
            case "status":
                return f"{_STATUSES.get(kind, 400)} {message}"
            case "plain":
                return message


@lru_cache(maxsize=8192)
def _written(form: str, words: tuple[str, ...]) -> str:
    letters = " ".join(words).lower().replace("'", "")
    spelled = "".join(char if char.isalnum() else " " for char in letters).split()
    # The room number of a room is its room number.
    parts = [part for before, part in zip(["", *spelled], spelled, strict=False) if part != before]
    if form == "camel":
        return parts[0] + "".join(part.capitalize() for part in parts[1:])
    return ("-" if form == "-" else "_").join(parts)


def draw_style(kit: str, seed: int, service: str) -> Style:
    """Draw the style of a service."""
    pick = rng("style", kit, seed, service)
    most = pick.choice((10, 20, 25, 50))
    return Style(
        prefix=service[:2],
        case=pick.choice(("snake", "snake", "camel", "kebab")),
        noun_first=pick.random() < 0.3,
        named=pick.random() < 0.4,
        ids=pick.choice(("integer", "prefixed", "prefixed", "hex")),
        days=pick.choice(("iso", "iso", "dotted", "slashed", "compact")),
        money=pick.choice(("number", "number", "cents", "text", "object")),
        numbers_as_text=pick.random() < 0.2,
        flags=pick.choice(("bool", "bool", "bool", "yes", "digit")),
        upper=pick.random() < 0.3,
        nested_rows=pick.random() < 0.25,
        nested_refs=pick.random() < 0.3,
        nested_filters=pick.choice(("", "", "filters", "where")),
        paging=pick.choice(("page", "offset", "cursor")),
        page_size=pick.choice((5, 10)),
        most_rows=most,
        items=pick.choice(("items", "results", "data", "records", "")),
        total=pick.random() < 0.5,
        errors=pick.choice(("code", "status", "plain")),
        units_in_names=pick.random() < 0.5,
        verbs=tuple((kind, _verb(pick, verbs)) for kind, verbs in _VERBS.items()),
    )


def _verb(pick: Random, verbs: tuple[str, ...]) -> str:
    return pick.choice(verbs)

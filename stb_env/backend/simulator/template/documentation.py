"""The shape of an answer, guessed from an API's documentation alone."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stb_env.jsontypes import JsonObject
from stb_env.tools import RESERVED, Tool

_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]+")

# Words in a name that promise several records.
_LISTS = frozenset(
    {
        "list",
        "lists",
        "search",
        "all",
        "popular",
        "trending",
        "top",
        "latest",
        "find",
        "results",
        "nearby",
        "feed",
    }
)

# What the records of a field of application hold; the first whose cue occurs in the documentation counts.
_TOPICS: tuple[tuple[frozenset[str], Mapping[str, str]], ...] = (
    (
        frozenset({"weather", "forecast", "temperature", "climate"}),
        {"location": "str", "date": "str", "temperature": "float", "humidity": "int", "condition": "str"},
    ),
    (
        frozenset({"stock", "stocks", "crypto", "coin", "ticker", "quotes", "market", "forex"}),
        {
            "symbol": "str",
            "name": "str",
            "price": "float",
            "change": "float",
            "volume": "int",
            "currency": "str",
        },
    ),
    (
        frozenset({"currency", "exchange", "convert"}),
        {"from": "str", "to": "str", "rate": "float", "amount": "float", "result": "float", "date": "str"},
    ),
    (
        frozenset(
            {"match", "matches", "team", "teams", "league", "football", "fixture", "fixtures", "sport"}
        ),
        {
            "id": "int",
            "date": "str",
            "home_team": "str",
            "away_team": "str",
            "home_goals": "int",
            "away_goals": "int",
        },
    ),
    (
        frozenset({"song", "songs", "music", "track", "tracks", "artist", "album", "lyrics", "playlist"}),
        {
            "id": "int",
            "title": "str",
            "artist": "str",
            "album_title": "str",
            "duration": "int",
            "year": "int",
        },
    ),
    (
        frozenset({"movie", "movies", "film", "films", "series", "show", "anime"}),
        {"id": "int", "title": "str", "year": "int", "genre": "str", "rating": "float", "description": "str"},
    ),
    (
        frozenset({"news", "article", "articles", "headlines", "blog"}),
        {"id": "int", "title": "str", "author": "str", "url": "str", "published_at": "str", "summary": "str"},
    ),
    (
        frozenset({"product", "products", "shop", "amazon", "store", "price", "prices", "offers"}),
        {"id": "int", "title": "str", "price": "float", "currency": "str", "rating": "float", "url": "str"},
    ),
    (
        frozenset(
            {
                "city",
                "cities",
                "country",
                "countries",
                "location",
                "geocode",
                "geo",
                "address",
                "place",
                "places",
                "zip",
            }
        ),
        {"city": "str", "country": "str", "latitude": "float", "longitude": "float", "timezone": "str"},
    ),
    (
        frozenset({"email", "validate", "validation", "verify", "check"}),
        {"valid": "bool", "score": "float", "domain": "str", "details": "str"},
    ),
    (
        frozenset({"video", "videos", "channel", "image", "images", "photo", "gif", "media"}),
        {"id": "str", "title": "str", "url": "str", "thumbnail": "str", "views": "int", "created_at": "str"},
    ),
    (
        frozenset({"user", "profile", "followers", "account", "username"}),
        {
            "id": "int",
            "username": "str",
            "full_name": "str",
            "followers": "int",
            "country": "str",
            "url": "str",
        },
    ),
    (
        frozenset({"joke", "quote", "fact", "facts", "jokes", "word", "definition", "translate", "text"}),
        {"id": "int", "text": "str", "category": "str", "language": "str"},
    ),
)
_PLAIN = {"id": "int", "name": "str", "description": "str", "category": "str", "updated_at": "str"}


def shape(tool: Tool) -> JsonObject:
    """Guess the skeleton of an API's answer from its name, description and parameters.

    An API that promises several records gives ``results`` and ``total``; any other gives one record.
    Scalar parameters come first in it, so that the answer says what it is the answer to.

    Args:
        tool: The API.

    Returns:
        A skeleton in the vocabulary of ``template_response``.

    Examples:
        >>> tool = Tool("list_cities", "Lists cities.", {"type": "object", "properties": {}})
        >>> shape(tool)["results"][0]["city"]
        'str'
    """
    name = str(tool.record.get("api_name") or tool.name)
    about = str(tool.record.get("api_description") or tool.description)
    fields = _topic(_words(name)) or _topic(_words(about[:600])) or _PLAIN
    asked = _asked(tool)
    if not _LISTS.isdisjoint(_words(name)):
        return {**asked, "total": "int", "results": [{**fields, "_list_length": 5}]}
    return asked | {field: kind for field, kind in fields.items() if field not in asked}


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def _topic(words: set[str]) -> Mapping[str, str]:
    return next((fields for cues, fields in _TOPICS if not cues.isdisjoint(words)), {})


_KINDS = {"integer": "int", "number": "float", "boolean": "bool"}

# Credentials and paging say nothing about what was asked.
_SILENT = re.compile(r"key|token|secret|password|auth|callback|format|cursor", re.IGNORECASE)


def _asked(tool: Tool) -> dict[str, str]:
    """Return the required parameters that an answer may repeat, as fields with their types."""
    properties = tool.parameters.get("properties") or {}
    names = [
        name for name in tool.parameters.get("required") or () if isinstance(properties.get(name), Mapping)
    ]
    kinds = {name: _KINDS.get(str(properties[name].get("type")), "str") for name in names}
    return {_unescaped(name): kind for name, kind in kinds.items() if not _SILENT.search(name)}


def _unescaped(name: str) -> str:
    """Undo `stb_env.tools.escape_reserved`, which is for names of parameters only."""
    return name[3:] if name.startswith("is_") and name[3:] in RESERVED else name

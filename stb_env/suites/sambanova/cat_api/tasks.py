"""Cat goals, made from a seed."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files

from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.seeding import rng
from stb_env.suites.sambanova.cat_api.apis import BY_NAME as APIS
from stb_env.suites.sambanova.cat_api.apis import FILTERS, Api
from stb_env.suites.sambanova.cat_api.command import render
from stb_env.suites.sambanova.cat_api.images import MIME_TYPES, SIZES, breeds, images, search
from stb_env.suites.sambanova.cat_api.service import VERSION
from stb_env.suites.sambanova.cat_api.tools import BY_NAME, TOOLS
from stb_env.suites.sambanova.common.seeded_tasks import SeededTasks, belongs
from stb_env.tasks import Task
from stb_env.tools import ToolCall

NAME = "CatAPI"

# Kinds take turns. Listing has but one command, which a blind guess finds soon, so it comes least often.
_ROUND = ("delete_favourite", "add_favourite", "vote_up", "search_images", "vote_down")
_TURNS = (
    *_ROUND,
    "search_images",
    *_ROUND,
    "list_favourites",
    *_ROUND,
    "search_images",
    *_ROUND,
    "search_images",
)
# Size and order have so few values that a blind guess would often be right.
_TELLING = {"limit", "breed_ids", "mime_types"}
_OTHER_ORDER = {"ASC": "DESC", "DESC": "ASC"}


class CatTasks(SeededTasks):
    """A `TaskSource` of cat goals over six kinds of request.

    Args:
        split: ``test``, a fixed list of 100, or ``train``, without end. No command is in both, but for the
            one that lists favourites: there no wording is in both.

    Raises:
        ConfigError: There is no such split.

    Examples:
        >>> task = CatTasks("test").at(11)
        >>> task.group, task.goal["labels"]
        ('list_favourites', ["curl -X GET 'https://api.thecatapi.com/v1/favourites'"])
    """

    def __init__(self, split: str = "test") -> None:
        super().__init__(NAME, generate, split)


def generate(split: str, index: int) -> Task:
    """Make a task again from its split and index."""
    return make_task(split, index, _TURNS[index % len(_TURNS)])


@lru_cache(maxsize=256)
def make_task(split: str, index: int, kind: str) -> Task:
    """Make a task of one kind of request."""
    draw = rng("cat_api", VERSION, split, index, kind)
    api = APIS[kind]
    while True:
        favourites = draw.sample(list(images()), draw.randint(2, 5))
        arguments = _arguments(api, favourites, draw)
        label = render(api, arguments)
        query = _query(api, arguments, draw)
        if belongs(split, label if arguments else query):
            break
    return cat_task(f"{split}-{index}", split, query, ToolCall(kind, arguments), (label,), favourites)


def cat_task(
    task_id: str,
    split: str,
    query: str,
    call: ToolCall,
    labels: tuple[str, ...],
    favourites: Sequence[str],
    *,
    by_text: bool | None = None,
) -> Task:
    """Build a task.

    Args:
        task_id: Its id.
        split: Its split.
        query: The goal.
        call: The call that solves it.
        labels: Commands that are accepted.
        favourites: Images that the account starts with.
        by_text: Whether the original compares commands by their text; None for deletions.
    """
    by_text = call.name == "delete_favourite" if by_text is None else by_text
    return Task(
        id=task_id,
        query=query,
        tools=TOOLS,
        suite=NAME,
        group=call.name,
        split=split,
        relevant=(BY_NAME[call.name].id,),
        gold=(call,),
        goal={"labels": list(labels), "favourites": list(favourites), "compare_string_only": by_text},
        answer="acts",
        record={"prompt": query, "completion": list(labels), "compare_string_only": by_text},
    )


def _arguments(api: Api, favourites: Sequence[str], draw: random.Random) -> JsonObject:
    match api.name:
        case "list_favourites":
            return {}
        case "delete_favourite":
            return {"image_id": draw.choice(favourites)}
        case "search_images":
            return _filters(draw)
    return {"image_id": draw.choice([image for image in images() if image not in favourites])}


def _filters(draw: random.Random) -> JsonObject:
    """Draw filters of which each makes a difference, so that only the goal's answer is right."""
    while True:
        drawn = {
            "limit": draw.randint(2, 6),
            "breed_ids": ",".join(draw.sample(list(breeds()), draw.choice((1, 1, 2)))),
            "mime_types": ",".join(draw.sample(MIME_TYPES, draw.choice((1, 1, 2)))),
            "size": draw.choice(list(SIZES)),
            "order": draw.choice(("ASC", "DESC")),
        }
        filters = {name: drawn[name] for name in FILTERS if name == "order" or draw.random() < 0.6}
        if not filters.keys() & _TELLING:
            continue
        found = _search(filters)
        others = [_search({key: filters[key] for key in filters if key != name}) for name in filters]
        others.append(_search({**filters, "order": _OTHER_ORDER[str(filters["order"])]}))
        if found and found not in others:
            return filters


def _search(filters: JsonMapping) -> list[JsonObject]:
    return search({name: str(value) for name, value in filters.items()})


def _query(api: Api, arguments: JsonMapping, draw: random.Random) -> str:
    texts = _texts()
    names = breeds()
    values: JsonObject = {
        **arguments,
        "breeds": " or ".join(names[code] for code in arguments.get("breed_ids", "").split(",") if code),
        "types": arguments.get("mime_types", "").replace(",", " or "),
    }
    sentences = [draw.choice(texts[api.name])]
    for name in draw.sample(list(arguments), len(arguments)):
        if name in FILTERS:
            choices = texts[name][arguments[name]] if name == "order" else texts[name]
            sentences.append(draw.choice(choices))
    return " ".join(sentences).format_map(values)


@cache
def _texts() -> JsonMapping:
    file = files("stb_env.suites.sambanova.cat_api") / "content" / "goals.json"
    texts: JsonObject = json.loads(file.read_text(encoding="utf-8"))
    return texts

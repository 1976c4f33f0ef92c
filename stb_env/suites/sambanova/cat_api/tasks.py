"""Cat goals, made from a seed."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.seeding import rng
from stb_env.suites.sambanova.cat_api.account import Account
from stb_env.suites.sambanova.cat_api.api import SERVICE, render
from stb_env.suites.sambanova.cat_api.images import MIME_TYPES, SIZES, breeds, images, search
from stb_env.suites.sambanova.cat_api.judge import outcome_of
from stb_env.suites.sambanova.cat_api.service import ENDPOINTS, FILTERS, VERSION
from stb_env.suites.sambanova.common.content import content
from stb_env.suites.sambanova.common.labelled import labelled_task
from stb_env.suites.sambanova.common.official import Demonstration, Item
from stb_env.suites.sambanova.common.rest.judge import OriginalJudge
from stb_env.suites.sambanova.common.seeded_tasks import SeededTasks, belongs
from stb_env.tasks import Task
from stb_env.tools import ToolCall

NAME = "CatAPI"

_FAVOURITES = ("q7Kd2mPzA", "aaR5tLw8e")
"""Favourites of an account of official tasks, besides what the goal deletes."""

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


def generate(split: str, index: int) -> Task:
    """Make a task again from its split and index."""
    return make_task(split, index, _TURNS[index % len(_TURNS)])


@lru_cache(maxsize=256)
def make_task(split: str, index: int, kind: str) -> Task:
    """Make a task of one kind of request."""
    draw = rng("cat_api", VERSION, split, index, kind)
    endpoint = SERVICE.by_name[kind]
    while True:
        favourites = draw.sample(list(images()), draw.randint(2, 5))
        arguments = _arguments(kind, favourites, draw)
        label = render(endpoint, arguments)
        query = _query(kind, arguments, draw)
        if belongs(split, label if arguments else query):
            break
    return cat_task(f"{split}-{index}", split, query, ToolCall(kind, arguments), (label,), favourites)


tasks_of = partial(SeededTasks, NAME, generate)
"""Makes the goals of a split over six endpoints.

No command is in both splits, but for the one that lists favourites: there no wording is in both.
"""


def cat_task(
    task_id: str,
    split: str,
    query: str,
    call: ToolCall,
    labels: Sequence[str],
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
    goal = {"favourites": list(favourites), "compare_string_only": by_text}
    record = {"compare_string_only": by_text}
    return labelled_task(
        NAME,
        SERVICE.tools,
        task_id,
        split,
        query,
        (call,),
        labels,
        group=call.name,
        goal=goal,
        record=record,
    )


def official_task(item: Item, original: bool) -> Task:
    """Make a task of an official item.

    The files do not say what the account holds. Each task gets one whose favourites include whatever its
    labels delete.

    Args:
        item: The item.
        original: Whether its labels have to run in the original's own way.

    Raises:
        DataError: A label does not run.
    """
    calls = [SERVICE.typed_label(label) for label in item.labels]
    deleted = [
        str(call.arguments.get("image_id", ""))
        for call in calls
        if call.name == "delete_favourite" and not isinstance(call.arguments, str)
    ]
    favourites = tuple(dict.fromkeys((*_FAVOURITES, *deleted)))
    account = Account.of(favourites)
    by_text = bool(item.record.get("compare_string_only"))
    for label in item.labels:
        if not original:
            outcome_of(label, account)
        elif not by_text:
            OriginalJudge(SERVICE).answer_to(label, account)
    return cat_task(str(item.number), "test", item.goal, calls[0], item.labels, favourites, by_text=by_text)


def demonstrations() -> list[Demonstration]:
    """Return two solved examples of each endpoint, as the paper has them; none is a test task.

    Examples:
        >>> demo = demonstrations()[4]
        >>> demo.name, demo.program
        ('2_0', "curl -X GET 'https://api.thecatapi.com/v1/favourites'")
    """
    return [
        Demonstration.of(f"{kind}_{number}", make_task("demo", number, endpoint.name))
        for kind, endpoint in enumerate(ENDPOINTS)
        for number in range(2)
    ]


def _arguments(kind: str, favourites: Sequence[str], draw: random.Random) -> dict[str, object]:
    match kind:
        case "list_favourites":
            return {}
        case "delete_favourite":
            return {"image_id": draw.choice(favourites)}
        case "search_images":
            return _filters(draw)
    return {"image_id": draw.choice([image for image in images() if image not in favourites])}


def _filters(draw: random.Random) -> dict[str, object]:
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


def _search(filters: Mapping[str, object]) -> list[dict[str, object]]:
    return search({name: str(value) for name, value in filters.items()})


def _query(kind: str, arguments: JsonMapping, draw: random.Random) -> str:
    texts: JsonMapping = content("cat_api", "goals")
    names = breeds()
    values: JsonObject = {
        **arguments,
        "breeds": " or ".join(names[code] for code in arguments.get("breed_ids", "").split(",") if code),
        "types": arguments.get("mime_types", "").replace(",", " or "),
    }
    sentences = [draw.choice(texts[kind])]
    for name in draw.sample(list(arguments), len(arguments)):
        if name in FILTERS:
            choices = texts[name][arguments[name]] if name == "order" else texts[name]
            sentences.append(draw.choice(choices))
    return " ".join(sentences).format_map(values)

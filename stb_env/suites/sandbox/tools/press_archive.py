"""Press Archive: the same stories under other references, dates as DD/MM/YYYY; training never sees it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content.articles import SOURCES, articles
from stb_env.suites.sandbox.content.edition import per_edition
from stb_env.suites.sandbox.conventions import PAGE, found, page_of
from stb_env.suites.sandbox.params import choice, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("News", "Press Archive", "An archive of newspapers.", held_out="tool")


@per_edition()
def _stories() -> Mapping[str, JsonObject]:
    return {f"PA/{key.removeprefix('article-')}": row for key, row in articles().items()}


@TOOL.lookup(
    "Find Stories",
    text("words", "Part of the headline, in any case.", "museum"),
    choice("outlet", "Only this paper.", ("any", *SOURCES), optional=True),
    PAGE,
)
def find_stories(words: str, outlet: str, page: int) -> Response:
    """Find stories by part of their headline, oldest first; returns references."""
    needle = words.casefold()
    rows = [
        {"reference": reference, "headline": row["headline"]}
        for reference, row in _stories().items()
        if needle in row["headline"].casefold() and outlet in ("any", row["source"])
    ]
    return page_of(rows, page)


@TOOL.lookup("Story Card", text("reference", "Reference from Find Stories.", "PA/0001"))
def story_card(reference: str) -> Response:
    """Outlet, author, length in words and day (DD/MM/YYYY) of one story."""
    row = found(_stories().get(reference), "story", reference)
    return {
        "reference": reference,
        "headline": row["headline"],
        "outlet": row["source"],
        "author": row["reporter"],
        "printed": date.fromisoformat(row["published"]).strftime("%d/%m/%Y"),
        "length_words": row["words"],
    }


@TOOL.lookup("Outlet Card", choice("outlet", "The paper.", tuple(SOURCES)))
def outlet_card(outlet: str) -> Response:
    """When a paper was founded and how many stories of it are archived."""
    stories = sum(row["source"] == outlet for row in articles().values())
    return {"outlet": outlet, "founded": SOURCES[outlet], "stories": stories}

"""Wire Desk: recent news by topic, place and paper."""

from __future__ import annotations

from collections.abc import Iterable

from stb_env.backend.world import Row
from stb_env.suites.sandbox.content.articles import SOURCES, TOPICS, articles
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.conventions import PAGE, columns, found, page_of, parse_day, search
from stb_env.suites.sandbox.params import choice, day, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("News", "Wire Desk", "News of the last three months, project costs in aurel (AUR).")


def _entries(rows: Iterable[Row], page: int) -> Response:
    newest = sorted(rows, key=lambda row: (row["published"], row["article_id"]), reverse=True)
    return page_of(columns(newest, "article_id", "headline", "published"), page)


@TOOL.lookup(
    "Search Articles",
    text("words", "Part of the headline, in any case.", "tunnel"),
    choice("topic", "Only this topic.", ("any", *TOPICS), optional=True),
    PAGE,
)
def search_articles(words: str, topic: str, page: int) -> Response:
    """Find articles by part of their headline, newest first."""
    return _entries(search(articles().values(), "headline", words, topic=topic), page)


@TOOL.lookup("Read Article", text("article_id", "Id from a list of articles.", "article-0001"))
def read_article(article_id: str) -> Response:
    """One article: paper, reporter, day, the city it is about, cost in millions and opening day."""
    return dict(found(articles().get(article_id), "article", article_id))


@TOOL.lookup(
    "Articles About City",
    text("city_id", "Id of the city, as City Atlas has it.", "city-001"),
    choice("topic", "Only this topic.", ("any", *TOPICS), optional=True),
    PAGE,
)
def articles_about_city(city_id: str, topic: str, page: int) -> Response:
    """List the articles about a city, newest first."""
    found(cities().get(city_id), "city", city_id)
    rows = [
        row for row in articles().values() if row["city_id"] == city_id and topic in ("any", row["topic"])
    ]
    return _entries(rows, page)


@TOOL.lookup(
    "Articles Of Source",
    choice("source", "The paper.", tuple(SOURCES)),
    day("from_date", "First day.", "2026-02-01"),
    day("to_date", "Last day.", "2026-02-28"),
    PAGE,
)
def articles_of_source(source: str, from_date: str, to_date: str, page: int) -> Response:
    """List what a paper printed between two days, both included, newest first."""
    first, last = parse_day(from_date).isoformat(), parse_day(to_date).isoformat()
    rows = [
        row for row in articles().values() if row["source"] == source and first <= row["published"] <= last
    ]
    return _entries(rows, page)

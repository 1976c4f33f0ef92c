"""Shops as a person does: searches for what the instruction says, looks at what comes up, and buys."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import NamedTuple

from stb_env.suites.sambanova.web_shop.catalogue import MOST_FOUND
from stb_env.suites.sambanova.web_shop.program import CLICK, SEARCH
from stb_env.suites.sambanova.web_shop.reading import Offer, Wish, body_of, lines_of, offers
from stb_env.suites.sambanova.web_shop.session import BACK, BUY, NEXT, PER_PAGE, PREVIOUS, SUB_PAGES
from stb_env.suites.sambanova.web_shop.terms import terms
from stb_env.tools import ToolCall, ToolResult

Plan = Generator[ToolCall, ToolResult, None]

_PAGES = MOST_FOUND // PER_PAGE
_TURNS = 25
_LOOK = 4
"""Turns that it takes to look at a product: open it, read its features, and two steps back."""


class _Seen(NamedTuple):
    """A product that was looked at: the search that found it, how much of the wish it meets, its options."""

    query: str
    link: str
    met: int
    choices: tuple[str, ...]


def read_and_buy(instruction: str, turns: int = _TURNS) -> Plan:
    """Buy by what the pages show alone: looks at products and takes the one that has most of what is wanted.

    Args:
        instruction: What is wanted.
        turns: Turns that there are.

    Examples:
        >>> next(read_and_buy("i need a banker desk lamp, and price lower than 40.00 dollars")).arguments
        {'query': 'banker desk lamp'}
    """
    wish = Wish.of(instruction)
    seen: dict[str, _Seen] = {}

    def is_over() -> bool:
        everything = len(wish.words) + len(wish.choices)
        return left < 0 or any(each.met == everything for each in seen.values())

    # Whatever is looked at last, one must be able to find the best again and buy it.
    left, shown = turns - _LOOK - 3 - len(wish.choices), ""
    for query in dict.fromkeys(" ".join((words, *wish.choices)) for words in (wish.query, wish.head)):
        if is_over():
            break
        page, shown = (yield from _page(ToolCall(SEARCH, {"query": query}))), query
        left -= 1
        for offer in _promising(offers(page), wish):
            if is_over():
                break
            if offer.link not in seen:
                seen[offer.link] = yield from _looked_at(query, offer, wish)
                left -= _LOOK if len(seen[offer.link].choices) == len(wish.choices) else 2
    if seen:
        best = max(seen.values(), key=lambda each: each.met)
        if best.query != shown:
            yield ToolCall(SEARCH, {"query": best.query})
        yield _click(best.link)
        yield from _bought(best.choices)


def find_and_buy(instruction: str, link: str, choices: Iterable[str]) -> Plan:
    """Buy a product that one has in mind, which searches with words of the instruction have to bring up.

    On the way another product is looked at, as shoppers do.

    Args:
        instruction: What is wanted.
        link: The product, in lower case.
        choices: The options to choose.
    """
    wish = Wish.of(instruction)
    for query in dict.fromkeys((wish.query, wish.head, " ".join((wish.query, *wish.choices)), instruction)):
        page = yield from _page(ToolCall(SEARCH, {"query": query}))
        others = [offer for offer in _promising(offers(page), wish) if offer.link != link]
        if query == wish.query and others:
            yield from _looked_at(query, others[0], wish)
        for number in range(1, _PAGES + 1):
            if any(offer.link == link for offer in offers(page)):
                yield _click(link)
                yield _click(SUB_PAGES[len(wish.words) % 2])
                yield _click(PREVIOUS)
                yield from _bought(choices)
                return
            if number == _PAGES or NEXT not in lines_of(page):
                yield _click(BACK)
                break
            page = yield from _page(_click(NEXT))


def _promising(shown: list[Offer], wish: Wish) -> list[Offer]:
    """Return what can be afforded and has the words for the thing in its name, or else all of it."""
    wanted = set(terms(wish.head))
    affordable = [offer for offer in shown if offer.price <= wish.bound]
    return [offer for offer in affordable if wanted <= set(terms(offer.title))] or affordable


def _looked_at(query: str, offer: Offer, wish: Wish) -> Generator[ToolCall, ToolResult, _Seen]:
    """Read a product's page and, where it can be had as wanted, its features; come back to the results."""
    lines = lines_of((yield from _page(_click(offer.link))))
    choices = tuple(choice for choice in wish.choices if choice in lines)
    words = set(terms(offer.title))
    if len(choices) == len(wish.choices):
        words |= set(terms(body_of((yield from _page(_click("features"))))))
        yield _click(PREVIOUS)
    yield _click(PREVIOUS)
    return _Seen(query, offer.link, len(wish.words & words) + len(choices), choices)


def _bought(choices: Iterable[str]) -> Plan:
    for choice in choices:
        yield _click(choice)
    yield _click(BUY)


def _page(call: ToolCall) -> Generator[ToolCall, ToolResult, str]:
    result = yield call
    return str(result.response)


def _click(element: str) -> ToolCall:
    return ToolCall(CLICK, {"element": element.lower()})

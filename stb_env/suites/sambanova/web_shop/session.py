"""A shopper's session as an immutable value, and the sessions that actions lead to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from stb_env.seeding import mix
from stb_env.suites.sambanova.web_shop.catalogue import Catalogue
from stb_env.suites.sambanova.web_shop.goals import Goal
from stb_env.suites.sambanova.web_shop.product import Product
from stb_env.suites.sambanova.web_shop.reward import Reward

PER_PAGE = 10

PageKind = Literal["search", "results", "item", "description", "features", "reviews", "done"]

BACK, PREVIOUS, NEXT, BUY = "Back to Search", "< Prev", "Next >", "Buy Now"
SUB_PAGES: tuple[Literal["description", "features", "reviews"], ...] = ("description", "features", "reviews")


class Session(NamedTuple):
    """A shopper's state.

    Attributes:
        goal: What is wanted.
        seed: Seed of the episode.
        kind: The page.
        found: What the last search found.
        page: Number of the page of results, from 1.
        product: The product that is looked at.
        options: What was chosen of it, value by name; never changed in place.
        visited: Identities of products that were looked at since the search page.
        searches: How many searches there were.
        reward: What the purchase is worth, once there is one.
    """

    goal: Goal
    seed: int = 0
    kind: PageKind = "search"
    found: tuple[str, ...] = ()
    page: int = 1
    product: Product | None = None
    options: Mapping[str, str] = {}
    visited: frozenset[str] = frozenset()
    searches: int = 0
    reward: Reward | None = None

    @property
    def shown(self) -> tuple[str, ...]:
        """Identities of the products on this page of results."""
        return self.found[(self.page - 1) * PER_PAGE : self.page * PER_PAGE]

    @property
    def has_next(self) -> bool:
        """True if there are results beyond this page."""
        return len(self.found) > self.page * PER_PAGE


def searched(session: Session, shop: Catalogue, query: str) -> Session:
    """Return the first page of results; possible on every page but the last, as in the original."""
    found = shop.find(query, mix(session.seed, session.searches))
    return session._replace(
        kind="results",
        found=found,
        page=1,
        product=None,
        options={},
        searches=session.searches + 1,
    )


def clicked(session: Session, shop: Catalogue, element: str) -> Session | None:
    """Return what a click on an element of the page leads to; a purchase has no reward yet.

    Args:
        session: The state.
        shop: The products.
        element: Text of a button, identity of a product or value of an option, in lower case.

    Returns:
        The new state, or None where the page has no such element.
    """
    if element == BACK.lower() and session.kind not in ("search", "done"):
        return Session(session.goal, session.seed, searches=session.searches)
    match session.kind:
        case "results":
            return _on_results(session, shop, element)
        case "item":
            return _on_item(session, element)
        case "description" | "features" | "reviews" if element == PREVIOUS.lower():
            return session._replace(kind="item")
    return None


def _on_results(session: Session, shop: Catalogue, element: str) -> Session | None:
    if element == NEXT.lower():
        return session._replace(page=session.page + 1)
    if element == PREVIOUS.lower():
        return session._replace(page=session.page - 1) if session.page > 1 else None
    product = shop.linked(element)
    if product is None or product.asin not in session.shown:
        return None
    visited = session.visited | {product.asin}
    return session._replace(kind="item", product=product, options={}, visited=visited)


def _on_item(session: Session, element: str) -> Session | None:
    product = session.product
    # A value that two options have belongs to the last of them, and hides a button of the same text.
    for name, values in reversed(list(product.options.items() if product else ())):
        if element in values:
            return session._replace(options={**session.options, name: element})
    if element == PREVIOUS.lower():
        return session._replace(kind="results", product=None, options={})
    if element == BUY.lower():
        return session._replace(kind="done")
    for kind in SUB_PAGES:
        if element == kind:
            return session._replace(kind=kind)
    return None

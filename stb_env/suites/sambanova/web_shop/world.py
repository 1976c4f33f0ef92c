"""The shop as a backend: every answer is the page that an action leads to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from stb_env.backend.world import World
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.suites.sambanova.web_shop.catalogue import Catalogue
from stb_env.suites.sambanova.web_shop.generator import VERSION, embedded_catalogue
from stb_env.suites.sambanova.web_shop.goals import Goal
from stb_env.suites.sambanova.web_shop.pages import PageText, as_rich_text, as_text, clickables, pieces
from stb_env.suites.sambanova.web_shop.program import CLICK, SEARCH
from stb_env.suites.sambanova.web_shop.reward import purchase_reward
from stb_env.suites.sambanova.web_shop.session import Session, clicked, searched
from stb_env.suites.sambanova.web_shop.vocabulary import Nouns, nouns_of
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolResult

_MOST_NAMED = 20


class WebShopWorld(World[Session]):
    """Answers searches and clicks; one serves any number of episodes.

    An action that the page does not offer leaves everything as it is: the answer is the same page, and an
    error that names what it does offer.

    Args:
        shop: The products; the embedded ones if None.
        page_text: ``text`` for plain pages, ``text_rich`` for pages that mark what can be clicked; by default
            the rich ones, in the original's way the plain ones.
        nouns: Finds the nouns of a name, for rewards.
        original: Whether to page and reward as the original does.

    Examples:
        >>> world = WebShopWorld(page_text="text")
        >>> world.page(Session({"instruction_text": "i want a lamp"}))
        'WebShop [SEP] Instruction: [SEP] i want a lamp [SEP] Search'
    """

    def __init__(
        self,
        shop: Catalogue | None = None,
        *,
        page_text: PageText | None = None,
        nouns: Nouns = nouns_of,
        original: bool = False,
    ) -> None:
        self.shop = shop or embedded_catalogue()
        self.original = original
        self._page_text = page_text or ("text" if original else "text_rich")
        self._nouns = nouns

    @property
    def fingerprint(self) -> dict[str, object]:
        """Version of the rules, how pages are written, and a hash over the products."""
        return {
            "world": "web_shop",
            "version": VERSION,
            "original": self.original,
            "page_text": self._page_text,
            "products": self.shop.hash,
        }

    def start(self, task: Task, seed: int) -> Session:
        """Return the search page."""
        return Session(cast(Goal, task.goal), seed)

    def page(self, session: Session) -> str:
        """Return a page as text."""
        page = pieces(session, self.shop, endless=self.original)
        return as_text(page) if self._page_text == "text" else as_rich_text(page)

    def call(self, state: Session, tool: Tool, arguments: JsonMapping) -> tuple[ToolResult, Session]:
        """Search or click.

        Raises:
            DataError: The tool is neither.
        """
        after = self.after(state, tool, arguments)
        if after is None:
            error = f"nothing happened, for the page does not offer that; {self._offered(state)}"
            return ToolResult.of(self.page(state), error=error, source="world"), state
        if after.kind == "done" and after.product is not None:
            reward = purchase_reward(
                after.product, after.options, state.goal, nouns=self._nouns, original=self.original
            )
            after = after._replace(reward=reward)
        return ToolResult.of(self.page(after), source="world"), after

    def after(self, state: Session, tool: Tool, arguments: Mapping[str, object]) -> Session | None:
        """Return where a call leads, without what a purchase is worth; None where the page does not offer it.

        Raises:
            DataError: The tool is none of the shop's.
        """
        if tool.name == SEARCH:
            query = str(arguments.get("query", "")).lower()
            return searched(state, self.shop, query) if query and state.kind != "done" else None
        if tool.name != CLICK:
            raise DataError(f"{tool.name!r} is no tool of the shop; it has {SEARCH!r} and {CLICK!r}")
        element = str(arguments.get("element", "")).lower()
        if not self.original and element == "next >" and not state.has_next:
            return None
        return clicked(state, self.shop, element)

    def _offered(self, state: Session) -> str:
        known = clickables(pieces(state, self.shop, endless=self.original))
        # The button of the search page is what the search itself stands for.
        known = [text for text in known if text != SEARCH]
        more = ", ..." if len(known) > _MOST_NAMED else ""
        return f"click one of {', '.join(map(repr, known[:_MOST_NAMED]))}{more}" if known else "search first"

"""The home search as a backend."""

from __future__ import annotations

from stb_env.suites.sambanova.common.form.api import FormApi
from stb_env.suites.sambanova.common.form.world import FormWorld
from stb_env.suites.sambanova.home_search.catalogue import VERSION, find
from stb_env.suites.sambanova.home_search.functions import fill
from stb_env.suites.sambanova.home_search.tools import TOOLS

API = FormApi("home_search", VERSION, TOOLS, classes={}, fill=fill, find=find)
"""The search form."""


class HomeWorld(FormWorld):
    """Answers a home search; one serves any number of episodes.

    Args:
        original: Whether programs run as the original runs them.

    Examples:
        >>> form = HomeWorld().run('API.set_location("Fargo"); API.set_buy_or_rent("rent"); API.search()')
        >>> form.criteria["min_price"], form.submitted
        (0, True)
    """

    def __init__(self, *, original: bool = False) -> None:
        super().__init__(API, original=original)

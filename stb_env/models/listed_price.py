"""Prices of models from the list of `genai-prices`, for models that have no price of their own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING

from stb_env.models.endpoint import ModelAddress
from stb_env.usage import Price, Served

if TYPE_CHECKING:
    from genai_prices import Usage

_PLAIN = Served()
# Names of the list that differ from those of the setting.
_NAMES = {"google-cloud": "google", "bedrock": "aws", "xai": "x-ai"}


@dataclass(frozen=True, slots=True)
class ListedPrice(Price):
    """Price of a model as a list has it: with steps by length, cached tokens and service tiers.

    Attributes:
        provider: Provider, as the list names it; empty where the endpoint says it.
        endpoint: Base URL, where no provider is named.
        model: The model.
        at: When the request is made, where that is not now: some prices differ by day and by hour.
    """

    provider: str = ""
    endpoint: str = ""
    model: str = ""
    at: datetime | None = None

    def cost(self, prompt_tokens: int, completion_tokens: int, served: Served = _PLAIN) -> float:
        """Return the cost of so many tokens, in dollars; see `Price.cost`."""
        from genai_prices import Usage

        usage = Usage(
            input_tokens=prompt_tokens,
            output_tokens=completion_tokens,
            cache_read_tokens=served.cached,
            cache_write_tokens=served.stored,
            cache_write_1h_tokens=served.for_an_hour,
        )
        kind = "processing" if served.tier == "batch" else "service_tier"
        return self._bill(usage, {kind: served.tier} if served.tier else None)

    def _bill(self, usage: Usage, context: dict[str, str] | None = None) -> float:
        from genai_prices.data_snapshot import get_snapshot

        place = (self.provider or None, None if self.provider else self.endpoint)
        return float(get_snapshot().calc(usage, self.model, *place, self.at, context).total_price)


def listed_price(provider: str, endpoint: str, model: str) -> ListedPrice | None:
    """Return the price of a model; None where the list has none, is not installed, or the server is local.

    Args:
        provider: The ``provider`` setting; empty for none.
        endpoint: Base URL.
        model: The model.

    Examples:
        >>> listed_price("", "http://127.0.0.1:8000/v1", "my-model") is None
        True
    """
    if (not provider and ModelAddress(endpoint, model).local) or find_spec("genai_prices") is None:
        return None
    from genai_prices import Usage  # takes a second

    name = provider.split("-")[0] if provider.startswith(("openai", "azure")) else provider
    # Few enough for the first step of prices that rise with the length.
    few = 1_000
    price = ListedPrice(0.0, 0.0, None, _NAMES.get(name, name), endpoint, model)
    try:
        read = price._bill(Usage(input_tokens=few)) * 1e6 / few
        written = price._bill(Usage(output_tokens=few)) * 1e6 / few
    except LookupError:
        return None
    return ListedPrice(read, written, None, price.provider, endpoint, model)

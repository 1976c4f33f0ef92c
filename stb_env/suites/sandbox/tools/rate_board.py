"""Rate Board: currencies and exchange rates."""

from __future__ import annotations

from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.currencies import convert, currencies
from stb_env.suites.sandbox.conventions import PAGE, page_of
from stb_env.suites.sandbox.params import number, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Finance", "Rate Board", "Exchange rates.")


def _known(code: str) -> str:
    code = code.strip().upper()
    if code not in currencies():
        raise ApiError(f"no currency with code {code[:40]!r}; List Currencies has all of them")
    return code


@TOOL.lookup("List Currencies", PAGE)
def list_currencies(page: int) -> Response:
    """Codes and names of all currencies."""
    return page_of([{"code": row["code"], "name": row["name"]} for row in currencies().values()], page)


@TOOL.lookup(
    "Convert Amount",
    number("amount", "How much, in the source currency.", 100, 0, 1e9),
    text("source_code", "Three-letter code of the source currency.", "AUR"),
    text("target_code", "Three-letter code of the target currency.", "ALD"),
    fact=("rate", "source_code", "target_code"),
)
def convert_amount(amount: float, source_code: str, target_code: str) -> Response:
    """Convert an amount of money from one currency to another."""
    source, target = _known(source_code), _known(target_code)
    return {
        "amount": amount,
        "source": source,
        "target": target,
        "converted": convert(amount, source, target),
    }


@TOOL.lookup(
    "Get Rate",
    text("base_code", "Three-letter code.", "AUR"),
    text("quote_code", "Three-letter code.", "GYO"),
    fact=("rate", "base_code", "quote_code"),
)
def get_rate(base_code: str, quote_code: str) -> Response:
    """How many units of the quote currency one unit of the base currency buys."""
    base, quote = _known(base_code), _known(quote_code)
    rate = currencies()[quote]["per_aurel"] / currencies()[base]["per_aurel"]
    return {"base": base, "quote": quote, "rate": round(rate, 6)}

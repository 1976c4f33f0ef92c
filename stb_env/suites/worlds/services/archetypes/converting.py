"""Converting: amounts of money in another currency, at the rate of the day."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.worlds.data.rates import PARTS, SHOWN, converted, rate_of
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.services.api_error import ApiError
from stb_env.suites.worlds.services.archetypes.tool import Bound, Param, Workshop, WorldTool, one_of, show

_DIGITS = 3
"""Decimal places of an amount, at most."""
_MOST = 10**12


def converter(workshop: Workshop) -> WorldTool:
    """Make the tool that converts amounts of the organisation's money."""
    blueprint = workshop.codec.blueprint
    service = next(iter(blueprint.entities.values())).service
    style, (currency, rate) = workshop.codec.styles[service], rate_of(blueprint)

    def read(value: object) -> int:
        try:
            if isinstance(value, bool) or not isinstance(value, int | float | str):
                raise ValueError
            amount = Decimal(str(value)).scaleb(_DIGITS)
            if amount != int(amount) or abs(amount) >= _MOST:
                raise ValueError
            return int(amount)
        except (InvalidOperation, OverflowError, ValueError):
            message = f"amount must be a number with at most {_DIGITS} decimals, got {value!r:.40}"
            raise ApiError(style.error("invalid", message), arguments=True) from None

    def run(state: State, bound: Bound) -> tuple[object, State]:
        hundredths = converted(bound["amount"], _DIGITS, rate)
        return {"amount": hundredths / 100, "currency": currency, "rate": rate / PARTS}, show(
            state, (SHOWN,), (0,)
        )

    amount: JsonObject = {"type": "number", "description": f"In units of {blueprint.currency}, not in cents."}
    params = (
        Param("amount", amount, read, required=True),
        Param("currency", {"enum": [currency]}, one_of(style, (currency,)), required=True),
    )
    name = workshop.name(service, style.verb("convert"), "amount")
    about = f"Converts an amount of {blueprint.currency} at the rate of the day, to hundredths, halves up."
    return WorldTool(workshop.tool(name, about, params), "convert", "", params, run)

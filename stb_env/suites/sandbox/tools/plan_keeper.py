"""Plan Keeper: the user's subscriptions."""

from __future__ import annotations

import random
from collections.abc import Mapping

from stb_env.backend.world import Row, Table, Tables
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.coming_days import coming_day, days_left, iso_day
from stb_env.suites.sandbox.content.services import TIERS, services
from stb_env.suites.sandbox.conventions import PAGE, changed, columns, found, page_of
from stb_env.suites.sandbox.params import choice, day, text
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Finance", "Plan Keeper", "The user's subscriptions, priced by the month in aurel (AUR).")
_ID = text("subscription_id", "Id from List Subscriptions.", "subscription-001")


@TOOL.starts_with
def rows(rng: random.Random, _household: int) -> Mapping[str, Table]:
    """Start with five subscriptions, the last two of them bound for months to come."""
    subscriptions: dict[str, Row] = {}
    for index, service in enumerate(rng.sample(list(services()), 5)):
        key = f"subscription-{index + 1:03}"
        subscriptions[key] = {
            "subscription_id": key,
            "service": service,
            "tier": TIERS[index % 2],
            "status": "active",
            "renews_on": iso_day(rng.randint(2, 28)),
            "bound_until": iso_day(rng.randint(40, 300) if index > 2 else -rng.randint(5, 200)),
            "paused_until": "",
        }
    return {"subscriptions": subscriptions}


def _active(state: Tables, subscription_id: str) -> Row:
    row: Row = found(state.row("subscriptions", subscription_id), "subscription", subscription_id)
    if row["status"] == "cancelled":
        raise ApiError(f"the subscription to {row['service']} is cancelled")
    return row


@TOOL.api("List Subscriptions", PAGE)
def list_subscriptions(state: Tables, page: int) -> Response:
    """Ids, services, tiers and states of the user's subscriptions."""
    rows = state.table("subscriptions").values()
    return page_of(columns(rows, "subscription_id", "service", "tier", "status"), page)


@TOOL.api("Subscription Details", _ID)
def subscription_details(state: Tables, subscription_id: str) -> Response:
    """Price a month, next renewal, and until when the contract binds."""
    row = found(state.row("subscriptions", subscription_id), "subscription", subscription_id)
    return {**row, "monthly_price": services()[row["service"]][row["tier"]]}


@TOOL.lookup("Tier Prices", text("service", "Full name of the service.", "Quill Notes"))
def tier_prices(service: str) -> Response:
    """Monthly price of every tier of a service."""
    for name, prices in services().items():
        if name.casefold() == service.strip().casefold():
            return {"service": name, "prices": dict(prices)}
    raise ApiError(f"no service is named {service[:80]!r}")


@TOOL.api("Change Tier", _ID, choice("tier", "The new tier.", ("premium", "standard", "basic")))
def change_tier(state: Tables, subscription_id: str, tier: str) -> Update:
    """Move a subscription to another tier, from the next renewal on."""
    row = _active(state, subscription_id)
    if row["tier"] == tier:
        raise ApiError(f"the subscription is {tier} already")
    row = {**row, "tier": tier}
    price = services()[row["service"]][tier]
    return {**row, "monthly_price": price}, state.with_row("subscriptions", subscription_id, row)


@TOOL.api("Pause Subscription", _ID, day("until", "Day on which it goes on.", "2026-06-01"))
def pause_subscription(state: Tables, subscription_id: str, until: str) -> Update:
    """Pause a subscription, for half a year at most."""
    row = _active(state, subscription_id)
    if days_left(coming_day(until).isoformat()) > 183:
        raise ApiError(f"a pause ends by {iso_day(183)}, got {until}")
    return changed(state, "subscriptions", subscription_id, row, status="paused", paused_until=until)


@TOOL.api("Cancel Subscription", _ID)
def cancel_subscription(state: Tables, subscription_id: str) -> Update:
    """Cancel a subscription; it ends with the renewal. Refused while the contract binds."""
    row = _active(state, subscription_id)
    if days_left(row["bound_until"]) >= 0:
        raise ApiError(f"the contract binds until {row['bound_until']}")
    row = {**row, "status": "cancelled"}
    ends = {"subscription_id": subscription_id, "ends_on": row["renews_on"]}
    return ends, state.with_row("subscriptions", subscription_id, row)

"""Stage Dates: concerts, by names, and what tickets cost. Training never sees its category."""

from __future__ import annotations

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.music import TIERS, artists, concerts
from stb_env.suites.sandbox.conventions import PAGE, found, page_of, show_clock
from stb_env.suites.sandbox.params import choice, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Music", "Stage Dates", "Concerts to come; prices in aurel (AUR).", held_out="category")
_CONCERT = text("concert_id", "Id from a list of concerts.", "concert-001")


def _entry(row: JsonObject) -> dict[str, object]:
    shown = {key: row[key] for key in ("concert_id", "date", "city")}
    return {**shown, "artist": artists()[row["artist_id"]]["name"]}


@TOOL.lookup(
    "Concerts Of",
    text("artist_name", "Full name of the artist (not an id).", artists()["artist-001"]["name"]),
)
def concerts_of(artist_name: str) -> Response:
    """Concerts of one artist by date."""
    known = {row["name"].casefold(): key for key, row in artists().items()}
    key = known.get(artist_name.strip().casefold())
    if key is None:
        raise ApiError(f"no artist is named {artist_name[:80]!r}")
    return {"concerts": [_entry(row) for row in concerts().values() if row["artist_id"] == key]}


@TOOL.lookup("Concerts In", text("city_name", "Full name of the city.", "Marrowgate"), PAGE)
def concerts_in(city_name: str, page: int) -> Response:
    """Concerts in one city by date."""
    city = city_name.strip().casefold()
    return page_of([_entry(row) for row in concerts().values() if row["city"].casefold() == city], page)


@TOOL.lookup("Concert Details", _CONCERT)
def concert_details(concert_id: str) -> Response:
    """Venue, capacity and opening of the doors of one concert."""
    row = found(concerts().get(concert_id), "concert", concert_id)
    return {
        **_entry(row),
        "venue": row["venue"],
        "capacity": row["capacity"],
        "doors_open": show_clock(row["doors"]),
    }


@TOOL.lookup(
    "Ticket Total",
    _CONCERT,
    choice("tier", "Kind of ticket.", tuple(TIERS)),
    whole("tickets", "How many; each costs a fee of 1.50 on top.", 2, 1, 12),
)
def ticket_total(concert_id: str, tier: str, tickets: int) -> Response:
    """Price of several tickets for one concert, fees included."""
    row = found(concerts().get(concert_id), "concert", concert_id)
    total = round((row["price"] * TIERS[tier] + 1.5) * tickets, 2)
    return {"concert_id": concert_id, "tier": tier, "tickets": tickets, "total": total, "currency": "AUR"}

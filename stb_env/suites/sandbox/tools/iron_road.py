"""Iron Road: trains by city id, 24-hour times and fares in aurel."""

from __future__ import annotations

from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.content.rail import trains, trains_by_pair
from stb_env.suites.sandbox.conventions import PAGE, found, page_of, show_clock
from stb_env.suites.sandbox.params import choice, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Travel", "Iron Road", "Daily trains within each country; fares in aurel (AUR).")
CLASSES = ("second", "first")
GROUP = 5
"""Passengers from whom on the group discount applies."""
_TRAIN = text("train_id", "Id from Find Trains.", "IR0001")


@TOOL.lookup(
    "Find Trains",
    text("origin_city_id", "Id of the city of departure.", "city-001"),
    text("destination_city_id", "Id of the city of arrival, in the same country.", "city-002"),
    PAGE,
)
def find_trains(origin_city_id: str, destination_city_id: str, page: int) -> Response:
    """List the daily direct trains from one city to another by departure, with local 24-hour times."""
    found(cities().get(origin_city_id), "city", origin_city_id)
    found(cities().get(destination_city_id), "city", destination_city_id)
    rows = trains_by_pair().get((origin_city_id, destination_city_id), [])
    return page_of(
        [
            {
                "train_id": row["train_id"],
                "departs": show_clock(row["departs"]),
                "arrives": show_clock(row["departs"] + row["minutes"]),
            }
            for row in rows
        ],
        page,
    )


@TOOL.lookup("Train Details", _TRAIN)
def train_details(train_id: str) -> Response:
    """Route, platform, journey time, number of stops and dining car of one train."""
    row = found(trains().get(train_id), "train", train_id)
    return {
        "train_id": train_id,
        "origin_city_id": row["origin_city_id"],
        "destination_city_id": row["destination_city_id"],
        "platform": row["platform"],
        "journey_minutes": row["minutes"],
        "stops_on_the_way": row["stops"],
        "dining_car": row["dining_car"],
    }


@TOOL.lookup(
    "Train Fare",
    _TRAIN,
    choice("travel_class", "Class.", CLASSES, optional=True),
    whole("passengers", "How many travel together.", 1, 1, 20, optional=True),
)
def train_fare(train_id: str, travel_class: str, passengers: int) -> Response:
    """Total fare of a party on one train; first class costs 60 % more, groups from five on pay 15 % less."""
    row = found(trains().get(train_id), "train", train_id)
    single = row["fare"] * (1.6 if travel_class == "first" else 1)
    total = round(single * passengers * (0.85 if passengers >= GROUP else 1), 2)
    return {
        "train_id": train_id,
        "travel_class": travel_class,
        "passengers": passengers,
        "total": total,
        "currency": "AUR",
    }


@TOOL.lookup("Connections From", text("city_id", "Id of the city of departure.", "city-001"), PAGE)
def connections_from(city_id: str, page: int) -> Response:
    """List the cities that direct trains reach from a city, each with its fastest journey in minutes."""
    found(cities().get(city_id), "city", city_id)
    rows = [
        {"destination_city_id": pair[1], "fastest_minutes": min(row["minutes"] for row in rows)}
        for pair, rows in trains_by_pair().items()
        if pair[0] == city_id
    ]
    return page_of(rows, page)

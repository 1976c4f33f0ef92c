"""Swiftline: trains by city name, 12-hour times and fares in cents."""

from __future__ import annotations

from stb_env.suites.sandbox.content.rail import services, services_by_pair
from stb_env.suites.sandbox.conventions import city_named, found
from stb_env.suites.sandbox.params import choice, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Travel", "Swiftline", "Daily express trains in each country; fares in cents of the aurel.")
SEATS = {"standard": 100, "quiet": 125, "panorama": 180}
"""Seats and what they cost in per cent of the standard fare."""
_SERVICE = text("service_code", "Code from Timetable.", "SW-2001")


def show_clock_12(minutes: int) -> str:
    """Write minutes since midnight with 12 hours.

    Examples:
        >>> show_clock_12(845), show_clock_12(5)
        ('2:05 PM', '12:05 AM')
    """
    return f"{minutes // 60 % 12 or 12}:{minutes % 60:02} {'AM' if minutes // 60 % 24 < 12 else 'PM'}"


def _city_id(name: str) -> str:
    city = city_named(name)
    return str(city["city_id"])


@TOOL.lookup(
    "Timetable",
    text("from_city", "Full name of the city of departure (not an id).", "Marrowgate"),
    text("to_city", "Full name of the city of arrival, in the same country.", "Thornhaven"),
)
def timetable(from_city: str, to_city: str) -> Response:
    """Daily express services between two cities by departure, with local 12-hour times."""
    rows = services_by_pair().get((_city_id(from_city), _city_id(to_city)), [])
    return {
        "services": [
            {
                "service_code": row["service_code"],
                "departs": show_clock_12(row["departs"]),
                "journey": f"{row['minutes'] // 60} h {row['minutes'] % 60} min",
            }
            for row in rows
        ]
    }


@TOOL.lookup("Ticket Price", _SERVICE, choice("seat", "Kind of seat.", tuple(SEATS), optional=True))
def ticket_price(service_code: str, seat: str) -> Response:
    """Price of one ticket in cents; 100 cents are one aurel."""
    row = found(services().get(service_code), "service", service_code)
    return {"service_code": service_code, "seat": seat, "price_cents": row["fare_cents"] * SEATS[seat] // 100}


@TOOL.lookup("Punctuality", _SERVICE)
def punctuality(service_code: str) -> Response:
    """How late a service was on average last year, and how often it was on time."""
    row = found(services().get(service_code), "service", service_code)
    return {key: row[key] for key in ("service_code", "average_delay_seconds", "on_time_percent")}


@TOOL.lookup("On Board", _SERVICE)
def on_board(service_code: str) -> Response:
    """What a service offers on board."""
    row = found(services().get(service_code), "service", service_code)
    return {key: row[key] for key in ("service_code", "wifi", "bicycle_spaces")}

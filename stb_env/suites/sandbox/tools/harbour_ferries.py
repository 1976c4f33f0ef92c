"""Harbour Ferries: sea routes on a weekly timetable, and the ships that serve them."""

from __future__ import annotations

from stb_env.suites.sandbox.content.ferries import VEHICLES, ferry_routes, ports, vessels
from stb_env.suites.sandbox.content.weekdays import WEEKDAYS
from stb_env.suites.sandbox.conventions import PAGE, columns, found, page_of, show_clock, where
from stb_env.suites.sandbox.params import choice, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Travel", "Harbour Ferries", "Ferries between countries; prices in aurel (AUR).")
_ROUTE = text("route_id", "Id from Routes From.", "route-001")


@TOOL.lookup("List Ports", PAGE)
def list_ports(page: int) -> Response:
    """Cities with a ferry port."""
    return page_of(columns(ports().values(), "city_id", "name", "country"), page)


@TOOL.lookup("Routes From", text("port_city_id", "Id of a city with a port.", "city-002"))
def routes_from(port_city_id: str) -> Response:
    """Ferry routes that leave a port: where each goes, its ship and how many hours it takes."""
    found(ports().get(port_city_id), "port city", port_city_id)
    rows = where(ferry_routes().values(), origin_city_id=port_city_id)
    shown = columns(rows, "route_id", "destination_city_id", "vessel", "crossing_hours")
    return {"port_city_id": port_city_id, "routes": shown}


@TOOL.lookup("Sailings On", _ROUTE, choice("weekday", "Day of the week.", WEEKDAYS))
def sailings_on(route_id: str, weekday: str) -> Response:
    """Local departure times of a route on a day of the week; every week is the same."""
    row = found(ferry_routes().get(route_id), "route", route_id)
    times = [show_clock(minutes) for minutes in row["sailings"][WEEKDAYS.index(weekday)]]
    return {"route_id": route_id, "weekday": weekday, "departures": times}


@TOOL.lookup(
    "Crossing Price",
    _ROUTE,
    whole("adults", "Number of adults.", 1, 1, 9),
    whole("children", "Number of children under 14.", 0, 0, 9, optional=True),
    choice("vehicle", "Vehicle that is taken along.", VEHICLES, optional=True),
)
def crossing_price(route_id: str, adults: int, children: int, vehicle: str) -> Response:
    """Price of one crossing for a party and its vehicle."""
    row = found(ferry_routes().get(route_id), "route", route_id)
    people = adults * row["adult_price"] + children * row["child_price"]
    return {
        "route_id": route_id,
        "total": round(people + row["vehicle_prices"][vehicle], 2),
        "currency": "AUR",
    }


@TOOL.lookup("Vessel Facts", text("vessel", "Name of the ship, from Routes From.", "Narwhal"))
def vessel_facts(vessel: str) -> Response:
    """Length in feet, top speed in knots, year of building and capacity of a ship."""
    by_name = {name.casefold(): row for name, row in vessels().items()}
    return dict(found(by_name.get(vessel.strip().casefold()), "vessel", vessel))

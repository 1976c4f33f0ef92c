"""Climate Desk: forecasts by city id, metric or imperial."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date as Date  # noqa: N812
from datetime import timedelta

from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.climate import weather
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.conventions import found, parse_day
from stb_env.suites.sandbox.params import choice, day, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Weather", "Climate Desk", "Weather forecasts.")
_UNITS = choice(
    "units",
    "metric: Celsius and millimetres; imperial: Fahrenheit and inches.",
    ("metric", "imperial"),
    optional=True,
)
_CITY = text("city_id", "Id of the city, as City Atlas has it.", "city-001")


def _forecast(city: Mapping[str, object], when: Date, units: str) -> dict[str, object]:
    row = weather(city, when)
    high, low, rain = row["high_c"], row["low_c"], row["rain_mm"]
    if units == "imperial":
        high, low, rain = round(high * 1.8 + 32, 1), round(low * 1.8 + 32, 1), round(rain / 25.4, 2)
    return {"date": when.isoformat(), "high": high, "low": low, "condition": row["condition"], "rain": rain}


def _when(date: str, days: int) -> Date:
    when = parse_day(date)
    if not 2000 <= when.year <= 2100 - days // 365:
        raise ApiError(f"forecasts reach from 2000 to 2099, got {date}")
    return when


@TOOL.lookup("Daily Forecast", _CITY, day("date", "The day.", "2026-03-02"), _UNITS)
def daily_forecast(city_id: str, date: str, units: str) -> Response:
    """Weather of one city on one day."""
    city = found(cities().get(city_id), "city", city_id)
    return {"city_id": city_id, "units": units, **_forecast(city, _when(date, 0), units)}


@TOOL.lookup("Weekly Outlook", _CITY, day("start_date", "First of the seven days.", "2026-03-02"), _UNITS)
def weekly_outlook(city_id: str, start_date: str, units: str) -> Response:
    """Weather of one city on seven days in a row."""
    city = found(cities().get(city_id), "city", city_id)
    first = _when(start_date, 7)
    days = [_forecast(city, first + timedelta(days=offset), units) for offset in range(7)]
    return {"city_id": city_id, "units": units, "days": days}

"""The service's answers as XML."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, tostring

from stb_env.core.jsontypes import JsonMapping
from stb_env.suites.sambanova.open_weather.report import STEP

_SCALES = {"standard": "kelvin", "metric": "celsius", "imperial": "fahrenheit"}


def weather_xml(body: JsonMapping, units: str, lang: str) -> str:
    """Write the weather now.

    Args:
        body: What `report.weather` returned.
        units: The units of its numbers.
        lang: The language of its words.
    """
    root = Element("current", {"lang": lang})
    city = SubElement(root, "city", {"id": str(body["id"]), "name": body["name"]})
    SubElement(city, "coord", {name: str(body["coord"][name]) for name in ("lon", "lat")})
    SubElement(city, "country").text = body["sys"]["country"]
    SubElement(city, "timezone").text = str(body["timezone"])
    _moment(root, body, units)
    SubElement(root, "visibility", {"value": str(body["visibility"])})
    SubElement(root, "lastupdate", {"value": str(body["dt"])})
    return tostring(root, encoding="unicode")


def forecast_xml(body: JsonMapping, units: str, lang: str) -> str:
    """Write the weather to come; arguments as in `weather_xml`."""
    root = Element("weatherdata", {"lang": lang})
    city = body["city"]
    location = SubElement(root, "location", {"id": str(city["id"])})
    SubElement(location, "name").text = city["name"]
    SubElement(location, "country").text = city["country"]
    SubElement(location, "coord", {name: str(city["coord"][name]) for name in ("lon", "lat")})
    entries = SubElement(root, "forecast")
    for entry in body["list"]:
        time = SubElement(entries, "time", {"from": str(entry["dt"]), "to": str(entry["dt"] + STEP)})
        _moment(time, entry, units)
    return tostring(root, encoding="unicode")


def _moment(parent: Element, body: JsonMapping, units: str) -> None:
    measured, condition = body["main"], body["weather"][0]
    values = {"value": "temp", "min": "temp_min", "max": "temp_max"}
    degrees = {name: str(measured[key]) for name, key in values.items()}
    SubElement(parent, "temperature", {**degrees, "unit": _SCALES[units]})
    SubElement(parent, "humidity", {"value": str(measured["humidity"]), "unit": "%"})
    SubElement(parent, "pressure", {"value": str(measured["pressure"]), "unit": "hPa"})
    SubElement(parent, "wind", {"speed": str(body["wind"]["speed"]), "deg": str(body["wind"]["deg"])})
    SubElement(parent, "clouds", {"value": str(body["clouds"]["all"])})
    words = {"number": str(condition["id"]), "value": condition["description"], "icon": condition["icon"]}
    SubElement(parent, "weather", words)

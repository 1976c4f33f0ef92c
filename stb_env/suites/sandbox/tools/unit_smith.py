"""Unit Smith: converts measures."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.suites.sandbox.params import Param, choice, number
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Reference", "Unit Smith", "Converts units of measurement.")
_METRES = {"m": 1.0, "km": 1000.0, "ft": 0.3048, "mi": 1609.344, "in": 0.0254, "nautical_mi": 1852.0}
_GRAMS = {"g": 1.0, "kg": 1000.0, "oz": 28.349523125, "lb": 453.59237, "stone": 6350.29318}
_LITRES = {"l": 1.0, "ml": 0.001, "cup": 0.25, "pint": 0.568261, "gallon": 4.54609}
_METRES_A_SECOND = {"kmh": 1000 / 3600, "ms": 1.0, "mph": 1609.344 / 3600, "knots": 1852 / 3600}
_VALUE = number("value", "How much, in the source unit.", 1, -1e9, 1e9)


def _converted(value: float, source: str, target: str, factors: Mapping[str, float]) -> dict[str, object]:
    result = round(value * factors[source] / factors[target], 4)
    return {"value": value, "source_unit": source, "target_unit": target, "result": result}


def _units(factors: Mapping[str, float]) -> tuple[Param, Param]:
    names = tuple(factors)
    return choice("source_unit", "Unit of the value.", names), choice("target_unit", "Wanted unit.", names)


@TOOL.lookup("Convert Length", _VALUE, *_units(_METRES), fact=())
def convert_length(value: float, source_unit: str, target_unit: str) -> Response:
    """Convert a length or distance."""
    return _converted(value, source_unit, target_unit, _METRES)


@TOOL.lookup("Convert Mass", _VALUE, *_units(_GRAMS), fact=())
def convert_mass(value: float, source_unit: str, target_unit: str) -> Response:
    """Convert a mass."""
    return _converted(value, source_unit, target_unit, _GRAMS)


@TOOL.lookup("Convert Volume", _VALUE, *_units(_LITRES), fact=())
def convert_volume(value: float, source_unit: str, target_unit: str) -> Response:
    """Convert a volume; a cup is 250 ml, pint and gallon are imperial."""
    return _converted(value, source_unit, target_unit, _LITRES)


@TOOL.lookup("Convert Speed", _VALUE, *_units(_METRES_A_SECOND), fact=())
def convert_speed(value: float, source_unit: str, target_unit: str) -> Response:
    """Convert a speed."""
    return _converted(value, source_unit, target_unit, _METRES_A_SECOND)


@TOOL.lookup(
    "Convert Temperature",
    number("value", "Temperature in the source scale.", 20, -1000, 10_000),
    choice("source_scale", "Scale of the value.", ("celsius", "fahrenheit", "kelvin")),
    choice("target_scale", "Wanted scale.", ("celsius", "fahrenheit", "kelvin")),
    fact=(),
)
def convert_temperature(value: float, source_scale: str, target_scale: str) -> Response:
    """Convert a temperature."""
    celsius = {"celsius": value, "fahrenheit": (value - 32) / 1.8, "kelvin": value - 273.15}[source_scale]
    targets = {"celsius": celsius, "fahrenheit": celsius * 1.8 + 32, "kelvin": celsius + 273.15}
    return {"value": value, "scale": target_scale, "result": round(targets[target_scale], 2)}

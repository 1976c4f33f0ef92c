"""Values that settings of generated worlds take, and how they are read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from stb_env.errors import ConfigError

LEVELS = range(1, 7)

Split = Literal["train", "val", "test"]
Group = Literal[
    "I1-Instruction",
    "I1-Tool",
    "I1-Category",
    "I2-Instruction",
    "I2-Tool",
    "I2-Category",
    "I3-Instruction",
    "I3-Tool",
    "I3-Category",
]
"""One kit, several services of one, or several kits; with tasks, worlds or kits that training never shows."""

WORLDS: Mapping[Split, range] = {
    "train": range(10_000, 10_000 + 2**20),
    "val": range(1_000, 2_000),
    "test": range(1_000),
}
"""Seeds of the worlds of each split."""

Span = int | tuple[int, int] | list[int] | range | None
"""Setting for a number, or for the first and last of a range."""


def span(name: str, value: Span, least: int, most: int | None = None) -> tuple[int, int] | None:
    """Return the first and last number of a setting; None where it is off.

    Args:
        name: The setting.
        value: What it was given: a number, a list of one or two, or a range.
        least: The smallest number.
        most: The greatest number; None is any.

    Raises:
        ConfigError: It is something else.

    Examples:
        >>> span("level", 3, 1, 6), span("level", [3], 1, 6), span("level", range(3, 6), 1, 6)
        ((3, 3), (3, 3), (3, 5))
        >>> span("level", [1, 2, 3], 1, 6)
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: level is a number from 1 to 6, or the first and last of a range, such ...
    """
    if value is None:
        return None
    numbers = [value] if isinstance(value, int) else list(value)
    if isinstance(value, range) and value.step == 1:
        numbers = numbers[:1] + numbers[-1:]
    whole = all(isinstance(each, int) and not isinstance(each, bool) for each in numbers)
    if (
        not whole
        or len(numbers) not in (1, 2)
        or not least <= numbers[0] <= numbers[-1] <= (most or math.inf)
    ):
        bound = f"from {least}" if most is None else f"from {least} to {most}"
        raise ConfigError(
            f"{name} is a number {bound}, or the first and last of a range, such as "
            f"{name}=[{least + 1}, {least + 3}]; got {value!r:.60}"
        )
    return numbers[0], numbers[-1]


def number(name: str, value: int | None, least: int, most: int) -> int:
    """Return a setting that is 0 or None where it is off.

    Raises:
        ConfigError: It is out of its range.
    """
    if value and not least <= value <= most:
        bound = f"from 0 to {most}" if least < 2 else f"0 or from {least} to {most}"
        raise ConfigError(f"{name} is {bound}, got {value!r}")
    return value or 0


def percent(name: str, value: float, least: int, most: int) -> int:
    """Return a setting as a percentage, or 0 where it is off.

    Args:
        name: The setting.
        value: What it was given.
        least: The smallest percentage.
        most: The greatest percentage.

    Raises:
        ConfigError: It is out of its range, or no number.
    """
    found = round(100 * value) if math.isfinite(value) else -1
    if value and not least <= found <= most:
        raise ConfigError(f"{name} is 0 or from {least / 100:g} to {most / 100:g}, got {value!r}")
    return found

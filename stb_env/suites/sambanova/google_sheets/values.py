"""Contents of a cell: how typed text is read, and how values are shown."""

from __future__ import annotations

import datetime
import math
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from stb_env.core.jsontypes import JsonMapping
from stb_env.suites.sambanova.common.interpreter.crash import CrashError

MAX_CELL = 5_000
"""Characters of a cell."""

Plain = bool | int | float | str
"""A value; ``ErrorValue`` is the text of an error."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula, its equals sign included."""

    text: str


Content = Plain | Formula
Format = JsonMapping


class ErrorValue(str):
    """An error as a formula gives it, such as ``#DIV/0!``."""

    __slots__ = ()


class Entered(NamedTuple):
    """The meaning of a typed text: a content, and the number format that comes with it."""

    content: Content | None
    number_format: Format | None = None


_NUMBER = re.compile(r"[+-]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][+-]?\d{1,3})?", re.ASCII)
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_ISO_DATE = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})", re.ASCII)
_US_DATE = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})", re.ASCII)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
    *("November", "December"),
)
_EPOCH = datetime.date(1899, 12, 30)
_PATTERN = re.compile(r"([^0#?.,%E]*)([#0,?]*)(?:\.([0#?]+))?(%?)(.*)", re.DOTALL)


def raw(value: object) -> Content | None:
    """Return a value as a cell takes it that is written without being read.

    Examples:
        >>> raw("=A1"), raw(3), raw("")
        ('=A1', 3, None)
    """
    if value is None or value == "":
        return None
    if isinstance(value, str):
        if len(value) > MAX_CELL:
            raise CrashError(f"a cell holds at most {MAX_CELL} characters, got {len(value)}")
        return value
    if isinstance(value, bool | int):
        return value if abs(value) < 10**300 else float("inf")
    if isinstance(value, float):
        if not math.isfinite(value):
            raise CrashError(f"{value} is no JSON value, so that the service refuses it")
        return value
    raise CrashError(f"a cell cannot hold {type(value).__name__}: {str(value)[:60]}")


def entered(value: object) -> Entered:
    """Return what a value means when a user types it.

    Examples:
        >>> entered("=A1+1").content, entered("3").content, entered("TRUE").content
        (Formula(text='=A1+1'), 3, True)
        >>> entered("12%"), entered("2024-02-01").content, entered("'7").content
        (Entered(content=0.12, number_format={'type': 'PERCENT', 'pattern': '0%'}), 45323, '7')
    """
    content = raw(value)
    if not isinstance(content, str):
        return Entered(content)
    if content.startswith("=") and len(content) > 1:
        return Entered(Formula(content))
    if content.startswith("'"):
        return Entered(content[1:] or None)
    text = content.strip()
    if text.upper() in ("TRUE", "FALSE"):
        return Entered(text.upper() == "TRUE")
    return _number(text) or _date(text) or Entered(content)


def _number(text: str) -> Entered | None:
    if _NUMBER.fullmatch(text):
        return Entered(_as_number(text))
    if _GROUPED.fullmatch(text):
        return Entered(_as_number(text.replace(",", "")), {"type": "NUMBER", "pattern": "#,##0"})
    if text.endswith("%") and _NUMBER.fullmatch(text[:-1].strip()):
        share = float(repr(float(text[:-1]) / 100))
        return Entered(round(share, 12), {"type": "PERCENT", "pattern": "0.00%" if "." in text else "0%"})
    if text.startswith("$") and _NUMBER.fullmatch(text[1:].replace(",", "")):
        pattern = "$#,##0.00" if "." in text else "$#,##0"
        return Entered(_as_number(text[1:].replace(",", "")), {"type": "CURRENCY", "pattern": pattern})
    return None


def _as_number(text: str) -> int | float:
    number = float(text)
    if not math.isfinite(number):
        return 0
    return int(number) if number.is_integer() and abs(number) < 10**15 else number


def _date(text: str) -> Entered | None:
    if match := _ISO_DATE.fullmatch(text):
        year, month, day = (int(part) for part in match.groups())
        pattern = "yyyy-mm-dd"
    elif match := _US_DATE.fullmatch(text):
        month, day, year = (int(part) for part in match.groups())
        pattern = "m/d/yyyy"
    else:
        return None
    try:
        date = datetime.date(year, month, day)
    except ValueError:
        return None
    return Entered(serial(date), {"type": "DATE", "pattern": pattern})


def serial(date: datetime.date) -> int:
    """Return the number that stands for a date: days since 30 December 1899.

    Examples:
        >>> serial(datetime.date(1900, 1, 1))
        2
    """
    return (date - _EPOCH).days


def date_of(number: float) -> datetime.date | None:
    """Return the date that a number stands for; None where it is out of the calendar."""
    try:
        return _EPOCH + datetime.timedelta(days=int(number))
    except (OverflowError, ValueError):
        return None


def shown(value: Plain | None, number_format: Format | None = None) -> str:
    """Return a value as the sheet shows it.

    Examples:
        >>> shown(4.0), shown(0.1 + 0.2), shown(True), shown(None)
        ('4', '0.3', 'TRUE', '')
        >>> shown(1234.5, {"type": "NUMBER", "pattern": "#,##0.00"}), shown(45323, {"type": "DATE"})
        ('1,234.50', '2/1/2024')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return value
    kind = (number_format or {}).get("type", "")
    pattern = str((number_format or {}).get("pattern") or _PATTERNS.get(kind, ""))
    if kind in ("DATE", "DATE_TIME"):
        return _shown_date(value, pattern)
    return _shown_by(value, pattern) if pattern else general(value)


_PATTERNS = {
    "NUMBER": "#,##0.00",
    "PERCENT": "0.00%",
    "CURRENCY": "$#,##0.00",
    "DATE": "m/d/yyyy",
}


def general(value: float) -> str:
    """Return a number without a format, as the sheet shows it.

    Examples:
        >>> general(1e20), general(2 / 3)
        ('1E+20', '0.6666666667')
    """
    if float(value).is_integer() and abs(value) < 10**15:
        return str(int(value))
    text = f"{float(value):.10G}"
    return text.replace("E-0", "E-")


def _shown_date(value: float, pattern: str) -> str:
    date = date_of(value)
    if date is None:
        return general(value)
    month = _MONTHS[date.month - 1]
    parts = {"yyyy": f"{date.year:04}", "yy": f"{date.year % 100:02}", "mmmm": month, "mmm": month[:3]}
    parts |= {"mm": f"{date.month:02}", "m": str(date.month), "dd": f"{date.day:02}", "d": str(date.day)}
    names = "|".join(parts)
    return re.sub(names, lambda match: parts[match[0]], pattern[:100].lower())


def _shown_by(value: float, pattern: str) -> str:
    match = _PATTERN.fullmatch(pattern[:100].split(";")[0].replace('"', ""))
    if match is None or not (match[2] or match[3]):
        return general(value)
    prefix, whole, decimals, percent, suffix = match.groups()
    least = (decimals or "").count("0")
    number = value * 100 if percent else value
    text = f"{_rounded(abs(number), len(decimals or '')):,.{len(decimals or '')}f}"
    if "," not in whole:
        text = text.replace(",", "")
    if decimals and least < len(decimals):
        head, _, tail = text.partition(".")
        tail = tail[:least] + tail[least:].rstrip("0")
        text = f"{head}.{tail}" if tail else head
    sign = "-" if number < 0 else ""
    return f"{sign}{prefix}{text}{percent}{suffix}"


def _rounded(number: float, places: int) -> Decimal:
    """Round a half up, as sheets do; Python's own formatting rounds it to even."""
    exact = Decimal(repr(round(number, 12)))
    return exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP) if exact < 10**15 else exact

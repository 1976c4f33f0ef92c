"""Days of the week, for everything that has opening hours or a timetable."""

from __future__ import annotations

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
"""In the order of `datetime.date.weekday`; not from `calendar`, whose names follow the process's locale."""

"""Chart Tower: the weekly chart. Training never sees its category."""

from __future__ import annotations

from datetime import date as Date  # noqa: N812

from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.music import CHART_SIZE, WEEKS, albums, artists, chart, tracks
from stb_env.suites.sandbox.conventions import PAGE, found, page_of, parse_day
from stb_env.suites.sandbox.params import day, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Music", "Chart Tower", f"The {CHART_SIZE} best tracks of each week.", held_out="category")
_WEEK = day("week", "The Monday with which the week starts.", WEEKS[-1].isoformat())


def _week(value: str) -> Date:
    when = parse_day(value)
    if when not in WEEKS:
        raise ApiError(f"charts exist for the Mondays from {WEEKS[0]} to {WEEKS[-1]}, got {value}")
    return when


def _line(position: int, track_id: str) -> dict[str, object]:
    track = tracks()[track_id]
    artist = artists()[albums()[track["album_id"]]["artist_id"]]
    return {"position": position, "track_id": track_id, "title": track["title"], "artist": artist["name"]}


@TOOL.lookup("Weekly Chart", _WEEK, PAGE)
def weekly_chart(week: str, page: int) -> Response:
    """Chart of one week from the first place down."""
    lines = [_line(place, key) for place, key in enumerate(chart(_week(week)), start=1)]
    return page_of(lines, page)


@TOOL.lookup("Chart Position", _WEEK, whole("position", "Place in the chart.", 1, 1, CHART_SIZE))
def chart_position(week: str, position: int) -> Response:
    """Track that held one place in one week."""
    return _line(position, chart(_week(week))[position - 1])


@TOOL.lookup("Chart Run", text("track_id", "Id of the track, from a chart.", "track-0001"))
def chart_run(track_id: str) -> Response:
    """In how many weeks a track was in the chart, its best place, and its first week there."""
    found(tracks().get(track_id), "track", track_id)
    places = {week: chart(week).index(track_id) + 1 for week in WEEKS if track_id in chart(week)}
    return {
        "track_id": track_id,
        "weeks": len(places),
        "best_position": min(places.values(), default=None),
        "first_week": min(places).isoformat() if places else "",
    }

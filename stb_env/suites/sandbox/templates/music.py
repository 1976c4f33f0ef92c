"""Tasks about albums, charts and concerts. Training never sees their category."""

from __future__ import annotations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.edition import Options, per_edition
from stb_env.suites.sandbox.content.music import CHART_SIZE, TIERS, WEEKS, albums, artists, concerts, tracks
from stb_env.suites.sandbox.lookups import days, find, long_date, spoken
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, ranked, template
from stb_env.suites.sandbox.tools import chart_tower, disc_catalogue, stage_dates

_ALBUMS = Options(lambda: albums().values())
_ARTISTS = Options(lambda: [row["name"] for row in artists().values()])
_TITLES = Options(lambda: [row["title"] for row in _ALBUMS])
_TRACKS = Options(lambda: [row["title"] for row in tracks().values()])
_CONCERTS = Options(lambda: concerts().values())
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": -1}
# Artists and years in which their first album was out and their last one was not.
_RELEASED = Options(
    lambda: [
        (artist["name"], year)
        for artist, (first, *_, last) in zip(artists().values(), _album_years(), strict=True)
        for year in range(first, last)
    ]
)


def _album_years() -> list[list[int]]:
    """Return the years of the albums of every artist, in order."""
    return [[row["year"] for row in _ALBUMS if row["artist_id"] == key] for key in artists()]


@per_edition()
def _tours() -> dict[str, tuple[str, str]]:
    """Return the first and last day of every artist's tour, by artist id."""
    tours: dict[str, tuple[str, str]] = {}
    for row in _CONCERTS:
        first, _ = tours.get(row["artist_id"], (row["date"], ""))
        tours[row["artist_id"]] = first, row["date"]
    return tours


def _spoken(day: str) -> str:
    return spoken(day)


def _album(title: str) -> Steps[dict[str, object]]:
    page = yield disc_catalogue.search_albums(title=title)
    return next(dict(row) for row in page["results"] if row["title"] == title)


@template(disc_catalogue.TOOL, calls=2)
def album_length(draw: Draw) -> Plan:
    """Length and longest (or shortest) track of an album, compared with the length of a tape."""
    title, minutes, wording = draw.pick(_TITLES), draw.between(18, 45), draw.pick(("longest", "shortest"))

    def solve() -> Solution:
        album = yield from _album(title)
        rows = (yield disc_catalogue.album_tracks(album_id=album["album_id"]))["tracks"]
        total = sum(row["seconds"] for row in rows)
        best = ranked(rows, lambda row: row["seconds"], most=wording == "longest")[0]
        fits = total <= minutes * 60
        return Answer.of(
            f"{'Yes' if fits else 'No'}: it takes {total} seconds. The {wording} track is {best['title']}.",
            facts.yes_no("within_limit", fits),
            facts.integer("total_seconds", total),
            facts.name(f"{wording}_track", best["title"]),
        )

    return Plan.of(
        f'Does the album "{title}" fit on a tape of {minutes} minutes? Give its length in seconds and its '
        f"{wording} track as well.",
        f'My tape takes {minutes} minutes. Would all of "{title}" go on it, how many seconds does the album '
        f"last, and which track is the {wording}?",
        f'Add up "{title}": whether it stays within {minutes} minutes, its total in seconds, and the title '
        f"of the {wording} track.",
        solve=solve,
    )


@template(disc_catalogue.TOOL, calls=3)
def album_by_year(draw: Draw) -> Plan:
    """The last album of an artist up to a year, and one of its tracks."""
    (name, year), ordinal = draw.pick(_RELEASED), draw.pick(tuple(_ORDINALS))

    def solve() -> Solution:
        key = (yield from find(disc_catalogue.search_artists(name=name), name=name))["artist_id"]
        rows = (yield disc_catalogue.albums_of_artist(artist_id=key))["albums"]
        best = [row for row in rows if row["year"] <= year][-1]
        songs = (yield disc_catalogue.album_tracks(album_id=best["album_id"]))["tracks"]
        song = songs[_ORDINALS[ordinal]]["title"]
        return Answer.of(
            f'It is "{best["title"]}"; its {ordinal} track is "{song}".',
            facts.name("album", best["title"]),
            facts.name("track", song),
        )

    return Plan.of(
        f"What was the most recent album of {name} at the end of {year}, and what is its {ordinal} track?",
        f"Take the latest album that {name} had out by {year}. Its title, and the title of the {ordinal} "
        "track on it?",
        f"Up to and including {year}, which album of {name} came last? Name it and its {ordinal} song.",
        solve=solve,
    )


@template(chart_tower.TOOL, calls=2)
def chart_run_length(draw: Draw) -> Plan:
    """The track at a place of the chart, and its first week there."""
    week, place = draw.pick(WEEKS), draw.between(1, CHART_SIZE)

    def solve() -> Solution:
        line = yield chart_tower.chart_position(week=week.isoformat(), position=place)
        run = yield chart_tower.chart_run(track_id=line["track_id"])
        return Answer.of(
            f'It was "{line["title"]}", charted since {_spoken(run["first_week"])}.',
            facts.name("track", line["title"]),
            facts.date("first_week_date", run["first_week"], "the Monday with which the week starts"),
        )

    return Plan.of(
        f"Which track was number {place} in the chart of the week from {long_date(week)}, and in the week of "
        "which Monday did it first enter the chart?",
        f"Chart of {week}, place {place}: what is the title, and what is the date of its first week in the "
        "chart?",
        f"Name the song at place {place} in the week that starts on {week} and the date on which its chart "
        "run began.",
        solve=solve,
    )


@template(chart_tower.TOOL, disc_catalogue.TOOL, calls=3)
def charting_artist(draw: Draw) -> Plan:
    """Album of a charting track, and the year in which its artist formed."""
    week, place = draw.pick(WEEKS), draw.between(1, CHART_SIZE)

    def solve() -> Solution:
        line = yield chart_tower.chart_position(week=week.isoformat(), position=place)
        track = yield disc_catalogue.track_details(track_id=line["track_id"])
        artist = yield disc_catalogue.artist_details(artist_id=track["artist_id"])
        return Answer.of(
            f'It is on "{track["album"]}"; {artist["name"]} formed in {artist["formed"]}.',
            facts.name("album", track["album"]),
            facts.integer("founding_year", artist["formed"]),
        )

    return Plan.of(
        f"On which album is the track that was number {place} in the week from {long_date(week)}, and in "
        "which year was its artist formed?",
        f"For place {place} of the chart of {week}: album title, and the year in which the band got "
        "together?",
        f"Look at the chart of {long_date(week)}. Which album has the song at place {place}, and in which "
        "year was the artist formed?",
        solve=solve,
    )


@template(stage_dates.TOOL, calls=2)
def concert_tickets(draw: Draw) -> Plan:
    """Date of a concert and price of tickets."""
    concert, tier, count = draw.pick(_CONCERTS), draw.pick(list(TIERS)), draw.between(2, 12)
    name, city = artists()[concert["artist_id"]]["name"], concert["city"]

    def solve() -> Solution:
        row = yield from find(stage_dates.concerts_of(artist_name=name), city=city)
        quote = yield stage_dates.ticket_total(concert_id=row["concert_id"], tier=tier, tickets=count)
        total = quote["total"]
        return Answer.of(
            f"On {_spoken(row['date'])}; the tickets cost {total:.2f} AUR.",
            facts.date("concert_date", row["date"]),
            facts.number("total", total, "in AUR, with all fees"),
        )

    return Plan.of(
        f"When do {name} play in {city}, and what do {count} {tier} tickets cost with all fees?",
        f"I want {count} {tier} tickets for {name} in {city}. Date of the concert and total price?",
        f"{name}, {city}: date of the show, and the sum for {count} x {tier}, fees included.",
        solve=solve,
    )


@template(disc_catalogue.TOOL, stage_dates.TOOL, calls=4)
def tour_after_album(draw: Draw) -> Plan:
    """City and opening of the doors of the next concert by the artist of an album."""
    album = draw.pick(_ALBUMS)
    title, (first, last) = album["title"], _tours()[album["artist_id"]]
    # From the second concert on, so that it matters from when one asks.
    start = draw.pick([day for day in days(0, 240) if first < day.isoformat() <= last])

    def solve() -> Solution:
        row = yield from _album(title)
        artist = (yield disc_catalogue.artist_details(artist_id=row["artist_id"]))["name"]
        rows = (yield stage_dates.concerts_of(artist_name=artist))["concerts"]
        following = next(row for row in rows if row["date"] >= start.isoformat())
        details = yield stage_dates.concert_details(concert_id=following["concert_id"])
        return Answer.of(
            f"In {following['city']}; doors open at {details['doors_open']}.",
            facts.name("city", following["city"]),
            facts.time("doors_open", details["doors_open"]),
        )

    return Plan.of(
        f'In which city is the next concert, from {long_date(start)} on, of whoever recorded "{title}", and '
        "when do the doors open?",
        f'I love the album "{title}". Where does its artist play first on or after {start}, and at what time '
        "are the doors opened?",
        f'Find the artist of "{title}" and the first of the concerts from {long_date(start)} on: city, and '
        "time when doors open.",
        solve=solve,
    )


@template(chart_tower.TOOL, stage_dates.TOOL, calls=3)
def charting_live(draw: Draw) -> Plan:
    """First or last concert of the artist of a charting track, and the venue's capacity."""
    week, place, end = draw.pick(WEEKS), draw.between(1, CHART_SIZE), draw.pick(("first", "last"))

    def solve() -> Solution:
        line = yield chart_tower.chart_position(week=week.isoformat(), position=place)
        rows = (yield stage_dates.concerts_of(artist_name=line["artist"]))["concerts"]
        row = rows[0 if end == "first" else -1]
        details = yield stage_dates.concert_details(concert_id=row["concert_id"])
        return Answer.of(
            f"{line['artist']} play on {_spoken(row['date'])} before {details['capacity']} people.",
            facts.name("artist", line["artist"]),
            facts.date("concert_date", row["date"]),
            facts.integer("capacity", details["capacity"], "people that the venue holds"),
        )

    return Plan.of(
        f"Who was number {place} in the chart of the week from {long_date(week)}, on what date is that "
        f"artist's {end} concert of the tour, and how many people does the venue hold?",
        f"Chart of {week}, place {place}: name the artist, the date of their {end} announced concert and the "
        "capacity there.",
        f"I want to see the artist who held place {place} in the week of {week}. Name, date of the {end} "
        "concert planned, and capacity of the venue, please.",
        solve=solve,
    )

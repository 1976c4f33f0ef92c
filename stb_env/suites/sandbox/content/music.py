"""Music of the sandbox: artists, albums, tracks, weekly charts and concerts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from stb_env import seeding
from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import grouped, per_edition
from stb_env.suites.sandbox.content.households import TODAY
from stb_env.suites.sandbox.content.places import cities

ARTISTS = 36
GENRES = ("folk", "electronic", "jazz", "rock", "choral")
WEEKS = tuple(TODAY - timedelta(weeks=weeks) for weeks in range(60, 0, -1))
"""Mondays with a chart, oldest first."""
CHART_SIZE = 20
TIERS: Mapping[str, float] = {"standing": 1.0, "balcony": 1.45, "front row": 2.6}
"""Ticket tiers and how many times the basic price they cost."""
# Least and greatest number of people that a stage holds.
_STAGES: Mapping[str, tuple[int, int]] = {
    "Assembly Hall": (600, 2_600),
    "Old Brewery": (200, 1_300),
    "Riverside Arena": (5_000, 18_000),
    "Glass Dome": (2_000, 9_000),
    "Corn Exchange": (400, 1_700),
    "Tram Depot": (300, 1_900),
}
_LABELS = ("Low Tide Records", "Blue Door", "Parallel Sound", "Hearth Audio")
_BANDS_FIRST = (
    "Marble", "Electric", "Foggy", "Seventh", "Hollow", "Scarlet", "Northern", "Plastic", "Gentle",
)  # fmt: skip
_BANDS_SECOND = ("Foxes", "Telegraph", "Choir", "Parade", "Satellites", "Gardeners", "Motion", "Saints")
_ALBUM_FIRST = ("Songs for", "Postcards from", "Beyond", "Farewell to", "A Map of", "Waiting on", "Almost")
_ALBUM_SECOND = (
    "the Lighthouse", "Empty Trains", "Monday", "the Blue Room", "Strangers", "the Long Field", "Neon Rain",
    "Tomorrow's Weather", "the Last Ferry", "Quiet Neighbours", "the Orange Hour", "Old Radios",
    "Sleepwalkers", "the Hill Station",
)  # fmt: skip
_TRACK_FIRST = (
    "Carry", "Chase", "Count", "Drown", "Follow", "Forgive", "Gather", "Hold", "Hurry", "Keep", "Leave",
    "Mend", "Paint", "Promise", "Remember", "Ring", "Shelter", "Sing", "Spin", "Steal", "Trade", "Trust",
    "Turn",
)  # fmt: skip
_TRACK_SECOND = (
    "the Bells", "Me Slowly", "the Harbour", "Your Letters", "Those Birds", "the Ocean Floor", "My Shadow",
    "a Little Fire", "the Distance", "Every Window", "the Copper Sky", "Our Names", "the Small Hours",
    "Paper Boats", "the Avenue", "Sunday Again", "the Mirror", "Half the Moon", "Winter Coats", "the Static",
    "Wild Honey", "the Staircase", "Nothing Else", "a Thousand Miles", "the Orchard", "Broken Clocks",
)  # fmt: skip


@per_edition()
def artists() -> Mapping[str, JsonObject]:
    """Return every artist by id."""
    rng = edition.rng("artists")
    names = [f"{first} {second}" for first in _BANDS_FIRST for second in _BANDS_SECOND]
    rows = {}
    for index, name in enumerate(rng.sample(names, ARTISTS)):
        key = f"artist-{index + 1:03}"
        rows[key] = {
            "artist_id": key,
            "name": name,
            "genre": rng.choice(GENRES),
            "formed": rng.randint(1968, 2004),
            "home_city": rng.choice(list(cities().values()))["name"],
        }
    return rows


@per_edition()
def albums() -> Mapping[str, JsonObject]:
    """Return every album by id; titles are unique, an artist's years too; each made two or three."""
    rng = edition.rng("albums")
    titles = [f"{first} {second}" for first in _ALBUM_FIRST for second in _ALBUM_SECOND]
    rng.shuffle(titles)
    rows: dict[str, JsonObject] = {}
    for index, artist in enumerate(artists()):
        for year in sorted(rng.sample(range(2005, 2026), 2 + index % 2)):
            key = f"album-{len(rows) + 1:03}"
            rows[key] = {
                "album_id": key,
                "title": titles[len(rows)],
                "artist_id": artist,
                "year": year,
                "label": rng.choice(_LABELS),
            }
    return rows


@per_edition()
def tracks() -> Mapping[str, JsonObject]:
    """Return every track by id; titles are unique, the lengths of an album's five or six tracks too."""
    rng = edition.rng("tracks")
    titles = [f"{first} {second}" for first in _TRACK_FIRST for second in _TRACK_SECOND]
    rng.shuffle(titles)
    rows: dict[str, JsonObject] = {}
    for album in albums():
        for seconds in rng.sample(range(95, 560), rng.randint(5, 6)):
            key = f"track-{len(rows) + 1:04}"
            rows[key] = {"track_id": key, "title": titles[len(rows)], "album_id": album, "seconds": seconds}
    return rows


@per_edition()
def tracks_by_album() -> Mapping[str, list[JsonObject]]:
    """Return the tracks of every album in order, by album id."""
    return grouped(tracks().values(), "album_id")


@per_edition()
def _fame() -> tuple[tuple[str, ...], NDArray[np.int64], NDArray[np.uint64]]:
    """Return the ids of all tracks, the lasting popularity of each and the seed of its weekly changes."""
    keys = tuple(tracks())
    lasting = [seed % 10_000 for seed in edition.derive_each(("fame",), keys)]
    return keys, np.array(lasting), np.fromiter(edition.derive_each(("hype",), keys), np.uint64)


@per_edition(maxsize=64)
def chart(week: date) -> tuple[str, ...]:
    """Return the track ids of a week's chart, best first: fame decides, with some change every week."""
    keys, fame, seeds = _fame()
    hype = seeding.mix_each(seeds, week.toordinal()) % np.uint64(900)
    # Of equals the one of the lower id comes first, and they are in that order.
    best = np.argsort(-(fame + hype.astype(np.int64)), kind="stable")[:CHART_SIZE]
    return tuple(keys[place] for place in best)


@per_edition()
def concerts() -> Mapping[str, JsonObject]:
    """Return every concert by id, by date: each artist tours five cities after the sandbox's present."""
    rng = edition.rng("concerts")
    planned = []
    for artist in artists():
        stops = rng.sample(list(cities().values()), 5)
        planned += [
            (TODAY + timedelta(days=offset), artist, stop["name"])
            for offset, stop in zip(rng.sample(range(5, 240), 5), stops, strict=True)
        ]
    rows = {}
    for index, (when, artist, city) in enumerate(sorted(planned)):
        key, stage = f"concert-{index + 1:03}", rng.choice(tuple(_STAGES))
        rows[key] = {
            "concert_id": key,
            "artist_id": artist,
            "city": city,
            "venue": f"{city} {stage}",
            "date": when.isoformat(),
            "doors": rng.randrange(17 * 4, 21 * 4) * 15,
            "price": rng.randint(1_400, 9_900) / 100,
            "capacity": rng.randrange(*_STAGES[stage], 50),
        }
    return rows

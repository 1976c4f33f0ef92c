"""Disc Catalogue: artists, albums and tracks. Training never sees its category."""

from __future__ import annotations

from stb_env.suites.sandbox.content.music import GENRES, albums, artists, tracks, tracks_by_album
from stb_env.suites.sandbox.conventions import PAGE, columns, found, page_of, search
from stb_env.suites.sandbox.params import choice, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Music", "Disc Catalogue", "Recorded music.", held_out="category")


@TOOL.lookup(
    "Search Artists",
    text("name", "Part of the name, in any case.", "fox"),
    choice("genre", "Only this genre.", ("any", *GENRES), optional=True),
    PAGE,
)
def search_artists(name: str, genre: str, page: int) -> Response:
    """Find artists by part of their name."""
    rows = search(artists().values(), "name", name, genre=genre)
    return page_of(columns(rows, "artist_id", "name", "genre", "formed"), page)


@TOOL.lookup("Search Albums", text("title", "Part of the title, in any case.", "ferry"), PAGE)
def search_albums(title: str, page: int) -> Response:
    """Find albums by part of their title."""
    return page_of(search(albums().values(), "title", title), page)


@TOOL.lookup("Artist Details", text("artist_id", "Id of the artist.", "artist-001"))
def artist_details(artist_id: str) -> Response:
    """Name, genre, founding year and home city of one artist."""
    return dict(found(artists().get(artist_id), "artist", artist_id))


@TOOL.lookup("Albums Of Artist", text("artist_id", "Id from Search Artists.", "artist-001"))
def albums_of_artist(artist_id: str) -> Response:
    """Albums of one artist, oldest first, with year and label."""
    found(artists().get(artist_id), "artist", artist_id)
    rows = [dict(row) for row in albums().values() if row["artist_id"] == artist_id]
    return {"artist_id": artist_id, "albums": rows}


@TOOL.lookup("Album Tracks", text("album_id", "Id of the album.", "album-001"))
def album_tracks(album_id: str) -> Response:
    """Tracks of one album in order, with their length in seconds."""
    found(albums().get(album_id), "album", album_id)
    rows = columns(tracks_by_album()[album_id], "track_id", "title", "seconds")
    return {"album_id": album_id, "tracks": rows}


@TOOL.lookup("Track Details", text("track_id", "Id of the track.", "track-0001"))
def track_details(track_id: str) -> Response:
    """Title, length, album and artist of one track."""
    row = found(tracks().get(track_id), "track", track_id)
    album = albums()[row["album_id"]]
    return {**row, "album": album["title"], "artist_id": album["artist_id"], "year": album["year"]}

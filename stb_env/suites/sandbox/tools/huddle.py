"""Huddle: chat channels of the user's club. Training never sees it."""

from __future__ import annotations

import random
from collections.abc import Mapping

from stb_env.backend.world import Row, Table, Tables
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.households import friends
from stb_env.suites.sandbox.content.mails import KINDS, detail_of
from stb_env.suites.sandbox.conventions import PAGE, found, page_of, search
from stb_env.suites.sandbox.params import choice, text
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Communication", "Huddle", "Chat channels of the user's club.", held_out="tool")
CHANNELS = ("committee", "lost-and-found", "newcomers", "outings", "workshop")
REACTIONS = ("thumbs up", "heart", "question mark")
_CHANNEL = text("channel", "Name of the channel.", "committee")
_POST = text("post_id", "Id from Channel Posts.", "post-001")


@TOOL.starts_with
def rows(rng: random.Random, household: int) -> Mapping[str, Table]:
    """Start with five channels of different sizes, four posts in each."""
    people = [friend["name"] for friend in friends(household)]
    channels: dict[str, Row] = {}
    posts: dict[str, Row] = {}
    for name, size in zip(CHANNELS, rng.sample(range(4, 10), len(CHANNELS)), strict=True):
        key, members = f"channel-{len(channels) + 1:03}", rng.sample(people, size)
        channels[key] = {"channel_id": key, "name": name, "members": members, "muted": False}
        for author, kind in zip(rng.sample(members, 4), rng.sample(KINDS, 4), strict=True):
            key = f"post-{len(posts) + 1:03}"
            posts[key] = {
                "post_id": key,
                "channel": name,
                "author": author,
                "text": f"{kind.subject}: {kind.body.format(detail_of(kind, rng))}",
                "pinned": False,
                "reactions": [],
            }
    return {"channels": channels, "posts": posts}


def _channel(state: Tables, channel: str) -> Row:
    for row in state.table("channels").values():
        if row["name"] == channel.strip().casefold().removeprefix("#"):
            return row
    raise ApiError(f"no channel is named {channel[:80]!r}; List Channels has all of them")


@TOOL.api("List Channels")
def list_channels(state: Tables) -> Response:
    """Names of the channels, with the number of members."""
    rows = state.table("channels").values()
    shown = [{"name": row["name"], "members": len(row["members"]), "muted": row["muted"]} for row in rows]
    return {"channels": shown}


@TOOL.api("Channel Members", _CHANNEL)
def channel_members(state: Tables, channel: str) -> Response:
    """Names of a channel's members, the user aside."""
    return {"members": list(_channel(state, channel)["members"])}


@TOOL.api("Channel Posts", _CHANNEL, text("author", "Part of the author's name.", "", optional=True), PAGE)
def channel_posts(state: Tables, channel: str, author: str, page: int) -> Response:
    """Posts of a channel, oldest first."""
    name = _channel(state, channel)["name"]
    rows = search(state.table("posts").values(), "author", author, channel=name)
    return page_of([{**row, "reactions": list(row["reactions"])} for row in rows], page)


@TOOL.api("Write Post", _CHANNEL, text("message", "What to write.", "Sample"))
def write_post(state: Tables, channel: str, message: str) -> Update:
    """Write a post in a channel."""
    name = _channel(state, channel)["name"]
    if not message.strip():
        raise ApiError("message must not be empty")
    key, state = state.next_id("post")
    row = {"post_id": key, "channel": name, "author": "me", "text": message, "pinned": False, "reactions": []}
    return {"post_id": key, "channel": name}, state.with_row("posts", key, row)


@TOOL.api("Pin Post", _POST)
def pin_post(state: Tables, post_id: str) -> Update:
    """Pin a post, which unpins any other of its channel."""
    pinned = found(state.row("posts", post_id), "post", post_id)
    for key, row in state.table("posts").items():
        if row["channel"] == pinned["channel"] and row["pinned"] != (key == post_id):
            state = state.with_row("posts", key, {**row, "pinned": key == post_id})
    return {"post_id": post_id, "pinned": True}, state


@TOOL.api("Add Reaction", _POST, choice("reaction", "The reaction.", REACTIONS))
def add_reaction(state: Tables, post_id: str, reaction: str) -> Update:
    """React to a post; the same reaction counts once."""
    row = found(state.row("posts", post_id), "post", post_id)
    row = {**row, "reactions": sorted({*row["reactions"], reaction})}
    return {"post_id": post_id, "reactions": list(row["reactions"])}, state.with_row("posts", post_id, row)


@TOOL.api("Mute Channel", _CHANNEL)
def mute_channel(state: Tables, channel: str) -> Update:
    """Stop notifications of a channel."""
    row = {**_channel(state, channel), "muted": True}
    return {"channel": row["name"], "muted": True}, state.with_row("channels", row["channel_id"], row)

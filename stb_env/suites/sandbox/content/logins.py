"""Users of the services that ask for a log-in: names, passwords, and tokens valid and expired."""

from __future__ import annotations

import random

from stb_env.backend.world import Row, Table
from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.coming_days import iso_day

DEMO_TOKEN = "demo-0000"  # noqa: S105
"""Token of the public demonstration user, whom the documentation shows."""
_ANIMALS = ("badger", "curlew", "dormouse", "gannet", "lapwing", "marten", "otter", "plover", "stoat", "wren")
_TREES = ("Alder", "Birch", "Hazel", "Larch", "Maple", "Rowan", "Spruce", "Willow")


def login_rows(rng: random.Random, prefix: str) -> dict[str, Row]:
    """Return the users of a service: ``PREFIX-001`` is the demonstration user, ``PREFIX-002`` the household.

    Args:
        rng: Source of randomness.
        prefix: Prefix of the user ids, which also starts the tokens.
    """
    demo = _user(f"{prefix}-001", "demo", "demo", DEMO_TOKEN, "demo-expired", 1)
    name = f"{rng.choice(_ANIMALS)}{rng.randrange(100, 1000)}"
    password = f"{rng.choice(_TREES)}-{rng.randrange(1000, 10_000)}-{rng.choice(_TREES)}"
    fresh, old = (f"{prefix[:2]}{rng.getrandbits(40):010x}" for _ in range(2))
    own = _user(f"{prefix}-002", name, password, fresh, old, rng.randint(3, 40))
    return {row["user_id"]: row for row in (demo, own)}


def _user(
    key: str, name: str, password: str, token: str, old_token: str, expired_days_ago: int
) -> JsonObject:
    return {
        "user_id": key,
        "user_name": name,
        "password": password,
        "token": token,
        "old_token": old_token,
        "old_token_expired_on": iso_day(-expired_days_ago),
    }


def log_in(users: Table, user_name: str, password: str) -> dict[str, object]:
    """Return a token and the day until which it is valid; logging in twice a day gives the same.

    Raises:
        ApiError: The user name is unknown or the password wrong.
    """
    for user in users.values():
        if user["user_name"] == user_name.strip():
            if user["password"] != password:
                raise ApiError(f"wrong password for user {user_name.strip()[:40]!r}")
            return {"user_id": user["user_id"], "token": user["token"], "valid_until": iso_day(1)}
    raise ApiError(f"no user is named {user_name[:40]!r}")


def user_of(users: Table, token: str) -> str:
    """Return the id of the user to whom a token belongs.

    Raises:
        ApiError: The token is unknown or expired.
    """
    for key, user in users.items():
        if token == user["token"]:
            return key
        if token == user["old_token"]:
            raise ApiError(f"the token expired on {user['old_token_expired_on']}; log in again")
    raise ApiError("unknown token; log in to get one")

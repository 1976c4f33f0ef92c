"""Why a request cannot be met: the reasons, and what may be lacking for each of them.

No two words mean the same, and for each there is a tool somewhere in the world that could do it or find it.
"""

from __future__ import annotations

from collections.abc import Mapping

REASONS: Mapping[str, tuple[str, ...]] = {
    "missing_detail": (
        "account",
        "age",
        "amount",
        "colour",
        "currency",
        "date",
        "guests",
        "language",
        "length",
        "name",
        "person",
        "place",
        "size",
        "time",
    ),
    "not_found": (
        "city",
        "company",
        "event",
        "file",
        "film",
        "flight",
        "hotel",
        "invoice",
        "person",
        "recipe",
        "word",
    ),
    "no_tool": (
        "book",
        "convert",
        "drive",
        "move",
        "pay",
        "refund",
        "remove",
        "send",
        "share",
        "translate",
        "ultraviolet",
    ),
}
"""``missing_detail``: the query leaves it out; ``not_found``: it is nowhere; ``no_tool``: no tool does it."""

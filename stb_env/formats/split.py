"""Splits by task: which part of an export a task belongs to, whatever else is in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from math import inf

from stb_env.errors import ConfigError

_NAMES = ("train", "validation", "test")
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Split:
    """Parts of an export with the share of tasks in each.

    A task's part follows from its suite and id alone: every trial, pair and branch of it is in one part, and
    an export of more tasks, or of another run, puts it in the same.

    Attributes:
        shares: Share of each part by name; together 1.

    Examples:
        >>> split = Split.parse("0.8,0.1,0.1")
        >>> split.shares
        {'train': 0.8, 'validation': 0.1, 'test': 0.1}
        >>> split.part("Demo", "7") == split.part("Demo", "7")
        True
    """

    shares: dict[str, float]

    @classmethod
    def parse(cls, text: str) -> Split:
        """Read ``0.8,0.1,0.1`` (train, validation, test) or ``train=0.9,held_out=0.1``.

        Raises:
            ConfigError: It is neither, a share is below 0, or the shares are not 1 together.

        Examples:
            >>> Split.parse("train=0.9,test=0.2")
            Traceback (most recent call last):
            ...
            stb_env.errors.ConfigError: the shares of a split are 1 together, got 1.1 in 'train=0.9,test=0.2'
        """
        parts = [part.strip() for part in text.split(",")]
        if len(parts) <= len(_NAMES) and not any("=" in part for part in parts):
            parts = [f"{name}={part}" for name, part in zip(_NAMES, parts, strict=False)]
        pairs = [part.partition("=")[::2] for part in parts]
        try:
            shares = {name.strip(): float(share) for name, share in pairs}
        except ValueError:
            shares = {}
        known = len(shares) == len(pairs) and all(map(_NAME.fullmatch, shares))
        # Not so of nan either, of which every comparison is false.
        if not known or not all(0 <= share < inf for share in shares.values()):
            raise ConfigError(
                f"a split is shares such as 0.8,0.1,0.1 or names with them, train=0.9,test=0.1, got {text!r}"
            )
        if abs(sum(shares.values()) - 1) > 1e-9:
            raise ConfigError(
                f"the shares of a split are 1 together, got {sum(shares.values()):.6g} in {text!r}"
            )
        return cls(shares)

    def part(self, suite: str, task_id: str) -> str:
        """Return the name of the part that a task belongs to."""
        place = (
            int.from_bytes(sha256(f"{suite}\0{task_id}".encode(errors="surrogatepass")).digest()[:8]) / 2**64
        )
        for name, share in self.shares.items():
            place -= share
            if place < 0:
                return name
        # The shares may be less than 1 by a rounding.
        return max(self.shares, key=lambda name: self.shares[name])

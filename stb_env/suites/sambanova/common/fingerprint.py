"""Fingerprints of worlds, for manifests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from stb_env.tools import Tool


def world_fingerprint(
    world: str, version: int, tools: Iterable[Tool], *, original: bool
) -> dict[str, object]:
    """Return a world's name and version, whose rules it follows, and a hash over its tools' documentation."""
    digest = hashlib.sha256("\n".join(tool.spec for tool in tools).encode())
    return {"world": world, "version": version, "original": original, "tools": digest.hexdigest()}

"""Failures of the infrastructure, in NeMo Gym's words."""

from __future__ import annotations

from collections.abc import Mapping

from nemo_gym import failure_kinds

_KINDS = {
    "judge": failure_kinds.JUDGE_FAILED,
    "timeout": failure_kinds.TRANSPORT_TIMEOUT,
    "transport": failure_kinds.TRANSPORT_UNREACHABLE,
}
"""Our kinds of failure that NeMo Gym has a name for."""


def masked(failure: Mapping[str, object]) -> dict[str, object]:
    """Return what leaves a sample out of every score, and says why.

    Examples:
        >>> masked({"kind": "cache_miss", "stage": "cache", "message": "nothing recorded"})["failure_kind"]
        'stb_env:cache_miss'
    """
    kind = str(failure.get("kind", "internal"))
    known = kind if failure_kinds.is_registered(kind) else _KINDS.get(kind, f"stb_env:{kind}")
    reason = ": ".join(str(failure[name]) for name in ("stage", "message") if name in failure)
    return {"mask_sample": True, "failure_kind": known, "failure_reason": reason}

"""The context window of a served model, as its server tells it, and what of it an answer gets."""

from __future__ import annotations

from collections.abc import Mapping

# The wordings of vLLM, of OpenRouter and those who follow it, of LM Studio, of SGLang.
_NAMES = ("max_model_len", "context_length", "max_context_length", "context_window")

_SHARES = {"judge": 8, "user": 8}
_SHARE = 4
_LEAST = 64


def listed_window(listing: object, model: str) -> int | None:
    """Return the context window that a list of models (``/v1/models``) tells; None where it tells none.

    Args:
        listing: The list, as it came.
        model: Name of the model; a list of one is of that one, whatever its name.

    Examples:
        >>> listed_window({"data": [{"id": "tiny", "max_model_len": 4096}]}, "tiny")
        4096
        >>> listed_window({"data": [{"id": "a.gguf", "meta": {"n_ctx_train": 2048}}]}, "tiny")
        2048
        >>> listed_window({"data": [{"id": "a"}, {"id": "b"}]}, "a") is None
        True
    """
    rows = listing.get("data") if isinstance(listing, Mapping) else None
    rows = [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []
    row = next((row for row in rows if row.get("id") == model), rows[0] if len(rows) == 1 else {})
    meta = row.get("meta")
    trained = meta.get("n_ctx_train") if isinstance(meta, Mapping) else None
    return next(filter(None, (_count(value) for value in (*map(row.get, _NAMES), trained))), None)


def running_window(props: object) -> int | None:
    """Return the context window that llama.cpp's ``/props`` tells: the one it was started with.

    Examples:
        >>> running_window({"default_generation_settings": {"n_ctx": 1024}})
        1024
        >>> running_window("not found") is None
        True
    """
    settings = props.get("default_generation_settings") if isinstance(props, Mapping) else None
    return _count(settings.get("n_ctx")) if isinstance(settings, Mapping) else None


def answer_share(role: str, window: int) -> int:
    """Return the tokens of a context window that a role's answer may have; the rest is for what it reads.

    Judges and users write little. Without a bound some servers write until the window is full.

    Examples:
        >>> answer_share("agent", 8192), answer_share("judge", 8192)
        (2048, 1024)
    """
    return max(_LEAST, window // _SHARES.get(role, _SHARE))


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None

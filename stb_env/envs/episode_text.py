"""An episode as plain text: one line a message and a call, the verdict at the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stb_env.core.jsontypes import JsonMapping


def episode_text(
    messages: Iterable[Mapping[str, object]], *, verdict: Mapping[str, object] | None = None
) -> str:
    """Return an episode as text.

    Args:
        messages: What was said, as chat messages.
        verdict: The judge's decision, where there is one.

    Examples:
        >>> said = [{"role": "user", "content": "2 and 2?"}, {"role": "assistant", "content": "4"}]
        >>> print(episode_text(said, verdict={"status": "solved", "judge": "exact"}))
        [user] 2 and 2?
        [assistant] 4
        [verdict] solved (exact)
    """
    text = "\n".join(map(_lines, messages))
    return text if verdict is None else f"{text}\n[verdict] {verdict['status']} ({verdict['judge']})"


def _lines(message: JsonMapping) -> str:
    lines = [f"[{message['role']}] {message['content']}"] if message.get("content") else []
    lines += [
        f"[{message['role']}] -> {call['function']['name']}({call['function']['arguments']})"
        for call in message.get("tool_calls", ())
    ]
    return "\n".join(lines)

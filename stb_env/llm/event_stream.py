"""Server-sent events, out of bytes as they come."""

from __future__ import annotations

END = b"[DONE]"
"""What OpenAI-compatible servers send as the last event."""


class EventStream:
    r"""Cuts a stream of bytes into the data of its events.

    Comments, which servers send to keep a connection open, and fields other than ``data`` are left out.

    Examples:
        >>> stream = EventStream()
        >>> stream.feed(b': wait\n\ndata: {"a"'), stream.feed(b': 1}\r\n\r\ndata: [DONE]\n\n')
        ([], [b'{"a": 1}', b'[DONE]'])
    """

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take in some bytes and return the data that became complete."""
        # By hand, because str.splitlines also cuts at characters that JSON strings may hold.
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return [line[5:].strip() for line in lines if line.startswith(b"data:")]

    def close(self) -> list[bytes]:
        """Return the data of a last line without an end."""
        rest, self._rest = self._rest, b""
        return [rest[5:].strip()] if rest.startswith(b"data:") else []

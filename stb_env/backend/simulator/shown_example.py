"""An earlier call and its answer, as a simulator is shown it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stb_env.backend.cache.key import Arguments
from stb_env.core import jsontext


@dataclass(frozen=True, slots=True)
class ShownExample:
    """An API's answer to an earlier call.

    Attributes:
        arguments: The arguments of that call; None where only the response is known.
        error: The answer's error; empty where there was none.
        response: The answer's response, any JSON value.

    Examples:
        >>> ShownExample.of({"ms": 4}).written()
        '{"error": "", "response": {"ms": 4}}'
    """

    arguments: Arguments | None
    error: str
    response: Any

    @classmethod
    def of(cls, value: Any) -> ShownExample:
        """Take a JSON value as a mere response, and anything else, such as a cache entry, at its word."""
        if value is None or isinstance(value, str | int | float | list | Mapping):
            return cls(None, "", value)
        return cls(value.arguments, value.error, value.response)

    def written(self) -> str:
        """Return one line of JSON text."""
        answer = {"error": self.error, "response": self.response}
        if self.arguments is None:
            return jsontext.dumps(answer)
        arguments = self.arguments if isinstance(self.arguments, str) else dict(self.arguments)
        return jsontext.dumps({"arguments": arguments, **answer})

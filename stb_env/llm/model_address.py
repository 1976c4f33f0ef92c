"""Address of a model: its endpoint and the name that it has there."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """An endpoint and a model of it.

    Attributes:
        endpoint: Root of the API, without user name or password.
        model: The model's name there.

    Examples:
        >>> here = ModelAddress("http://127.0.0.1:8000/v1", "tiny")
        >>> str(here), here.local
        ("model 'tiny' at http://127.0.0.1:8000/v1", True)
    """

    endpoint: str
    model: str

    def __str__(self) -> str:
        return f"model {self.model!r} at {self.endpoint}"

    @property
    def key(self) -> str:
        """The place as one text, for files."""
        return f"{self.endpoint} {self.model}"

    @property
    def local(self) -> bool:
        """Whether the endpoint is on this machine."""
        host = urlsplit(self.endpoint).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

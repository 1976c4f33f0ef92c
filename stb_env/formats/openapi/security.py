"""Keys that the operations of an OpenAPI document need, and the environment variables that hold them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stb_env.core.jsontypes import JsonObject
from stb_env.errors import DataError, did_you_mean
from stb_env.formats.openapi.document import Document

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
FORBIDDEN = frozenset({"host", "content-length", "transfer-encoding", "connection", "cookie", "upgrade"})
"""Headers that belong to the connection: neither an argument nor a setting may set them."""


class Security:
    """The keys of a document's services. Keys themselves are never read here.

    Args:
        document: The document.
        source: Name of the source, with which the names of variables begin.
        variables: Names of variables in place of these, by scheme.
        headers: Variables whose values are sent with every request, by the names of headers; for documents
            that do not say which key their service wants.

    Raises:
        DataError: A variable is given for a scheme that there is not, or has no name of one.

    Examples:
        >>> schemes = {"token": {"type": "http", "scheme": "bearer"}}
        >>> document = Document({"openapi": "3.1.0", "components": {"securitySchemes": schemes}})
        >>> Security(document, "shop").keys
        {'token': {'kind': 'bearer', 'env': 'SHOP_TOKEN'}}
    """

    def __init__(
        self,
        document: Document,
        source: str,
        variables: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._document = document
        components = document.resolved(document.content.get("components", {}))
        schemes = document.resolved(components.get("securitySchemes", {}))
        given = dict(variables or {})
        for name, variable in given.items():
            if name not in schemes:
                known = ", ".join(schemes) or "none"
                raise DataError(
                    f"{document.where} has no security scheme {name!r}; there is {known}."
                    f"{did_you_mean(name, schemes)}"
                )
            _check_variable(name, variable)
        self.keys: dict[str, JsonObject] = {}
        for name, scheme in schemes.items():
            kind = _kind(document.resolved(scheme))
            if kind is not None:
                self.keys[name] = kind | {"env": given.get(name) or _variable(source, name)}

        self._sent = dict(headers or {})
        for name, variable in self._sent.items():
            _check_variable(name, variable)
            if not _HEADER.fullmatch(name) or name.lower() in FORBIDDEN:
                raise DataError(f"--header takes NAME=VARIABLE, and {name!r} is no header that can be sent")
            self.keys[name] = {"kind": "apiKey", "in": "header", "name": name, "env": variable}

    def wanted(self, operation: Mapping[str, object]) -> list[list[str]] | None:
        """Return the sets of keys of which an operation wants one, or None where it wants what we have not.

        Raises:
            DataError: They are not listed as they should be.
        """
        wanted = operation.get("security", self._document.content.get("security")) or [{}]
        if not isinstance(wanted, list) or not all(isinstance(one, Mapping) for one in wanted):
            raise DataError(f"security of an operation of {self._document.where} must be a list of objects")
        usable = [sorted({*one, *self._sent}) for one in wanted if set(one) <= self.keys.keys()]
        return usable or None

    def supplies(self, place: str, name: str, wanted: list[list[str]]) -> bool:
        """Return whether each of these sets of keys sends one as this parameter."""
        named = {
            key
            for key, form in self.keys.items()
            if form.get("in") == place
            and (form["name"] == name or (place == "header" and str(form["name"]).lower() == name.lower()))
        }
        return all(named.intersection(keys) for keys in wanted)


def _check_variable(name: str, variable: str) -> None:
    if not _VARIABLE.fullmatch(variable):
        # What was got stays unsaid: it is most likely the key itself.
        raise DataError(f"the key of {name!r} is given by the name of an environment variable, in capitals")


def _kind(scheme: Mapping[str, object]) -> dict[str, object] | None:
    """Return how a key is sent, or None for a way that is not known here."""
    kind, place, name = scheme.get("type"), scheme.get("in"), str(scheme.get("name", ""))
    if kind == "apiKey" and place in ("header", "query", "cookie") and name:
        fits = place != "header" or _HEADER.fullmatch(name)
        return {"kind": "apiKey", "in": place, "name": name} if fits else None
    if kind == "http" and str(scheme.get("scheme", "")).lower() in ("basic", "bearer"):
        return {"kind": str(scheme["scheme"]).lower()}
    if kind in ("oauth2", "openIdConnect"):
        # Whoever has been given a token sends it as any other.
        return {"kind": "bearer"}
    return None


def _variable(source: str, name: str) -> str:
    return re.sub(r"[^A-Z0-9]+", "_", f"{source}_{name}".upper()).strip("_")

"""An OpenAPI document: its text, its version, its references and its servers."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError, did_you_mean

METHODS = ("get", "put", "post", "delete", "patch", "head", "options")

_MOST_HOPS = 50
_VARIABLE = re.compile(r"\{([^{}]+)\}")


class Document:
    """An OpenAPI document. Nothing that it refers to outside of itself is read.

    Args:
        content: The document as decoded JSON.
        where: What errors call it.

    Raises:
        DataError: It is no OpenAPI document of version 3.0 or 3.1.

    Examples:
        >>> shared = {"components": {"schemas": {"Id": {"type": "integer"}}}, "paths": {}}
        >>> document = Document({"openapi": "3.1.0", **shared})
        >>> document.resolved({"$ref": "#/components/schemas/Id"})
        {'type': 'integer'}
        >>> document.resolved({"$ref": "file:///etc/passwd"})
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: the document refers to 'file:///etc/passwd', which is not in it; bundle...
        >>> Document({"swagger": "2.0"})
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: the document is Swagger 2.0; convert it to OpenAPI 3 first: npx -y...
    """

    def __init__(self, content: object, where: str = "the document") -> None:
        self.where = where
        if not isinstance(content, Mapping):
            raise DataError(f"{where} is no OpenAPI document: an object was expected")
        if "swagger" in content:
            raise DataError(
                f"{where} is Swagger {content['swagger']}; convert it to OpenAPI 3 first: "
                "npx -y swagger2openapi FILE -o openapi.json"
            )
        version = str(content.get("openapi", ""))
        if not version.startswith(("3.0.", "3.1.")) and version not in ("3.0", "3.1"):
            raise DataError(f"{where} is of OpenAPI {version or '(no version)'}; 3.0 and 3.1 are read")
        self.content: JsonMapping = content
        self.old = version.startswith("3.0")
        resource = DRAFT202012.create_resource(content)
        self._resolver = Registry().with_resource("", resource).resolver()

    @property
    def title(self) -> str:
        """Name of the service, as the document gives it."""
        info = self.content.get("info")
        return str(info.get("title") or "") if isinstance(info, Mapping) else ""

    def at(self, reference: str) -> JsonMapping:
        """Return what a reference inside the document leads to.

        Raises:
            DataError: It leads nowhere, or out of the document.
        """
        try:
            found = self._resolver.lookup(reference).contents
        except Unresolvable:
            raise DataError(
                f"{self.where} refers to {reference!r}, which is not in it; bundle it into one document"
            ) from None
        if not isinstance(found, Mapping):
            raise DataError(f"{self.where} refers to {reference!r}, which is no object")
        return found

    def resolved(self, node: object) -> JsonMapping:
        """Return an object, or what it refers to.

        Raises:
            DataError: It is none, or its reference leads nowhere or around in a circle.
        """
        for _ in range(_MOST_HOPS):
            if not isinstance(node, Mapping):
                raise DataError(f"{self.where} has {node!r:.60} where an object was expected")
            if not isinstance(node.get("$ref"), str):
                return node
            node = self.at(node["$ref"])
        raise DataError(f"{self.where} has references that lead around in a circle")

    def items(self) -> Iterator[tuple[str, str, JsonMapping, JsonMapping]]:
        """Yield path, method, the path's object and the operation's, in order.

        Raises:
            DataError: The paths are none.
        """
        for path, item in self.resolved(self.content.get("paths", {})).items():
            if not isinstance(item, Mapping):
                raise DataError(f"{self.where} has {item!r:.60} at the path {path!r}; an object was expected")
            shared = self.resolved(item)
            for method in METHODS:
                if method in shared:
                    yield path, method, shared, self.resolved(shared[method])

    def server(self, node: Mapping[str, object], base: str, chosen: Mapping[str, str]) -> str:
        """Return the URL of the first server that an object lists, without a slash at its end; or nothing.

        Args:
            node: The document, a path's object or an operation.
            base: URL that the document came from, to which a server may be relative.
            chosen: Values of variables in place of their defaults.

        Raises:
            DataError: A variable has no such value, or the server is not reached by HTTP.
        """
        servers = node.get("servers") or []
        if not isinstance(servers, list) or not servers:
            return ""
        first = self.resolved(servers[0])
        variables = self.resolved(first.get("variables", {}))
        filled = _VARIABLE.sub(
            lambda match: self._variable(match[1], variables, chosen), str(first.get("url", ""))
        )
        url = urljoin(base, filled) if base else filled
        if not urlsplit(url).scheme:
            # Relative, and the document came from a file.
            return ""
        return service_url(url, self.where)

    def _variable(self, name: str, variables: Mapping[str, object], chosen: Mapping[str, str]) -> str:
        variable = self.resolved(variables.get(name, {}))
        value = chosen.get(name, str(variable.get("default", "")))
        allowed = [str(one) for one in variable.get("enum") or ()]
        if not value or (allowed and value not in allowed):
            known = f"one of {', '.join(allowed)}" if allowed else "a text"
            raise DataError(
                f"variable {name!r} of the server in {self.where} must be {known}, got {value!r}; "
                f"give --server-variable {name}=VALUE.{did_you_mean(value, allowed)}"
            )
        return value


def service_url(url: str, where: str) -> str:
    """Return the URL of a service without a slash at its end.

    Raises:
        DataError: It is not one of HTTP, or has a user name, a query or a fragment.

    Examples:
        >>> service_url("https://api.example/v1/", "x")
        'https://api.example/v1'
        >>> service_url("file:///etc", "x")
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: the server of x must be a URL such as https://HOST/PATH
    """
    try:
        parts = urlsplit(url)
        plain = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    except ValueError:
        plain = False
    if not plain or parts.query or parts.fragment:
        # What was got stays unsaid: a URL may carry a password.
        raise DataError(f"the server of {where} must be a URL such as https://HOST/PATH")
    return url.rstrip("/")


def decoded(text: str, where: str) -> object:
    """Decode the text of a document: JSON, or YAML where the extra for it is installed.

    Raises:
        DataError: It is neither; or PyYAML is not installed.

    Examples:
        >>> decoded('{"openapi": "3.1.0"}', "x")
        {'openapi': '3.1.0'}
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        if text.lstrip()[:1] in ("{", "["):
            raise DataError(f"{where} is no JSON ({error})") from error
    try:
        yaml: Any = importlib.import_module("yaml")
    except ImportError:
        raise DataError(
            f'{where} is no JSON; for YAML install the extra: pip install "stb-env[evaluators]"'
        ) from None
    try:
        # A few lines of aliases that nest can stand for gigabytes.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.SafeLoader)):
            raise DataError(f"{where} has YAML aliases (*name); write it without, or as JSON")
        # Dates become text again, and the numbers of responses text keys, as JSON has them.
        return json.loads(json.dumps(yaml.safe_load(text), default=str))
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise DataError(f"{where} is neither JSON nor YAML ({str(error).splitlines()[0]})") from error

"""A tool's parameters as compiled validators, made once and kept beside the tool, never on it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NoReturn

import jsonschema_rs

from stb_env.actions.validation.schema_bounds import MAX_DEPTH, allowed_depth, depth_of
from stb_env.actions.validation.schema_errors import describe
from stb_env.actions.validation.violation import Violation, mismatch
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import DataError

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

MAX_VIOLATIONS = 20
MAX_PROBLEM = 300
MAX_TOOLS = 4_096


class Schema:
    """Parameters of one tool, closed to unknown names and to references that lead outside.

    Args:
        name: The tool's name, for the message.
        parameters: Its JSON Schema (draft 2020-12).

    Raises:
        DataError: The schema is broken.

    Examples:
        >>> schema = Schema("page", {"properties": {"n": {"type": "integer"}}})
        >>> schema.fits({"n": 1}), schema.fits({"n": "1"}), schema.fits({"m": 1})
        (True, False, False)
        >>> Schema("f", {"required": "n"})
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: tool 'f' has a broken schema: "n" is not of type "array"; correct it
    """

    def __init__(self, name: str, parameters: Mapping[str, object]) -> None:
        self.parameters: JsonObject = {"additionalProperties": False, **parameters, "type": "object"}
        self._depth = allowed_depth(name, self.parameters)
        try:
            compiled = jsonschema_rs.Draft202012Validator(
                self.parameters,
                validate_formats=False,
                retriever=_refuse_reference,
                pattern_options=jsonschema_rs.RegexOptions(),
            )
        except (ValueError, jsonschema_rs.ReferencingError) as error:
            problem = str(error).partition("\n")[0][:MAX_PROBLEM]
            if 'is not a "regex"' in problem:
                problem += " that runs in linear time (no look-around, no back-references)"
            raise DataError(f"tool {name!r} has a broken schema: {problem}; correct it") from error
        self._is_valid = compiled.is_valid

    @cached_property
    def _reporter(self) -> Validator:
        # Imported late: it takes longer to import than the rest of the package, and most runs never need it.
        from referencing import Registry

        from stb_env.actions.validation.reporter import Reporter

        made: Validator = Reporter(self.parameters, registry=Registry())
        return made

    def fits(self, arguments: JsonObject) -> bool:
        """Return whether the arguments are valid."""
        if self._depth < MAX_DEPTH and depth_of(arguments) > self._depth:
            return False
        try:
            return self._is_valid(arguments)
        except ValueError:
            # A key with a lone surrogate cannot enter the compiled validator.
            return self._reporter.is_valid(arguments)

    def report(self, arguments: JsonObject) -> list[Violation]:
        """Return up to `MAX_VIOLATIONS` reasons why arguments that do not `fits` are invalid."""
        if self._depth < MAX_DEPTH and depth_of(arguments) > self._depth:
            return [mismatch("", f"at most {self._depth} levels of arguments", arguments, "other")]
        errors = islice(self._reporter.iter_errors(arguments), MAX_VIOLATIONS)
        found = dict.fromkeys(violation for error in errors for violation in describe(error))
        # NaN, which is no JSON, is a number to the reporting validator alone.
        return list(islice(found, MAX_VIOLATIONS)) or [mismatch("", "JSON", arguments, "other")]


@lru_cache(maxsize=MAX_TOOLS)
def compiled(spec: str) -> Schema:
    """Return the compiled parameters of the tool that has this function spec, the same object each time.

    Raises:
        DataError: The schema is broken.
    """
    function = json.loads(spec)["function"]
    return Schema(function["name"], function["parameters"])


def _refuse_reference(uri: str) -> NoReturn:
    raise LookupError(f"{uri!r} leads outside of the schema")

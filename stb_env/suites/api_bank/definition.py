"""Declarations of APIs: documentation, code and rule of comparison in one place.

A module in ``apis/`` makes a `Domain` and decorates its functions; a function's docstring is the API's
description, and nothing else has to be told about it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, TypedDict, TypeVar, Unpack

from stb_env.core.jsontypes import Json, JsonMapping, JsonObject
from stb_env.core.reference import load_object
from stb_env.errors import ConfigError, DataError
from stb_env.suites.api_bank.api_error import ApiError, ArgumentsError
from stb_env.suites.api_bank.argument_forms import NOTHING_LOOSE, Loose, reconciled
from stb_env.suites.api_bank.casting import CASTS, ORIGINAL_CASTS, Kind
from stb_env.suites.api_bank.compare import WHOLE, Rule
from stb_env.suites.api_bank.formats.dialogues import Envelope
from stb_env.suites.api_bank.state import State

T = TypeVar("T")
Arguments = JsonMapping
Library = JsonMapping
"""Databases that no API changes, by name."""
Function: TypeAlias = Callable[..., Json | tuple[Json, State]]
"""Code of an API: returns its output, and where it changed something the new state."""
Reads = Literal["state", "library", "nothing"]
Echo = Literal["all", "given", "none"]
Output = tuple[str, str]
"""Type and description of an output member."""

STATUS: Mapping[str, Output] = {"status": ("str", "Whether it worked.")}

_SCHEMAS: Mapping[Kind, JsonMapping] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "list": {"type": "array"},
    "list(str)": {"type": "array", "items": {"type": "string"}},
    "json": {},
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One declared parameter.

    Attributes:
        name: Its name.
        kind: Its declared type, which decides how a text is cast.
        description: What it means.
        optional: Whether a call may leave it out.
        alias: An older name that recorded calls use.
    """

    name: str
    kind: Kind
    description: str
    optional: bool = False
    alias: str = ""

    @property
    def schema(self) -> JsonObject:
        """The parameter as JSON Schema."""
        return {**_SCHEMAS[self.kind], "description": self.description}


def text(name: str, description: str, *, optional: bool = False, alias: str = "") -> Parameter:
    """Declare a parameter of type ``str``."""
    return Parameter(name, "str", description, optional, alias)


TOKEN = text("token", "Token of the user, from GetUserToken.")


@dataclass(frozen=True, slots=True)
class API:
    """One executable, documented API.

    Attributes:
        name: Its name.
        domain: The domain of the evaluation set that it belongs to.
        description: What it does.
        parameters: What it takes, in order.
        outputs: What its documentation says of the output; the output itself may be the bare value.
        function: Takes what it reads and the arguments by name; returns an output, or an output and a new
            state; raises `ApiError` to refuse.
        reads: What its function takes first: the state, the library, or nothing.
        compare: Whether a prediction's envelope is right, given the recorded one.
        original_compare: The released code's rule, where that can never hold or asks too much.
        echo: Whether the envelope's input has ``all`` parameters, the ``given`` ones, or is null (``none``).
        named: Whether the envelope has an ``api_name``.
        acts: Whether a call does something that no table shows, such as sending a mail.
    """

    name: str
    domain: str
    description: str
    parameters: tuple[Parameter, ...]
    outputs: Mapping[str, Output]
    function: Function = field(repr=False)
    reads: Reads = "state"
    compare: Rule = field(default=WHOLE, repr=False)
    original_compare: Rule | None = field(default=None, repr=False)
    echo: Echo = "all"
    named: bool = True
    acts: bool = False
    by_name: Mapping[str, Parameter] = field(init=False, repr=False, compare=False)
    by_alias: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", {parameter.name: parameter for parameter in self.parameters})
        aliases = {parameter.alias: parameter.name for parameter in self.parameters if parameter.alias}
        object.__setattr__(self, "by_alias", aliases)

    def __reduce__(self) -> tuple[Callable[..., API], tuple[object, ...]]:
        """Pickle as the place of the declaration, with the documentation that this one has."""
        place = f"{self.function.__module__}:{self.function.__name__}"
        return _described, (place, self.description, self.parameters, self.outputs)

    @property
    def entry(self) -> JsonObject:
        """The documentation as prompts and search results have it."""
        inputs = {each.name: {"type": each.kind, "description": each.description} for each in self.parameters}
        outputs = {name: {"type": kind, "description": said} for name, (kind, said) in self.outputs.items()}
        return {
            "name": self.name,
            "description": self.description,
            "input_parameters": inputs,
            "output_parameters": outputs,
        }

    @property
    def found_entry(self) -> dict[str, object]:
        """The documentation as an agent finds it: with what a call has to give, and what it may leave out."""
        entry = self.entry
        for each in self.parameters:
            entry["input_parameters"][each.name]["required"] = not each.optional
        return entry

    @property
    def schema(self) -> JsonObject:
        """The parameters as JSON Schema."""
        properties = {each.name: each.schema for each in self.parameters}
        required = [each.name for each in self.parameters if not each.optional]
        schema: JsonObject = {"type": "object", "properties": properties}
        return schema | ({"required": required} if required else {})

    def cast(self, arguments: Arguments, *, original: bool = False) -> JsonObject:
        """Return the arguments as the function takes them: checked in the order given, each cast.

        Args:
            arguments: Texts, as a parser leaves them, or typed JSON values.
            original: Whether to cast as the released code does.

        Raises:
            ArgumentsError: One is unknown, missing or of a wrong type.
        """
        casts = ORIGINAL_CASTS if original else CASTS
        bound = {}
        for name, value in arguments.items():
            current = name if original else self.by_alias.get(name, name)
            parameter = self.by_name.get(current)
            if parameter is None:
                raise ArgumentsError(f"invalid parameter name. parameter: {name}")
            bound[parameter.name] = casts[parameter.kind](value)
        if len(bound) == len(self.parameters):
            return bound
        missing = [f"'{each.name}'" for each in self.parameters if not (each.optional or each.name in bound)]
        if missing:
            raise ArgumentsError(f"{self.name} missing {_required(missing)}")
        return bound

    def run(self, state: State, library: Library, bound: JsonMapping) -> tuple[Json, State]:
        """Run it on arguments that `cast` returned.

        Raises:
            ApiError: The API refuses.
        """
        match self.reads:
            case "state":
                outcome = self.function(state, **bound)
            case "library":
                outcome = self.function(library, **bound)
            case "nothing":
                outcome = self.function(**bound)
        return outcome if isinstance(outcome, tuple) else (outcome, state)

    def run_untyped(
        self, state: State, library: Library, bound: Mapping[str, object]
    ) -> tuple[object, State]:
        """Run it on arguments that may be of wrong types, as the released code does.

        Raises:
            ApiError: The API refuses, or a wrong type led to a Python error, whose text was the answer.
        """
        try:
            return self.run(state, library, bound)
        except (AttributeError, TypeError) as error:
            if all(self._is_typed(name, value) for name, value in bound.items()):
                raise
            raise ApiError(str(error)) from error

    def envelope(
        self, arguments: Arguments, output: object, exception: str | None, *, original: bool = False
    ) -> Envelope:
        """Return a call and its result in the form that dialogues record.

        Raises:
            ArgumentsError: The call never reached the API, so that there is none.
        """
        bound = self.cast(arguments, original=original)
        received = {
            each.alias if each.alias in arguments else each.name: bound.get(each.name)
            for each in self.parameters
            if self.echo == "all" or each.name in bound
        }
        inputs = None if self.echo == "none" else received
        named: Envelope = {"api_name": self.name} if self.named else {}
        return {**named, "input": inputs, "output": output, "exception": exception}

    def matches(
        self,
        predicted: Envelope,
        gold: Envelope,
        *,
        original: bool = False,
        loose: Loose = NOTHING_LOOSE,
    ) -> bool:
        """Return whether a prediction's envelope is right; a rule that trips over what it meets says no.

        Args:
            predicted: The prediction's envelope.
            gold: The recorded one.
            original: Whether to compare as the released code does, texts as they are.
            loose: Arguments of the recorded call that nobody gave.
        """
        rule = (self.original_compare if original else None) or self.compare
        try:
            predicted, gold = self._current(predicted), self._current(gold)
            return rule(predicted if original else self._in_gold_form(predicted, gold, loose), gold)
        except (ApiError, AttributeError, KeyError, TypeError):
            return False

    def _in_gold_form(self, predicted: Envelope, gold: Envelope, loose: Loose) -> Envelope:
        ours, theirs = predicted["input"], gold["input"]
        if not ours or not theirs:
            return predicted
        loose = self._renamed(loose)
        if self.echo == "given":
            # Such an API passes over what a call need not have given.
            ours = {name: value for name, value in ours.items() if name in theirs}
        return {**predicted, "input": reconciled(ours, theirs, loose)}

    def _current(self, envelope: Envelope) -> Envelope:
        inputs = envelope["input"]
        return {**envelope, "input": self._renamed(inputs)} if inputs and self.by_alias else envelope

    def _renamed(self, named: Mapping[str, T]) -> dict[str, T]:
        return {self.by_alias.get(name, name): value for name, value in named.items()}

    def _is_typed(self, name: str, value: object) -> bool:
        kind = self.by_name[name].kind
        return isinstance(value, {"str": str, "list": list, "list(str)": list}.get(kind, object))


def _required(missing: list[str]) -> str:
    """Word a gap as Python does, since evaluators look for these words."""
    if len(missing) == 1:
        return f"1 required positional argument: {missing[0]}"
    last = " and " if len(missing) == 2 else ", and "
    return f"{len(missing)} required positional arguments: {', '.join(missing[:-1])}{last}{missing[-1]}"


class _Rules(TypedDict, total=False):
    compare: Rule
    original_compare: Rule | None
    echo: Echo
    named: bool
    acts: bool


@dataclass(eq=False)
class Domain:
    """A domain of the evaluation set with the APIs that its functions declare.

    Attributes:
        name: The domain's name.
        apis: Its APIs, filled by `api`.
    """

    name: str
    apis: list[API] = field(default_factory=list)

    def api(
        self,
        name: str,
        *parameters: Parameter,
        outputs: Mapping[str, Output] = STATUS,
        reads: Reads = "state",
        **rules: Unpack[_Rules],
    ) -> Callable[[Function], API]:
        """Return a decorator that makes a function an API of this domain.

        Args:
            name: The API's name.
            *parameters: What it takes, in order.
            outputs: What its documentation says of the output.
            reads: What the function takes first.
            **rules: ``compare``, ``original_compare``, ``echo``, ``named`` and ``acts`` of `API`.

        Raises:
            ConfigError: The function has no docstring.
        """

        def declare(function: Function) -> API:
            if not function.__doc__:
                raise ConfigError(f"{name} has no docstring; it is the API's description")
            description = inspect.cleandoc(function.__doc__)
            api = API(name, self.name, description, parameters, outputs, function, reads, **rules)
            self.apis.append(api)
            return api

        return declare


def _described(
    place: str, description: str, parameters: tuple[Parameter, ...], outputs: Mapping[str, Output]
) -> API:
    declared = load_object(place)
    if not isinstance(declared, API):
        raise DataError(f"{place} is no API; the pickle is of another version of this package")
    return replace(declared, description=description, parameters=parameters, outputs=outputs)

"""Parameters of commands, made from typed options."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from inspect import Parameter
from typing import Annotated, Any, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

import typer
from typing_extensions import Doc

from stb_env.core.kinds import AtLeast

P = ParamSpec("P")
R = TypeVar("R")


def with_options(command: Callable[P, R]) -> Callable[P, R]:
    """Give a command an option for each documented parameter and for each field of an options class.

    A parameter whose annotation is a dataclass stands for the fields of it: the command line has an option
    for each, and the command gets one object. ``Annotated[..., Doc("...")]`` becomes an option with that
    help, ``AtLeast`` its bound; what is annotated for typer stays as it is. A command that has its own words
    for a shared option annotates it once more: the last ``Doc`` counts.

    Args:
        command: A function whose annotations can be evaluated.

    Examples:
        >>> from stb_env.core.options import EnvironmentOptions, Seed
        >>> def command(environment: EnvironmentOptions, seed: Seed = 0) -> str:
        ...     return f"{environment.given()} {seed}"
        >>> run = with_options(command)
        >>> list(inspect.signature(run).parameters)[-2:]
        ['actions', 'seed']
        >>> run(mode="replay", seed=3)
        "{'mode': 'replay'} 3"
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, type] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}  # type: ignore[misc] # annotations are classes
    signature = inspect.signature(command)
    parameters = [
        parameter
        for name, given in signature.parameters.items()
        for parameter in (
            _fields(groups[name]) if name in groups else [_option(name, hints[name], given.default)]
        )
    ]

    @functools.wraps(command)
    def collected(*args: P.args, **kwargs: P.kwargs) -> R:
        values: dict[str, Any] = dict(kwargs)
        for name, group in groups.items():
            mine = {field.name for field in fields(group)} & values.keys()
            values[name] = group(**{field: values.pop(field) for field in mine})
        return command(*args, **values)

    collected.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined] # typer reads it
    collected.__annotations__ = {one.name: one.annotation for one in parameters}
    return collected


def _fields(group: type) -> Iterator[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for field in fields(group):
        default = Parameter.empty if field.default is MISSING else field.default
        yield _option(field.name, hints[field.name], default)


def _option(name: str, hint: object, default: object) -> Parameter:
    """Return a command's parameter; keyword only, since options have no order."""
    if get_origin(hint) is Annotated:
        kind, *marks = get_args(hint)
        # An annotation of an annotation has the marks of both, the outer ones last.
        help_text = next((mark.documentation for mark in reversed(marks) if isinstance(mark, Doc)), None)
        if help_text is not None:
            least = next((mark.least for mark in marks if isinstance(mark, AtLeast)), None)
            hint = Annotated[kind, typer.Option(f"--{name.replace('_', '-')}", min=least, help=help_text)]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=hint)

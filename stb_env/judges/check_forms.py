"""Checks of what was done as files have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NotRequired, Required

from typing_extensions import TypedDict

from stb_env.core.user_tables import checked
from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.judges.checks import Called, Check, called, in_order, not_called, said, state
from stb_env.judges.text_check import KINDS


class CalledForm(TypedDict, total=False):
    """A call that has to be made: so many times, at least once where not given."""

    called: Required[str]
    arguments: dict[str, Any]
    times: int | list[int]


class NotCalledForm(TypedDict, total=False):
    """A call that must not be made."""

    not_called: Required[str]
    arguments: dict[str, Any]


class InOrderForm(TypedDict):
    """Calls that have to be made one after another; others may come between them."""

    in_order: list[str | CalledForm]


class StateForm(TypedDict, total=False):
    """A call that is made after the episode, and what it has to be answered."""

    state: Required[str]
    arguments: dict[str, Any]
    has: Any
    equals: Any
    error: str
    kept: bool


class SaidForm(TypedDict, total=False):
    """A text that the final answer has to be or to contain."""

    equals: Any
    contains: Any
    matches: str
    json: Any
    number: float
    tolerance: NotRequired[float]


_FORMS: Mapping[str, type] = {
    "called": CalledForm,
    "not_called": NotCalledForm,
    "in_order": InOrderForm,
    "state": StateForm,
}
CheckForm = CalledForm | NotCalledForm | InOrderForm | StateForm | SaidForm
"""A check as a file has it."""


def read_checks(forms: object) -> tuple[Check, ...]:
    """Read the checks of a query: one, or a list of which each must hold.

    Raises:
        DataError: One is none; the message says why.

    Examples:
        >>> read_checks([{"called": "pay", "times": 1}, {"number": 4}])[0].tool
        'pay'
        >>> read_checks({"caled": "pay"})
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: a check has one of called, not_called, ... Did you mean 'called'?
    """
    return tuple(map(_read, forms if isinstance(forms, list) else [forms]))


def _read(form: object) -> Check:
    kinds = (*_FORMS, *KINDS)
    found = [kind for kind in kinds if kind in form] if isinstance(form, Mapping) else []
    # The answer that a state has may be one that a text can be, too.
    kind = "state" if "state" in found else found[0] if len(found) == 1 else ""
    if not isinstance(form, Mapping) or not kind:
        got = ", ".join(sorted(form)) if isinstance(form, Mapping) else repr(form)[:80]
        near = (
            "".join(did_you_mean(name, kinds) for name in form if not found)
            if isinstance(form, Mapping)
            else ""
        )
        raise DataError(
            f"a check has one of {', '.join(kinds)}; got {got or 'nothing'}.{near}".removesuffix(".")
        )
    try:
        if kind in KINDS:
            return said(**form)
        return _made(kind, checked(_FORMS[kind], dict(form), f"the check {kind!r}"))
    except ConfigError as error:
        raise DataError(str(error)) from error


def _made(kind: str, form: Any) -> Check:
    arguments = form.get("arguments")
    match kind:
        case "called":
            return called(form["called"], arguments, times=form.get("times"))
        case "not_called":
            return not_called(form["not_called"], arguments)
        case "in_order":
            return in_order(*map(_ordered, form["in_order"]))
    return state(
        form["state"],
        arguments,
        **{name: form[name] for name in ("has", "equals", "error", "kept") if name in form},
    )


def _ordered(form: Any) -> str | Called:
    if isinstance(form, str):
        return form
    return called(form["called"], form.get("arguments"), times=form.get("times"))

"""Checks of what was done in an episode: its calls, their order, the state at its end, and its words.

They are records here and objects of the same names in files (`stb_env.judges.check_forms`): ``called("pay",
{"order": 7}, times=1)`` is ``{"called": "pay", "arguments": {"order": 7}, "times": 1}``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonMapping, JsonObject
from stb_env.core.settings import checks_settings
from stb_env.errors import ConfigError, DataError
from stb_env.judges.judge import Case
from stb_env.judges.text_check import TextCheck, same_value
from stb_env.steps import CallRecord
from stb_env.tools import FINISH, Status, ToolCall
from stb_env.verdict import KEPT

__all__ = ["called", "in_order", "not_called", "said", "state"]

Named = str | Callable[..., object]
"""The name of a tool, or the function that is one."""


@dataclass(frozen=True, slots=True)
class Called:
    """Calls of a tool, of which so many must have been answered without an error.

    Attributes:
        tool: Name of the tool.
        arguments: Arguments that they have, among others; objects in them may have further members.
        least: Number of calls at least.
        most: Number of calls at most; None for any.
    """

    tool: str
    arguments: JsonMapping = field(default_factory=dict)
    least: int = 1
    most: int | None = None

    @property
    def form(self) -> JsonObject:
        """The check as plain data."""
        times = {} if (self.least, self.most) == (1, None) else {"times": self._times}
        return {"called": self.tool, **_told(self.arguments), **times}

    @property
    def _times(self) -> int | list[int]:
        if self.most is None:
            return [self.least]
        return self.least if self.least == self.most else [self.least, self.most]

    @property
    def part(self) -> str:
        """Kind of the part of a verdict: what holds at the start is ``kept``."""
        return f"act: {self.tool}" if self.least else f"{KEPT}{self.tool}"

    def fits(self, call: CallRecord) -> bool:
        """Return whether a call is one of these and was answered without an error."""
        return not call.result.error and self.is_like(call)

    def is_like(self, call: CallRecord) -> bool:
        """Return whether a call is one of these, whatever came of it."""
        return (
            call.name == self.tool
            and isinstance(call.arguments, Mapping)
            and _has(call.arguments, self.arguments, loose=True)
        )

    def problem(self, case: Case) -> str:
        """Return why it does not hold; empty where it does."""
        count = sum(map(self.fits, case.calls))
        if count < self.least or (self.most is not None and count > self.most):
            most = "or more" if self.most is None else f"to {self.most}"
            wanted = str(self.least) if self.most == self.least else f"{self.least} {most}"
            return f"{_written(self.tool, self.arguments)} was answered {count} times, wanted {wanted}"
        return ""


@dataclass(frozen=True, slots=True)
class NotCalled:
    """Calls that must not be made: none that reaches the tool, whether it refuses it or not.

    Attributes:
        tool: Name of the tool.
        arguments: Arguments that they have, among others.
    """

    tool: str
    arguments: JsonMapping = field(default_factory=dict)

    @property
    def form(self) -> JsonObject:
        """The check as plain data."""
        return {"not_called": self.tool, **_told(self.arguments)}

    @property
    def part(self) -> str:
        """Kind of the part of a verdict; it holds at the start."""
        return f"{KEPT}{self.tool}"

    def problem(self, case: Case) -> str:
        """Return why it does not hold; empty where it does."""
        like = Called(self.tool, self.arguments)
        reached = (Status.OK, Status.TOOL_ERROR)
        if any(call.result.status in reached and like.is_like(call) for call in case.calls):
            return f"{_written(self.tool, self.arguments)} was called"
        return ""


@dataclass(frozen=True, slots=True)
class InOrder:
    """Calls that must have been made one after another, with any others between them.

    Attributes:
        calls: The calls.
    """

    calls: tuple[Called, ...]

    @property
    def form(self) -> JsonObject:
        """The check as plain data."""
        return {"in_order": [call.form for call in self.calls]}

    @property
    def part(self) -> str:
        """Kind of the part of a verdict."""
        return "act: in order"

    def problem(self, case: Case) -> str:
        """Return why it does not hold; empty where it does."""
        made = iter(case.calls)
        for wanted in self.calls:
            if not any(map(wanted.fits, made)):
                return f"{_written(wanted.tool, wanted.arguments)} was not answered in its place"
        return ""


@dataclass(frozen=True, slots=True)
class StateRead:
    """A call that is made after the episode, in its state, and what it has to be answered.

    Attributes:
        tool: Name of the tool.
        arguments: All arguments of the call.
        expects: ``has``: the answer has this, among other members and entries; ``equals``: it is this;
            ``error``: the call is refused, and the error has this text.
        value: What of it.
        kept: Whether it holds at the start, and must still do so.
    """

    tool: str
    arguments: JsonMapping
    expects: str
    value: Json
    kept: bool = False

    @property
    def form(self) -> JsonObject:
        """The check as plain data."""
        kept = {"kept": True} if self.kept else {}
        return {"state": self.tool, **_told(self.arguments), self.expects: self.value, **kept}

    @property
    def part(self) -> str:
        """Kind of the part of a verdict: what holds at the start is ``kept``."""
        return f"{KEPT}{self.tool}" if self.kept else f"state:{self.tool}"

    @property
    def call(self) -> ToolCall:
        """The call."""
        return ToolCall(self.tool, dict(self.arguments))

    def problem(self, case: Case) -> str:
        """Return why it does not hold; empty where it does."""
        read = next((one for one in case.reads if (one.name, one.arguments) == self._asked), None)
        if read is None:
            return f"{_written(*self._asked)} was not asked, since too little was done"
        error, got = read.result.error, read.result.response
        if self.expects == "error":
            refused = bool(error) and str(self.value).casefold() in error.casefold()
        else:
            right = _has if self.expects == "has" else same_value
            refused = not error and right(got, self.value)
        if refused:
            return ""
        shown = f"the error {error!r:.80}" if error else jsontext.dumps(got)[:120]
        wanted = jsontext.dumps(self.value)[:120]
        return f"{_written(*self._asked)} is {shown}, wanted {self.expects} {wanted}"

    @property
    def _asked(self) -> tuple[str, JsonMapping]:
        return self.tool, self.arguments


@dataclass(frozen=True, slots=True)
class Words:
    """A check of the final answer in words.

    Attributes:
        text: The check.
    """

    text: TextCheck

    @property
    def form(self) -> JsonObject:
        """The check as plain data."""
        tolerance = {"tolerance": self.text.tolerance} if self.text.tolerance else {}
        return {self.text.kind: self.text.value, **tolerance}

    @property
    def part(self) -> str:
        """Kind of the part of a verdict."""
        return "answer:text"

    def problem(self, case: Case) -> str:
        """Return why it does not hold; empty where it does."""
        return self.text.problem(case.final_answer, case.task.query)


Check = Called | NotCalled | InOrder | StateRead | Words


# -- in Python --------------------------------------------------------------------------------------


@checks_settings
def called(
    tool: Named, arguments: Mapping[str, object] | None = None, *, times: int | Sequence[int] | None = None
) -> Called:
    """Check that a tool was called and answered without an error.

    Args:
        tool: Its name, or its function.
        arguments: Arguments that the calls have, among others.
        times: How many such calls: a number, ``(2,)`` for two or more, ``(0, 3)`` for three at most. At least
            one where not given.

    Examples:
        >>> called("add", {"title": "milk"}, times=1).form
        {'called': 'add', 'arguments': {'title': 'milk'}, 'times': 1}
    """
    bounds = (1,) if times is None else (times, times) if isinstance(times, int) else tuple(times)
    right = len(bounds) in (1, 2) and all(type(bound) is int and bound >= 0 for bound in bounds)
    if not right or bounds[0] > bounds[-1]:
        raise ConfigError(
            f"times of a check is a number, [2] for two or more or [0, 3] for three at most, "
            f"got {times!r:.80}"
        )
    return Called(_name(tool), dict(arguments or {}), bounds[0], bounds[1] if len(bounds) == 2 else None)


@checks_settings
def not_called(tool: Named, arguments: Mapping[str, object] | None = None) -> NotCalled:
    """Check that a tool was not called, whether it would have refused or not.

    Args:
        tool: Its name, or its function.
        arguments: Arguments that the forbidden calls have, among others.
    """
    return NotCalled(_name(tool), dict(arguments or {}))


def in_order(*calls: Named | Called) -> InOrder:
    """Check that calls were made one after another; others may come between them.

    Args:
        *calls: Tools, or calls of them with arguments (`called`).
    """
    if len(calls) < 2:
        raise ConfigError(f"in_order takes two calls or more, got {len(calls)}")
    return InOrder(tuple(call if isinstance(call, Called) else called(call) for call in calls))


@checks_settings
def state(
    tool: Named,
    arguments: Mapping[str, object] | None = None,
    *,
    has: object = None,
    equals: object = None,
    error: str | None = None,
    kept: bool = False,
) -> StateRead:
    """Check what a call is answered after the episode, in the state that the episode left.

    Args:
        tool: Its name, or its function; it should change nothing.
        arguments: Its arguments.
        has: Part of the answer: members of objects, and entries of lists in any order.
        equals: The whole answer.
        error: Text in the error with which the call is refused; ``""`` for any.
        kept: Whether it holds at the start already, and must still do so: then it earns nothing.

    Examples:
        >>> state("get_order", {"number": 7}, has={"status": "paid"}).form
        {'state': 'get_order', 'arguments': {'number': 7}, 'has': {'status': 'paid'}}
    """
    given = {"has": has, "equals": equals, "error": error}
    found = {name: value for name, value in given.items() if value is not None}
    if len(found) != 1:
        got = ", ".join(found) or "none of them"
        raise ConfigError(f"a check of the state has one of {', '.join(given)}; got {got}")
    (expects, value), *_ = found.items()
    return StateRead(_name(tool), dict(arguments or {}), expects, value, kept)


def said(*texts: object, **form: object) -> Words:
    """Check the final answer in words: ``equals``, ``contains``, ``matches``, ``json`` or ``number``.

    Raises:
        ConfigError: It is none of these, or a value without its name.

    Examples:
        >>> said(number=3.5, tolerance=0.1).form
        {'number': 3.5, 'tolerance': 0.1}
    """
    if texts:
        raise ConfigError(f"said takes its value by name, as in said(contains={texts[0]!r:.60})")
    try:
        return Words(TextCheck.of(form))
    except DataError as error:
        raise ConfigError(str(error)) from error


def _name(tool: Named) -> str:
    name = tool if isinstance(tool, str) else getattr(tool, "__name__", "")
    if not name:
        raise ConfigError(f"a check names a tool or gives its function, got {tool!r:.80}")
    return name


def tools_of(checks: Iterable[Check]) -> list[ToolCall]:
    """Return each tool that checks name, with the arguments that they give it."""
    found = []
    for check in checks:
        if isinstance(check, InOrder):
            found += [ToolCall(call.tool, dict(call.arguments)) for call in check.calls]
        elif not isinstance(check, Words):
            found.append(ToolCall(check.tool, dict(check.arguments)))
    return [call for call in found if call.name != FINISH]


# -- comparing --------------------------------------------------------------------------------------


def _has(got: object, wanted: object, *, loose: bool = False) -> bool:
    """Return whether a value has what is wanted: members of objects, and entries of lists in any order.

    Args:
        got: The value.
        wanted: What it has to have.
        loose: Whether a number may be written as text, as agents write arguments.
    """
    if isinstance(wanted, Mapping):
        return isinstance(got, Mapping) and all(
            name in got and _has(got[name], value, loose=loose) for name, value in wanted.items()
        )
    if isinstance(wanted, list):
        if not isinstance(got, list):
            return False
        left = list(got)
        # The one that says most is looked for first: another may be content with its partner.
        for value in sorted(wanted, key=lambda one: -len(jsontext.dumps(one))):
            place = next((n for n, one in enumerate(left) if _has(one, value, loose=loose)), None)
            if place is None:
                return False
            del left[place]
        return True
    if loose and isinstance(got, str) and isinstance(wanted, int | float) and not isinstance(wanted, bool):
        return got.strip() == str(wanted)
    return same_value(got, wanted)


def _told(arguments: JsonMapping) -> JsonObject:
    return {"arguments": dict(arguments)} if arguments else {}


def _written(tool: str, arguments: Mapping[str, object]) -> str:
    return f"{tool}({', '.join(f'{name}={value!r:.40}' for name, value in arguments.items())})"

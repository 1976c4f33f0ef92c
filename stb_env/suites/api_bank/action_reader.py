"""Reads actions for API-Bank: recorded parameter names and lists in Python's quotes are understood."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from stb_env.actions import Action, parse_action
from stb_env.actions.parse import ActionLike
from stb_env.suites.api_bank.api_error import ArgumentsError
from stb_env.suites.api_bank.api_set import ApiSet
from stb_env.suites.api_bank.casting import CASTS, Cast
from stb_env.suites.api_bank.definition import API
from stb_env.tools import ToolCall


def reader(apis: ApiSet) -> Callable[[ActionLike], Action]:
    """Return what reads actions about these APIs: every form of `parse_action`.

    In the middle of prose only calls of these APIs are read. API-Bank's own syntax writes lists as texts
    with single quotes, and some of its dialogues use older names of parameters; both become what the tools'
    schemas ask for.

    Examples:
        >>> from stb_env.suites.api_bank.api_set import LEVEL_12
        >>> read = reader(LEVEL_12)
        >>> read("[TimedSwitch(device_id='lamp', time='2023-03-19 09:30:00', on='True')]").calls[0].arguments
        {'name': 'lamp', 'time': '2023-03-19 09:30:00', 'on': 'True'}
        >>> read({"name": "ModifyScene", "arguments": {"devices": "[{'name': 'a'}]"}}).calls[0].arguments
        {'devices': [{'name': 'a'}]}
    """
    habits = {name: habit for name, api in apis.apis.items() if (habit := _Habits.of(api)) is not None}
    return partial(_read, habits, frozenset(apis.apis))


def _read(habits: Mapping[str, _Habits], known: frozenset[str], action: ActionLike) -> Action:
    parsed = parse_action(action, known=known)
    if not any(call.name in habits for call in parsed.calls):
        return parsed
    calls = (habits[call.name].undone(call) if call.name in habits else call for call in parsed.calls)
    return Action(tuple(calls), parsed.text)


class _Habits(NamedTuple):
    """The differences between recorded calls of an API and its schema.

    Attributes:
        lists: Casts of the parameters that are lists.
        aliases: Parameters by the older names.
    """

    lists: Mapping[str, Cast]
    aliases: Mapping[str, str]

    @classmethod
    def of(cls, api: API) -> _Habits | None:
        lists = {each.name: CASTS[each.kind] for each in api.parameters if each.kind.startswith("list")}
        aliases = {each.alias: each.name for each in api.parameters if each.alias}
        return cls(lists, aliases) if lists or aliases else None

    def undone(self, call: ToolCall) -> ToolCall:
        """Return the call as the schema has it."""
        arguments = call.arguments
        if isinstance(arguments, str) or not self._show(arguments):
            return call
        named = {self.aliases.get(name, name): value for name, value in arguments.items()}
        return ToolCall(call.name, {name: self._value(name, value) for name, value in named.items()}, call.id)

    def _show(self, arguments: Mapping[str, object]) -> bool:
        return any(isinstance(arguments.get(name), str) for name in self.lists) or any(
            alias in arguments for alias in self.aliases
        )

    def _value(self, name: str, value: object) -> object:
        if name not in self.lists or not isinstance(value, str):
            return value
        try:
            return self.lists[name](value)
        except ArgumentsError:
            return value

"""The functions of a household and the objects that each takes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from stb_env.core import jsontext
from stb_env.core.jsontypes import Json
from stb_env.errors import DataError
from stb_env.suites.sambanova.common.content import content
from stb_env.suites.sambanova.virtual_home.step import PREFIX, Step

_PLACES: Mapping[int, tuple[str, ...]] = {0: (), 1: ("object",), 2: ("object1", "object2")}


class Vocabulary:
    """The functions, and for each of their arguments the objects that are valid there.

    Args:
        functions: Name of each function, without prefix, and the objects of each of its arguments.

    Attributes:
        functions: As given, objects in alphabetical order.

    Examples:
        >>> vocabulary = Vocabulary({"LieOn": [["bed", "couch"]], "Sleep": []})
        >>> vocabulary.allows("LieOn", ["bed"]), vocabulary.allows("LieOn", ["chair"])
        (True, False)
        >>> vocabulary.places("LieOn")
        {'object': ('bed', 'couch')}
    """

    def __init__(self, functions: Mapping[str, Iterable[Iterable[str]]]) -> None:
        self.functions: dict[str, tuple[tuple[str, ...], ...]] = {
            name: tuple(tuple(sorted(objects)) for objects in arguments)
            for name, arguments in functions.items()
        }
        self._sets = {name: tuple(map(frozenset, arguments)) for name, arguments in self.functions.items()}

    def allows(self, name: str, objects: Iterable[str]) -> bool:
        """Return whether a function exists and takes exactly these objects."""
        valid, objects = self._sets.get(name), tuple(objects)
        if valid is None or len(valid) != len(objects):
            return False
        return all(thing in known for thing, known in zip(objects, valid, strict=True))

    def places(self, name: str) -> dict[str, tuple[str, ...]]:
        """Return the objects of each argument of a function by the argument's name."""
        arguments = self.functions[name]
        return dict(zip(_PLACES[len(arguments)], arguments, strict=True))

    def with_steps(self, steps: Iterable[Step]) -> Vocabulary:
        """Return a vocabulary that allows these steps too; functions are never added.

        Raises:
            DataError: A step has another number of objects than its function.
        """
        grown = {name: [set(objects) for objects in places] for name, places in self.functions.items()}
        for step in steps:
            places = grown.get(step.name)
            if places is None or len(places) != len(step.objects):
                raise DataError(f"{step.line!r} is no step of the {len(grown)} functions")
            for known, thing in zip(places, step.objects, strict=True):
                known.add(thing)
        return Vocabulary(grown)


@cache
def embedded() -> Vocabulary:
    """Return the vocabulary of the published benchmark: 40 functions over 178 objects.

    Which object was used in which place follows from the activity programs of VirtualHome; the names alone
    are kept here.

    Examples:
        >>> vocabulary = embedded()
        >>> len(vocabulary.functions), vocabulary.functions["TypeOn"]
        (40, (('keyboard', 'phone'),))
    """
    functions: dict[str, list[list[str]]] = {
        skill["name"]: [[] for letter in "XY" if letter in skill["phrase"].split()] for skill in skills()
    }
    for thing, uses in content("virtual_home", "objects").items():
        for use in uses.split():
            name, _, place = use.partition(":")
            functions[name][int(place or 1) - 1].append(thing)
    return Vocabulary(functions)


def skills() -> list[dict[str, str]]:
    """Return name, phrase and description of each function."""
    found: list[dict[str, str]] = content("virtual_home", "skills")
    return found


def read_vocabulary(file: Path) -> Vocabulary:
    """Read the object lists of an official folder (``valid_object_lists.json``).

    Raises:
        DataError: It is not the JSON that it promises.
    """
    try:
        data = jsontext.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{file} is no JSON: {error}") from error
    if not isinstance(data, dict) or not data:
        raise DataError(f"{file} must be an object with a function for each key")
    return Vocabulary({name.removeprefix(PREFIX): _arguments(file, name, data[name]) for name in data})


def _arguments(file: Path, name: str, lists: Json) -> list[list[str]]:
    wanted = _PLACES.get(len(lists)) if isinstance(lists, dict) else None
    if wanted is None or set(wanted) != set(lists):
        raise DataError(
            f"{file}: {name} needs {{}}, {{'object': [...]}} or {{'object1': [...], 'object2': [...]}}, got "
            f"{json.dumps(lists)[:120]}"
        )
    for objects in lists.values():
        if not isinstance(objects, list) or not all(isinstance(thing, str) for thing in objects):
            raise DataError(f"{file}: the objects of {name} must be a list of names")
    return [lists[place] for place in wanted]

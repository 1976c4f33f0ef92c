"""Tasks of generated worlds as a source: endless for training, fixed for val and test."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import get_args

from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.seeding import mix, rng
from stb_env.suites.worlds.data.traits import USUAL, Key, Traits
from stb_env.suites.worlds.schema.joining import JOIN, MOST_KITS, kit_named
from stb_env.suites.worlds.schema.kit import KITS, OWN_KITS, Kit
from stb_env.suites.worlds.tasks.dials import PLAIN, Dials
from stb_env.suites.worlds.tasks.making import HELD_OUT, NEW_TASKS, PAIR, SPREAD, formed, kits, task_of
from stb_env.suites.worlds.tasks.organisations import Organisations
from stb_env.suites.worlds.tasks.settings import LEVELS, WORLDS, Group, Split, span
from stb_env.suites.worlds.world import VERSION
from stb_env.tasks import Task

_ENDS = LEVELS[0], LEVELS[-1]
TEST_GROUP, VAL_GROUP = 60, 30
"""Tasks of each group in the fixed splits."""
_WORLDS_TRIED = 40
_NUMBERS_TRIED = 20
"""Numbers of a world's tasks that are tried where no other world may stand in."""
NAMES = KITS.parent / "data" / "names.toml"
TASKS_A_WORLD = 10
_SIDE_BY_SIDE = 8
"""Worlds that take turns, so that consecutive tasks are of different worlds."""


class WorldTasks:
    """A `TaskSource` of tasks in generated worlds.

    Args:
        split: ``train`` (endless), ``val`` or ``test`` (fixed lists).
        group: ``I1-Instruction`` has new tasks in worlds of training, ``I1-Tool`` worlds and tools that
            training never shows, ``I1-Category`` kits that it never shows; ``I2-...`` the same over several
            services, ``I3-...`` over several kits. None is those of ``I1``, or what `services` asks for.
            Training has the groups that end in ``Instruction``.
        level: From 1 (one or two calls) to 6 (41 to 80 calls); two levels are the first and last of a range;
            None is all.
        kit: Only worlds of this kit, by name, or of several, with ``+`` between them; or a kit of an
            author's own, as `own_kit` reads it.
        worlds: Only ten tasks of each of so many worlds, which makes training finite, too.
        policies: Whether worlds have policies, and requests can be refused: because a policy forbids them,
            because a state does not allow them, or because a name in them is no row's.
        pairs: Share of tasks in pairs then: of each pair one cannot be met, and its twin can.
        dials: Conditions of the episodes.
        services: Only worlds of so many services or more, of as many kits as that takes; two numbers are the
            first and last of a range.
        traits: What the data of the worlds are like.

    Attributes:
        levels: Its levels.

    Raises:
        ConfigError: A setting is unknown, or no task meets them all.

    Examples:
        >>> tasks = WorldTasks("train", level=1)
        >>> tasks.get(tasks.at(7).id).key == tasks.at(7).key, tasks.size
        (True, None)
    """

    def __init__(
        self,
        split: Split = "train",
        group: Group | None = None,
        level: int | tuple[int, int] | None = None,
        kit: str | Kit | None = None,
        worlds: int | None = None,
        policies: bool = False,
        pairs: float = 0.5,
        dials: Dials = PLAIN,
        services: int | tuple[int, int] | None = None,
        traits: Traits = USUAL,
    ) -> None:
        _check("split", split, get_args(Split))
        if group is not None:
            _check("group", group, get_args(Group))
        self._own = kit if isinstance(kit, Kit) else None
        known = kits() if self._own is None else (*kits(), self._own.name)
        name = kit.name if isinstance(kit, Kit) else kit
        self.name = "Worlds"
        self._kit = None if name is None else _kits(name, known)
        self._split: Split = split
        self._family = "I1" if group is None else group[:2]
        self.levels = _levels(level, 2 if self._family == "I2" else 1)
        self._organisations = dict(self._found(group, known, _services(services)))
        self._groups: list[Group] = list(self._organisations)
        if not self._groups:
            raise _no_task(split, group, self._kit, services)
        self._services = span("services", services, 1)
        self._worlds = worlds
        self._chosen: dict[tuple[Group, int], str] = {}
        self._pairs = pairs if policies else None
        # The two of a pair stay together, and so do two requests that only the user's facts tell apart.
        self._beside = PAIR if policies or dials.hidden else 1
        self._dials = dials
        self._traits = traits
        parts = [
            f"{split} {group} {span('level', level, *_ENDS)} {self._kit} {worlds}",
            f"policies {pairs}" if policies else "",
            dials.suffix if dials != PLAIN else "",
            f"services {self._services}" if services is not None else "",
            traits.suffix if traits != USUAL else "",
        ]
        self._settings = " ".join(filter(None, parts))

    def _found(
        self, group: Group | None, known: Sequence[str], services: range
    ) -> Iterator[tuple[Group, Organisations]]:
        """Yield the groups that have tasks, with their organisations."""
        kit = self._kit
        for each in get_args(Group):
            if each != group and not (group is None and each.startswith("I1")):
                continue
            pool = [name for name in known if (name in HELD_OUT) == each.endswith("Category")]
            fewest = 2 if each.startswith("I3") else 1
            most = MOST_KITS if group is None or each.startswith("I3") else 1
            if kit is not None and JOIN in kit:
                # With one that is held out, all are.
                pool = [kit] if most > 1 and _is_held_out(kit) == each.endswith("Category") else []
            found = Organisations(pool, kit, services, fewest, most)
            if found.kits and (self._split != "train" or each.endswith("Instruction")):
                yield each, found

    def __setstate__(self, state: dict[str, object]) -> None:
        """Bring the own kit to the process in which this is unpickled."""
        self.__dict__.update(state)
        if self._own is not None:
            OWN_KITS[self._own.name] = self._own

    @property
    def size(self) -> int | None:
        """Number of tasks, or None where there is no end."""
        if self._worlds is not None:
            return TASKS_A_WORLD * self._worlds
        match self._split:
            case "train":
                return None
            case "val":
                return VAL_GROUP * len(self._groups)
            case "test":
                return TEST_GROUP * len(self._groups)

    @property
    def hash(self) -> str:
        """SHA-256 hex digest of what tasks are made from: kits, names, the version and the settings."""
        digest = hashlib.sha256(f"worlds {VERSION} {self._settings}".encode())
        for name in kits():
            digest.update((KITS / f"{name}.toml").read_bytes())
        digest.update(NAMES.read_bytes())
        return digest.hexdigest()

    def endless(self) -> WorldTasks:
        """Return the training tasks, of which there are as many as anyone wants to draw."""
        levels = self.levels[0], self.levels[-1]
        kit = self._own or (self._kit if self._kit not in HELD_OUT else None)
        group: Group | None = "I2-Instruction" if self._family == "I2" else None
        return WorldTasks(
            "train",
            "I3-Instruction" if self._family == "I3" else group,
            levels,
            kit,
            policies=self._pairs is not None,
            pairs=0.5 if self._pairs is None else self._pairs,
            dials=self._dials,
            services=self._services,
            traits=self._traits,
        )

    def at(self, index: int) -> Task:
        """Return the task of an index from 0; past the end it starts over."""
        if self.size is not None:
            index %= self.size
        block, number = self._place(index)
        turn, which = divmod(block, len(self._groups))
        return self._task(self._groups[which], turn, number)

    def _place(self, index: int) -> tuple[int, int]:
        """Return the place of a task's world among all worlds, and its number there."""
        window, rest = divmod(index, _SIDE_BY_SIDE * TASKS_A_WORLD)
        first = window * _SIDE_BY_SIDE
        width = _SIDE_BY_SIDE
        if self.size is not None:
            width = min(width, self.size // TASKS_A_WORLD - first)
        turn, member = divmod(rest, self._beside)
        number, which = divmod(turn, width)
        return first + which, number * self._beside + member

    def get(self, task_id: str) -> Task:
        """Return the task of this id, whatever the filters of this source.

        Raises:
            DataError: There is none.
        """
        return task_of(task_id).task

    def _task(self, group: Group, turn: int, number: int) -> Task:
        """Return a task of a group: of the next world that has one, where a world has none of the level."""
        level, form = self._level_and_form(turn, number)
        start = NEW_TASKS.get(self._split, 0) if group.endswith("Instruction") else 0
        start += SPREAD if self._family == "I2" else 0
        if self._worlds is None:
            for key in self._candidates(group, turn):
                made = formed(key, level, start + number, form, self._dials)
                if made is not None:
                    return made.task
            raise DataError(f"none of {_WORLDS_TRIED} worlds has a task of level {level}")
        key = self._world(group, turn, start)
        for more in range(_NUMBERS_TRIED):
            made = formed(key, level, start + number + more * TASKS_A_WORLD, form, self._dials)
            if made is not None:
                return made.task
        raise DataError(f"the world {key} has no more tasks of level {level}")

    def _candidates(self, group: Group, turn: int) -> Iterator[str]:
        """Yield the world of a turn, and those that stand in where it has no task of a level."""
        organisations = self._organisations[group]
        seeds = WORLDS["train" if group.endswith("Instruction") else self._split]
        for tried in range(_WORLDS_TRIED):
            # Worlds from anywhere in the split stand in for one that has no such task.
            name, first = organisations.at(turn, tried)
            seed = seeds[(first + (mix(first, tried) if tried else 0)) % len(seeds)]
            yield str(Key(name, seed, self._traits))

    def _world(self, group: Group, turn: int, start: int) -> str:
        """Return the first world for a turn that has tasks of every level."""
        found = self._chosen.get((group, turn))
        if found is None:
            forms = [""] if self._pairs is None else ["o", "a"]
            asked = [(level, form) for level in self.levels for form in forms]
            for key in self._candidates(group, turn):
                if all(formed(key, level, start, form, self._dials) is not None for level, form in asked):
                    found = self._chosen[group, turn] = key
                    break
            else:
                raise DataError(f"none of {_WORLDS_TRIED} worlds has tasks of levels {list(self.levels)}")
        return found

    def _level_and_form(self, turn: int, number: int) -> tuple[int, str]:
        """Return the level of a task, and the suffix of its id; the two of a pair share the level."""
        place, member = divmod(number, self._beside)
        level = self.levels[(turn * TASKS_A_WORLD // self._beside + place) % len(self.levels)]
        if self._pairs is None:
            return level, ""
        paired = rng("paired", self._split, turn, place).random() < self._pairs
        return level, "ab"[member] if paired else "o"


def _is_held_out(kit: str) -> bool:
    return not set(HELD_OUT).isdisjoint(kit.split(JOIN))


def _no_task(
    split: Split, group: Group | None, kit: str | None, services: int | tuple[int, int] | None
) -> ConfigError:
    if kit is not None and _is_held_out(kit):
        return ConfigError(
            f"no task with {split=}, {group=} and {kit=}: training never shows a kit that is held out; "
            f"give split='test' or 'val', and no group or one that ends in 'Category'"
        )
    return ConfigError(
        f"split {split!r} has no task with {group=}, {kit=} and {services=}; training has groups "
        f"that end in 'Instruction' alone, the kits of those that end in 'Category' are "
        f"{', '.join(HELD_OUT)}, and those of 'I1' and 'I2' have the services of one kit"
    )


def _services(services: int | tuple[int, int] | None) -> range:
    first, last = span("services", services, 1) or (1, 1)
    return range(first, last + 1)


def _levels(level: int | tuple[int, int] | None, least: int) -> range:
    first, last = span("level", level, *_ENDS) or _ENDS
    if last < least:
        raise ConfigError(f"groups over several services have levels from {least}, got {level!r}")
    return range(max(first, least), last + 1)


def _kits(kit: str, known: Sequence[str]) -> str:
    """Return the name of a kit, or of several that are joined, as worlds have it."""
    names = sorted(set(kit.split(JOIN)))
    for name in names:
        _check("kit", name, known)
    joined = JOIN.join(names)
    try:
        kit_named(joined)
    except DataError as error:
        raise ConfigError(str(error)) from error
    return joined


def _check(what: str, got: str, known: Sequence[str]) -> None:
    if got not in known:
        raise ConfigError(f"unknown {what} {got!r}; known: {', '.join(known)}.{did_you_mean(got, known)}")

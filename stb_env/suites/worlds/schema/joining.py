"""Joins kits: one organisation of several, whose services know the same people by their addresses alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from stb_env.errors import DataError
from stb_env.suites.worlds.schema.actions import Action, Condition, Create, Delete, Policy, Rule
from stb_env.suites.worlds.schema.kit import (
    OWN_KITS,
    Attribute,
    Email,
    Entity,
    Kit,
    Link,
    Person,
    Ref,
    shipped_kit,
)

JOIN = "+"
"""Stands between the names of kits that are joined."""
MOST_KITS = 4
_OF = "__"
"""Stands between a kit's name and the name of its entity."""
_WORDS = ("county services", "borough services", "municipal services")
_SLOT = re.compile(r"\{([a-z0-9_]+)(?=[.}])")
_Worded = TypeVar("_Worded", Rule, Policy)
_COUNT = re.compile(r"count\(([a-z0-9_]+)\.")


@lru_cache(maxsize=64)
def kit_named(name: str) -> Kit:
    """Return a kit that comes with the package or is in use, or the one that several are joined to.

    Raises:
        DataError: One of several has nobody whom others could know, or they are in no order.
    """
    names = name.split(JOIN)
    if len(names) == 1:
        return OWN_KITS[name] if name in OWN_KITS else shipped_kit(name)
    kits = [kit_named(each) for each in names]
    apart = [kit.name for kit in kits if not can_be_joined(kit)]
    if apart or names != sorted(set(names)) or len(names) > MOST_KITS:
        raise DataError(
            f"no kits can be joined to {name!r:.120}; name 2 to {MOST_KITS} different ones that have people "
            f"with addresses, in alphabetical order"
        )
    return join(kits)


def kit_of(kit: Kit, entity: str) -> str:
    """Return the name of the kit that an entity of a world comes from."""
    return entity.partition(_OF)[0] if JOIN in kit.name else kit.name


def can_be_joined(kit: Kit) -> bool:
    """Return whether a kit has people whom another kit's services can know by their addresses."""
    return bool(_people(kit))


def services_of(kit: Kit, *, joined: bool) -> int:
    """Return how many services every world of a kit has, alone or joined with others."""
    kept = _people(kit)[:1] if joined else []
    return len({each.service for name, each in kit.entities.items() if not each.optional or name in kept})


def join(kits: Sequence[Kit]) -> Kit:
    """Return one kit of several.

    Their entities have the kit's name in front, their services where two have one name. Nouns that two kits
    share are left out, or say which organisation they belong to. The people of one kit are found among those
    of another, under the same name and address: every kit's main people among those of the kit with the most
    rows of them, others, such as the staff, among the main people of the next kit.

    Args:
        kits: The kits, in the order of their names; each has people with addresses.
    """
    main = {kit.name: _people(kit)[0] for kit in kits}
    services = [name for kit in kits for name in kit.services]
    renamed = {
        kit.name: {name: f"{kit.name}_{name}" if services.count(name) > 1 else name for name in kit.services}
        for kit in kits
    }
    entities: dict[str, Entity] = {}
    for kit in kits:
        nouns = _nouns_apart(kit, kits)
        for name, entity in kit.entities.items():
            entities[f"{kit.name}{_OF}{name}"] = _moved(
                kit,
                entity,
                nouns,
                {
                    "service": renamed[kit.name][entity.service],
                    "nouns": nouns[name],
                    "optional": entity.optional and name != main[kit.name],
                },
            )
    for one, other, at in _meetings(kits, main):
        _link(entities, one, other, at)
    first, last = max(kit.today[0] for kit in kits), min(kit.today[1] for kit in kits)
    return Kit.model_construct(
        name=JOIN.join(kit.name for kit in kits),
        words=_WORDS,
        today=(first, last) if first < last else kits[0].today,
        services={renamed[kit.name][name]: service for kit in kits for name, service in kit.services.items()},
        entities=entities,
    )


def _rows(entity: Entity) -> int:
    return sum(entity.rows)


def _people(kit: Kit) -> list[str]:
    """Return the entities whose rows are people with an address as their key; the largest first."""
    found = [
        name
        for name, entity in kit.entities.items()
        if isinstance(entity.attributes[entity.label], Person)
        and isinstance(entity.attributes.get(entity.key), Email)
    ]
    return sorted(found, key=lambda name: -_rows(kit.entities[name]))


# -- names --------------------------------------------------------------------------------------------


def _nouns_apart(kit: Kit, kits: Sequence[Kit]) -> dict[str, tuple[str, ...]]:
    """Return the nouns of each entity of a kit that no other kit uses for something else."""
    others = {
        noun.partition("/")[0]
        for other in kits
        if other is not kit
        for entity in other.entities.values()
        for noun in entity.nouns
    }
    lasts = [other.words[0].split()[-1] for other in kits]
    last = kit.words[0].split()[-1]
    qualifier = last if lasts.count(last) == 1 else kit.words[0]
    found: dict[str, tuple[str, ...]] = {}
    for name, entity in kit.entities.items():
        # Where another kit has wine orders, nobody knows whose the orders are.
        own = [noun for noun in entity.nouns if not _is_ambiguous(noun.partition("/")[0], others)]
        for noun in entity.nouns:
            if len(own) < 2 and noun not in own:
                one, _, many = noun.partition("/")
                own.append(f"{qualifier} {one}/{qualifier} {many}")
        found[name] = tuple(dict.fromkeys(own))
    return found


def _is_ambiguous(noun: str, others: set[str]) -> bool:
    return noun in others or any(other.endswith(f" {noun}") for other in others)


# -- entities -----------------------------------------------------------------------------------------


def _moved(
    kit: Kit, entity: Entity, nouns: Mapping[str, tuple[str, ...]], changed: Mapping[str, object]
) -> Entity:
    """Return an entity that refers to the entities of its kit by their new names."""

    def condition(each: Condition) -> Condition:
        left = _COUNT.sub(rf"count({kit.name}{_OF}\1.", each.left)
        return each.model_copy(update={"left": left})

    def text(said: str) -> str:
        return _SLOT.sub(
            lambda slot: f"{{{kit.name}{_OF}{slot[1]}" if slot[1] in kit.entities else slot[0], said
        )

    def moved(part: _Worded) -> _Worded:
        unless = {"unless": tuple(map(condition, part.unless))} if isinstance(part, Rule) else {}
        when = tuple(map(condition, part.when))
        return part.model_copy(update={"when": when, "text": text(part.text), **unless})

    actions: dict[str, Action] = {
        name: action.model_copy(update={"when": tuple(map(condition, action.when))})
        for name, action in entity.actions.items()
    }
    queues = {
        name: queue.model_copy(
            update={
                "select": tuple(map(condition, queue.select)),
                "rules": tuple(map(moved, queue.rules)),
                "text": text(queue.text),
            }
        )
        for name, queue in entity.queues.items()
    }
    attributes = {
        name: _referring(kit, attribute, nouns) if isinstance(attribute, Ref) else attribute
        for name, attribute in entity.attributes.items()
    }
    return entity.model_copy(
        update={
            **changed,
            "attributes": attributes,
            "actions": actions,
            "queues": queues,
            "policies": tuple(map(moved, entity.policies)),
        }
    )


def _referring(kit: Kit, reference: Ref, nouns: Mapping[str, tuple[str, ...]]) -> Ref:
    """Return a reference under its entity's new name; nouns that other kits use are no words for it."""
    known = [noun.partition("/")[0] for noun in nouns[reference.to]]
    before = [noun.partition("/")[0] for noun in kit.entities[reference.to].nouns]
    words = [word for word in reference.words if word not in before or word in known]
    if len(words) < len(reference.words):
        words = [*known[:1], *(word for word in words if word != known[0])]
    return reference.model_copy(update={"to": f"{kit.name}{_OF}{reference.to}", "words": tuple(words)})


# -- people -------------------------------------------------------------------------------------------


def _meetings(kits: Sequence[Kit], main: Mapping[str, str]) -> Iterator[tuple[str, str, tuple[str, str]]]:
    """Yield the entities whose people are among those of another, that one, and where both are known."""
    host = max(kits, key=lambda kit: _rows(kit.entities[main[kit.name]]))
    for place, kit in enumerate(kits):
        for name in _people(kit):
            other = host if name == main[kit.name] else kits[(place + 1) % len(kits)]
            most = other.entities[main[other.name]].rows[1]
            if other is not kit and kit.entities[name].rows[1] <= most:
                one, target = f"{kit.name}{_OF}{name}", f"{other.name}{_OF}{main[other.name]}"
                yield one, target, (kit.words[0], other.words[0])


def _link(entities: dict[str, Entity], one: str, other: str, at: tuple[str, str]) -> None:
    """Let the people of an entity be among those of another one."""
    entity, target = entities[one], entities[other]
    here, there = at
    link = Link(
        type="ref",
        to=other,
        words=tuple(noun.partition("/")[0] for noun in target.nouns),
        at=there,
        same={entity.label: target.label, entity.key: target.key},
        say=(
            f"also on file at the {there} as {{np}}",
            f"known at the {there} as {{np}}",
            f"also registered at the {there} as {{np}}",
        ),
        many=(
            f"also on file at the {here} as {{np}}",
            f"known at the {here} as {{np}}",
            f"also registered at the {here} as {{np}}",
        ),
        none=(
            f"not on file at the {here} as {{np}}",
            f"not known at the {here} as {{np}}",
            f"not registered at the {here} as {{np}}",
        ),
    )
    attributes: dict[str, Attribute] = {**entity.attributes, f"as_{other}": link}
    # Nobody makes a person whom another service would have to know, and nobody deletes one.
    entities[one] = _without(entity, Create).model_copy(update={"attributes": attributes})
    entities[other] = _without(entities[other], Delete)


def _without(entity: Entity, kind: type) -> Entity:
    actions = {name: action for name, action in entity.actions.items() if not isinstance(action, kind)}
    return entity.model_copy(update={"actions": actions})

"""Chooses the parts of a kit that a world has, and the numbers of its rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from stb_env.seeding import rng
from stb_env.suites.worlds.data.conditions import TODAY, Count, Days, Path, operands
from stb_env.suites.worlds.schema.actions import Action, Condition, Create, Delete, Move, Policy, Queue, Rule
from stb_env.suites.worlds.schema.kit import Day, Email, Entity, Kit, Ref
from stb_env.suites.worlds.schema.nouns import Noun, fill, slots

_DROPPED_ATTRIBUTES, _DROPPED_ENTITIES = 0.3, 0.35
"""Shares of optional parts that a world leaves out."""
_FEWEST_ENTITIES = 3


def prune(kit: Kit, seed: int, currency: str) -> Mapping[str, Entity]:
    """Return the entities of a world: optional parts are left out by chance, with all that names them.

    What remains resolves: a rule, action, queue or policy that reads a part that is left out goes with it.
    The first noun of an entity and the first word of an attribute are those that the world uses.
    """
    pick = rng("prune", kit.name, seed)
    kept = dict(kit.entities)
    for name, entity in kit.entities.items():
        drop = pick.random() < _DROPPED_ENTITIES
        if entity.optional and drop and len(kept) > _FEWEST_ENTITIES:
            del kept[name]
    bare = {
        name: Entity.model_validate(
            {
                **dict(entity),
                "nouns": _led(entity.nouns, pick),
                "attributes": _attributes(entity, kept, pick),
                **_NOTHING,
            }
        )
        for name, entity in kept.items()
    }
    texts = slots(bare, currency, {name: kit.entities[name].actions for name in bare})
    return {name: _with_acts(bare, name, kit.entities[name], texts, pick, seed) for name in bare}


_NOTHING: dict[str, object] = {"actions": {}, "queues": {}, "policies": ()}


def _attributes(entity: Entity, kept: Mapping[str, Entity], pick: Random) -> dict[str, object]:
    needed = {entity.label, entity.key}
    for attribute in entity.attributes.values():
        if isinstance(attribute, Email):
            needed.add(attribute.of)
        if isinstance(attribute, Day):
            needed.add(attribute.after.partition(".")[0])
    chosen: dict[str, object] = {}
    for name, attribute in entity.attributes.items():
        drop = pick.random() < _DROPPED_ATTRIBUTES
        if isinstance(attribute, Ref) and attribute.to not in kept:
            continue
        if not (attribute.optional and drop and name not in needed):
            chosen[name] = attribute.model_copy(update={"words": _led(attribute.words, pick)})
    return chosen


def _led(words: tuple[str, ...], pick: Random) -> tuple[str, ...]:
    """Return the words with one of them first, the earlier ones more often."""
    first = min(pick.randrange(len(words)), pick.randrange(len(words)))
    return (words[first], *words[:first], *words[first + 1 :])


def _with_acts(
    entities: Mapping[str, Entity],
    name: str,
    declared: Entity,
    texts: Mapping[str, Noun | str],
    pick: Random,
    seed: int,
) -> Entity:
    actions = {
        key: action for key, action in declared.actions.items() if _action_resolves(entities, name, action)
    }
    queues: dict[str, Queue] = {}
    for key, queue in declared.queues.items():
        rules = tuple(
            _numbered_rule(rule, texts, pick)
            for rule in queue.rules
            if rule.do in actions and conditions_resolve(entities, name, (*rule.when, *rule.unless))
        )
        whole = queue.otherwise in actions and conditions_resolve(entities, name, queue.select)
        if whole and len(rules) > 1:
            text = _sentence(queue.text, texts, {})
            queues[key] = queue.model_copy(update={"rules": rules, "text": text})
    policies = tuple(
        # Each has numbers of its own, so that one more policy changes nothing else of a world.
        _numbered_policy(policy, texts, rng("policy", seed, name, policy.text))
        for policy in declared.policies
        if policy.action in actions and conditions_resolve(entities, name, policy.when)
    )
    acts = {"actions": actions, "queues": queues, "policies": policies}
    return Entity.model_validate({**dict(entities[name]), **acts})


def _action_resolves(entities: Mapping[str, Entity], name: str, action: Action) -> bool:
    used: Sequence[str]
    match action:
        case Create():
            used = (*action.fields, *action.start)
            if set(entities[name].attributes) - {entities[name].label, *used}:
                return False
        case Move():
            used = (action.field, *action.same)
        case Delete():
            used = ()
        case _:
            used = (action.field,)
    known = entities[name].attributes
    return all(field in known for field in used) and conditions_resolve(entities, name, action.when)


def conditions_resolve(entities: Mapping[str, Entity], name: str, conditions: Sequence[Condition]) -> bool:
    """Return whether an entity has all that some conditions read."""
    for condition in conditions:
        for read in operands(condition):
            match read:
                case Path(path):
                    paths = [path]
                case Days(start, end):
                    paths = [start, end]
                case Count(other, attribute):
                    paths = []
                    if other not in entities or attribute not in entities[other].attributes:
                        return False
            if not all(path_resolves(entities, name, path) for path in paths):
                return False
    return True


def path_resolves(entities: Mapping[str, Entity], entity: str, path: str) -> bool:
    """Return whether a path from an entity names an attribute, or is ``today``."""
    if path == TODAY:
        return True
    *references, last = path.split(".")
    for name in references:
        attribute = entities[entity].attributes.get(name)
        if not isinstance(attribute, Ref) or attribute.to not in entities:
            return False
        entity = attribute.to
    return last in entities[entity].attributes


def _numbered_rule(rule: Rule, texts: Mapping[str, Noun | str], pick: Random) -> Rule:
    numbers = _drawn(rule.numbers, pick)
    return rule.model_copy(
        update={
            "when": _filled(rule.when, numbers),
            "unless": _filled(rule.unless, numbers),
            "text": _sentence(rule.text, texts, numbers),
        }
    )


def _numbered_policy(policy: Policy, texts: Mapping[str, Noun | str], pick: Random) -> Policy:
    numbers = _drawn(policy.numbers, pick)
    return policy.model_copy(
        update={"when": _filled(policy.when, numbers), "text": _sentence(policy.text, texts, numbers)}
    )


def _sentence(text: str, texts: Mapping[str, Noun | str], numbers: Mapping[str, int]) -> str:
    filled = fill(text, {**texts, **numbers})
    return filled[:1].upper() + filled[1:]


def _drawn(ranges: Mapping[str, tuple[int, int]], pick: Random) -> dict[str, int]:
    return {name: pick.randint(low, high) for name, (low, high) in ranges.items()}


def _filled(conditions: Sequence[Condition], numbers: Mapping[str, int]) -> tuple[Condition, ...]:
    return tuple(
        condition.model_copy(update={"right": numbers[condition.right[1:]]})
        if isinstance(condition.right, str) and condition.right.startswith("$")
        else condition
        for condition in conditions
    )

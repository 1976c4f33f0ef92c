"""Checks a kit: whether everything that it names is there, and whether its rules decide anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from stb_env.errors import DataError
from stb_env.seeding import rng
from stb_env.suites.worlds.authoring.check_rules import rule_faults
from stb_env.suites.worlds.authoring.check_words import phrase_faults, slot_faults, text_faults, word_faults
from stb_env.suites.worlds.data.blueprint import draw_world
from stb_env.suites.worlds.data.conditions import TODAY, Count, Days, Path, operands
from stb_env.suites.worlds.data.pruning import path_resolves
from stb_env.suites.worlds.drawing.draw_goal import GoalDrawer
from stb_env.suites.worlds.schema.actions import (
    Condition,
    Create,
    Delete,
    Move,
    Policy,
    Queue,
    Rule,
    Set,
    Transition,
)
from stb_env.suites.worlds.schema.kit import (
    Attribute,
    By,
    Category,
    Code,
    Day,
    Email,
    Entity,
    Flag,
    Kit,
    Life,
    Person,
    Quantity,
    Ref,
    Title,
)
from stb_env.suites.worlds.words.query import query

_SENTENCES = 50


def check_kit(kit: Kit) -> list[str]:
    """Return what is wrong with a kit, each with where it stands; an empty list where all is right."""
    faults = [*_services(kit), *_nouns(kit)]
    for name, entity in kit.entities.items():
        faults += _entity(kit, name, entity)
        for key, attribute in entity.attributes.items():
            at = f"entities.{name}.attributes.{key}"
            faults += _attribute(kit, name, at, attribute)
        for key in entity.actions:
            faults += _action(kit, name, key)
        for key, queue in entity.queues.items():
            faults += _queue(kit, name, f"entities.{name}.queues.{key}", queue)
        for place, policy in enumerate(entity.policies):
            faults += _policy(kit, name, f"entities.{name}.policies.{place}", policy)
    return faults or list(rule_faults(kit))


def sample_sentences(kit: Kit) -> list[str]:
    """Return fifty requests and rules of a kit in words, for a person to read.

    Raises:
        DataError: No goal can be drawn from the kit.
    """
    said: list[str] = []
    for seed in range(10 * _SENTENCES):
        blueprint = draw_world(seed, kit)
        drawer, pick = GoalDrawer(blueprint), rng("sample", kit.name, seed)
        for level in range(1, 7):
            drawn = next(filter(None, (drawer.draw(level, pick) for _ in range(20))), None)
            if drawn is not None:
                said.append(query(drawn.goal, blueprint, pick))
        for entity in blueprint.entities.values():
            said += [rule.text for queue in entity.queues.values() for rule in queue.rules]
            said += [policy.text for policy in entity.policies]
        if len(said) >= _SENTENCES:
            return said[:_SENTENCES]
    raise DataError(f"kit {kit.name}: only {len(said)} sentences could be drawn; give it more attributes")


# -- names ------------------------------------------------------------------------------------------


def _services(kit: Kit) -> Iterator[str]:
    used = {entity.service for entity in kit.entities.values()}
    for name in kit.services:
        if name not in used:
            yield f"services.{name}: no entity is kept by it"


def _nouns(kit: Kit) -> Iterator[str]:
    counts = Counter(noun for entity in kit.entities.values() for noun in entity.nouns)
    for noun, count in counts.items():
        if count > 1:
            yield f"entities: {noun!r} is a noun of {count} entities; give each nouns of its own"


def _entity(kit: Kit, name: str, entity: Entity) -> Iterator[str]:
    at = f"entities.{name}"
    if entity.service not in kit.services:
        yield f"{at}.service: there is no service {entity.service!r}"
    label = entity.attributes.get(entity.label)
    if not isinstance(label, Person | Title | Code):
        yield f"{at}.label: {entity.label!r} is no person, title or code of it"
    if entity.key and not isinstance(entity.attributes.get(entity.key), Email | Code):
        yield f"{at}.key: {entity.key!r} is no e-mail or code of it"
    if not 0 < entity.rows[0] <= entity.rows[1]:
        yield f"{at}.rows: must be a range of 1 or more, got {entity.rows}"
    counts = Counter(word for attribute in entity.attributes.values() for word in attribute.words)
    for word, count in counts.items():
        if count > 1:
            yield f"{at}.attributes: {word!r} is a word of {count} attributes; nobody can tell them apart"


def _attribute(kit: Kit, entity: str, at: str, attribute: Attribute) -> Iterator[str]:
    rows = kit.entities[entity].rows[1]
    yield from word_faults(at, attribute)
    match attribute:
        case Title():
            most = len(attribute.first) * len(attribute.second)
            if most < rows:
                yield f"{at}: its lists make {most} names for {rows} rows"
        case Email():
            if not isinstance(kit.entities[entity].attributes.get(attribute.of), Person | Title):
                yield f"{at}.of: {attribute.of!r} is no person or title of {entity}"
        case Code():
            most = 10 ** attribute.pattern.count("#") * 23 ** attribute.pattern.count("@")
            if most < rows:
                yield f"{at}.pattern: {attribute.pattern!r} makes {most} codes for {rows} rows"
        case Day():
            if attribute.after and not isinstance(_at_path(kit, entity, attribute.after), Day):
                yield f"{at}.after: {attribute.after!r} leads to no day"
            yield from _range(f"{at}.between", attribute.between)
            yield from phrase_faults(f"{at}.before_say", attribute.before_say, ["v"])
            yield from phrase_faults(f"{at}.after_say", attribute.after_say, ["v"])
        case Quantity():
            yield from _range(at, (attribute.low, attribute.high))
            yield from _by(kit, entity, at, attribute.by, 2)
            yield from phrase_faults(f"{at}.over_say", attribute.over_say, ["v"])
            yield from phrase_faults(f"{at}.under_say", attribute.under_say, ["v"])
        case Category() | Life():
            if attribute.weights and len(attribute.weights) != len(attribute.values):
                yield f"{at}.weights: {len(attribute.weights)} weights for {len(attribute.values)} values"
            yield from _by(kit, entity, at, attribute.by, len(attribute.values))
            if len(set(attribute.values)) < len(attribute.values):
                yield f"{at}.values: a value stands twice"
            yield from phrase_faults(f"{at}.say", attribute.say, ["v"])
            yield from phrase_faults(f"{at}.say_not", attribute.say_not, ["v"])
            yield from slot_faults(f"{at}.before", attribute.before, ["v"])
        case Flag():
            yield from phrase_faults(f"{at}.say", attribute.say, [])
            yield from phrase_faults(f"{at}.say_not", attribute.say_not, [])
            yield from slot_faults(f"{at}.before", attribute.before, [])
        case Ref():
            if attribute.to not in kit.entities:
                yield f"{at}.to: there is no entity {attribute.to!r}"
            yield from phrase_faults(f"{at}.say", attribute.say, ["np"])
            yield from phrase_faults(f"{at}.many", attribute.many, ["np"])


def _by(kit: Kit, entity: str, at: str, by: By | None, count: int) -> Iterator[str]:
    """Yield what is wrong with a distribution that follows another attribute."""
    if by is None:
        return
    match _at_path(kit, entity, by.path):
        case Category(values=values) | Life(values=values):
            known = values
        case Flag():
            known = ("false", "true")
        case _:
            yield f"{at}.by.path: {by.path!r} leads to no category, state or flag"
            return
    for value, numbers in by.values.items():
        if value not in known:
            yield f"{at}.by: {by.path} is never {value!r}"
        if len(numbers) != count:
            yield f"{at}.by.values.{value}: must be {count} numbers, got {len(numbers)}"


def _range(at: str, between: tuple[int, int]) -> Iterator[str]:
    if between[0] >= between[1]:
        yield f"{at}: the first of {between} must be less than the second"


# -- actions, queues and policies -------------------------------------------------------------------


def _action(kit: Kit, name: str, key: str) -> Iterator[str]:
    entity = kit.entities[name]
    action, at = entity.actions[key], f"entities.{name}.actions.{key}"
    field = entity.attributes.get(getattr(action, "field", ""))
    match action:
        case Transition():
            if not isinstance(field, Life):
                yield f"{at}.field: {action.field!r} is no lifecycle of {name}"
            else:
                for state in (*action.source, action.target):
                    if state not in field.values:
                        yield f"{at}: {action.field!r} has no state {state!r}"
            yield from slot_faults(f"{at}.say", action.say, ["np"])
        case Set():
            if field is None or isinstance(field, Life):
                yield f"{at}.field: {action.field!r} is no attribute of {name} that can be set"
            yield from slot_faults(f"{at}.say", action.say, ["np", "v"])
        case Delete():
            yield from slot_faults(f"{at}.say", action.say, ["np"])
            for other, described in kit.entities.items():
                if any(isinstance(each, Ref) and each.to == name for each in described.attributes.values()):
                    yield f"{at}: rows of {other} refer to {name}, so none can be deleted"
        case Move():
            if not isinstance(field, Quantity):
                yield f"{at}.field: {action.field!r} is no number of {name}"
            for each in action.same:
                if each not in entity.attributes:
                    yield f"{at}.same: {name} has no attribute {each!r}"
            yield from slot_faults(f"{at}.say", action.say, ["np", "other", "v"])
        case Create():
            for given in (*action.fields, *action.start):
                if given not in entity.attributes:
                    yield f"{at}: {name} has no attribute {given!r}"
            if not isinstance(entity.attributes.get(action.fields[0]), Ref):
                yield f"{at}.fields: the first must be a reference, got {action.fields[0]!r}"
            if not isinstance(entity.attributes[entity.label], Code):
                yield f"{at}: the label of {name} is no code, so no new row can have one"
            yield from slot_faults(f"{at}.say", action.say, sorted([*action.fields[1:], "noun", "np"]))
            # A world that leaves optional ones out can have the action.
            known = {entity.label, *action.fields, *action.start}
            for missing, attribute in entity.attributes.items():
                if missing not in known and not attribute.optional:
                    yield f"{at}: never offered: no new row has {missing!r}; add it to fields or to start"
    if action.undo and action.undo not in entity.actions:
        yield f"{at}.undo: {name} has no action {action.undo!r}"
    yield from _conditions(kit, name, f"{at}.when", action.when, {})


def _queue(kit: Kit, name: str, at: str, queue: Queue) -> Iterator[str]:
    entity = kit.entities[name]
    for condition in queue.select:
        if condition.op != "=" or condition.left not in entity.attributes:
            yield f"{at}.select: must equate an attribute of {name}, got {condition.left} {condition.op}"
    yield from _conditions(kit, name, f"{at}.select", queue.select, {})
    yield from slot_faults(f"{at}.say", queue.say, ["np"])
    yield from text_faults(kit, at, queue.text, {})
    waiting = {condition.left: condition.right for condition in queue.select}
    for done in (queue.otherwise, *(rule.do for rule in queue.rules)):
        action = entity.actions.get(done)
        if not isinstance(action, Transition):
            yield f"{at}: {done!r} is no transition of {name}"
        elif action.field in waiting and waiting[action.field] not in action.source:
            yield f"{at}: {done!r} does not start from {waiting[action.field]!r}, in which the rows wait"
    for place, rule in enumerate(queue.rules):
        yield from _rule(kit, name, f"{at}.rules.{place}", rule)


def _rule(kit: Kit, name: str, at: str, rule: Rule) -> Iterator[str]:
    yield from _conditions(kit, name, f"{at}.when", rule.when, rule.numbers)
    yield from _conditions(kit, name, f"{at}.unless", rule.unless, rule.numbers)
    yield from text_faults(kit, at, rule.text, rule.numbers)
    yield from _numbers(at, (*rule.when, *rule.unless), rule.numbers)


def _policy(kit: Kit, name: str, at: str, policy: Policy) -> Iterator[str]:
    if policy.action not in kit.entities[name].actions:
        yield f"{at}.action: {name} has no action {policy.action!r}"
    yield from _conditions(kit, name, f"{at}.when", policy.when, policy.numbers)
    yield from text_faults(kit, at, policy.text, policy.numbers)
    yield from _numbers(at, policy.when, policy.numbers)


def _numbers(
    at: str, conditions: Sequence[Condition], numbers: Mapping[str, tuple[int, int]]
) -> Iterator[str]:
    used = {condition.right for condition in conditions}
    for name, between in numbers.items():
        if f"${name}" not in used:
            yield f"{at}.numbers: no condition uses {name!r}"
        yield from _range(f"{at}.numbers.{name}", between)


# -- conditions -------------------------------------------------------------------------------------


def _conditions(
    kit: Kit, entity: str, at: str, conditions: Sequence[Condition], numbers: Mapping[str, object]
) -> Iterator[str]:
    for condition in conditions:
        unknown = list(_unknown(kit, entity, condition))
        yield from (f"{at}: {fault}" for fault in unknown)
        if not unknown:
            yield from (f"{at}: {fault}" for fault in _right(kit, entity, condition, numbers))


def _unknown(kit: Kit, entity: str, condition: Condition) -> Iterator[str]:
    for read in operands(condition):
        match read:
            case Path(path):
                if not path_resolves(kit.entities, entity, path):
                    yield f"{path!r} leads to no attribute of {entity}"
            case Days(start, end):
                for path in (start, end):
                    if path != TODAY and not isinstance(_at_path(kit, entity, path), Day):
                        yield f"{path!r} leads to no day of {entity}"
            case Count(other, name):
                found = kit.entities[other].attributes.get(name) if other in kit.entities else None
                if not isinstance(found, Ref) or found.to != entity:
                    yield f"{other}.{name} does not refer to {entity}"


def _right(kit: Kit, entity: str, condition: Condition, numbers: Mapping[str, object]) -> Iterator[str]:
    """Yield what is wrong with the value that a condition compares with."""
    left = _at_path(kit, entity, condition.left)
    right = condition.right
    if isinstance(right, str) and right.startswith("@"):
        other = _at_path(kit, entity, right[1:])
        kinds = [getattr(each, "digits", type(each).__name__) for each in (left, other)]
        if kinds[0] != kinds[1]:
            yield f"{condition.left} and {right[1:]} differ in type or in digits"
        elif isinstance(left, Category | Life) and getattr(other, "values", ()) != left.values:
            yield f"{condition.left} and {right[1:]} have other values, so places in their lists say nothing"
        elif isinstance(left, Ref) and isinstance(other, Ref) and left.to != other.to:
            yield f"{condition.left} and {right[1:]} lead to other entities: {left.to} and {other.to}"
        return
    if isinstance(right, str) and right.startswith("$"):
        if right[1:] not in numbers:
            yield f"the number {right[1:]!r} is not declared"
        return
    for value in right if isinstance(right, tuple) else (right,):
        match left:
            case Category() | Life():
                if value not in left.values:
                    yield f"{condition.left} is never {value!r}"
            case Flag():
                if not isinstance(value, bool):
                    yield f"{condition.left} is true or false, got {value!r}"
            case _:
                if isinstance(value, str | bool):
                    yield f"{condition.left} is a number, got {value!r}"


def _at_path(kit: Kit, entity: str, path: str) -> Attribute | None:
    if "(" in path or path == TODAY or not path_resolves(kit.entities, entity, path):
        return None
    return kit.attribute(entity, path)

"""Answers: says what a plan has read as a typed answer has it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from stb_env.core.jsontypes import Json, JsonObject
from stb_env.suites.worlds.data.rows import MISSING
from stb_env.suites.worlds.goals.answer_fields import field_name, measure_name
from stb_env.suites.worlds.goals.goal import Measure
from stb_env.suites.worlds.oracle.finder import Finder
from stb_env.suites.worlds.schema.kit import Category, Day, Flag, Life, Quantity, Ref
from stb_env.suites.worlds.world import Built


class Answers:
    """Says values and figures of rows that a finder has read.

    Args:
        world: The world.
        finder: Knows what results have shown.

    Attributes:
        world: The world.
        finder: Knows what results have shown.
    """

    def __init__(self, world: Built, finder: Finder) -> None:
        self.world, self.finder = world, finder
        self._blueprint = world.blueprint

    def _shown(self, entity: str, paths: Sequence[str]) -> list[str]:
        """Return paths whose values can be said: a reference is said by its target's label."""
        return [self._said(entity, path) for path in paths]

    def _said(self, entity: str, path: str) -> str:
        attribute = self._blueprint.attribute(entity, path)
        if isinstance(attribute, Ref):
            return f"{path}.{self._blueprint.entities[attribute.to].label}"
        return path

    def _json(self, entity: str, path: str, value: int) -> Json:
        match self._blueprint.attribute(entity, path):
            case Quantity(digits=digits):
                return value / 10**digits if digits else value
            case Flag():
                return value == 1
            case Day():
                return date.fromordinal(value).isoformat()
            case Category(values=values) | Life(values=values):
                return values[value]
        return self._blueprint.data.texts[self._blueprint.place(entity, path)][value]

    def _fields(self, entity: str, number: int, paths: Sequence[str]) -> JsonObject:
        answer: JsonObject = {}
        for path in paths:
            said = self._said(entity, path)
            value = self.finder.value(entity, number, said)
            answer[field_name(self._blueprint, entity, path)] = self._json(entity, said, value)
        return answer

    def _figure(self, entity: str, numbers: Sequence[int], measure: Measure) -> int:
        if measure.kind == "count":
            return len(numbers)
        values = [self.finder.value(entity, number, measure.path) for number in numbers]
        values = [value for value in values if value != MISSING]
        match measure.kind:
            case "total":
                return sum(values)
            case "greatest":
                return max(values)
            case "least":
                return min(values)

    def _figure_json(self, entity: str, measure: Measure, value: int) -> Json:
        return value if measure.kind == "count" else self._json(entity, measure.path, value)

    def _figures(self, entity: str, numbers: Sequence[int], measures: Sequence[Measure]) -> JsonObject:
        return {
            measure_name(self._blueprint, entity, measure): self._figure_json(
                entity, measure, self._figure(entity, numbers, measure)
            )
            for measure in measures
        }

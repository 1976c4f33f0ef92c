"""Alignment data of the tasks: templates from solved goals, filled and strung together."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from itertools import islice
from typing import Literal

from stb_env.errors import ConfigError
from stb_env.retrieval import BM25Retriever
from stb_env.runs.make import make_env
from stb_env.seeding import derive, rng
from stb_env.suites.sambanova.alignment.template import Pool, Template, code_names
from stb_env.suites.sambanova.alignment.text import (
    MAX_TOKENS,
    AlignmentSample,
    Pair,
    Tokenizer,
    alignment_sample,
    fitting_sample,
)
from stb_env.suites.sambanova.common.task import SambaNovaTask
from stb_env.suites.sambanova.complexity import Complexity, complexity
from stb_env.suites.sambanova.materials import calls, documents, examples, turns
from stb_env.tasks import Task, TaskSource

PAIRS = 4
"""Goals in a sample: as many as in a 3-shot prompt."""

# What decides which other calls are allowed stays as it is in a template.
_FIXED = ("set_buy_or_rent", "select_booking_type", "select_transportation")
# Solved goals looked at: many are alike once their values are gone, and all of these values are used.
_LOOKED_AT = 600
_REFILLS = 20
# Of training tasks without end; one of so many goes to validation.
_MOST, _HELD_OUT = 20_000, 10

Split = Literal["train", "validation"]


@dataclass(frozen=True)
class AlignmentSet:
    """Solved goals of one task to train on, or to choose a checkpoint by.

    None is a test goal, nor has a test's program, and no goal is of both splits. Validation goals are
    training tasks as they are; those of the training split fill templates, where the paper has any.

    Attributes:
        task: The task.
        documents: Its API documents, in order of their names.
        templates: Templates; none where the samples are demonstrations as they are.
        pairs: Solved goals, made from the templates in turn.
        complexity: How far the tests are from the pairs; None where the score is 0 by definition, or the
            tests have no programs.
    """

    task: SambaNovaTask
    documents: tuple[str, ...]
    templates: tuple[Template, ...]
    pairs: tuple[Pair, ...]
    complexity: Complexity | None

    @classmethod
    def make(
        cls, task: SambaNovaTask, samples: int | None = None, seed: int = 0, split: Split = "train"
    ) -> AlignmentSet:
        """Make a set.

        Args:
            task: The task.
            samples: How many solved goals to train on, of which validation has a tenth; None for as many as
                the paper has samples.
            seed: Seed of the filling.
            split: What they are for.

        Raises:
            ConfigError: The task's world is missing, or ``samples`` is below 1.
        """
        wanted = task.samples if samples is None else samples
        if wanted < 1:
            raise ConfigError(f"samples must be at least 1, got {wanted}")
        draw = rng("alignment", task.id, seed)
        tests = make_env(task.env_id, {}).tasks
        avoided = _Avoided(task, tests)
        solved = _solved(task, avoided, split)
        templates: tuple[Template, ...] = ()
        if split == "validation":
            solved, wanted = _once(solved), max(1, wanted // _HELD_OUT)
        elif _is_templated(task):
            seen = _converted(task, islice(solved, _LOOKED_AT))
            templates = _distinct(seen)[: task.templates]
            filled = _filled(templates, Pool(seen), avoided, draw)
            solved = (pair for pair in filled if split_of(task, pair, pair.goal) == split)
        pairs = tuple(islice(solved, wanted))
        shown = tuple(text for _, text in sorted(documents(task).items()))
        return cls(
            task, shown, templates, pairs, complexity_after(task, tests, [pair.action for pair in pairs])
        )

    def samples(
        self,
        seed: int = 0,
        pairs: int = PAIRS,
        tokenizer: Tokenizer | None = None,
        max_tokens: int = MAX_TOKENS,
    ) -> Iterator[AlignmentSample]:
        """Yield a sample for each solved goal: it comes last, after others that are drawn.

        The documents are those that a prompt for this goal would have.

        Args:
            seed: Seed of the drawing.
            pairs: Goals in a sample, as far as there are so many.
            tokenizer: Counts tokens; None where nothing bounds a sample's length.
            max_tokens: Longest sample; whole goals go from the front, and what is still too long is left out.
        """
        draw = rng("alignment samples", self.task.id, seed)
        for pair in self.pairs:
            before = draw.sample(self.pairs, min(pairs, len(self.pairs)))
            shown = [*[other for other in before if other != pair][: pairs - 1], pair]
            documents = self._documents_for(pair.goal)
            if tokenizer is None:
                yield alignment_sample(documents, shown)
            elif (sample := fitting_sample(documents, shown, tokenizer, max_tokens)) is not None:
                yield sample

    def _documents_for(self, goal: str) -> tuple[str, ...]:
        k = self.task.documents_k
        if not k or not self.documents:
            return ()
        return tuple(self.documents[hit.index] for hit in self._retriever.search(goal, k))

    @cached_property
    def _retriever(self) -> BM25Retriever:
        return BM25Retriever(self.documents)


def training_recipe() -> dict[str, object]:
    """Return how the paper trained on such data.

    Examples:
        >>> training_recipe()["epochs"], training_recipe()["learning_rate"]
        (8, 1e-05)
    """
    text = (resources.files("stb_env.suites.sambanova.alignment") / "recipe.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def split_of(task: SambaNovaTask, pair: Pair, source: str) -> Split:
    """Return the split of a solved goal, which follows from it alone.

    Where templates are filled, equal programs are of one split, unless they take no value and the API's
    documents show them as they are. Elsewhere all that comes from one source is.

    Args:
        task: The task.
        pair: The solved goal.
        source: The goal that it comes from: its own, or that of the trajectory it is a step of.
    """
    shown = any(pair.action in text for text in documents(task).values())
    key = pair.action if _is_templated(task) and not shown else source
    return "train" if derive("alignment split", task.id, key) % _HELD_OUT else "validation"


class _Avoided:
    """The goals and programs of tests, and their sets of calls where training is to have others."""

    def __init__(self, task: SambaNovaTask, tests: TaskSource) -> None:
        found = [tests.at(index) for index in range(tests.size or 0)]
        self._task = task
        self._goals = {each.query for each in found}
        self._programs = {label for each in found for label in programs_of(each)}
        self._calls = {self._called(label) for label in self._programs} if task.unseen_calls else set()

    def __contains__(self, pair: Pair) -> bool:
        if pair.goal in self._goals or pair.action in self._programs:
            return True
        return bool(self._calls) and self._called(pair.action) in self._calls

    def _called(self, program: str) -> tuple[str, ...]:
        return tuple(sorted(calls(self._task, program)))


def programs_of(task: Task) -> Sequence[str]:
    """Return the accepted programs of a task; none where it is judged otherwise."""
    labels: Sequence[str] = task.goal.get("labels", ()) if isinstance(task.goal, dict) else ()
    return labels


def _is_templated(task: SambaNovaTask) -> bool:
    return task.templates > 1 and not task.is_stepwise


def _solved(task: SambaNovaTask, avoided: _Avoided, split: Split) -> Iterator[Pair]:
    """Yield demonstrations of a split, then training tasks, if these have programs."""
    for source, pair in _sources(task):
        if split_of(task, pair, source) == split and pair not in avoided:
            yield pair


def _sources(task: SambaNovaTask) -> Iterator[tuple[str, Pair]]:
    for example in examples(task):
        for turn in turns(task, example):
            yield example.goal, Pair(*turn)
    tasks = make_env(task.env_id, {"split": "train"}).tasks
    for index in range(tasks.size or _MOST):
        each = tasks.at(index)
        programs = programs_of(each)
        if not programs:
            return
        yield each.query, Pair(each.query, programs[0])


def _once(pairs: Iterable[Pair]) -> Iterator[Pair]:
    seen: set[Pair] = set()
    for pair in pairs:
        if pair not in seen:
            seen.add(pair)
            yield pair


def _converted(task: SambaNovaTask, solved: Iterable[Pair]) -> list[Template]:
    names = code_names(documents(task).values())
    return [Template.of(pair, names, _FIXED) for pair in solved]


def _distinct(templates: Iterable[Template]) -> tuple[Template, ...]:
    found: dict[str, Template] = {}
    for template in templates:
        found.setdefault(str(template), template)
    return tuple(found.values())


def _filled(
    templates: Sequence[Template], pool: Pool, avoided: _Avoided, draw: random.Random
) -> Iterator[Pair]:
    made: set[Pair] = set()
    idle = 0
    while idle < _REFILLS:
        before = len(made)
        for template in templates:
            pair = pool.fill(template, draw)
            if pair not in made and pair not in avoided:
                made.add(pair)
                yield pair
        idle = idle + 1 if len(made) == before else 0


def complexity_after(task: SambaNovaTask, tests: TaskSource, programs: Sequence[str]) -> Complexity | None:
    """Return how far a task's tests are from some programs.

    None where the score is 0 by definition, or the tests have no programs, or there is nothing to compare.
    """
    labels = [programs_of(tests.at(index)) for index in range(tests.size or 0)]
    if not task.functions or not programs or not labels or not all(labels):
        return None
    return complexity(
        [calls(task, accepted[0]) for accepted in labels],
        [calls(task, program) for program in programs],
        task.functions,
    )

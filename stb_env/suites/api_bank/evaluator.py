"""Scores predictions for samples: whether a call is right, or what is wrong with it; ROUGE-L of replies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Literal

from stb_env.actions import bracketed
from stb_env.actions.python_text import NotDataError
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError
from stb_env.retrieval import NgramRetriever
from stb_env.runs.metrics.rouge import rouge_l
from stb_env.suites.api_bank.api_error import ArgumentsError
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.argument_origins import origins
from stb_env.suites.api_bank.corpus import LEVELS, Corpus
from stb_env.suites.api_bank.definition import API
from stb_env.suites.api_bank.formats.call_syntax import read_as_released, read_strictly
from stb_env.suites.api_bank.formats.dialogues import Dialogue, GoldCall, Utterance, recorded_ids
from stb_env.suites.api_bank.formats.predictions import Predictions, prediction_key
from stb_env.suites.api_bank.formats.samples import Sample, cut
from stb_env.suites.api_bank.metrics import Attempt, Score, error_type
from stb_env.suites.api_bank.retrieval_world import found_names
from stb_env.suites.api_bank.searcher import ToolSearcher, spaced
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.world import ApiBankWorld
from stb_env.tools import Status, ToolResult

Compat = Literal["original"]

_MOST_CALLS = 64


class Evaluator:
    """Scores what models wrote for the samples of some dialogues.

    By default a call is read without losing anything, several different calls at once are not right, earlier
    calls of the dialogue are played before it, and arguments that nobody gave decide nothing.
    ``compat="original"`` reads, casts, plays and compares as the released evaluator does (see
    `read_as_released`): each call of levels 1 and 2 is alone on fresh databases, while level 3 keeps one
    state for all dialogues.

    Args:
        corpora: The dialogues, one corpus a level.
        compat: ``"original"``, or None.

    Attributes:
        original: Whether it does as the released evaluator does.
        dialogues: The dialogues by level.
        samples: The samples, in order.
        descriptions: Documentation of the APIs by level and name.

    Raises:
        ConfigError: ``compat`` is unknown.

    Examples:
        >>> from stb_env.suites.api_bank.corpus import embedded_corpus
        >>> evaluator = Evaluator([embedded_corpus("Call")])
        >>> sample = evaluator.samples[0]
        >>> evaluator.score(sample, "[QueryStock(stock_code='BRKV', date='2023-03-22')]").right
        True
        >>> str(evaluator.score(sample, "It cost 42.").error)
        'No API Call'
    """

    def __init__(self, corpora: Iterable[Corpus], compat: Compat | None = None) -> None:
        if compat not in (None, "original"):
            raise ConfigError(f"compat must be None or 'original', got {compat!r}")
        self.original = compat == "original"
        chosen = {LEVELS[corpus.ability]: corpus for corpus in corpora}
        self.dialogues = {level: corpus.dialogues for level, corpus in chosen.items()}
        self.samples: list[Sample] = [each for corpus in chosen.values() for each in cut(corpus.dialogues)]
        self.descriptions: Mapping[int, Mapping[str, JsonMapping]] = {
            level: {name: api.entry for name, api in corpus.apis.apis.items()}
            for level, corpus in chosen.items()
        }
        self._worlds = {level: self._world(corpus) for level, corpus in chosen.items()}
        self._places = {
            dialogue.name: place for each in self.dialogues.values() for place, dialogue in enumerate(each)
        }
        self._origins = cache(lambda level, place: origins(self.dialogues[level][place]))
        self._before = cache(lambda level, place: _states(self.dialogues[level][place], self._worlds[level]))
        self._kept: State | None = None

    def place(self, sample: Sample) -> int:
        """Return the place of a sample's dialogue among those of its level."""
        return self._places[sample.dialogue]

    def evaluate(self, predictions: Predictions) -> list[Score]:
        """Score every sample, in order; those without a prediction count as not right."""
        self._kept = None
        keys = ((sample, prediction_key(sample, self.place(sample))) for sample in self.samples)
        return [self.score(sample, predictions.get(key)) for sample, key in keys]

    def score(self, sample: Sample, text: str | None) -> Score:
        """Score one sample.

        Args:
            sample: One of ``samples``.
            text: What the model wrote; None where it wrote nothing for it.
        """
        score = Score(sample.level, sample.dialogue, given=text is not None)
        target = sample.target
        if isinstance(target, Utterance):
            return replace(score, rouge=_rouge(text or "", target.text, sample.level))
        if text is None:
            return replace(score, right=False)
        attempt = self._attempt(sample, target, text)
        if attempt is None:
            return replace(score, right=True)
        return replace(score, right=False, error=error_type(attempt))

    def _attempt(self, sample: Sample, gold: GoldCall, text: str) -> Attempt | None:
        """Return what is known of a prediction that is not right, or None where it is right."""
        name, arguments, calls = self._read(text)
        facts: dict[str, bool] = {}
        if name == gold.name and (calls == 1 or self.original):
            right, facts = self._run(sample, gold, arguments)
            if right:
                return None
        return Attempt(
            sample.level,
            gold.name,
            name,
            calls,
            readable=_is_strict(text),
            is_search=gold.name == SEARCHER,
            was_found=name in _found(sample.history),
            **facts,
        )

    def _read(self, text: str) -> tuple[str, Mapping[str, object], int]:
        """Return the name and arguments of the first call, and how many different calls there are."""
        reading = bracketed.read(text, _MOST_CALLS)
        calls = reading.calls if reading is not None else []
        same = [call for call in calls if (call.name, call.arguments) == (calls[0].name, calls[0].arguments)]
        if self.original:
            found = read_as_released(text)
            return (*found, max(1, len(calls))) if found is not None else ("", {}, 0)
        if not calls:
            return "", {}, 0
        arguments = calls[0].arguments
        return calls[0].name, {} if isinstance(arguments, str) else arguments, len(calls) - len(same) + 1

    def _run(
        self, sample: Sample, gold: GoldCall, arguments: Mapping[str, object]
    ) -> tuple[bool, dict[str, bool]]:
        """Return whether a call is right, and the facts about its arguments and its result."""
        world = self._worlds[sample.level]
        if self.original and sample.level == 3 and gold.name == SEARCHER:
            arguments = {name: spaced(str(value)) for name, value in arguments.items()}
        tool = world.tools[gold.name]
        result, after = world.call(self._state(sample, world), tool, arguments)
        if sample.level == 3:
            self._kept = after
        loose = self._origins(sample.level, self.place(sample))[sample.call].loose
        right = world.matches(tool, world.envelope(tool, arguments, result), gold.result, loose)
        raised = bool(result.error) and result.status is not Status.INVALID_ARGUMENTS
        facts = argument_facts(world.apis.apis[gold.name], arguments, original=self.original)
        return right, {**facts, "raised": raised}

    def _state(self, sample: Sample, world: ApiBankWorld) -> State:
        if not self.original:
            return self._before(sample.level, self.place(sample))[sample.call]
        return self._kept if sample.level == 3 and self._kept is not None else world.fresh()

    def _world(self, corpus: Corpus) -> ApiBankWorld:
        retriever = NgramRetriever if self.original else None
        searcher = ToolSearcher(corpus.apis.entries, corpus.searches, retriever)
        compat: Literal["original"] | None = "original" if self.original else None
        return ApiBankWorld(corpus.apis, corpus.databases, searcher=searcher, compat=compat)


def argument_facts(api: API, arguments: Mapping[str, object], *, original: bool = False) -> dict[str, bool]:
    """Return whether arguments are a ``misfit`` for an API, or one is ``missing``.

    Examples:
        >>> from stb_env.suites.api_bank.api_set import LEVEL_12
        >>> argument_facts(LEVEL_12.apis["QueryStock"], {"stock_code": "BRKV", "day": "2023-03-22"})
        {'misfit': True, 'missing': True}
    """
    relaxed = replace(api, parameters=tuple(replace(each, optional=True) for each in api.parameters))
    misfit = False
    try:
        relaxed.cast(arguments, original=original)
    except ArgumentsError:
        misfit = True
    missing = any(
        not (each.optional or each.name in arguments or each.alias in arguments) for each in api.parameters
    )
    return {"misfit": misfit, "missing": missing}


def _states(dialogue: Dialogue, world: ApiBankWorld) -> list[State]:
    """Return the state before each call of a dialogue."""
    state = world.fresh(0, recorded_ids(dialogue.calls))
    states = []
    for call in dialogue.calls:
        states.append(state)
        if call.name != SEARCHER:
            state = world.call(state, world.tools[call.name], call.arguments)[1]
    return states


def _found(history: Sequence[Utterance | GoldCall]) -> set[str]:
    """Return the names of the APIs that the searches of a history found."""
    searches = (item for item in history if isinstance(item, GoldCall) and item.name == SEARCHER)
    return {
        name
        for call in searches
        for name in found_names(ToolResult.of(call.result["output"], source="world"))
    }


def _is_strict(text: str) -> bool:
    try:
        read_strictly(text)
    except NotDataError:
        return False
    return True


def _rouge(text: str, reference: str, level: int) -> float:
    """Return ROUGE-L as each level's evaluator has it: rounded in levels 1 and 2, cleaned of labels in 3."""
    if level != 3:
        return round(rouge_l(text, reference), 4)
    return rouge_l(text.replace("User:", "").replace("AI:", "").strip(), reference)

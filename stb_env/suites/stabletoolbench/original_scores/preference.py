"""SoWR exactly as StableToolBench's program computes it.

Kept as they are: a pass result counts only where it is the plain text of one status, which the table that
the same code writes never is; answers are shuffled and the statuses that go with them are not; votes that
the pass results decide are added again by every later run. `stb_env.judges.preference` and
`stb_env.runs.metrics.sowr` are the measure to use. The words of files are the original's.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from stb_env import seeding
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.request import Slow
from stb_env.errors import JudgeError
from stb_env.judges.evaluator import SOLVABLE
from stb_env.judges.pair_question import SELECT, read_choice
from stb_env.judges.readable import ReadableModel
from stb_env.models import ChatModel, ChatReply, ask
from stb_env.runs.metrics.sowr import Result, WinRate, win_rate
from stb_env.suites.stabletoolbench.original_scores.converted import (
    Entry,
    Steps,
    answer_status,
    steps_of,
    tool_names,
)
from stb_env.suites.stabletoolbench.original_scores.passrate import STATUSES
from stb_env.suites.stabletoolbench.original_scores.questions import Questions
from stb_env.verdict import VerdictStatus

COLUMNS = (
    "query",
    "available_tools",
    "ref_model_intermediate_steps",
    "ref_model_final_step",
    "output_model_intermediate_steps",
    "output_model_final_step",
    "preference_label",
    "query_id",
    "ref_model",
    "output_model",
)

_LABELS: Mapping[Result, str] = {"lose": "1", "win": "2", "tie": "3"}
_FINAL_ANSWER = 1_000
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two models.

    Attributes:
        name: Its name, as the result file has it.
        converted: Its converted answers, by query id.
        is_solved: Text of the column ``is_solved`` of its pass results, by query id.
    """

    name: str
    converted: Mapping[str, Entry]
    is_solved: Mapping[str, str]

    def status(self, task: str) -> VerdictStatus | None:
        """Return the pass result, where its text is that of one status."""
        return STATUSES.get(self.is_solved.get(task, ""))


@dataclass(frozen=True, slots=True)
class Preferences:
    """Result of a comparison, as the original writes it.

    Attributes:
        reference: The model that is compared with.
        output: The model that is rated.
        counts: The result file: rounds that each model won, and which rounds are complete, by query id.
    """

    reference: Side
    output: Side
    counts: Mapping[str, JsonMapping]

    @property
    def rate(self) -> WinRate:
        """Win, lose and tie rate over all queries in the file."""
        return win_rate([self.result(task) for task in self.counts])

    def result(self, task: str) -> Result:
        """Return what the output model got on a query."""
        return row_result(self.counts[task], self.reference.name, self.output.name)

    def to_csv(self) -> str:
        """Return the table beside the result file: tab-separated, CRLF; missing answers leave blanks."""
        text = io.StringIO()
        writer = csv.writer(text, delimiter="\t")
        writer.writerow(COLUMNS)
        for task in self.counts:
            writer.writerow(self._line(task))
        return text.getvalue()

    def _line(self, task: str) -> list[object]:
        sides = (self.reference, self.output)
        entries = [side.converted.get(task) for side in sides]
        query: Entry = next((entry for entry in entries if entry), {"query": "", "available_tools": []})
        steps = [steps_of(entry["answer"]) if entry else Steps() for entry in entries]
        told = [text for one in steps for text in (one.lines, one.final)]
        label = _LABELS[self.result(task)]
        return [query["query"], tool_names(query), *told, label, task, *(side.name for side in sides)]


def row_result(row: JsonMapping, reference: str, output: str) -> Result:
    """Return what the output model got on a query, from its row of a result file: equal counts are a tie.

    Examples:
        >>> row_result({"ref": 1, "mine": 2, "round_0": "complete"}, "ref", "mine")
        'win'
    """
    theirs, mine = row[reference], row[output]
    return "win" if mine > theirs else "lose" if mine < theirs else "tie"


def preferences(
    reference: Side,
    output: Side,
    test_ids: Iterable[str],
    evaluator: Questions,
    model: ChatModel,
    *,
    evaluate_times: int = 2,
    use_pass_rate: bool = True,
    existing: Mapping[str, Mapping[str, object]] | None = None,
    seed: int = 0,
) -> Slow[Preferences]:
    """Compare two models as the original does; what it leaves to chance follows from a seed.

    Args:
        reference: The model that is compared with.
        output: The model that is rated.
        test_ids: Ids of the group.
        evaluator: The official evaluator.
        model: Judges.
        evaluate_times: How many rounds each query gets.
        use_pass_rate: Whether known pass results are handed to the judge.
        existing: What the result file holds already.
        seed: Seed of the shuffling.

    Raises:
        InfrastructureError: No usable reply came.
    """
    counts: dict[str, JsonMapping] = dict(existing or {})
    for task in test_ids:
        counts[task] = yield from prefer_entry(
            (reference, output),
            task,
            evaluator,
            model,
            evaluate_times=evaluate_times,
            use_pass_rate=use_pass_rate,
            known=counts.get(task),
            seed=seed,
        )
    return Preferences(reference, output, counts)


def prefer_entry(
    sides: Sequence[Side],
    task: str,
    evaluator: Questions,
    model: ChatModel,
    *,
    evaluate_times: int,
    use_pass_rate: bool = True,
    known: Mapping[str, object] | None = None,
    seed: int = 0,
) -> Slow[dict[str, object]]:
    """Compare two models on one query, and return what the result file has for it.

    Args:
        sides: The reference and the output model.
        task: The query.
        evaluator: The official evaluator.
        model: Judges.
        evaluate_times: How many rounds the query gets.
        use_pass_rate: Whether known pass results are handed to the judge.
        known: What the result file has already.
        seed: Seed of the shuffling.

    Raises:
        InfrastructureError: No usable reply came.
    """
    counts: JsonObject = dict(known or {side.name: 0 for side in sides})
    for turn in range(evaluate_times):
        mark = f"round_{turn}"
        counts.setdefault(mark, "incomplete")
        settled = _settled(sides, task)
        if settled is not None:
            counts[sides[settled].name] += 1
        elif counts[mark] != "complete":
            statuses = [side.status(task) for side in sides] if use_pass_rate else [None, None]
            entries = [side.converted[task] for side in sides]
            rng = seeding.rng("original preference", seed, task, turn)
            preferred = yield from _Annotator(evaluator, model).prefer(entries, statuses, turn, rng)
            counts[sides[preferred].name] += 1
            counts[mark] = "complete"
    return counts


def _settled(sides: Sequence[Side], task: str) -> int | None:
    """Return the winner that pass results or a missing answer settle; such a round is never complete."""
    statuses = [side.status(task) for side in sides]
    if set(statuses) == {"solved", "unsolved"}:
        return statuses.index("solved")
    missing = [task not in side.converted for side in sides]
    return 1 - missing.index(True) if any(missing) else None


class _Annotator:
    """Prefers one of two answers, with the checks that come before a comparison."""

    def __init__(self, evaluator: Questions, model: ChatModel) -> None:
        self._evaluator, self._model = evaluator, model

    def prefer(
        self,
        entries: Sequence[Entry],
        statuses: Sequence[VerdictStatus | None],
        turn: int,
        rng: random.Random,
    ) -> Slow[int]:
        """Return the index of the preferred entry. The statuses stay in place when answers are shuffled."""
        order = [0, 1]
        rng.shuffle(order)
        query = entries[0]["query"]
        answers = [_prepared(entries[index]["answer"]) for index in order]
        known = [status for status in statuses if status is not None]
        if len(known) < len(answers):
            known = []
            for answer in answers:
                known.append((yield from answer_status(self._evaluator, self._model, query, answer, turn)))
        best = min(known, key=("solved", "unsure", "unsolved").index)
        if known.count(best) == 1:
            return order[known.index(best)]
        if best != "solved":
            yield from self._ask_solvable(entries[0], turn)
        if _content(answers[0]) == _content(answers[1]):
            return order[rng.randrange(2)]
        return order[(yield from self._select(query, answers, turn, rng))]

    def _ask_solvable(self, entry: Entry, turn: int) -> Slow[None]:
        """Ask whether the task can be solved; the original does so and does not use the answer."""
        tools = [
            {name: value for name, value in tool.items() if name not in ("description", "parameters")}
            for tool in entry["available_tools"]
        ]
        task = json.dumps({"query": entry["query"], "available_tools": tools})
        yield ask(self._model, replace(self._evaluator.request(SOLVABLE, task=task), index=turn))

    def _select(
        self, query: str, answers: Sequence[Mapping[str, object]], turn: int, rng: random.Random
    ) -> Slow[int]:
        first, second = (json.dumps(answer) for answer in answers)
        question = self._evaluator.request(SELECT, query=query, answer_0=first, answer_1=second)
        patient = ReadableModel(
            self._model, lambda reply: read_choice(reply) is not None, _ATTEMPTS, seeded=False
        )
        reply: ChatReply = yield ask(patient, replace(question, index=turn))
        choice = read_choice(reply)
        if choice is None:
            raise JudgeError(f"the reply of {self._model.name} holds no index")
        # The original tells its judge to pick at random where it cannot decide; ours may say that it cannot.
        return rng.randrange(2) if choice.outcome == "tie" else int(choice.outcome == "second")


def _prepared(answer: JsonMapping) -> dict[str, object]:
    kept = {name: value for name, value in answer.items() if name != "method"}
    return kept | {"final_answer": kept["final_answer"][:_FINAL_ANSWER]}


def _content(answer: Mapping[str, object]) -> tuple[object, object]:
    return answer["final_answer"], answer["answer_details"]

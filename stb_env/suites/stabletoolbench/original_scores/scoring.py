"""Scores whole groups as the original's programs do, and keeps their result files while it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from stb_env.errors import InfrastructureError
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.llm import ChatModel
from stb_env.request import Slow, drive
from stb_env.suites.stabletoolbench.original_scores.converted import Entry
from stb_env.suites.stabletoolbench.original_scores.passrate import (
    SolveRate,
    judge_entry,
    rated,
    to_judge,
)
from stb_env.suites.stabletoolbench.original_scores.preference import Preferences, Side, prefer_entry
from stb_env.suites.stabletoolbench.original_scores.questions import Questions
from stb_env.suites.stabletoolbench.original_scores.result_files import ResultFiles

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Scoring:
    """How groups are scored, and where the result files go.

    A query whose judge fails is left out of the file and told, so that running again completes it; the
    original ends there.

    Attributes:
        questions: What the judge is asked.
        model: Judges.
        out: Folder of the result files.
        evaluate_times: How often each answer, or pair of answers, is judged.
        overwrite: Whether pass rates that a result file holds are judged again.
        seed: Seed of what the comparison leaves to chance.
        concurrency: Queries judged at the same time.
        progress: Told after each query how many of how many are done.
    """

    questions: Questions
    model: ChatModel
    out: Path
    evaluate_times: int
    overwrite: bool = False
    seed: int = 0
    concurrency: int = 1
    progress: Progress | None = None

    def passes(
        self, name: str, group: str, converted: Mapping[str, Entry], ids: Sequence[str]
    ) -> tuple[SolveRate, Mapping[str, str]]:
        """Score a model's answers to a group (SoPR); returns the rate, and why queries have no result.

        Args:
            name: Name of the model in the files.
            group: Name of the group in the files.
            converted: Its answers.
            ids: Ids of the group.

        Raises:
            DataError: The result file cannot be read.
        """
        files = ResultFiles(self.out, f"{group}_{name}")
        results = files.read()
        todo = to_judge(converted, set(ids), results, overwrite=self.overwrite)
        failed: dict[str, str] = {}
        for task, found in self._each(todo, lambda task: self._pass(converted[task])):
            if isinstance(found, InfrastructureError):
                failed[task] = str(found)
                continue
            results[task] = found
            files.write(rated(results, self.evaluate_times).to_json())
        rate = rated(results, self.evaluate_times)
        files.write(rate.to_json())
        files.write_table(rate.to_csv(name))
        files.record(self._who("SoPR", group, name) | {"failed": len(failed)})
        return rate, failed

    def preferences(
        self, group: str, reference: Side, output: Side, ids: Sequence[str], *, use_pass_rate: bool
    ) -> tuple[Preferences, Mapping[str, str]]:
        """Compare two models' answers to a group (SoWR); returns what came, and why queries have no result.

        Args:
            group: Name of the group in the files.
            reference: The model that is compared with.
            output: The model that is rated.
            ids: Ids of the group.
            use_pass_rate: Whether known pass results are handed to the judge.

        Raises:
            DataError: The result file cannot be read.
        """
        files = ResultFiles(self.out, f"{group}_{reference.name}_{output.name}")
        counts = files.read()
        failed: dict[str, str] = {}
        fight = partial(self._preference, (reference, output), dict(counts), use_pass_rate)
        for task, found in self._each(ids, fight):
            if isinstance(found, InfrastructureError):
                failed[task] = str(found)
                continue
            counts[task] = found
            files.write(counts)
        preferred = Preferences(reference, output, counts)
        files.write(counts)
        files.write_table(preferred.to_csv())
        files.record(
            self._who("SoWR", group, output.name) | {"reference": reference.name, "failed": len(failed)}
        )
        return preferred, failed

    def _pass(self, entry: Entry) -> Slow[JsonObject]:
        return judge_entry(entry, self.questions, self.model, self.evaluate_times)

    def _preference(
        self, sides: Sequence[Side], known: Mapping[str, JsonMapping], use_pass_rate: bool, task: str
    ) -> Slow[JsonObject]:
        return prefer_entry(
            sides,
            task,
            self.questions,
            self.model,
            evaluate_times=self.evaluate_times,
            use_pass_rate=use_pass_rate,
            known=known.get(task),
            seed=self.seed,
        )

    def _each(
        self, tasks: Sequence[str], work: Callable[[str], Slow[JsonObject]]
    ) -> Iterator[tuple[str, JsonObject | InfrastructureError]]:
        def done(task: str) -> JsonObject | InfrastructureError:
            try:
                return drive(work(task))
            except InfrastructureError as error:
                return error

        with ThreadPoolExecutor(self.concurrency, thread_name_prefix="judge") as pool:
            try:
                for number, (task, found) in enumerate(zip(tasks, pool.map(done, tasks), strict=True), 1):
                    yield task, found
                    if self.progress is not None:
                        self.progress(number, len(tasks))
            finally:
                pool.shutdown(cancel_futures=True)

    def _who(self, metric: str, group: str, name: str) -> JsonObject:
        return {
            "metric": metric,
            "group": group,
            "model": name,
            "judge": self.model.name,
            "questions": self.questions.label,
            "fingerprint": self.questions.fingerprint,
            "evaluate_times": self.evaluate_times,
        }

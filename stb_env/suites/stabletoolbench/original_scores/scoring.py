"""Scores whole groups as the original's programs do, and keeps their result files while it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from stb_env.core.jsontypes import Json, JsonMapping, JsonObject
from stb_env.core.request import Slow, drive
from stb_env.errors import InfrastructureError
from stb_env.models import ChatModel
from stb_env.models.chat import digest
from stb_env.suites.stabletoolbench.original_scores.answer_sets import AnswerFile, AnswerSet
from stb_env.suites.stabletoolbench.original_scores.converted import Entry
from stb_env.suites.stabletoolbench.original_scores.passrate import judge_entry, rated, to_judge
from stb_env.suites.stabletoolbench.original_scores.preference import Preferences, Side, prefer_entry
from stb_env.suites.stabletoolbench.original_scores.questions import Questions
from stb_env.suites.stabletoolbench.original_scores.result_files import ResultFiles, read_provenance

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Judged:
    """Results for the answers of one group in one trial.

    Attributes:
        results: The result file: what it has of each query, by query id.
        failed: Why queries have no result, by query id.
        unanswered: How many results of a comparison stand because the rated player gave no answer.
        reference_unanswered: How many stand because the reference gave none.
    """

    results: Mapping[str, JsonMapping]
    failed: Mapping[str, str]
    unanswered: int = 0
    reference_unanswered: int = 0


@dataclass(frozen=True, slots=True)
class Scoring:
    """Settings of scoring groups, and the folder of the result files.

    Each row is bound to a hash of the answer that it scores and of the judge, which stands beside the
    official files: a row of another answer is judged anew, and so is one that was edited. A query whose judge
    fails is left out of the file and told, so that running again completes it; the original ends there.

    Attributes:
        questions: What the judge is asked.
        model: Judges.
        out: Folder of the result files.
        evaluate_times: How often each answer, or pair of answers, is judged.
        bound: Whether rows count only where their hash is known and no vote is missing, as under a protocol.
            Otherwise rows without a hash are kept, as by the original's program.
        overwrite: Whether pass rates that a result file holds are judged again.
        seed: Seed of what the comparison leaves to chance.
        concurrency: Queries judged at the same time.
        progress: Told after each query how many of how many are done.
    """

    questions: Questions
    model: ChatModel
    out: Path
    evaluate_times: int
    bound: bool = False
    overwrite: bool = False
    seed: int = 0
    concurrency: int = 1
    progress: Progress | None = None

    def passes(self, answers: AnswerSet, file: AnswerFile) -> Judged:
        """Judge a player's answers to a group (SoPR).

        Raises:
            DataError: The result file cannot be read.
        """
        who = self._who("SoPR", answers, file)
        hashes = {task: self._hash(entry) for task, entry in file.converted.items()}
        files, known = self._open(file, answers.name, who, hashes)
        results = {task: row for task, row in known.items() if not (self.bound and self._lacks_votes(row))}
        todo = to_judge(file.converted, set(file.ids), results, overwrite=self.overwrite)
        failed: dict[str, str] = {}
        for task, found in self._each(todo, lambda task: self._pass(file.converted[task])):
            if isinstance(found, InfrastructureError):
                failed[task] = str(found)
                continue
            results[task] = found
            files.write(rated(results, self.evaluate_times).to_json())
        rate = rated(results, self.evaluate_times)
        files.write(rate.to_json())
        files.write_table(rate.to_csv(answers.name))
        files.record(who | {"failed": len(failed)})
        return Judged(results, failed)

    def preferences(
        self,
        sides: Sequence[AnswerSet],
        files: Sequence[AnswerFile],
        rivals: Sequence[Side],
        *,
        statuses: bool,
    ) -> Judged:
        """Compare two players' answers to a group (SoWR).

        Args:
            sides: The reference, and who is rated.
            files: The answers of each.
            rivals: The same as the original's program takes them.
            statuses: Whether known pass results are handed to the judge.

        Raises:
            DataError: The result file cannot be read.
        """
        # A query that neither answered has no winner; the original gives it to the second.
        ids = [
            task
            for task in dict.fromkeys([*files[0].ids, *files[1].ids])
            if any(task in file.converted for file in files)
        ]
        who = self._who("SoWR", sides[1], files[1]) | {
            "reference": rivals[0].name,
            "against": sides[0].player,
        }
        who["identity"] = digest([one.identity for one in sides])
        hashes = {task: self._hash([file.converted.get(task) for file in files], statuses) for task in ids}
        name = f"{rivals[0].name}_{rivals[1].name}"
        kept, known = self._open(files[1], name, who, hashes)
        counts = {task: row for task, row in known.items() if not (self.bound and self._lacks_rounds(row))}
        done = set(counts) if self.bound else set()
        failed: dict[str, str] = {}
        fight = partial(self._preference, rivals, dict(counts), statuses)
        for task, found in self._each([task for task in ids if task not in done], fight):
            if isinstance(found, InfrastructureError):
                failed[task] = str(found)
                continue
            counts[task] = found
            kept.write(counts)
        kept.write(counts)
        kept.write_table(Preferences(rivals[0], rivals[1], counts).to_csv())
        theirs, mine = (sum(task not in file.converted for task in counts) for file in files)
        kept.record(who | {"failed": len(failed), "unanswered": mine, "reference_unanswered": theirs})
        return Judged(counts, failed, mine, theirs)

    def _open(
        self, file: AnswerFile, name: str, who: JsonObject, hashes: Mapping[str, str]
    ) -> tuple[ResultFiles, dict[str, JsonMapping]]:
        """Return the result files of a player, and those of their rows that are of these answers.

        Another player of the same name has files of its own.
        """
        files = ResultFiles(self.out / file.folder, f"{file.group}_{name}")
        before = read_provenance(files.folder).get(files.stem, {})
        if before.get("identity") and who["identity"] and before["identity"] != who["identity"]:
            files = ResultFiles(files.folder, f"{files.stem}-{who['identity'][:8]}")
            before = read_provenance(files.folder).get(files.stem, {})
        theirs, saved = before.get("hashes", {}), files.read()
        changed = files.changed(saved)
        known = {
            task: row
            for task, row in saved.items()
            if task not in changed
            and ((task in hashes and theirs.get(task) == hashes[task]) or not (self.bound or task in theirs))
        }
        # In this order, so that no row of another answer is ever beside the hash of this one.
        files.write(known)
        who["hashes"] = dict(hashes)
        files.record(who)
        return files, known

    def _lacks_votes(self, row: JsonMapping) -> bool:
        return any(str(run) not in row["is_solved"] for run in range(self.evaluate_times))

    def _lacks_rounds(self, row: Mapping[str, object]) -> bool:
        return any(row.get(f"round_{turn}") != "complete" for turn in range(self.evaluate_times))

    def _hash(self, *decides: Json) -> str:
        return digest([*decides, self.model.name, self.questions.fingerprint])

    def _pass(self, entry: Entry) -> Slow[dict[str, object]]:
        return judge_entry(entry, self.questions, self.model, self.evaluate_times)

    def _preference(
        self,
        rivals: Sequence[Side],
        known: Mapping[str, Mapping[str, object]],
        use_pass_rate: bool,
        task: str,
    ) -> Slow[dict[str, object]]:
        return prefer_entry(
            rivals,
            task,
            self.questions,
            self.model,
            evaluate_times=self.evaluate_times,
            use_pass_rate=use_pass_rate,
            known=known.get(task),
            seed=self.seed,
        )

    def _each(
        self, tasks: Sequence[str], work: Callable[[str], Slow[dict[str, object]]]
    ) -> Iterator[tuple[str, dict[str, object] | InfrastructureError]]:
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

    def _who(self, metric: str, answers: AnswerSet, file: AnswerFile) -> dict[str, object]:
        return {
            "metric": metric,
            "group": file.group,
            "model": answers.name,
            "player": answers.player,
            "identity": answers.identity,
            "played": list(answers.played),
            "planned": file.planned,
            "judge": self.model.name,
            "questions": self.questions.label,
            "fingerprint": self.questions.fingerprint,
            "evaluate_times": self.evaluate_times,
        }

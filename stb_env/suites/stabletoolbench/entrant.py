"""Our own rows for the published leaderboard: from saved runs, or from official result files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError, DataError
from stb_env.runs.metrics.sopr import average, sopr
from stb_env.runs.metrics.sowr import without_answers
from stb_env.runs.saved_player import player_of
from stb_env.runs.verdict_file import manifest_of, read_judged
from stb_env.suites.stabletoolbench.answers import read_json
from stb_env.suites.stabletoolbench.leaderboard import GroupFigures, Row, group_sizes
from stb_env.suites.stabletoolbench.original_scores.answer_sets import how_played
from stb_env.suites.stabletoolbench.original_scores.planned_scores import TrialRows, pass_score, win_score
from stb_env.suites.stabletoolbench.original_scores.result_files import (
    PROVENANCE,
    ResultFiles,
    read_provenance,
)
from stb_env.suites.stabletoolbench.queries import GROUPS
from stb_env.trajectory import Trajectory

# The judge that computes each metric; its name says the kind, the model and the wording.
_KINDS: Mapping[str, str] = {"SoPR": "pass", "SoWR": "preference", "FAC": "final_answer"}
_OWN_WORDS = re.compile(r"v\d+(?:\+v\d+)*")
_STEMS = {stem: group for group, stem in GROUPS.items()}


@dataclass(frozen=True, slots=True)
class Entrant:
    """A row of ours, in per cent.

    Attributes:
        name: Who played: the agent and its model, or the folder of answers that are no run.
        judge: Kind, model and wording of the judge, as runs name it; empty where nobody says who judged.
        rates: Rate of each group, among all planned queries.
        votes: How often each answer, or pair, was judged.
        against: The player that it is compared with; empty where it is not.
        remarks: What else is not as in the paper, one sentence each.
    """

    name: str
    judge: str
    rates: Mapping[str, GroupFigures]
    votes: int
    against: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def missing(self) -> list[str]:
        """Groups that it has no rate of."""
        return [group for group in group_sizes() if group not in self.rates]

    @property
    def unscored(self) -> int:
        """Planned episodes that have no result."""
        return sum(rate.unscored for rate in self.rates.values())

    @property
    def reference_unanswered(self) -> int:
        """Planned episodes that are won because the reference has no answer."""
        return sum(rate.reference_unanswered for rate in self.rates.values())

    @property
    def average(self) -> float | None:
        """Unweighted mean over the six groups; None where one of them is missing: it has no rank."""
        return None if self.missing else average(self.rates.values())[0]

    @property
    def average_std(self) -> float | None:
        """Mean of the groups' standard deviations over votes; None where there is no average, or no votes."""
        if self.missing or not any(rate.std for rate in self.rates.values()):
            return None
        return average(self.rates.values())[1]

    @property
    def shown(self) -> str:
        """Its name, what judged it where that is no model that was asked for a verdict, and what lacks."""
        known = not self.judge or self.judge.partition(":")[0] in _KINDS.values()
        name = self.name if known else f"{self.name} ({self.judge})"
        name = f"{name} (incomplete)" if self.unscored else name
        return f"{name} (reference incomplete)" if self.reference_unanswered else name

    def foreign(self, metric: str) -> bool:
        """Return whether what judged is no judge of the metric: a heuristic, a verifier, your own."""
        return bool(self.judge) and self.judge.partition(":")[0] != _KINDS[metric]

    def departures(self, row: Row) -> list[str]:
        """Return in what it was not made as a published row of its table, one sentence each."""
        sizes = group_sizes()
        found = list(self._judging(row))
        if self.votes != row.votes:
            found.append(f"times each was judged: {self.votes}, not {row.votes}")
        if self.missing:
            found.append(f"no average of six groups: {', '.join(self.missing)} missing")
        for group, rate in self.rates.items():
            if rate.queries != sizes[group]:
                found.append(f"{group}: {rate.queries} of {sizes[group]} queries")
            if rate.trials > 1:
                found.append(f"{group}: each query played {rate.trials} times, not once")
            planned = rate.queries * rate.trials
            if rate.unscored:
                found.append(f"{group}: incomplete, {rate.unscored} of {planned} planned have no result")
            lacking = without_answers((self.name, 0), (self.against, rate.reference_unanswered), planned)
            found += [f"{group}: the reference {name} is incomplete, {text}" for name, text in lacking]
        if self.against:
            found.append(f"against {self.against}")
        return found + list(self.remarks)

    def _judging(self, row: Row) -> Iterator[str]:
        if not self.judge:
            yield "the files do not say who judged"
            return
        kind, _, rest = self.judge.partition(":")
        if kind != _KINDS[row.metric]:
            yield f"judged by {self.judge}, whose numbers do not compare with the paper's"
            return
        model, _, words = rest.rpartition(":")
        if _OWN_WORDS.fullmatch(words) or words == "own prompts":
            yield "the judge has our own prompts, not the official evaluator's"
        if model != row.evaluator:
            yield f"judged by {model}, not {row.evaluator or 'the unnamed model of the page'}"

    def to_dict(self, row: Row) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "name": self.name,
            "judge": self.judge,
            "groups": {group: rate.mean for group, rate in self.rates.items()},
            "stds": {group: rate.std for group, rate in self.rates.items()},
            "queries": {group: rate.queries for group, rate in self.rates.items()},
            "trials": {group: rate.trials for group, rate in self.rates.items()},
            "unscored": {group: rate.unscored for group, rate in self.rates.items()},
            "complete": not self.unscored,
            "reference_without_answer": {
                group: rate.reference_unanswered for group, rate in self.rates.items()
            },
            "reference_complete": not self.reference_unanswered,
            "ranked": not self.missing,
            "average": self.average,
            "average_std": self.average_std,
            "departures": self.departures(row),
        }


def read_entrants(places: Iterable[Path], metric: str, judge: str | None = None) -> list[Entrant]:
    """Read the rows that runs and official result files make; runs of one player and judge are one row.

    Args:
        places: Folders of runs, of an evaluation, or of result files; their folders are searched too.
        metric: SoPR, SoWR or FAC.
        judge: Name of the judge whose verdicts count; each run's own one without it.

    Raises:
        ConfigError: A group of one player and judge is there twice.
        DataError: A folder has nothing of the metric, or cannot be read.
    """
    merged: dict[tuple[str, str, str], Entrant] = {}
    for place in places:
        found = [*_of_runs(place, metric, judge), *_of_files(place, metric)]
        if not found:
            raise DataError(
                f"{place} has no {metric} of any of the six groups; judge it with `stb-env judge` first"
            )
        for one in found:
            key = one.name, one.judge, one.against
            merged[key] = _merged(merged[key], one) if key in merged else one
    return list(merged.values())


def _merged(one: Entrant, other: Entrant) -> Entrant:
    twice = sorted(one.rates.keys() & other.rates.keys())
    if twice:
        raise ConfigError(f"{one.name} has {twice[0]} twice; report its runs one by one")
    remarks = tuple(dict.fromkeys([*one.remarks, *other.remarks]))
    return replace(one, rates={**one.rates, **other.rates}, remarks=remarks)


# -- runs ----------------------------------------------------------------------------------------------


def _of_runs(place: Path, metric: str, judge: str | None) -> Iterator[Entrant]:
    for file in sorted(place.rglob("trajectories.jsonl")):
        folder = file.parent
        found = _comparisons(folder) if metric == "SoWR" else _passes(folder, metric, judge)
        yield from (one for one in found if one.rates)


def _passes(folder: Path, metric: str, judge: str | None) -> Iterator[Entrant]:
    manifest, who = manifest_of(folder), player_of(folder)
    name = judge or str(manifest.get("judge") or "")
    # A run that no judge of final answers has judged has no such rate, whatever else it has.
    if metric == "FAC" and not name.startswith(_KINDS[metric]):
        return
    episodes = read_judged(folder, name)
    trials = _trials(episodes)
    rates, votes = {}, 0
    for group, rate in sopr(episodes, planned=who.planned).groups.items():
        if group in GROUPS and rate.valid:
            size = rate.planned // trials
            rates[group] = GroupFigures(100 * rate.mean, 100 * rate.std, size, trials, rate.invalid)
            votes = max(votes, len(rate.scores))
    yield Entrant(who.name, name, rates, votes, remarks=how_played(manifest))


def _trials(episodes: Sequence[Trajectory]) -> int:
    return 1 + max((episode.trial for episode in episodes), default=0)


def _comparisons(folder: Path) -> Iterator[Entrant]:
    manifest = manifest_of(folder)
    for file in sorted(folder.glob("summary-*-against-*.json")):
        summary = read_json(file)
        if "reference_without_answer" not in summary:
            raise DataError(f"{file} does not say which answers are missing; compare the two runs again")
        mine, theirs = summary["without_answer"], summary["reference_without_answer"]
        # A run is of one group, and the answers that are missing are of it.
        rates = {
            group: GroupFigures(
                100 * rate["win"],
                0.0,
                rate["queries"],
                unscored=rate["undecided"] + mine,
                reference_unanswered=theirs,
            )
            for group, rate in summary["groups"].items()
            if group in GROUPS and rate["queries"] > rate["undecided"]
        }
        remarks = [f"verdicts of {summary['verdicts']} go first"]
        if summary["settings"].get("order") != "random":
            remarks.append("each pair was asked in both orders, not once in a random one")
        who = player_of(folder).name, summary["judge"]
        counts = summary["comparisons"], summary["reference"]
        yield Entrant(*who, rates, *counts, (*remarks, *how_played(manifest)))


# -- official result files -----------------------------------------------------------------------------


@dataclass(slots=True)
class _Found:
    """Files of one model, or of a pair, read so far."""

    name: str
    judge: str = ""
    votes: int = 0
    against: str = ""
    remarks: tuple[str, ...] = ()
    trials: dict[str, list[TrialRows]] = field(default_factory=dict)
    sides: tuple[str, str] = ("", "")


def _of_files(place: Path, metric: str) -> Iterator[Entrant]:
    found: dict[tuple[str, Path], _Found] = {}
    for file in sorted(place.rglob("*.json")):
        stem = next((stem for stem in _STEMS if file.stem.startswith(f"{stem}_")), None)
        if stem is None or file.name == PROVENANCE:
            continue
        results = read_json(file)
        who = read_provenance(file.parent).get(file.stem, {})
        if not isinstance(results, dict) or (who.get("metric") or _metric_of(results)) != metric:
            continue
        ResultFiles(file.parent, file.stem).check(results)
        folder = file.parent.parent if file.parent.name.startswith("trial_") else file.parent
        try:
            one = _described(file, stem, results, who, metric)
            known = found.setdefault((one.name, folder), one)
            known.votes = max(known.votes, one.votes)
            lacking = (int(who.get(name) or 0) for name in ("unanswered", "reference_unanswered"))
            rows = TrialRows(results, int(who.get("planned") or len(results)), *lacking)
            known.trials.setdefault(_STEMS[stem], []).append(rows)
        except (KeyError, TypeError, AttributeError, StopIteration) as error:
            raise DataError(f"{file} is no whole result file: {error!r}") from error
    for one in found.values():
        try:
            found_rates = {group: _figures(one, trials, metric) for group, trials in one.trials.items()}
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(f"the result files of {one.name} in {place} are not whole: {error!r}") from error
        # A group of which nothing has a result has no rate.
        rates = {group: rate for group, rate in found_rates.items() if rate is not None}
        if rates:
            yield Entrant(f"{one.name} (files)", one.judge, rates, one.votes, one.against, one.remarks)


def _described(file: Path, stem: str, results: JsonMapping, who: JsonMapping, metric: str) -> _Found:
    name = str(who.get("player") or file.stem.removeprefix(f"{stem}_"))
    found = _Found(name, remarks=("as the original computes it", "how it was played the files do not say"))
    if who:
        found.judge = f"{_KINDS[metric]}:{who['judge']}:{who['questions']}"
        found.votes = int(who.get("evaluate_times") or 0)
        found.against = str(who.get("against") or "")
        found.remarks = tuple(who.get("played", found.remarks))
    first: JsonMapping = next(iter(results.values()), {})
    if metric == "SoPR":
        found.votes = found.votes or max(len(entry["is_solved"]) for entry in results.values())
        return found
    # The reference stands first in each entry.
    names = [name for name in first if not name.startswith("round_")]
    reference = str(who.get("reference") or names[0])
    output = next((name for name in names if name != reference), "")
    found.sides = (reference, output)
    found.votes = found.votes or len(first) - len(names)
    return found


def _metric_of(results: Mapping[str, object]) -> str:
    first = next(iter(results.values()), None)
    if not isinstance(first, dict):
        return ""
    # ToolLLM's own files have a single status in that place, and another measure.
    return "SoPR" if isinstance(first.get("is_solved"), dict) else "SoWR" if "round_0" in first else ""


def _figures(one: _Found, trials: Sequence[TrialRows], metric: str) -> GroupFigures | None:
    if not any(trial.rows for trial in trials):
        return None
    if metric == "SoPR":
        score = pass_score(trials, one.votes)
        size = (score.queries, score.trials, score.rate.invalid)
        return GroupFigures(100 * score.rate.mean, 100 * score.rate.std, *size)
    won = win_score(trials, *one.sides)
    lacking = won.lacking, won.reference_unanswered
    return GroupFigures(100 * won.rate.win, 0.0, won.queries, won.trials, *lacking)

"""Our own rows for the published leaderboard: from saved runs, or from official result files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from stb_env.errors import ConfigError, DataError
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.metrics.sopr import GroupRate, average, sopr
from stb_env.metrics.sowr import win_rate
from stb_env.rollout.verdict_file import manifest_of, read_judged
from stb_env.suites.stabletoolbench.answers import read_json
from stb_env.suites.stabletoolbench.leaderboard import Row, group_sizes
from stb_env.suites.stabletoolbench.original_scores.passrate import rated
from stb_env.suites.stabletoolbench.original_scores.result_files import PROVENANCE, read_provenance
from stb_env.suites.stabletoolbench.queries import GROUPS

# The judge that computes each metric; its name says the kind, the model and the wording.
_KINDS: Mapping[str, str] = {"SoPR": "pass", "SoWR": "preference", "FAC": "final_answer"}
_OWN_WORDS = re.compile(r"v\d+(?:\+v\d+)*")
_STEMS = {stem: group for group, stem in GROUPS.items()}


@dataclass(frozen=True, slots=True)
class Entrant:
    """A row of ours, in per cent.

    Attributes:
        name: Who played: the agent and its model, or the folder of the answers.
        judge: Kind, model and wording of the judge, as runs name it; empty where nobody says who judged.
        rates: Rate of each group; ``valid`` is the number of its queries.
        votes: How often each answer, or pair, was judged.
        remarks: What else is not as in the paper, one sentence each.
    """

    name: str
    judge: str
    rates: Mapping[str, GroupRate]
    votes: int
    remarks: tuple[str, ...] = ()

    @property
    def average(self) -> float:
        """Unweighted mean over the groups that there are."""
        return average(self.rates.values())[0]

    @property
    def average_std(self) -> float | None:
        """Mean of the groups' standard deviations over votes; None where there are no votes to differ."""
        voted = any(rate.scores for rate in self.rates.values())
        return average(self.rates.values())[1] if voted else None

    @property
    def shown(self) -> str:
        """Its name, and what judged it where that is no model that was asked for a verdict."""
        known = not self.judge or self.judge.partition(":")[0] in _KINDS.values()
        return self.name if known else f"{self.name} ({self.judge})"

    def foreign(self, metric: str) -> bool:
        """Return whether what judged is no judge of the metric: a heuristic, a verifier, your own."""
        return bool(self.judge) and self.judge.partition(":")[0] != _KINDS[metric]

    def departures(self, row: Row) -> list[str]:
        """Return in what it was not made as a published row of its table, one sentence each."""
        sizes = group_sizes()
        found = list(self._judging(row))
        if self.votes != row.votes:
            found.append(f"times each was judged: {self.votes}, not {row.votes}")
        missing = [group for group in sizes if group not in self.rates]
        if missing:
            found.append(f"no average of six groups: {', '.join(missing)} missing")
        for group, rate in self.rates.items():
            if rate.valid != sizes[group]:
                found.append(f"{group}: {rate.valid} of {sizes[group]} queries")
            if rate.invalid:
                found.append(f"{group}: {rate.invalid} invalid, left out")
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

    def to_dict(self, row: Row) -> JsonObject:
        """Return it as plain data."""
        return {
            "name": self.name,
            "judge": self.judge,
            "groups": {group: rate.mean for group, rate in self.rates.items()},
            "stds": {group: rate.std for group, rate in self.rates.items()},
            "queries": {group: rate.valid for group, rate in self.rates.items()},
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
    merged: dict[tuple[str, str], Entrant] = {}
    for place in places:
        found = [*_of_runs(place, metric, judge), *_of_files(place, metric)]
        if not found:
            raise DataError(
                f"{place} has no {metric} of any of the six groups; judge it with `stb-env judge` first"
            )
        for one in found:
            key = one.name, one.judge
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
    manifest = manifest_of(folder)
    name = judge or str(manifest.get("judge") or "")
    # A run that no judge of final answers has judged has no such rate, whatever else it has.
    if metric == "FAC" and not name.startswith(_KINDS[metric]):
        return
    figures = sopr(read_judged(folder, name)).groups
    rates = {group: _percent(rate) for group, rate in figures.items() if group in GROUPS and rate.valid}
    votes = max((len(rate.scores) for rate in rates.values()), default=0)
    yield Entrant(_player(folder, manifest), name, rates, votes, tuple(_played(manifest)))


def _comparisons(folder: Path) -> Iterator[Entrant]:
    manifest = manifest_of(folder)
    for file in sorted(folder.glob("summary-*-against-*.json")):
        summary = read_json(file)
        rates = {
            group: GroupRate(rate["queries"], 0, (), 100 * rate["win"], 0.0, (0.0, 0.0))
            for group, rate in summary["groups"].items()
            if group in GROUPS and rate["queries"]
        }
        remarks = [f"against {summary['reference']}", f"verdicts of {summary['verdicts']} go first"]
        if summary["settings"].get("order") != "random":
            remarks.append("each pair was asked in both orders, not once in a random one")
        remarks += [
            f"{summary[why]} queries {why}, left out" for why in ("invalid", "undecided") if summary[why]
        ]
        name = _player(folder, manifest)
        yield Entrant(name, summary["judge"], rates, summary["comparisons"], (*remarks, *_played(manifest)))


def _percent(rate: GroupRate) -> GroupRate:
    return replace(rate, mean=100 * rate.mean, std=100 * rate.std)


def _player(folder: Path, manifest: JsonMapping) -> str:
    agent = manifest.get("agent")
    if not agent:
        return folder.resolve().name
    model = (manifest.get("agent_settings") or {}).get("model")
    model = model.get("model") if isinstance(model, dict) else model
    return f"{agent} {model}" if model else str(agent)


def _played(manifest: JsonMapping) -> Iterator[str]:
    protocol = manifest.get("protocol")
    if isinstance(protocol, dict):
        yield from protocol.get("departures", ())
    else:
        yield "played without a protocol: its depth, prompts and observations are not the paper's"


# -- official result files -----------------------------------------------------------------------------


@dataclass(slots=True)
class _Found:
    """What the files of one model, or of a pair, hold so far."""

    judge: str = ""
    votes: int = 0
    rates: dict[str, GroupRate] = field(default_factory=dict)


def _of_files(place: Path, metric: str) -> Iterator[Entrant]:
    found: dict[str, _Found] = {}
    for file in sorted(place.rglob("*.json")):
        stem = next((stem for stem in _STEMS if file.stem.startswith(f"{stem}_")), None)
        if stem is None or file.name == PROVENANCE:
            continue
        results = read_json(file)
        if not isinstance(results, dict) or _metric_of(results) != metric:
            continue
        who = read_provenance(file.parent).get(file.stem, {})
        one = found.setdefault(file.stem.removeprefix(f"{stem}_"), _Found())
        one.judge = f"{_KINDS[metric]}:{who['judge']}:{who['questions']}" if who else one.judge
        try:
            rate, one.votes = _pass_file(results) if metric == "SoPR" else _preference_file(results, who)
        except (KeyError, TypeError, AttributeError, StopIteration) as error:
            raise DataError(f"{file} is no whole result file: {error!r}") from error
        one.rates[_STEMS[stem]] = rate
    for name, one in found.items():
        remarks = ["as the original computes it", "how it was played the files do not say"]
        yield Entrant(f"{name} (files)", one.judge, one.rates, one.votes, tuple(remarks))


def _metric_of(results: JsonMapping) -> str:
    first = next(iter(results.values()), None)
    if not isinstance(first, dict):
        return ""
    # ToolLLM's own files have a single status in that place, and another measure.
    return "SoPR" if isinstance(first.get("is_solved"), dict) else "SoWR" if "round_0" in first else ""


def _pass_file(results: JsonMapping) -> tuple[GroupRate, int]:
    votes = max(len(entry["is_solved"]) for entry in results.values())
    rate = rated(results, votes)
    return GroupRate(len(results), 0, rate.scores, rate.solve_rate, rate.std, (0.0, 0.0)), votes


def _preference_file(results: JsonMapping, who: JsonMapping) -> tuple[GroupRate, int]:
    """Count the wins of the second model: the reference stands first in each entry."""
    first = next(iter(results.values()))
    names = [name for name in first if not name.startswith("round_")]
    reference = who.get("reference", names[0])
    output = next(name for name in names if name != reference)
    won = [entry[output] - entry[reference] for entry in results.values()]
    rate = win_rate(["win" if more > 0 else "lose" if more < 0 else "tie" for more in won])
    return GroupRate(rate.queries, 0, (), 100 * rate.win, 0.0, (0.0, 0.0)), len(first) - len(names)

"""Records for training out of the episodes of runs: which are kept, what they become, and their folder."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Annotated

import typer
from typing_extensions import Doc

from stb_env.core.files import make_folder
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.formats.branches import played_branch
from stb_env.formats.data_card import Contents, card
from stb_env.formats.duplicates import Duplicates, Kind
from stb_env.formats.engine_tokens import has_tokens
from stb_env.formats.preferences import Pair, branch_pairs, labelled, preference, verdict_pairs
from stb_env.formats.record_file import Container, write_records
from stb_env.formats.rl import rl_records
from stb_env.formats.selection import Selection
from stb_env.formats.sft import sft_lines
from stb_env.formats.split import Split
from stb_env.formats.surrogates import replaced
from stb_env.formats.template_messages import ArgumentsError
from stb_env.runs.groups.advantages import ESTIMATORS
from stb_env.runs.judging.winners import winners
from stb_env.runs.verdict_file import iter_judged, manifest_of
from stb_env.saved_episodes import iter_trajectories
from stb_env.trajectory import Key, Trajectory

CARD = "README.md"


@dataclass(slots=True)
class Kept:
    """The episodes of runs that are kept; read from disk each time, with one in memory.

    Attributes:
        folders: The runs.
        judge: Whose verdicts count; those of each run's own judge where None.
        selection: Which episodes are kept.
        duplicates: Which of these count as seen before.
        read: How many episodes there were when they were last read.
        left_out: Why others were left out, when they were last read; ``repeated`` are further lines of an
            episode, of which its run has one.
    """

    folders: Sequence[Path]
    judge: str | None
    selection: Selection
    duplicates: Kind = "none"
    read: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    def __iter__(self) -> Iterator[Trajectory]:
        return (episode for _, episode in self.by_run())

    def by_run(self) -> Iterator[tuple[int, Trajectory]]:
        """Yield each episode with the number of its run."""
        self.read, self.left_out = 0, Counter()
        seen = Duplicates(self.duplicates)
        for number, folder in enumerate(self.folders):
            known: set[tuple[str, Key]] = set()
            for episode in iter_judged(folder, self.judge):
                self.read += 1
                key = episode.suite, episode.key
                repeated = "repeated" if key in known else None
                known.add(key)
                if reason := repeated or self.selection.reason(episode) or seen.reason(episode):
                    self.left_out[reason] += 1
                else:
                    yield number, episode

    def nothing_left(self, left_out: Mapping[str, int], needs: str = "") -> ConfigError:
        """Return the error that nothing can be written, with what left out how many.

        Args:
            left_out: How many were left out, by reason.
            needs: What a record needs that the episodes which were kept do not have.
        """
        if not self.read:
            return ConfigError("the runs hold no episode, nothing was written; play them first")
        reasons = [f"{n} {_named(reason, self)}" for reason, n in sorted(left_out.items()) if n]
        told = f", left out: {', '.join(reasons)}" if reasons else ""
        chosen = self.read > sum(self.left_out.values())
        what = needs if needs and chosen else "select less strictly"
        return ConfigError(f"{self.read} episodes make no record, nothing was written{told}; {what}")


_OPTIONS = {
    "suite": "--suite",
    "group": "--group",
    "length": "--min-steps, --max-steps, --max-characters",
    "simulated": "--max-simulated",
    "duplicate": "--dedupe",
    "near_duplicate": "--dedupe",
}


def _named(reason: str, kept: Kept) -> str:
    by = f"--only {kept.selection.only}" if reason in ("invalid", "not_solved") else _OPTIONS.get(reason)
    name = reason.replace("_", " ")
    return f"{name} ({by})" if by else name


def check_names(folders: Sequence[Path], selection: Selection) -> None:
    """Refuse suites and groups of which the runs hold no episode; reads until each was met.

    Raises:
        ConfigError: One is in no run.
        DataError: A run cannot be read.
    """
    asked = {"suite": selection.suites, "group": selection.groups}
    missing = {(what, name) for what, names in asked.items() for name in names}
    met: set[tuple[str, str]] = set()
    for folder in folders if missing else ():
        for episode in iter_trajectories(folder):
            met |= {("suite", episode.suite), ("group", episode.group)}
            if missing <= met:
                return
    for what, name in sorted(missing - met):
        known = sorted(other for kind, other in met if kind == what and other)
        expected = f"expected one of {', '.join(known)}" if known else "they name none"
        raise ConfigError(
            f"no episode of {what} {name!r} in the runs; {expected}.{did_you_mean(name, known)}"
        )


@dataclass(frozen=True, slots=True)
class Making:
    """Settings that turn episodes into records: options of `stb-env export`.

    Attributes:
        branches: sft: every branch of a search; preferences: pairs of branches.
        against: preferences: pairs of each run with this one, as a judge preferred.
        first_turn: preferences: the reply alone in which two episodes part.
        advantage: rl: the estimator of advantages.
    """

    branches: Annotated[
        bool,
        Doc("sft: every branch of a search, failed ones too. preferences: solved against failed branches."),
    ] = False
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            metavar="REF",
            help="preferences: pairs with this run, as `stb-env judge RUN --against REF` preferred.",
        ),
    ] = None
    first_turn: Annotated[bool, Doc("preferences: only the reply in which two episodes part.")] = False
    advantage: Annotated[str, Doc(f"rl: {', '.join(ESTIMATORS)}.")] = "dr_grpo"


Records = Callable[[Kept, Making, Contents], Iterator[JsonMapping]]


def _trajectories(kept: Kept, how: Making, contents: Contents) -> Iterator[Mapping[str, object]]:
    del how
    for episode in kept:
        contents.add(episode)
        yield episode.to_dict()


def _sft(kept: Kept, how: Making, contents: Contents) -> Iterator[Mapping[str, object]]:
    refused = ""
    for _, episode in kept.by_run():
        try:
            lines = list(sft_lines(episode, every_branch=how.branches))
        except ArgumentsError:
            contents.left_out["broken_arguments"] += 1
            continue
        except DataError as error:
            refused = refused or _refused(episode, error)
            contents.left_out["broken_tokens"] += 1
            continue
        contents.add(episode)
        yield from lines
    if refused and not contents.episodes:
        raise DataError(f"no episode has tokens that fit together; {refused}")


def _rl(kept: Kept, how: Making, contents: Contents) -> Iterator[Mapping[str, object]]:
    advantages = _advantages(kept, how.advantage)
    refused = ""
    for run, episode in kept.by_run():
        try:
            records = list(rl_records(episode, advantages[run, episode.key]))
        except DataError as error:
            refused = refused or _refused(episode, error)
            given = has_tokens(played_branch(episode).steps)
            contents.left_out["broken_tokens" if given else "without_tokens"] += 1
            continue
        contents.add(episode)
        contents.in_parts += len(records) > 1
        yield from records
    if refused and not contents.episodes:
        raise DataError(f"no episode has the tokens of every step; {refused}")


def _refused(episode: Trajectory, error: DataError) -> str:
    return f"episode {episode.task_id}, trial {episode.trial}: {error}"


def _advantages(kept: Kept, estimator: str) -> Mapping[tuple[int, Key], float]:
    groups: dict[tuple[int, str, str], list[tuple[Key, float]]] = defaultdict(list)
    for run, episode in kept.by_run():
        groups[run, episode.suite, episode.task_id].append((episode.key, episode.reward))
    found = {}
    for (run, *_), trials in groups.items():
        rewards = ESTIMATORS[estimator]([reward for _, reward in trials])
        for (key, _), advantage in zip(trials, rewards, strict=True):
            found[run, key] = 0.0 if advantage is None else advantage
    return found


def _preferences(kept: Kept, how: Making, contents: Contents) -> Iterator[Mapping[str, object]]:
    source = _source(how)
    last: Trajectory | None = None
    for pair in _pairs(kept, how):
        try:
            record = preference(pair, source, first_turn=how.first_turn)
        except ArgumentsError:
            contents.left_out["broken_arguments"] += 1
            continue
        if record is None:
            contents.left_out["alike"] += 1
            continue
        # A search's pairs follow each other, and share the episode that they are of.
        for episode in pair[:1] if how.branches else pair:
            if not (how.branches and last is not None and last.key == episode.key):
                contents.add(episode)
        last = pair[0]
        yield record


def _source(how: Making) -> str:
    return "sowr" if how.against else "branches" if how.branches else "verdicts"


def _needs(how: Making) -> str:
    return {
        "verdicts": "a pair needs a solved and an unsolved trial of one task: play more trials (--trials, or "
        "stb-env groups), or export runs of several agents together",
        "branches": "a pair needs a search that solved its task, with a failed branch beside",
        "sowr": "a pair needs an episode that the judge preferred to that of the other run",
    }[_source(how)]


def _kto(kept: Kept, how: Making, contents: Contents) -> Iterator[JsonMapping]:
    del how
    for episode in kept:
        try:
            record = labelled(episode)
        except ArgumentsError:
            contents.left_out["broken_arguments"] += 1
            continue
        if record is None:
            contents.left_out["no_label"] += 1
            continue
        contents.add(episode)
        yield record


def _pairs(kept: Kept, how: Making) -> Iterator[Pair]:
    if how.against is not None:
        for folder in kept.folders:
            for pair in winners(folder, how.against, kept.judge):
                reasons = [reason for reason in map(kept.selection.reason, pair) if reason]
                kept.read += 2
                kept.left_out.update(reasons)
                if not reasons:
                    yield pair
    elif how.branches:
        for episode in kept:
            yield from branch_pairs(episode)
    else:
        yield from verdict_pairs(kept)


RECORDS: Mapping[str, tuple[str, Container, Records]] = {
    "sft": ("sft", "jsonl", _sft),
    "preferences": ("preferences", "jsonl", _preferences),
    "kto": ("kto", "jsonl", _kto),
    "rl": ("rl", "jsonl", _rl),
    "jsonl": ("trajectories", "jsonl", _trajectories),
    "parquet": ("trajectories", "parquet", _trajectories),
    "datasets": ("trajectories", "datasets", _trajectories),
}
"""What the records of a format are, what holds them unless said otherwise, and what makes them."""


def export_records(
    format: str,
    kept: Kept,
    how: Making,
    out: Path,
    *,
    into: Container | None = None,
    split: Split | None = None,
    settings: Mapping[str, object],
) -> dict[str, object]:
    """Write records with their data card, all or nothing, and return what was written.

    Args:
        format: A key of `RECORDS`.
        kept: The episodes.
        how: How records are made of them.
        out: A folder, or one file where its name ends as the container's files do.
        into: What holds the records.
        split: Parts by task; one part without it.
        settings: What the card tells about the selection.

    Raises:
        ConfigError: There is no record, or a file of other content is in the way; nothing was written.
        DataError: A run cannot be read, or no episode has what the format needs.
    """
    kind, usual, make = RECORDS[format]
    into = into or usual
    contents = Contents()
    single = split is None and into != "datasets" and out.suffix == f".{into}"
    folder, stem = (out.parent, out.stem) if single else (out, kind)
    make_folder(folder.parent)
    draft = Path(mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        named = (
            (split.part(record["suite"], record["task_id"]) if split else stem, record)
            for record in make(kept, how, contents)
        )
        parts = write_records(named, draft, kind, into)
        contents.left_out += kept.left_out
        if not parts:
            raise kept.nothing_left(contents.left_out, _needs(how) if kind == "preferences" else "")
        runs = [_origin(each) for each in kept.folders]
        text, _ = replaced(card(kind, into, contents, parts, settings, runs))
        (draft / (f"{stem}.card.md" if single else CARD)).write_text(text, encoding="utf-8", newline="\n")
        files = _place(draft, folder, into)
    finally:
        rmtree(draft, ignore_errors=True)
    return {
        "kind": kind,
        "container": into,
        "episodes": kept.read,
        "exported": contents.episodes,
        "records": sum(part.rows for part in parts.values()),
        "in_parts": contents.in_parts,
        "left_out": {"invalid": 0, "not_solved": 0} | {k: n for k, n in contents.left_out.items() if n},
        "replaced": sum(part.replaced for part in parts.values()),
        "longest": max(part.longest for part in parts.values()),
        "parts": {name: part._asdict() for name, part in parts.items()},
        "answered_by": dict(sorted(contents.answered.items())),
        "files": [name for name in files if not name.endswith(".md")],
        "card": next(name for name in files if name.endswith(".md")),
    }


def _origin(folder: Path) -> dict[str, object]:
    manifest = manifest_of(folder)
    names = ("env", "agent", "agent_settings", "judge", "seed", "trials", "tasks", "protocol", "package")
    return {"run": folder.resolve().name} | {name: manifest[name] for name in names if manifest.get(name)}


def _place(draft: Path, folder: Path, into: Container) -> list[str]:
    """Move an export to its folder, unless other content is there; the card goes last."""
    files = sorted(file.relative_to(draft).as_posix() for file in draft.rglob("*") if file.is_file())
    # What datasets writes beside the records differs from time to time; the card has the records' digest.
    compared = files if into != "datasets" else [CARD]
    old = [name for name in compared if (folder / name).exists()]
    if into == "datasets" and not old and folder.is_dir() and any(folder.iterdir()):
        raise ConfigError(f"{folder} holds other files; nothing was written, use another --out")
    for name in old:
        if not _equal(folder / name, draft / name):
            raise ConfigError(
                f"{folder / name} exists with other content; nothing was written, use another --out"
            )
    if into == "datasets" and old:
        return files
    make_folder(folder)
    for name in sorted(files, key=lambda name: (name.endswith(".md"), name)):
        make_folder((folder / name).parent)
        (draft / name).replace(folder / name)
    return files


def _equal(one: Path, other: Path) -> bool:
    if one.stat().st_size != other.stat().st_size:
        return False
    with one.open("rb") as first, other.open("rb") as second:
        while block := first.read(1 << 20):
            if block != second.read(1 << 20):
                return False
    return True

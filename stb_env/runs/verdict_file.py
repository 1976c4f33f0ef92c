"""Verdicts that were given on saved episodes later, kept beside them.

A run's ``trajectories.jsonl`` is written once. Whoever judges its episodes again appends to a file of
verdicts in the same folder: ``verdicts.jsonl`` for the judge that the run itself had, so that what it left
without a verdict is mended for every reader, and ``verdicts-<judge>.jsonl`` for any other, so that numbers
of different judges never mix. `read_judged` lays such a file over the episodes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from stb_env.core import checksums
from stb_env.core.files import LineWriter, write_text
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import DataError
from stb_env.saved_episodes import iter_trajectories
from stb_env.trajectory import Key, Trajectory
from stb_env.trajectory_line import earned_reward
from stb_env.verdict_line import judge_line, read_judge_line

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Judgement:
    """One verdict, or the failure to reach one: a line of a file of verdicts.

    Attributes:
        task_id: Task of the episode.
        trial: Trial of the episode.
        seed: Seed of the episode.
        judge: Name of the judge.
        settings: Digest of everything that decides the judge's verdicts.
        verdict: The verdict as plain data, or None.
        failure: Why there is none, as plain data, or None.
        votes: The votes of a failed attempt; a missing one has the status None.
        usage: What it cost.
        answer: Digest of what was judged, so that it counts for no other answer (see
            `Trajectory.answer_digest`); empty in lines of version 1, which are taken as they are.

    Examples:
        >>> Judgement("588", 0, 7, "heuristic", "", verdict={"status": "solved", "score": 1.0}).key
        ('588', 0, 7)
    """

    task_id: str
    trial: int
    seed: int
    judge: str
    settings: str
    verdict: JsonMapping | None = None
    failure: JsonMapping | None = None
    votes: tuple[JsonMapping, ...] = ()
    usage: JsonMapping = field(default_factory=dict)
    answer: str = ""

    @property
    def key(self) -> Key:
        """Identity of the episode in its run."""
        return self.task_id, self.trial, self.seed

    def to_json(self) -> str:
        """Return the judgement as one line of JSON."""
        return judge_line(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Judgement:
        """Read a line that `to_json` wrote.

        Raises:
            DataError: It is no line of a version that this package reads, or was changed.
        """
        return cls(**read_judge_line(line, cls.__dataclass_fields__, "verdict line"))

    def fits(self, episode: Trajectory) -> bool:
        """Return whether this very episode was judged, and not another one of its task."""
        return self.answer in ("", episode.answer_digest)

    def over(self, episode: Trajectory) -> Trajectory:
        """Return the episode as this judgement leaves it; its reward follows from its mode."""
        if self.verdict is None:
            return replace(episode, verdict=None, reward=0.0, valid=False, failure=self.failure)
        valid = self.verdict["status"] != "na"
        # What a wrapper added to the rewards is about the verdict that there was.
        mode = "sparse" if episode.reward_mode == "own" else episode.reward_mode
        reward = earned_reward(self.verdict, mode, valid=valid) or 0.0
        return replace(
            episode, verdict=self.verdict, reward=reward, reward_mode=mode, valid=valid, failure=None
        )


def slug(judge: str) -> str:
    """Return a judge's name as part of a file name.

    Examples:
        >>> slug("pass:org/model:v1")
        'pass-org-model-v1'
    """
    return _UNSAFE.sub("-", judge)


def manifest_of(folder: Path) -> JsonObject:
    """Return a run's manifest; an empty one where it has none.

    Raises:
        DataError: The manifest is broken.
    """
    file = folder / "manifest.json"
    if not file.is_file():
        return {}
    try:
        manifest = dict(json.loads(file.read_text(encoding="utf-8")))
    except ValueError as error:
        raise DataError(f"{file} is no JSON object ({error}); play the run again") from error
    checksums.check(file)
    return manifest


def verdict_file(folder: Path, judge: str) -> Path:
    """Return where the verdicts of a judge on a run belong."""
    own = manifest_of(folder).get("judge") == judge
    return folder / ("verdicts.jsonl" if own else f"verdicts-{slug(judge)}.jsonl")


def read_judgements(file: Path) -> dict[Key, Judgement]:
    """Return the newest judgement on each episode; a torn last line is left out, as is a missing file.

    Raises:
        DataError: A line is broken.
    """
    if not file.is_file():
        return {}
    newest: dict[Key, Judgement] = {}
    for number, line in enumerate(file.read_bytes().decode("utf-8").split("\n")[:-1], 1):
        try:
            judgement = Judgement.from_json(line)
        except DataError as error:
            raise DataError(f"{file}, line {number}: {error}") from error
        newest[judgement.key] = judgement
    checksums.check(file)
    return newest


def forget(folder: Path, keys: Collection[Key]) -> None:
    """Drop every judge's judgements on episodes that are played again: they are about what is no more.

    Raises:
        ConfigError: Another process is judging the run.
        DataError: A line is broken.
    """
    for file in sorted(folder.glob("verdicts*.jsonl")):
        drop(file, keys)


def drop(file: Path, keys: Collection[Key]) -> None:
    """Drop the judgements on some episodes from a file, and a file without any.

    Raises:
        ConfigError: Another process is judging the run.
        DataError: A line is broken.
    """
    # Held while it is replaced, so that no judge appends to the old one.
    with closing(LineWriter(file)):
        checksums.forget(file.parent, file.name)
        lines = file.read_bytes().decode("utf-8").split("\n")[:-1]
        kept = [line for line in lines if Judgement.from_json(line).key not in keys]
        if not kept:
            file.unlink()
        elif len(kept) < len(lines):
            write_text(file, "".join(f"{line}\n" for line in kept))


def read_judged(folder: str | Path, judge: str | None = None) -> list[Trajectory]:
    """Read a run with the newest verdicts of one judge.

    Args:
        folder: The run.
        judge: Name of the judge; None for the one that the run itself had, mended where that was done
            later.

    Returns:
        Every episode. One that the judge has not judged, although it ended with an answer, is not valid.

    Raises:
        DataError: The run or its verdicts cannot be read.
    """
    return list(iter_judged(folder, judge))


def iter_judged(folder: str | Path, judge: str | None = None) -> Iterator[Trajectory]:
    """Yield what `read_judged` returns; the verdicts are in memory, and one episode at a time.

    Raises:
        DataError: The run or its verdicts cannot be read.
    """
    folder = Path(folder)
    judge = judge or manifest_of(folder).get("judge", "")
    newest = read_judgements(verdict_file(folder, judge))
    for episode in iter_trajectories(folder):
        yield _judged(episode, newest, judge)


def overlay(episodes: Iterable[Trajectory], judgements: Iterable[Judgement], judge: str) -> list[Trajectory]:
    """Lay judgements over episodes; see `read_judged`."""
    by_key = {judgement.key: judgement for judgement in judgements}
    return [_judged(episode, by_key, judge) for episode in episodes]


def _judged(episode: Trajectory, judgements: Mapping[Key, Judgement], judge: str) -> Trajectory:
    judgement = judgements.get(episode.key)
    if judgement is None or not judgement.fits(episode):
        return _unless_foreign(episode, judge)
    return judgement.over(episode)


def _unless_foreign(episode: Trajectory, judge: str) -> Trajectory:
    """Take the verdict from an episode that another judge decided; what needed no judge stays."""
    if episode.verdict is None or episode.verdict["judge"] in (judge, "env"):
        return episode
    message = f"not judged by {judge}, only by {episode.verdict['judge']}"
    failure = {"kind": "judge", "stage": "judge", "retryable": True, "message": message}
    return replace(episode, verdict=None, reward=0.0, valid=False, failure=failure)

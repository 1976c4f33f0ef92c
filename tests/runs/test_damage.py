"""A file that was flipped, cut, or has lines repeated, left out or swapped is named, or read as it was."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from stb_env import load_agent, run_batch
from stb_env.backend.cache import CacheEntry, ResponseCache
from stb_env.core.checksums import SUMS, check, note
from stb_env.errors import DataError, STBError
from stb_env.evaluation.ledger import Ledger
from stb_env.models import CachedModel, ChatRequest, RecordingModel, ReplayModel, ScriptedModel
from stb_env.models.model import ModelError
from stb_env.runs import Job, Run
from stb_env.runs.verdict_file import Judgement
from stb_env.saved_episodes import read_trajectories
from stb_env.testing.notes import notes
from stb_env.tools import ToolId
from stb_env.usage import Usage
from tests.command import error_of, reported, stb
from tests.fakes.shop_service import Shop

PLAY = ["run", "stb/Sandbox-v1", "--agent", "gold", "--episodes", "3", "--json", "--out"]
PING = ToolId("Net", "icmp", "ping")
ENTRIES = [CacheEntry.of(PING, {"host": str(number)}, {"ms": number}) for number in range(20)]


def flipped(data: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << draw.randrange(7)]) + data[place + 1 :]


def cut(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data))]


def cut_at_a_line(data: bytes, draw: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join(lines[: draw.randrange(len(lines))])


def repeated(data: bytes, draw: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    place = draw.randrange(len(lines))
    return b"".join([*lines[:place], lines[place], *lines[place:]])


def left_out(data: bytes, draw: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    del lines[draw.randrange(len(lines))]
    return b"".join(lines)


def swapped(data: bytes, draw: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    one, other = draw.sample(range(len(lines)), 2) if len(lines) > 1 else (0, 0)
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


DAMAGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    flipped,
    cut,
    cut_at_a_line,
    repeated,
    left_out,
    swapped,
)


def damages(data: bytes, times: int) -> Iterator[tuple[str, bytes]]:
    for damage in DAMAGES:
        for seed in range(times):
            changed = damage(data, random.Random(seed))
            if changed != data:
                yield f"{damage.__name__}, seed {seed}", changed


def shown(run: Path) -> dict[str, str | bytes]:
    """What each command makes of a run; the error, as text of one line, where it refuses."""
    out = run.parent / "out"
    told: dict[str, str | bytes] = {}
    for name, words in {
        "report": ["report", run, "--json"],
        "judged": ["report", run, "--judge", "heuristic", "--json"],
        "compare": ["compare", run, run, "--json"],
        "costs": ["costs", run, "--json"],
        "export": ["export", run, "--out", out / "export"],
        "view": ["view", run, "--export", out / "view"],
        # The last one, since it writes.
        "resume": [*PLAY, run],
    }.items():
        done = stb(*words)
        if done.exit_code:
            told[name] = "error of " + done.output.replace("\n", "")
        elif name == "resume":
            told[name] = (run / "trajectories.jsonl").read_bytes()
        elif name in ("export", "view"):
            files = sorted(file for file in (out / name).rglob("*") if file.is_file())
            told[name] = b"".join(file.read_bytes() for file in files)
        else:
            told[name] = done.stdout.encode()
    shutil.rmtree(out, ignore_errors=True)
    return told


@pytest.mark.heavy
def test_every_reader_of_a_damaged_run_names_the_file_or_reads_what_was_there(tmp_path: Path):
    whole = tmp_path / "whole"
    assert stb(*PLAY, whole).exit_code == 0
    assert stb("judge", whole, "--judge", "heuristic").exit_code == 0
    run = tmp_path / "run"
    shutil.copytree(whole, run)
    expected = shown(run)
    assert {type(told) for told in expected.values()} == {bytes}
    files = {file.name for file in whole.iterdir()}
    assert {"trajectories.jsonl", "timings.jsonl", "verdicts-heuristic.jsonl", SUMS} < files
    refused = 0
    for name in sorted(files):
        ways = list(damages((whole / name).read_bytes(), 1))
        # All of them on the file of episodes, and some on the others: each is read by seven commands.
        for how, changed in ways if name == "trajectories.jsonl" else random.Random(name).sample(ways, 2):
            shutil.rmtree(run)
            shutil.copytree(whole, run)
            (run / name).write_bytes(changed)
            for reader, told in shown(run).items():
                named = isinstance(told, str) and "error: " in told and f"{run}" in told
                assert named or told == expected[reader], f"{reader} of {name} ({how})"
                refused += named
    assert refused > 40


@pytest.mark.heavy
@pytest.mark.parametrize("command", ["synthesize", "api-bank benchmark", "eval"])
def test_a_damaged_file_of_a_finished_folder_is_named_or_written_as_it_was(tmp_path: Path, command: str):
    words = {
        "synthesize": ["--dialogues", "3"],
        "api-bank benchmark": ["--agent", "gold", "--level", "3"],
        "eval": [plan_of(tmp_path)],
    }[command]
    whole, folder = tmp_path / "whole", tmp_path / "folder"
    assert stb(*command.split(), *words, "--out", whole).exit_code == 0
    if command == "eval":
        ledger = Ledger(whole / "spending.jsonl")
        for cost in (0.5, 0.25, 0.125):
            ledger.add(Usage(calls=1, cost=cost))
        ledger.close()
    names = [file.name for file in whole.iterdir() if file.is_file() and file.suffix != ".csv"]
    assert SUMS in names
    named: set[str] = set()
    for name in sorted({*names} - {SUMS}):
        for how, changed in random.Random(name).sample([*damages((whole / name).read_bytes(), 1)], 3):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(whole, folder)
            (folder / name).write_bytes(changed)
            done = stb(*command.split(), *words, "--out", folder)
            if done.exit_code:
                assert "error: " in done.output, done.output
                assert str(folder) in done.output.replace("\n", ""), f"{name} ({how})"
                named.add(name)
            else:
                assert (folder / name).read_bytes() == (whole / name).read_bytes(), f"{name} ({how})"
    assert (
        named
        == {
            "synthesize": {"dialogues.jsonl", "manifest.json"},
            "api-bank benchmark": {"answers.jsonl", "manifest.json"},
            "eval": {"spending.jsonl"},
        }[command]
    )


def plan_of(folder: Path) -> Path:
    plan = folder / "plan.toml"
    plan.write_text('[eval]\ngroups = ["stb/Sandbox-v1"]\nepisodes = 1\n[[agent]]\nname = "gold"\n')
    return plan


@pytest.fixture
def run(tmp_path: Path) -> Path:
    assert stb(*PLAY, tmp_path / "run").exit_code == 0
    return tmp_path / "run"


def test_a_line_that_is_gone_from_a_finished_run_is_told_and_its_command_plays_it_again(run: Path):
    file = run / "trajectories.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-1]))
    told = " ".join(error_of(stb("report", run)).split())
    assert told.startswith(f"{file} was changed since it was finished: its sha256 is ")
    assert stb(*PLAY, run).exit_code == 0
    assert file.read_bytes().splitlines(keepends=True) == lines
    assert reported("report", run)["runs"][0]["episodes"] == 3


def test_checksums_are_those_that_every_tool_reads_and_who_deletes_them_takes_files_as_they_are(run: Path):
    for line in (run / SUMS).read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((run / name).read_bytes()).hexdigest() == digest
    file = run / "trajectories.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    both = run.parent / "both.jsonl"
    both.write_bytes(lines[2] + lines[0])
    assert len(read_trajectories(both)) == 2
    file.write_bytes(lines[1])
    with pytest.raises(DataError, match=r"^.*trajectories\.jsonl was changed since it was finished: "):
        read_trajectories(run)
    (run / SUMS).unlink()
    assert len(read_trajectories(run)) == 1


def test_a_time_that_was_changed_in_a_run_that_goes_on_is_named_with_its_line(run: Path):
    (run / SUMS).unlink()
    file = run / "timings.jsonl"
    file.write_text(file.read_text().replace('"seconds": 0.', '"seconds": 9.'))
    told = f"{file}, line 1: changed since it was written "
    assert error_of(stb("costs", run)).replace("\n", " ").startswith(told)
    assert error_of(stb("view", run, "--export", run.parent / "view")).replace("\n", " ").startswith(told)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    plain = ({name: value for name, value in line.items() if name != "sha256"} for line in lines)
    file.write_text("".join(json.dumps(line) + "\n" for line in plain))
    assert stb("costs", run).exit_code == 0


@pytest.mark.heavy
@pytest.mark.parametrize("frozen", [False, True])
def test_a_damaged_cache_answers_as_before_or_is_refused_and_verify_names_it(tmp_path: Path, frozen: bool):
    folder = tmp_path / "cache"
    cache = ResponseCache(folder)
    cache.put_many((entry.key, entry) for entry in ENTRIES)
    if frozen:
        cache.snapshot(tmp_path / "snapshot")
        folder = tmp_path / "snapshot"
    cache.close()
    file = folder / ("base" if frozen else "overlay") / "cache.db"
    data = file.read_bytes()
    answers = [ResponseCache(folder, read_only=True).get(entry.call) for entry in ENTRIES]
    said: list[str] = []
    for seed in range(60):
        draw = random.Random(seed)
        # Half of it inside the rows' texts, which are a small part of the file.
        spoilt = data.replace(b'\\"ms\\": ', b'\\"mt\\": ', 1 + seed % 3)
        file.write_bytes(flipped(data, draw) if seed % 2 else spoilt)
        try:
            damaged = ResponseCache(folder, read_only=True)
            found = [damaged.get(entry.call) for entry in ENTRIES]
        except DataError as error:
            said.append(str(error))
            continue
        assert not [hit for hit, kept in zip(found, answers, strict=True) if hit not in (kept, None)]
        if found != answers:
            assert stb("cache", "verify", "--cache", folder).exit_code != 0, f"seed {seed}"
    assert len(said) >= 30
    assert all(str(folder) in error for error in said)
    file.write_bytes(data)
    assert stb("cache", "verify", "--cache", folder).exit_code == 0


def test_rows_of_earlier_versions_have_no_checksum_and_are_merged_and_read(tmp_path: Path):
    older, newer = ResponseCache(tmp_path / "older"), ResponseCache(tmp_path / "newer")
    older.put_many((entry.key, entry) for entry in ENTRIES[:2])
    newer.put_many((entry.key, entry) for entry in ENTRIES[2:4])
    older.close()
    with sqlite3.connect(tmp_path / "older" / "overlay" / "cache.db") as database:
        assert database.execute("UPDATE Cache SET tag = NULL").rowcount == 2
    out = tmp_path / "merged"
    for source in ("older", "newer"):
        reported("cache", "merge", tmp_path / source, "--cache", out)
    merged = ResponseCache(out, read_only=True)
    found = [merged.get(entry.call) for entry in ENTRIES[:4]]
    assert [hit.text if hit else "" for hit in found] == [entry.text for entry in ENTRIES[:4]]
    with sqlite3.connect(out / "overlay" / "cache.db") as database:
        assert database.execute("SELECT COUNT(tag) FROM Cache").fetchone() == (4,)


def replayed(file: Path) -> list[str]:
    model = ReplayModel(file)
    told = []
    for question in ("a", "a", "b", "a", "b", "a", "b"):
        try:
            told.append(model.complete(ChatRequest.of(question)).text)
        except ModelError as error:
            told.append(error.kind)
    return told


def recording(file: Path, questions: str, answers: str) -> bytes:
    model = RecordingModel(ScriptedModel(list(answers)), file)
    for question in questions:
        model.complete(ChatRequest.of(question))
    return file.read_bytes()


def test_a_damaged_recording_of_models_is_named_with_its_line_or_replayed_as_it_was(tmp_path: Path):
    file = tmp_path / "talk.jsonl"
    data, expected = recording(file, "aabab", "12345"), replayed(file)
    said: dict[str, str] = {}
    for how, changed in damages(data, 10):
        file.write_bytes(changed)
        try:
            told = replayed(file)
        except STBError as error:
            said[how] = str(error)
            continue
        # A torn end is that of a killed process, and what is missing there is a miss.
        torn = [want if got == want else "cache_miss" for got, want in zip(told, expected, strict=True)]
        assert told == torn, how
    assert len(said) > 20
    assert all(error.startswith("line ") and f" of {file} " in error for error in said.values())


def test_recordings_one_behind_the_other_are_a_recording_and_older_ones_have_no_checksum(tmp_path: Path):
    one = recording(tmp_path / "one.jsonl", "aab", "123")
    other = recording(tmp_path / "other.jsonl", "ab", "45")
    both = tmp_path / "both.jsonl"
    older = [json.loads(line) for line in one.splitlines()]
    plain = "".join(
        json.dumps({k: v for k, v in line.items() if k not in ("after", "sha256")}) + "\n" for line in older
    )
    for first in (one, plain.encode()):
        for parts in (first + other, other + first):
            both.write_bytes(parts)
            assert replayed(both).count("cache_miss") == 2
        assert replayed(both)[:3] == ["4", "1", "5"]
        both.write_bytes(first)
        recording(both, "ab", "45")
        assert replayed(both) == ["1", "2", "3", "4", "5", "cache_miss", "cache_miss"]


def test_a_damaged_answer_of_a_model_is_asked_for_again(tmp_path: Path):
    question = ChatRequest.of("Is it?")
    assert CachedModel(ScriptedModel(["yes"]), tmp_path).complete(question).text == "yes"
    (file,) = tmp_path.rglob("*.json")
    for how, changed in damages(file.read_bytes() + b"\n" * 2, 5):
        file.write_bytes(changed)
        told = CachedModel(ScriptedModel(["asked again"]), tmp_path).complete(question).text
        assert told in ("yes", "asked again"), how


QUERIES = [
    {
        "id": f"item-{item}",
        "query": f"What does item {item} cost?",
        "gold": [{"name": "get_item", "arguments": {"item": item}}],
        "check": {"number": 5},
    }
    for item in (1, 1, 1)
]


@pytest.mark.heavy
def test_a_damaged_kit_or_file_of_tasks_is_named_or_is_not_that_of_the_run(tmp_path: Path):
    kit, queries = tmp_path / "my_kit.toml", tmp_path / "queries.jsonl"
    assert stb("worlds", "new", kit).exit_code == 0
    tasks = [query | {"id": f"{number}"} for number, query in enumerate(QUERIES)]
    queries.write_text("".join(json.dumps(task) + "\n" for task in tasks))
    with Shop().running() as shop:
        reported("tools", "import", f"{shop.url}/openapi.json", "--out", tmp_path / "catalog.json")
        played: list[object] = ["--agent", "gold", "--json", "--out"]
        own = ["run", "stb/Tools-v0", "--tools", tmp_path / "catalog.json", "--data", queries, "--cache"]
        own += [tmp_path / "cache", "--mode", "record", *played, tmp_path / "own"]
        assert stb(*own).exit_code == 0
    world = ["run", "stb/Worlds-v0", "--set", f"kit={kit}", "--episodes", "2", *played, tmp_path / "world"]
    assert stb(*world).exit_code == 0
    for file, words in ((kit, world), (queries, own)):
        data, saved = file.read_bytes(), (words[-1] / "trajectories.jsonl").read_bytes()
        for how, changed in damages(data, 3):
            file.write_bytes(changed)
            done = stb(*words)
            said = "".join(done.output.split())
            refused = str(file) in said or "holdsarunwithanotherconfiguration" in said
            assert done.exit_code == 0 or refused, f"{file.name} ({how}): {done.output}"
            assert (words[-1] / "trajectories.jsonl").read_bytes() == saved, f"{file.name} ({how})"
        file.write_bytes(data)


def test_a_run_that_goes_on_after_its_end_has_no_checksums_until_it_ends_again(tmp_path: Path):
    first, second = run_batch(notes, load_agent("gold"), [Job(task.id, 0, 1) for task in notes().tasks[:2]])
    with closing(Run(tmp_path / "run", {"env": "notes"})) as saved:
        saved.add(first, 1.0)
        saved.finish({})
        saved.add(second, 1.0)
        assert (tmp_path / "run" / SUMS).read_text() == ""
        assert len(read_trajectories(tmp_path / "run")) == 2
        (saved.folder / "verdicts.jsonl").write_text("")
        note(saved.folder, "verdicts.jsonl")
        saved.decide(Judgement(*first.key, "other", ""))
        check(saved.folder / "verdicts.jsonl")
        saved.finish({})
    assert len((tmp_path / "run" / SUMS).read_text().splitlines()) == 5


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("name", ["trajectories.jsonl", "played.jsonl"])
def test_what_is_no_file_is_told_as_that_and_not_waited_for(tmp_path: Path, name: str) -> None:
    (tmp_path / "trajectories.jsonl").touch()
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    told = f"{name} is a pipe, a socket or a device, and no file"
    with pytest.raises(DataError, match=told):
        read_trajectories(tmp_path)
    assert told in error_of(stb("costs", str(tmp_path)))
    (tmp_path / name).unlink()
    (tmp_path / name).symlink_to("/dev/zero")
    with pytest.raises(DataError, match=told):
        read_trajectories(tmp_path)

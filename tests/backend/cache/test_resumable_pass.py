"""Passes that only read: a killed one goes on to the same end, and leaves nothing in the cache's folder."""

import json
import shutil
from contextlib import closing

import pytest
from typer.testing import CliRunner

from stb_env.backend.cache import CacheEntry, ResponseCache, resumable_pass
from stb_env.backend.cache.report import VerifyReport
from stb_env.backend.store import TextStore
from stb_env.show.cli.cache import app
from stb_env.suites.stabletoolbench import cache_export
from stb_env.tools import ToolId
from tests.kills import die, killed, killed_after, needs_fork

COMMANDS = ["stats", "verify", "filter", "export"]


@pytest.fixture(autouse=True)
def noted(tmp_path, monkeypatch):
    """A note after every ten rows, in a folder of the test's own."""
    monkeypatch.setattr(resumable_pass, "EVERY", 0)
    monkeypatch.setattr(cache_export, "EVERY", 0)
    for module in ("resumable_pass", "response_cache"):
        monkeypatch.setattr(f"stb_env.backend.cache.{module}.BATCH", 10)
    monkeypatch.setattr(resumable_pass.platformdirs, "user_cache_path", lambda *_, **__: tmp_path / "user")
    return tmp_path / "user" / "passes"


def entries(numbers):
    for number in numbers:
        answer = {"message": "Too many requests"} if number % 3 else number
        made = CacheEntry.of(ToolId("Net", f"tool{number % 4}", "ping"), {"n": number}, answer, origin="o")
        yield made.key, made


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A base of 60 entries, and an overlay of 40 over it, 10 of them over entries of the base."""
    place = tmp_path_factory.mktemp("made")
    with closing(ResponseCache(place / "first")) as cache:
        cache.put_many(entries(range(60)))
        cache.snapshot(place / "cache")
    with closing(ResponseCache(place / "cache")) as cache:
        cache.put_many(entries(range(50, 90)))
    return place / "cache"


@pytest.fixture
def folder(tmp_path, made):
    return shutil.copytree(made, tmp_path / "cache")


def opened(folder):
    return closing(ResponseCache(folder, read_only=True))


def run(command, folder, *more):
    result = CliRunner().invoke(app, [command, "--cache", str(folder), *map(str, more), "--json"])
    return result.exit_code, json.loads(result.stdout)


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.heavy
@needs_fork
@pytest.mark.parametrize("after", [1, 3])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_killed_command_goes_on_and_says_what_an_undisturbed_one_says(
    tmp_path, folder, monkeypatch, noted, command, after
):
    more = ["--out", tmp_path / "out"] if command == "export" else []
    whole = ["--out", tmp_path / "whole"] if command == "export" else []
    before, expected = contents(folder), run(command, folder, *whole)
    module, name = (cache_export, "_note") if command == "export" else (resumable_pass.Checkpoint, "note")
    note, times = getattr(module, name), []

    def last_note(*arguments):
        note(*arguments)
        times.append(1)
        if len(times) == after:
            die()

    with monkeypatch.context() as patch:
        patch.setattr(module, name, last_note)
        assert killed(lambda: run(command, folder, *more))
    assert not (tmp_path / "out").exists()
    assert run(command, folder, *more) == expected
    assert contents(folder) == before
    assert not noted.exists() or not list(noted.iterdir())
    if more:
        assert contents(tmp_path / "out") == contents(tmp_path / "whole")
        assert not (tmp_path / ".out.part").exists()


@needs_fork
@pytest.mark.parametrize("work", ["stats", "filter"])
def test_a_pass_that_counts_does_not_read_again_what_it_had_counted(folder, work):
    with opened(folder) as cache:
        assert killed_after(70, lambda progress: getattr(cache, work)(progress=progress))
        told = []
        getattr(cache, work)(progress=told.append)
    assert told == [80, 90, 90]


@needs_fork
def test_an_export_does_not_write_again_what_it_had_written(tmp_path, folder):
    with opened(folder) as cache:
        assert killed_after(
            70, lambda progress: cache_export.export_folder(cache, tmp_path / "out", progress=progress)
        )
        told = []
        assert cache_export.export_folder(cache, tmp_path / "out", progress=told.append)["entries"] == 90
    # Three of the four APIs were written by then, of which two for certain before the mark.
    assert told[0] > 40


@needs_fork
def test_a_verification_does_not_check_again_what_it_had_checked(folder, monkeypatch):
    with closing(TextStore(folder / "overlay")) as store:
        store.put("0-bad", "{")
        store.put("z-bad", "{")
    checked = []
    check = VerifyReport.check
    with opened(folder) as cache:
        assert killed_after(50, lambda progress: cache.verify(progress=progress))
        monkeypatch.setattr(
            VerifyReport, "check", lambda self, row: (checked.append(row.key), check(self, row))
        )
        report = cache.verify()
    assert len(checked) == 92 - 50
    assert (report.checked, [problem["key"] for problem in report.problems]) == (92, ["0-bad", "z-bad"])


@needs_fork
@pytest.mark.parametrize("work", ["stats", "verify", "filter"])
def test_a_pass_over_a_cache_that_changed_since_begins_anew(folder, work):
    with closing(ResponseCache(folder)) as cache:
        assert killed_after(50, lambda progress: getattr(cache, work)(progress=progress))
        cache.put_many(entries([90]))
        told = []
        found = getattr(cache, work)(progress=told.append)
        assert found == getattr(cache, work)()
    assert told == [*range(10, 100, 10), 91]


@needs_fork
def test_a_base_that_is_not_the_frozen_one_is_noticed_after_a_kill(tmp_path, folder):
    shutil.rmtree(folder / "overlay")
    manifest = folder / "cache.json"
    manifest.write_text(manifest.read_text().replace('"hash": "', '"hash": "0'))
    with opened(folder) as cache:
        assert killed_after(40, lambda progress: cache.verify(progress=progress))
        assert [problem["key"] for problem in cache.verify().problems] == ["cache.json"]


@pytest.mark.parametrize("left", ["", "{", "[]", '["another state", [["", 0, 0], {}]]'])
def test_a_note_that_cannot_be_used_counts_as_none(folder, noted, left):
    with opened(folder) as cache:
        expected = cache.stats()
        checkpoint = resumable_pass.Checkpoint("stats", cache.state)
        checkpoint.note([["", 0, 0], {}])
        (file,) = noted.iterdir()
        file.write_text(left)
        assert cache.stats() == expected


def test_a_pass_that_cannot_note_anything_ends_all_the_same(folder, noted):
    noted.parent.write_text("a file where the folder would be")
    with opened(folder) as cache:
        assert cache.stats()["entries"] == cache.verify().checked == 90


def test_a_pass_that_is_done_at_once_notes_nothing(folder, noted, monkeypatch):
    monkeypatch.setattr(resumable_pass, "EVERY", 5.0)
    with opened(folder) as cache:
        cache.stats()
        cache.verify()
    assert not noted.exists()

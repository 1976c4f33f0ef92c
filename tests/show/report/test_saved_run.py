"""A saved run is read while it grows: no episode is missed, none is told twice, a damaged one is told."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from stb_env.core.checksums import sealed
from stb_env.errors import DataError
from stb_env.runs import Run, play
from stb_env.runs.baselines import load_agent
from stb_env.runs.verdict_file import Judgement
from stb_env.show.report.saved.find_runs import find_runs
from stb_env.show.report.saved.index import LineIndex
from stb_env.show.report.saved.saved_run import SavedRun
from stb_env.testing.notes import notes
from tests.show.report.played_runs import NOTES, long_run, notes_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return notes_run(tmp_path_factory.mktemp("runs") / "gold")


def test_a_row_says_what_the_list_filters_by(run: Path):
    row = SavedRun(run).rows(0, 1)["rows"][0]
    line = json.loads((run / "trajectories.jsonl").read_text().splitlines()[0])
    assert (row["task"], row["status"], row["steps"]) == (line["task_id"], "solved", len(line["steps"]))
    assert row["tools"] == list(dict.fromkeys(c["name"] for s in line["steps"][:-1] for c in s["calls"]))
    assert row["seconds"] == 0.25


def test_rows_come_from_where_they_are_asked_for_on(run: Path):
    saved = SavedRun(run)
    everything = saved.rows(0, 100)
    assert [row["n"] for row in everything["rows"]] == list(range(everything["total"]))
    assert SavedRun(run).rows(1, 1)["rows"] == everything["rows"][1:2]


def test_a_run_of_600_episodes_is_followed_without_missing_one(tmp_path: Path):
    env = notes()
    episode = play(env, load_agent("gold")(), task_id=env.tasks.at(0).id, seed=0)
    written = [sealed(json.dumps({**episode.to_dict(), "trial": trial})) for trial in range(600)]
    file = tmp_path / "trajectories.jsonl"
    file.touch()

    def write() -> None:
        with file.open("ab", buffering=0) as out:
            for line in written:
                # A reader may see the first half alone.
                out.write(line[:100].encode())
                out.write(line[100:].encode() + b"\n")

    writer = threading.Thread(target=write)
    saved, seen = SavedRun(tmp_path), []
    writer.start()
    while len(seen) < 600:
        seen += [row["trial"] for row in saved.rows(len(seen), 50)["rows"]]
    writer.join()
    assert seen == list(range(600))
    assert saved.rows(600, 50) == {"generation": 0, "total": 600, "rows": []}


def test_a_file_that_is_replaced_begins_a_new_generation(tmp_path: Path):
    folder = notes_run(tmp_path / "run")
    saved = SavedRun(folder)
    before = saved.rows(0, 100)
    file = folder / "trajectories.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    draft = folder / "draft"
    draft.write_bytes(b"".join(reversed(lines)))
    draft.replace(file)
    after = saved.rows(0, 100)
    assert after["generation"] > before["generation"]
    assert [row["task"] for row in after["rows"]] == [row["task"] for row in before["rows"]][::-1]


def test_a_new_file_with_the_inode_of_the_old_one_is_noticed(tmp_path: Path):
    file = tmp_path / "lines"
    file.write_bytes(b"one\ntwo\n")
    index = LineIndex(file)
    index.refresh()
    inode = file.stat().st_ino
    with file.open("r+b") as same:
        same.write(b"three\nfour\n")
    assert file.stat().st_ino == inode
    assert (index.refresh(), index.read(0), index.generation) == (2, b"three", 1)


def test_a_torn_last_line_is_no_episode_until_it_is_whole(tmp_path: Path):
    folder = notes_run(tmp_path / "run")
    file = folder / "trajectories.jsonl"
    saved = SavedRun(folder)
    total = saved.rows(0, 100)["total"]
    last = file.read_bytes().splitlines(keepends=True)[-1]
    with file.open("ab") as out:
        out.write(last[:50])
    assert saved.rows(0, 100)["total"] == total
    with file.open("ab") as out:
        out.write(last[50:])
    assert saved.rows(0, 100)["total"] == total + 1


def test_a_damaged_line_is_a_row_that_says_so_and_hides_no_other(tmp_path: Path):
    folder = notes_run(tmp_path / "run")
    file = folder / "trajectories.jsonl"
    first, *others = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(first + b'{"half": \n' + b"".join(others))
    saved = SavedRun(folder)
    rows = saved.rows(0, 100)["rows"]
    assert [row["status"] for row in rows] == ["solved", "damaged", *["solved"] * len(others)]
    with pytest.raises(DataError, match=r"^episode 1 is damaged "):
        saved.episode(1)
    assert saved.episode(2)["episode"]["task_id"] == rows[2]["task"]


def test_an_episode_that_is_not_there_is_refused_with_how_many_there_are(run: Path):
    total = SavedRun(run).rows(0, 1)["total"]
    with pytest.raises(DataError, match=f"^the run has {total} episodes; there is none of number 99$"):
        SavedRun(run).episode(99)


def test_a_later_verdict_of_the_run_s_own_judge_counts_and_another_s_stands_beside_it(tmp_path: Path):
    folder = notes_run(tmp_path / "run")
    saved = SavedRun(folder)
    episode = saved.episode(0)["episode"]
    assert saved.rows(0, 1)["rows"][0]["status"] == "solved"
    key = (episode["task_id"], episode["trial"], episode["seed"])
    for judge, file in (("exact", "verdicts.jsonl"), ("other", "verdicts-other.jsonl")):
        verdict = {"status": "unsolved", "score": 0.0, "votes": [], "judge": judge}
        (folder / file).write_text(Judgement(*key, judge, "", verdict=verdict).to_json() + "\n")
    rows = saved.rows(0, 100)["rows"]
    assert [row["status"] for row in rows] == ["unsolved", *["solved"] * (len(rows) - 1)]
    assert [one["judge"] for one in saved.episode(0)["judgements"]] == ["exact", "other"]


def test_search_finds_what_was_said_anywhere_whatever_the_case_and_how_it_is_escaped(tmp_path: Path):
    folder = notes_run(tmp_path / "run")
    file = folder / "trajectories.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    lines[1]["messages"].append({"role": "tool", "content": 'Zürich said "no"'})
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    saved = SavedRun(folder)
    assert saved.search('zürich SAID "no"') == saved.search("zürich") == [1]
    assert saved.search("nobody said this") == []
    assert saved.search("task_id") == list(range(len(lines)))


def test_a_long_run_reads_only_what_is_shown(tmp_path: Path, run: Path, monkeypatch: pytest.MonkeyPatch):
    folder = long_run(tmp_path / "long", run, 3_000)
    read: list[int] = []
    inner = LineIndex.read_all
    monkeypatch.setattr(LineIndex, "read_all", lambda self, a, b: read.append(b - a) or inner(self, a, b))
    saved = SavedRun(folder)
    assert saved.rows(0, 200)["total"] == 3_000
    saved.episode(2_999)
    assert max(read) == 200


def test_runs_are_named_as_briefly_as_tells_them_apart(tmp_path: Path):
    for name in ("a/gold", "b/gold", "b/deep/noop"):
        notes_run(tmp_path / name)
    assert list(find_runs([tmp_path / "a/gold"])) == ["gold"]
    found = find_runs([tmp_path / "a", tmp_path / "b"])
    assert sorted(found) == ["a/gold", "b/gold", "deep/noop"]


def test_a_run_that_has_begun_and_saved_nothing_is_one(tmp_path: Path):
    Run(tmp_path / "run", NOTES).close()
    os.unlink(tmp_path / "run" / "trajectories.jsonl")
    (folder,) = find_runs([tmp_path / "run"]).values()
    assert SavedRun(folder).rows(0, 10)["total"] == 0


def test_a_folder_without_a_run_is_refused_with_the_nearest_name(tmp_path: Path):
    notes_run(tmp_path / "sandbox")
    (tmp_path / "empty").mkdir()
    with pytest.raises(
        DataError, match=r"sandbx does not exist; name a run folder.* Did you mean 'sandbox'\?$"
    ):
        find_runs([tmp_path / "sandbx"])
    with pytest.raises(DataError, match="empty holds no run; name a folder that"):
        find_runs([tmp_path / "empty"])

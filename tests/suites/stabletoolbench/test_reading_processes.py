"""Several processes read what one stores, and the cache is the one that a single process makes."""

import json
import multiprocessing
import os
import signal
from contextlib import closing

import pytest
from typer.testing import CliRunner

from stb_env.backend.cache import ResponseCache
from stb_env.show.cli import cache as cli
from stb_env.suites.stabletoolbench import cache_import, reading_processes
from stb_env.suites.stabletoolbench.cache_import import import_source
from stb_env.suites.stabletoolbench.reading_processes import ReadingProcesses
from stb_env.suites.stabletoolbench.recording_reader import ImportReport, Reading

READING = Reading("auto", None, None, simulated=False)


@pytest.fixture
def source(tmp_path, monkeypatch):
    """Files of one API, so that their order decides, between some that cannot be read."""
    monkeypatch.setattr(cache_import, "_MUCH", 0)
    monkeypatch.setattr(cache_import, "_FLUSH", 4)
    monkeypatch.setattr(reading_processes, "_TASK_FILES", 2)
    for number in range(7):
        # Folders differ, and standardising their names makes one tool of them.
        file = tmp_path / "src" / "Net" / f"t{'_' * (number + 1)}for_Net_for_Net" / "ping.json"
        file.parent.mkdir(parents=True)
        answers = {str({"n": n}): {"error": "", "response": f"{number} says é {n}"} for n in range(3)}
        answers[str({"file": number})] = {"error": "", "response": number}
        answers["{'n': 3}"] = {"error": "Failed to generate fake response", "response": ""}
        file.write_text(json.dumps(answers) if number != 4 else "{")
    (tmp_path / "src" / "notes.json").write_text("[]")
    return tmp_path / "src"


def _imported(source, folder, **options):
    with closing(ResponseCache(folder)) as cache:
        report = import_source(cache, source, **options)
        return report.to_dict(), list(cache.entries())


@pytest.mark.heavy
def test_several_processes_make_the_same_cache_and_report_as_one(tmp_path, source):
    alone = _imported(source, tmp_path / "one")
    assert _imported(source, tmp_path / "many", processes=2) == alone
    assert (alone[0]["unreadable_total"], alone[0]["failed_simulations"], alone[0]["passed_over"]) == (
        1,
        6,
        1,
    )
    assert [entry.response for entry in alone[1]][:3] == [f"0 says é {n}" for n in range(3)]


@pytest.mark.heavy
@pytest.mark.skipif(not hasattr(os, "fork"), reason="nobody can be killed here without a fork")
def test_an_import_in_several_processes_goes_on_where_it_was_killed(tmp_path, source):
    def die(done, _):
        if done == 5:
            os.kill(os.getpid(), signal.SIGKILL)

    process = os.fork()
    if process == 0:
        _imported(source, tmp_path / "cache", processes=1, progress=die)
        os._exit(0)
    assert os.waitpid(process, 0)[1] == signal.SIGKILL
    done = []
    found = _imported(source, tmp_path / "cache", processes=2, progress=lambda number, _: done.append(number))
    assert done[0] > 1
    assert found == _imported(source, tmp_path / "whole")


def test_what_a_killed_process_was_to_read_is_read_by_the_one_that_stores(source):
    files = sorted(source.rglob("*.json"))
    report = ImportReport()
    processes = ReadingProcesses(1, READING, report)
    processes._processes[0].kill()
    processes._processes[0].join()
    rows = [len(list(rows)) for _, rows in processes.rows(files)]
    assert rows == [4, 4, 0, 4, 4, 4, 4, 0]
    assert report.read == 30


def test_a_large_file_is_not_passed_from_process_to_process(source, monkeypatch):
    ours, theirs = multiprocessing.Pipe()
    with closing(ours), closing(theirs):
        task = [next(source.rglob("ping.json"))]
        assert reading_processes._sent(ours, task)
        monkeypatch.setattr(reading_processes, "_LARGE", 0)
        assert not reading_processes._sent(ours, task)


def test_a_reader_ends_when_nobody_is_left_to_ask_it(source):
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=reading_processes._work, args=(theirs, READING))
    process.start()
    theirs.close()
    ours.send([next(source.rglob("ping.json"))])
    assert len(ours.recv()) == 1
    ours.close()
    process.join(timeout=60)
    assert process.exitcode == 0


def test_the_command_reads_in_several_processes_where_there_is_much(tmp_path, source, monkeypatch):
    asked = []
    monkeypatch.setattr(
        cli, "import_source", lambda *_, processes, **__: asked.append(processes) or ImportReport()
    )
    result = CliRunner().invoke(
        cli.app, ["import", str(source), "--cache", str(tmp_path / "cache"), "--json"]
    )
    assert result.exit_code == 0, result.output
    assert 1 <= asked[0] <= 4

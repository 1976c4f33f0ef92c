"""Stores of any size: memory that does not grow with them, look-ups by index, and kills that lose nothing."""

import sqlite3
import subprocess
import sys
from contextlib import closing, suppress

import pytest

from stb_env.backend.cache import CacheEntry, ResponseCache
from stb_env.backend.store import FILE, Filling, FrozenStore, LiveView, TextStore, kept_folder
from stb_env.errors import ConfigError, DataError, StorageError
from stb_env.tools import ToolId
from tests.kills import killed_after, needs_fork

VALUE = "x" * 400
MEGABYTES = """
import resource, sys
from stb_env.backend.cache import ResponseCache
cache = ResponseCache(sys.argv[1], read_only=True)
usage = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 if sys.platform == "darwin" else 1024)
before = usage()
rows = sum(1 for _ in cache._layers.in_order(17)) + sum(1 for _ in cache._layers.rows())
print(rows, usage() - before)
"""


def filled(folder, count, apis=50):
    with closing(Filling(folder / "base")) as filling:
        for api in range(apis):
            items = ((f"{api:016x}:{number:032x}", VALUE) for number in range(count // apis))
            filling.put_many(items, str(api))
        filling.finish()
    return folder


def test_a_filled_store_is_what_a_written_one_is(tmp_path):
    items = [("b:1", "é"), ("a:2", "y"), ("a:1", "")]
    with closing(Filling(tmp_path / "filled")) as filling:
        filling.put_many(items, "end")
        filling.finish()
    with closing(TextStore(tmp_path / "written")) as store:
        store.put_many(items)

    def contents(folder):
        with closing(sqlite3.connect(tmp_path / folder / FILE)) as con:
            made = con.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name").fetchall()
            rows = con.execute("SELECT key, raw, expire_time, tag, size, mode, filename, value FROM Cache")
            return made, rows.fetchall(), con.execute("SELECT * FROM Settings ORDER BY key").fetchall()

    assert contents("filled") == contents("written")


def test_no_reader_takes_a_store_for_whole_before_it_is_finished(tmp_path):
    with closing(Filling(tmp_path)) as filling:
        filling.put_many([("a", "1")], "a")
        with closing(FrozenStore(tmp_path / FILE)) as store, pytest.raises(DataError, match="'filled_up_to'"):
            store.get("a")
        filling.finish()
    with closing(FrozenStore(tmp_path / FILE)) as store:
        assert store.get("a") == "1"


def test_nothing_is_filled_into_a_finished_store(tmp_path):
    filled(tmp_path, 50)
    with closing(Filling(tmp_path / "base")) as filling:
        assert (filling.finished, filling.count) == (True, 50)
        with pytest.raises(DataError, match="is a finished store; nothing can be filled into it"):
            filling.put_many([("a", "1")], "")


@pytest.mark.parametrize("there", ["", "CREATE TABLE Settings (key TEXT NOT NULL UNIQUE, value)"])
def test_a_store_that_a_kill_left_half_made_is_made(tmp_path, there):
    with closing(sqlite3.connect(tmp_path / FILE)) as con:
        con.executescript(there)
    (tmp_path / FILE).touch()
    with closing(Filling(tmp_path)) as filling:
        filling.put_many([("a", "1")], "a")
        filling.finish()
    with closing(FrozenStore(tmp_path / FILE)) as store:
        assert store.get("a") == "1"


def test_a_full_disk_at_the_beginning_is_told_in_one_line(tmp_path, monkeypatch):
    def full(folder):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("stb_env.backend.store.bulk_build.open_diskcache", full)
    with pytest.raises(StorageError, match=r"cache\.db: database or disk is full; free space, and the same"):
        Filling(tmp_path)


def test_a_key_that_was_added_twice_is_damage(tmp_path):
    with closing(Filling(tmp_path)) as filling:
        filling.put_many([("a", "1"), ("a", "2")], "")
        with pytest.raises(DataError, match="a key is twice in "):
            filling.finish()


@pytest.mark.heavy
def test_a_pass_over_ten_times_the_entries_takes_no_more_memory(tmp_path):
    def grown(count):
        folder = filled(tmp_path / str(count), count)
        ran = subprocess.run(
            [sys.executable, "-c", MEGABYTES, str(folder)], capture_output=True, text=True, check=True
        )
        rows, megabytes = ran.stdout.split()
        assert int(rows) == 2 * count
        return float(megabytes)

    pytest.importorskip("resource", reason="this system does not tell what a process takes")
    # 20,000 entries are 12 MB on disk, which was mapped, and the list of their order was another 2 MB.
    assert grown(20_000) < grown(2_000) + 5


def test_counting_the_entries_maps_neither_layer_into_memory(tmp_path):
    filled(tmp_path, 50)
    with closing(TextStore(tmp_path / "overlay")) as store:
        store.put_many([(f"{0:016x}:{0:032x}", VALUE), ("new", VALUE)])
    with closing(ResponseCache(tmp_path, read_only=True)) as cache:
        assert len(cache) == 51
        layers = cache._layers
        assert [layer._con for layer in (layers.base, layers.overlay)] == [None, None]
        with closing(layers.base.unmapped()) as unmapped:
            assert unmapped._query("PRAGMA mmap_size", ()) == [(0,)]


@pytest.mark.parametrize("reader", [FrozenStore, LiveView, lambda file: TextStore(file.parent)])
def test_every_look_up_goes_through_an_index(tmp_path, reader):
    filled(tmp_path, 50)
    asked = []
    with closing(reader(tmp_path / "base" / FILE)) as store:
        store.get("a")
        store._con.set_trace_callback(asked.append)
        store.get("a")
        assert "a" not in store
        assert [row.key for row in store.rows("0000000000000001:")] == [f"{1:016x}:{0:032x}"]
        store._con.set_trace_callback(None)
        plans = {sql: store._query(f"EXPLAIN QUERY PLAN {sql}", ()) for sql in asked}
    assert len(plans) == 4
    for plan in plans.values():
        steps = [detail for *_, detail in plan]
        assert any("USING COVERING INDEX Cache_key_raw" in s or "USING INDEX" in s or "PRIMARY KEY" in s
                   for s in steps), steps  # fmt: skip
        assert not [step for step in steps if step.startswith("SCAN") and "wanted" not in step]


# What killed processes leave.


@pytest.fixture
def small_batches(monkeypatch):
    for module in ("resumable_pass", "snapshot", "response_cache"):
        monkeypatch.setattr(f"stb_env.backend.cache.{module}.BATCH", 50)


def _entries(count):
    for number in range(count):
        made = CacheEntry.of(ToolId("Net", f"tool{number % 7}", "ping"), {"n": number}, number)
        yield made.key, made


@pytest.mark.heavy
@needs_fork
@pytest.mark.parametrize("rows", [150, 300])
@pytest.mark.parametrize("kind", ["snapshot", "filter"])
def test_a_killed_snapshot_or_filter_goes_on_and_ends_the_same(tmp_path, small_batches, rows, kind):
    with closing(ResponseCache(tmp_path / "cache")) as cache:
        cache.put_many(_entries(175))
        cache.snapshot(tmp_path / "whole")

    def work(progress):
        with closing(ResponseCache(tmp_path / "cache", read_only=True)) as again:
            return getattr(again, kind)(tmp_path / "out", progress=progress)

    assert killed_after(rows, work)
    assert not (tmp_path / "out").exists()
    came = []
    report = work(came.append)
    assert came[0] > min(rows - 50, 174), "it began anew"
    with (
        closing(ResponseCache(tmp_path / "out", read_only=True)) as out,
        closing(ResponseCache(tmp_path / "whole", read_only=True)) as whole,
    ):
        assert out.hash == whole.hash
        assert list(out.entries()) == list(whole.entries())
        assert out.verify().ok
    if kind == "filter":
        assert report.before.total() == report.after.total() == 175
    assert sorted(file.name for file in tmp_path.iterdir()) == ["cache", "out", "whole"]


@needs_fork
def test_a_snapshot_of_a_cache_that_changed_since_begins_anew(tmp_path, small_batches):
    with closing(ResponseCache(tmp_path / "cache")) as cache:
        cache.put_many(_entries(125))
        assert killed_after(100, lambda progress: cache.snapshot(tmp_path / "out", progress=progress))
        cache.put_many(list(_entries(130))[125:])
        assert cache.snapshot(tmp_path / "out") == cache.hash
    with closing(ResponseCache(tmp_path / "out", read_only=True)) as out:
        assert len(out) == 130


def test_two_processes_do_not_make_the_same_folder(tmp_path):
    with kept_folder(tmp_path / "new", "a"):
        refused = pytest.raises(ConfigError, match=r"^another process is making .*new; wait for it")
        with refused, kept_folder(tmp_path / "new", "a"):
            pass
        assert (tmp_path / ".new.part").exists()
    assert list(tmp_path.iterdir()) == []


def test_what_failed_leaves_nothing_and_what_was_interrupted_stays(tmp_path):
    with suppress(DataError), kept_folder(tmp_path / "new", "a"):
        raise DataError("damaged")
    assert list(tmp_path.iterdir()) == []
    with suppress(KeyboardInterrupt), kept_folder(tmp_path / "new", "a") as part:
        (part / "half").write_text("done")
        raise KeyboardInterrupt
    with kept_folder(tmp_path / "new", "other source") as part:
        assert not (part / "half").exists()

"""The text stores among processes and threads: nothing acknowledged is ever lost."""

import multiprocessing
import os
import pickle
import signal
import sqlite3
import threading
from contextlib import closing

import pytest

from stb_env.backend.store import FILE, FrozenStore, LiveView, TextStore
from stb_env.errors import DataError
from tests.backend.store.made import contents, filled

FORK = multiprocessing.get_context("fork")


def _die_inside_a_transaction(folder):
    con = sqlite3.connect(folder / FILE, isolation_level=None)
    con.execute("PRAGMA cache_size = 1")
    con.execute("BEGIN IMMEDIATE")
    con.execute("UPDATE Cache SET value = 'half'")
    for number in range(200):
        con.execute(
            "INSERT INTO Cache (key, raw, mode, value) VALUES (?, 1, 1, ?)", (f"k{number}", "x" * 3000)
        )
    os.kill(os.getpid(), signal.SIGKILL)


def test_after_a_writer_died_half_way_readers_see_the_last_whole_state(tmp_path):
    filled(tmp_path, a="1").close()
    process = FORK.Process(target=_die_inside_a_transaction, args=(tmp_path,))
    process.start()
    process.join()
    before = contents(tmp_path)
    assert len(before) == 2, "the killed writer leaves its journal"
    with closing(LiveView(tmp_path / FILE)) as view:
        assert list(view.items()) == [("a", "1")]
    assert contents(tmp_path) == before
    with closing(TextStore(tmp_path)) as store:
        assert list(store.items()) == [("a", "1")]


def _add(folder, number, count):
    with closing(TextStore(folder)) as store:
        for index in range(count):
            store.put(f"{number}-{index}", "x" * 500)


def test_eight_processes_that_add_to_one_store_lose_nothing(tmp_path):
    processes = [FORK.Process(target=_add, args=(tmp_path, number, 50)) for number in range(8)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    with closing(TextStore(tmp_path)) as store:
        assert {key for key, _ in store.items()} == {f"{n}-{i}" for n in range(8) for i in range(50)}


def _answer_first(folder, number, count, said):
    with closing(TextStore(folder)) as store:
        for index in range(count):
            key, mine = f"call-{index}", f"answer of {number}"
            stored = store.add(key, mine)
            said.put((key, mine if stored else store.get(key), stored))


def test_of_processes_that_answer_one_call_at_once_one_stores_and_all_see_its_answer(tmp_path):
    said = FORK.Queue()
    processes = [FORK.Process(target=_answer_first, args=(tmp_path, number, 40, said)) for number in range(4)]
    for process in processes:
        process.start()
    seen = [said.get() for _ in range(160)]
    for process in processes:
        process.join()
    with closing(TextStore(tmp_path)) as store:
        kept = dict(store.items())
    assert kept.keys() == {f"call-{index}" for index in range(40)}
    assert sorted(key for key, _, stored in seen if stored) == sorted(kept)
    assert all(answer == kept[key] for key, answer, _ in seen)


def _add_for_ever(folder, acknowledged):
    store = TextStore(folder)
    number = 0
    while True:
        key = f"{os.getpid()}-{number}"
        store.put(key, "x" * 700)
        os.write(acknowledged, f"{key}\n".encode())
        number += 1


@pytest.mark.heavy
def test_a_killed_writer_loses_no_acknowledged_entry(tmp_path):
    kept = set()
    for turn in range(20):
        reading, writing = os.pipe()
        process = FORK.Process(target=_add_for_ever, args=(tmp_path, writing))
        process.start()
        os.close(writing)
        said = b""
        while said.count(b"\n") <= turn:
            said += os.read(reading, 4096)
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        while part := os.read(reading, 4096):
            said += part
        os.close(reading)
        kept.update(said.decode().split("\n")[:-1])
    with closing(TextStore(tmp_path)) as store:
        assert kept <= {key for key, _ in store.items()}
        assert not [row for row in store.rows() if row.problem]


def test_a_pickled_store_carries_its_folder_alone(tmp_path):
    with closing(filled(tmp_path, a="1")) as store:
        data = pickle.dumps(store)
        assert len(data) < 1000
        with closing(pickle.loads(data)) as copy:
            copy.put("b", "2")
        assert store.get("b") == "2"
        with closing(pickle.loads(pickle.dumps(FrozenStore(tmp_path / FILE)))) as frozen:
            assert frozen.get("a") == "1"


def _use_inherited(store, frozen):
    assert store.get("a") == frozen.get("a") == "1"
    store.put("child", "2")


def test_a_forked_child_opens_its_own_handles(tmp_path):
    with closing(filled(tmp_path, a="1")) as store, closing(FrozenStore(tmp_path / FILE)) as frozen:
        assert store.get("a") == frozen.get("a")
        process = FORK.Process(target=_use_inherited, args=(store, frozen))
        process.start()
        process.join()
        assert process.exitcode == 0
        store.put("parent", "3")
        assert sorted(key for key, _ in store.items()) == ["a", "child", "parent"]


def test_threads_share_one_store(tmp_path):
    store, errors = filled(tmp_path, a="1"), []

    def work(number):
        try:
            for index in range(10):
                store.put(f"{number}-{index}", "x")
                assert store.get("a") == "1"
        except (DataError, AssertionError) as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(store) == 61
    store.close()


def test_a_store_that_stays_locked_or_read_only_is_an_infrastructure_failure(tmp_path, monkeypatch):
    monkeypatch.setattr("stb_env.backend.store.disk.BUSY_SECONDS", 0.05)
    with closing(filled(tmp_path, a="1")) as store:
        store.close()
        store.put("a", "2")
        with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(Exception, match=r"cannot write to .*: locked for more than 0 s") as caught:
                store.put("a", "3")
            assert caught.value.retryable
            assert caught.value.stage == "cache"
        assert store.get("a") == "2"

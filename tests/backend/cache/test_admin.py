"""Work on a whole cache: examples, hash, snapshot, merge, filter, verification, statistics."""

import json
import sqlite3
from contextlib import closing

import pytest

from stb_env.backend.cache import CacheEntry, ResponseCache
from stb_env.backend.store import TextStore
from stb_env.errors import ConfigError, DataError
from stb_env.tools import ToolId
from tests.backend.cache.made import PING, entry, filled


def test_examples_are_recorded_answers_of_the_api_in_the_order_of_their_recording(tmp_path):
    other = ToolId("Net", "icmp", "pong")
    sources = ["real", "simulator", "unknown"] * 4
    made = [entry({"n": n}, n, source=source) for n, source in enumerate(sources)]
    wanted = [each for each in made if each.source != "simulator"]
    with closing(filled(tmp_path, *made, entry({}, "other", identity=other))) as cache:
        assert cache.examples(PING, 5) == wanted[:5]
        assert cache.examples(PING, 100) == wanted
        assert [each.response for each in cache.examples(other)] == ["other"]
        assert cache.examples(ToolId("Net", "icmp", "none")) == []
        by_key = sorted(wanted, key=lambda each: each.key)
        assert by_key != wanted
        assert cache.examples(PING, 5, by_key=True) == by_key[:5]


def test_a_replaced_answer_keeps_its_place_among_the_examples(tmp_path):
    made = [entry({"n": n}, n, source="real") for n in range(6)]
    changed = entry({"n": 2}, "changed", source="real")
    wanted = [*made[:2], changed, *made[3:]]
    with closing(filled(tmp_path / "a", *made, changed)) as cache:
        assert cache.examples(PING, 6) == wanted
    filled(tmp_path / "b", *made[:4]).snapshot(tmp_path / "c")
    with closing(filled(tmp_path / "c", made[4], changed, made[5])) as cache:
        assert cache.examples(PING, 6) == wanted


@pytest.mark.parametrize("kept", ["snapshot", "filter", "merge"])
def test_the_order_of_recording_outlives_every_copy_and_the_hash_does_not_depend_on_it(tmp_path, kept):
    made = [entry({"n": n}, n, source="real") for n in range(20)]
    with closing(filled(tmp_path / "a", *made)) as cache, closing(filled(None, *reversed(made))) as other:
        if kept == "merge":
            filled(tmp_path / "b").merge(cache)
        else:
            getattr(cache, kept)(tmp_path / "b")
        wanted = cache.hash
        assert other.hash == wanted
        assert other.examples(PING, 20) == made[::-1]
    with closing(ResponseCache(tmp_path / "b", read_only=True)) as copy:
        assert copy.examples(PING, 20) == made
        assert list(copy.entries()) == made
        assert copy.hash == wanted


def test_examples_do_not_depend_on_what_is_frozen(tmp_path):
    made = [entry({"n": n}, n, source="real") for n in range(10)]
    filled(tmp_path / "a", *made[:5]).snapshot(tmp_path / "b")
    with closing(filled(tmp_path / "b", *made[5:])) as mixed, closing(filled(tmp_path / "c", *made)) as flat:
        assert mixed.examples(PING) == flat.examples(PING)


def test_the_hash_ignores_order_of_insertion_and_what_is_frozen(tmp_path):
    made = [entry({"n": n}, n) for n in range(6)]
    filled(tmp_path / "a", *made[:3]).snapshot(tmp_path / "b")
    caches = [
        filled(tmp_path / "b", *made[3:]),
        filled(tmp_path / "c", *reversed(made)),
        filled(None, *made),
        filled(tmp_path / "d", entry({"n": 0}, "older"), *made),
    ]
    assert len({cache.hash for cache in caches}) == 1
    changed = entry({"n": 0}, "changed")
    before = caches[0].hash
    caches[0].put(changed.key, changed)
    assert caches[0].hash != before
    for cache in caches:
        cache.close()


TIMES = ("2026-03-02T10:00:00Z", "2027-03-02T10:00:00Z")


def test_the_hash_does_not_depend_on_when_an_answer_was_recorded(tmp_path):
    arguments = ({"n": 1}, {"recorded": TIMES[0]}, f'","recorded":"{TIMES[0]}"}}', "[1")
    hashes = set()
    for number, recorded in enumerate(("", *TIMES)):
        made = [entry(each, response="pong", recorded=recorded) for each in arguments]
        with closing(filled(tmp_path / f"{number}", *made)) as cache:
            hashes |= {cache.hash, cache.snapshot(tmp_path / f"frozen {number}")}
        with closing(ResponseCache(tmp_path / f"frozen {number}", read_only=True)) as frozen:
            assert [each.recorded for each in frozen.entries()] == [recorded] * len(made)
            assert frozen.verify().ok
    assert len(hashes) == 1


@pytest.mark.parametrize("kept", ["snapshot", "filter", "merge"])
def test_the_time_of_recording_outlives_every_copy(tmp_path, kept):
    made = [entry({"n": n}, n, recorded=time) for n, time in enumerate(TIMES)]
    with closing(filled(tmp_path / "a", *made)) as cache:
        if kept == "merge":
            filled(tmp_path / "b").merge(cache)
        else:
            getattr(cache, kept)(tmp_path / "b")
    with closing(ResponseCache(tmp_path / "b", read_only=True)) as copy:
        assert list(copy.entries()) == made


def test_an_entry_is_stored_as_it_was_before_times_where_it_has_none():
    stored = json.loads(entry({"n": 1}).written())
    assert list(stored) == [
        "text",
        "error",
        "source",
        "origin",
        "class",
        "model",
        "prompt",
        "id",
        "arguments",
    ]


@pytest.mark.parametrize("time", ["yesterday", "2026-03-02T10:00:00+00:00", 3])
def test_what_is_no_time_in_utc_to_the_second_is_damage(time):
    stored = json.loads(entry().written()) | {"recorded": time}
    with pytest.raises(
        DataError, match=r"^a(n entry is recorded at a time as| damaged cache entry: TypeError)"
    ):
        CacheEntry.read(json.dumps(stored))


def test_an_overlay_hides_what_the_base_says_and_a_snapshot_keeps_what_is_seen(tmp_path):
    filled(tmp_path / "a", entry({}, "old"), entry({"n": 1}, 1)).snapshot(tmp_path / "b")
    with closing(filled(tmp_path / "b", entry({}, "new"))) as cache:
        call = entry().call
        assert json.loads(cache.get(call).text)["response"] == "new"
        assert len(cache) == len(list(cache.entries())) == 2
        cache.snapshot(tmp_path / "c")
    with closing(ResponseCache(tmp_path / "c", read_only=True)) as frozen:
        assert frozen.entry(call).response == "new"
        assert len(frozen) == 2


@pytest.mark.parametrize("read_only", [False, True])
def test_an_answer_put_over_a_frozen_one_is_served_when_the_cache_is_opened_again(tmp_path, read_only):
    filled(tmp_path / "a", entry(response="old")).snapshot(tmp_path / "b")
    new = entry(response="new")
    filled(tmp_path / "b", new).close()
    with closing(ResponseCache(tmp_path / "b", read_only=read_only)) as reopened:
        assert reopened.get(new.call) == new.hit
        assert reopened.entry(new.call) == new


def test_a_snapshot_never_overwrites(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("")
    cache = filled(tmp_path / "cache", entry())
    with pytest.raises(
        ConfigError, match=r"full exists and is not empty; name a new folder for the frozen cache"
    ):
        cache.snapshot(tmp_path / "full")
    cache.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["cache", "full"]


def test_a_merge_adds_and_lets_only_real_answers_replace_simulated_ones(tmp_path):
    mine = {1: ("ours", "real"), 2: ("ours", "simulator"), 3: ("same", "real")}
    other = {1: ("theirs", "real"), 2: ("theirs", "real"), 3: ("same", "real"), 4: ("theirs", "simulator")}
    ours, theirs = (
        filled(
            tmp_path / name, *(entry({"n": n}, text, source=source) for n, (text, source) in answers.items())
        )
        for name, answers in (("ours", mine), ("theirs", other))
    )
    assert ours.merge(theirs).to_dict() == {"added": 1, "replaced": 1, "equal": 1, "kept": 1}
    answers = {each.arguments["n"]: each.response for each in ours.entries()}
    assert answers == {1: "ours", 2: "theirs", 3: "same", 4: "theirs"}
    assert ours.merge(theirs).to_dict() == {"added": 0, "replaced": 0, "equal": 3, "kept": 1}
    ours.close()
    theirs.close()


def test_the_filter_drops_error_classes_and_keeps_other_errors(tmp_path):
    made = [
        entry({"n": 1}, "fine", origin="train"),
        entry({"n": 2}, "", error="no such city", origin="train"),
        entry({"n": 3}, {"message": "Too many requests"}, origin="train"),
        entry({"n": 4}, "", error="Function executing from x error", origin="test"),
        entry({"n": 5}, "15404 items", origin="test"),
    ]
    with closing(filled(tmp_path / "cache", *made)) as cache:
        report = cache.filter(tmp_path / "kept").to_dict()
        assert report == {
            "taxonomy": "default",
            "entries_before": 5,
            "entries_after": 3,
            "before": {"test": 2, "train": 3},
            "after": {"test": 1, "train": 2},
            "dropped": {"not_connected": 1, "parsing_error": 1},
        }
        assert cache.filter(taxonomy="paper").to_dict()["dropped"] == {"not_found": 1, "parsing_error": 1}
        assert len(cache) == 5
    with closing(ResponseCache(tmp_path / "kept", read_only=True)) as kept:
        assert {each.arguments["n"] for each in kept.entries()} == {1, 2, 5}


def test_verification_goes_on_past_every_kind_of_damage(tmp_path):
    good, damaged = [entry({"n": n}, n) for n in range(3)], entry({"n": 3}, 3)
    filled(tmp_path, *good).close()
    written = good[0].written()
    with closing(TextStore(tmp_path / "overlay")) as store:
        store.put("1-not-json", "{")
        store.put("2-no-entry", "{}")
        store.put("3-other-key", written)
        store.put("4-other-error", written.replace('"error":""', '"error":"x"'))
        store.put("5-a-list", "[]")
        store.put(damaged.key, "{}")
    with closing(sqlite3.connect(tmp_path / "overlay" / "cache.db")) as con, con:
        con.execute("INSERT INTO Cache (key, raw, mode, value) VALUES ('6-pickle', 1, 4, x'80')")
    with closing(ResponseCache(tmp_path, read_only=True)) as cache:
        report = cache.verify()
        assert (report.ok, report.checked, report.damaged) == (False, 10, 7)
        problems = [problem["key"] for problem in report.problems]
        assert problems.pop(problems.index(damaged.key))
        assert [key[:2] for key in problems] == ["1-", "2-", "3-", "4-", "5-", "6-"]
        with pytest.raises(DataError):
            list(cache.entries())
        with pytest.raises(DataError, match="a damaged cache entry"):
            cache.get(damaged.call)
        assert cache.get(good[1].call) == good[1].hit


def test_verification_notices_a_base_that_is_not_the_frozen_one(tmp_path):
    filled(tmp_path / "a", entry({}, "told")).snapshot(tmp_path / "b")
    manifest = tmp_path / "b" / "cache.json"
    manifest.write_text(manifest.read_text().replace('"hash": "', '"hash": "0'))
    with closing(ResponseCache(tmp_path / "b", read_only=True)) as cache:
        assert [problem["key"] for problem in cache.verify().problems] == ["cache.json"]


def test_statistics_count_by_category_source_origin_class_and_key(tmp_path):
    made = [
        entry({"n": 1}, source="real", origin="train"),
        entry({"n": 2}, "", error="x", source="simulator"),
        entry({}, identity=ToolId("Food", "menu", "list")),
    ]
    with closing(filled(tmp_path, *made)) as cache:
        stats = cache.stats()
        assert stats.pop("hash") == cache.hash
        assert stats == {
            "entries": 3,
            "apis": 2,
            "close_calls": 0,
            "by_category": {"Food": 1, "Net": 2},
            "by_source": {"real": 1, "simulator": 1, "unknown": 1},
            "by_origin": {"": 2, "train": 1},
            "by_class": {"other_error": 1, "success": 2},
            "by_key": {"canonical": 3},
        }

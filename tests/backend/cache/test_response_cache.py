"""The response cache: its keys, what it keeps, and that reading it changes nothing."""

import hashlib
import json
import multiprocessing
import pickle
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stb_env.backend.cache import CacheEntry, CallKey, ResponseCache
from stb_env.backend.cache.entry import written_answer
from stb_env.backend.cache.recent import Recent
from stb_env.errors import ConfigError, DataError
from stb_env.tools import ToolId
from tests.backend.cache.made import ARGUMENTS, PING, TEXT, VALUES, entry, filled

FORK = multiprocessing.get_context("fork")
NASTY = [
    "../../etc/passwd", "..", "/", "", "a/b\\c", "\0", "C:\\x", "\ud800", "日本語 👋", "x" * 5000,
    "'; DROP TABLE Cache", "%s%n", "{}", "[", "null", "\n\r\t", "\u2028", "$HOME", "~root",
]  # fmt: skip


def contents(folder):
    return {
        file.relative_to(folder).as_posix(): (
            hashlib.sha256(file.read_bytes()).hexdigest(),
            file.stat().st_mtime_ns,
        )
        for file in folder.rglob("*")
        if file.is_file()
    }


# Entries and look-ups.


ANNOUNCED = st.fixed_dictionaries(
    {},
    optional={
        "message": st.sampled_from(["Too many requests", "ok", "Not found", ["unauthorized"], {"a": "401"}]),
        "status": st.sampled_from([200, 404, "500", 10**25, True, 401.0]),
    },
)


@given(
    ARGUMENTS | TEXT | st.sampled_from(NASTY),
    VALUES | ANNOUNCED | st.sampled_from(NASTY) | st.builds(json.dumps, ANNOUNCED),
    st.sampled_from(["", "API doesn't exists.", "Function executing from x error", *NASTY]),
    st.sampled_from(["real", "simulator", "unknown"]),
)
def test_an_answer_is_stored_the_same_with_and_without_an_entry(arguments, response, error, source):
    made = CacheEntry.of(PING, arguments, response, error=error, source=source, origin="train")
    stored = written_answer(PING, arguments, response, error=error, source=source, origin="train")
    assert stored == (made.call.row, made.written())


@given(ARGUMENTS | TEXT, VALUES, TEXT, st.sampled_from(["real", "simulator", "unknown"]))
def test_an_entry_survives_its_stored_form(arguments, response, error, source):
    made = CacheEntry.of(
        PING, arguments, response, error=error, source=source, origin="x", model="m", prompt="v1"
    )
    written = made.written()
    back = CacheEntry.read(written)
    assert written.isascii()
    assert (back, back.key, back.error) == (made, made.key, error)


@pytest.mark.parametrize(
    ("text", "source", "message"),
    [
        ('{"error": ""}', "real", """an entry's text is JSON of error and response, got '{"error": ""}'"""),
        ('{"error": null, "response": 1}', "real", "an entry's text is JSON of error and response"),
        ("[]", "real", "a damaged cache entry: expected an object, got list"),
        ("{", "real", "a damaged cache entry: Expecting property name"),
        ('{"error": "", "response": 1}', "cache", "an entry of source 'cache' and dict arguments"),
    ],
)
def test_an_entry_checks_what_it_is_made_of(text, source, message):
    with pytest.raises(DataError) as caught:
        CacheEntry(PING, {}, text, source)
    assert message in str(caught.value)


def test_a_stored_error_that_is_not_that_of_the_text_is_damage():
    written = entry(error="no such host").written()
    damaged = written.replace('"error":"no such host"', '"error":""')
    assert damaged != written
    with pytest.raises(DataError, match=r"^a damaged cache entry: its error is 'no such host', noted is ''$"):
        CacheEntry.read(damaged)


@pytest.mark.parametrize("arguments", [{"a": object()}, {"a": {(1, 2): 3}}])
def test_arguments_that_json_cannot_say_are_refused(arguments):
    with pytest.raises(DataError, match=r"the arguments of ToolId\(.*\) cannot be stored as JSON"):
        entry(arguments).written()


def test_arguments_that_nest_too_deep_are_refused():
    deep: list = []
    for _ in range(200):
        deep = [deep]
    with pytest.raises(DataError, match="JSON nests deeper than 100 levels"):
        entry({"a": deep}).written()


@pytest.mark.parametrize("where", ["memory", "disk"])
def test_what_was_put_is_found(tmp_path, where):
    cache = ResponseCache(None if where == "memory" else tmp_path / "cache")
    made = entry({"host": "ü"}, {"ms": "é"}, error="slow", source="real")
    cache.put(made.key, made)
    for _ in range(2):
        hit = cache.get(made.call)
        assert hit == (made.text, "slow", "real", "exact")
        assert hit.text == '{"error": "slow", "response": {"ms": "é"}}'
    assert cache.get(CallKey(PING, {})) is None
    assert cache.entry(made.call) == made
    assert len(cache) == 1
    cache.close()


@pytest.mark.heavy
@pytest.mark.parametrize("nasty", NASTY)
def test_no_name_argument_or_response_breaks_the_cache_or_leaves_its_folder(tmp_path, nasty):
    made = CacheEntry.of(ToolId(nasty, nasty, nasty), {nasty: [nasty]}, nasty, error=nasty, origin=nasty)
    raw = CacheEntry.of(ToolId(nasty, "t", "a"), nasty, {nasty: nasty})
    with closing(filled(tmp_path / "cache", made, raw)) as cache:
        assert cache.get(made.call) == made.hit
        assert {each.key: each for each in cache.entries()} == {made.key: made, raw.key: raw}
        assert cache.verify().ok
        cache.snapshot(tmp_path / "frozen")
    with closing(ResponseCache(tmp_path / "frozen", read_only=True)) as frozen:
        assert frozen.get(made.call) == made.hit
        assert frozen.get(raw.call) == raw.hit
    assert sorted(file.name for file in tmp_path.iterdir()) == ["cache", "frozen"]


@pytest.mark.heavy
@settings(max_examples=15)
@given(st.lists(st.tuples(ARGUMENTS, VALUES), max_size=6))
def test_any_calls_are_found_again_after_freezing(tmp_path_factory, calls):
    folder = tmp_path_factory.mktemp("cache")
    made = [entry(arguments, response) for arguments, response in calls]
    entries = {each.call.exact: each for each in made}
    with closing(ResponseCache(folder / "live")) as cache:
        cache.put_many((each.key, each) for each in made)
        digest = cache.snapshot(folder / "frozen")
        assert digest == cache.hash
    with closing(ResponseCache(folder / "frozen", read_only=True)) as frozen:
        assert [frozen.get(each.call) for each in entries.values()] == [each.hit for each in entries.values()]
        assert {each.call.exact: each for each in frozen.entries()} == entries
        assert frozen.verify().ok


@pytest.mark.parametrize("several", [False, True])
def test_what_is_put_replaces_also_what_was_just_read(tmp_path, several):
    old, new = entry(response="old"), entry(response="new")
    with closing(filled(tmp_path, old)) as cache:
        assert (cache.get(old.call), cache.hash) == (old.hit, filled(None, old).hash)
        if several:
            cache.put_many([(new.key, new)])
        else:
            cache.put(new.key, new)
        assert (cache.get(old.call), cache.hash) == (new.hit, filled(None, new).hash)


def test_a_response_of_a_megabyte_is_kept_whole(tmp_path):
    made = entry({}, "ü" * 1_000_000)
    with closing(filled(tmp_path, made)) as cache:
        assert cache.get(made.call).text == made.text
    with closing(ResponseCache(tmp_path, read_only=True, lru_characters=1000)) as cache:
        assert cache.get(made.call).text == made.text


def test_a_key_that_is_not_the_entrys_own_is_refused(tmp_path):
    with closing(ResponseCache(tmp_path)) as cache:
        with pytest.raises(DataError, match=r"the key 'k' is not that of ToolId\("):
            cache.put("k", entry())
        assert len(cache) == 0


def test_a_cache_open_for_reading_takes_nothing(tmp_path):
    filled(tmp_path, entry()).close()
    before = contents(tmp_path)
    other = entry({"a": 1})
    with closing(ResponseCache(tmp_path, read_only=True)) as cache:
        with pytest.raises(
            ConfigError, match=r"the response cache .* is open for reading only; nothing was stored"
        ):
            cache.put(other.key, other)
        assert cache.get(other.call) is None
    assert contents(tmp_path) == before


def test_reading_base_and_overlay_changes_no_byte(tmp_path):
    filled(tmp_path / "first", entry({"a": 1})).snapshot(tmp_path / "cache")
    filled(tmp_path / "cache", entry({"a": 2})).close()
    before = contents(tmp_path / "cache")
    with closing(ResponseCache(tmp_path / "cache", read_only=True)) as cache:
        assert cache.get(CallKey(PING, {"a": 1}))
        assert cache.get(CallKey(PING, {"a": 2}))
        assert cache.get(CallKey(PING, {"a": 3})) is None
        assert len(cache) == len(cache.examples(PING)) == cache.stats()["entries"] == 2
        assert cache.verify().ok
        assert contents(tmp_path / "cache") == before
    assert contents(tmp_path / "cache") == before


def test_nothing_is_made_before_the_first_put(tmp_path):
    with closing(ResponseCache(tmp_path / "cache")) as cache:
        assert cache.get(entry().call) is None
        assert len(cache) == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "what"), [("absent", "no folder"), ("", "no response cache in the folder")])
def test_reading_where_there_is_no_cache_says_how_to_make_one(tmp_path, name, what):
    folder = tmp_path / name
    with pytest.raises(ConfigError) as caught:
        ResponseCache(folder, read_only=True)
    assert str(caught.value) == f"{what} {folder}; make one with `stb-env cache import SRC --cache {folder}`"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": 99}', "cache format 99, expected 1; import the data again with this version"),
        ("[]", "cache format 'list', expected 1; import the data again with this version"),
        ("{", "delete it where the folder's data is known good"),
    ],
)
def test_a_folder_of_another_format_is_refused(tmp_path, text, message):
    (tmp_path / "cache.json").write_text(text)
    with pytest.raises(DataError) as caught:
        ResponseCache(tmp_path)
    assert message in str(caught.value)


# Memory, processes, copies.


def test_recent_values_are_bounded_by_number():
    recent = Recent(10, 1000, len)
    for number in range(100):
        recent.put(str(number), "x")
        assert len(recent) <= 10
    assert [recent.get(str(number)) for number in range(95, 100)] == ["x"] * 5
    assert recent.get("80") is None


def test_recent_values_are_bounded_by_size():
    recent = Recent(1000, 100, len)
    for number in range(100):
        recent.put(str(number), "x" * 10)
        assert len(recent) <= 10
    assert recent.get("99")
    assert recent.get("50") is None


def test_recent_values_of_half_the_size_are_kept_however_many_came_before():
    recent = Recent(1000, 100, len)
    for number in range(100):
        recent.put(str(number), "x" * 10)
        assert all(
            key in recent.young or recent.get(key) for key in map(str, range(max(0, number - 4), number))
        )


def test_a_value_that_has_grown_too_large_is_kept_in_no_older_form():
    recent = Recent(10, 100, len)
    recent.put("a", "x")
    recent.put("a", "x" * 51)
    assert (recent.get("a"), len(recent)) == (None, 0)


def test_a_value_in_use_stays_while_others_come_and_go():
    recent = Recent(10, 1000, len)
    recent.put("used", "x")
    for number in range(100):
        recent.put(str(number), "y")
        assert recent.get("used") == "x"


def test_a_cache_without_recent_values_reads_every_time(tmp_path):
    made = entry()
    with closing(filled(tmp_path, made)) as cache:
        cache.snapshot(tmp_path / "frozen")
    with closing(ResponseCache(tmp_path / "frozen", lru=0, read_only=True)) as cold:
        assert cold.get(made.call) == cold.get(made.call) == made.hit


@pytest.mark.parametrize("where", ["memory", "disk"])
def test_a_pickled_cache_answers_the_same(tmp_path, where):
    made = entry({"n": 1}, 1)
    cache = filled(None if where == "memory" else tmp_path, made)
    copy = pickle.loads(pickle.dumps(cache))
    assert copy.get(made.call) == made.hit
    assert copy.hash == cache.hash
    copy.close()
    cache.close()


def _play(cache, number, call):
    assert cache.get(call)
    for index in range(10):
        made = entry({"process": number, "index": index}, index)
        cache.put(made.key, made)


def test_forked_workers_share_one_cache(tmp_path):
    first = entry()
    filled(tmp_path / "a", first).snapshot(tmp_path / "b")
    cache = ResponseCache(tmp_path / "b")
    made = entry({"parent": 1})
    cache.put(made.key, made)
    workers = [FORK.Process(target=_play, args=(cache, number, first.call)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert len(cache) == 42
    assert cache.verify().ok
    cache.close()

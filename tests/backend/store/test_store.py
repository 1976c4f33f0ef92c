"""The text stores: what they keep, what they refuse, and what they survive."""

import multiprocessing
import pickle
import sqlite3
from contextlib import closing
from pathlib import Path

import diskcache
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stb_env.backend.store import FILE, FrozenStore, LiveView, TextDisk, TextStore
from stb_env.errors import ConfigError, DataError
from tests.backend.store.made import contents, filled

FORK = multiprocessing.get_context("fork")
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


class Bomb:
    """Creates a file where it is unpickled."""

    def __init__(self, file):
        self.file = str(file)

    def __reduce__(self):
        return open, (self.file, "w")


def plant(folder, key="bad", raw=1, mode=1, value="x"):
    with closing(sqlite3.connect(folder / FILE)) as con, con:
        con.execute("INSERT INTO Cache (key, raw, mode, value) VALUES (?, ?, ?, ?)", (key, raw, mode, value))


@pytest.mark.heavy
@settings(max_examples=20)
@given(st.dictionaries(TEXT, TEXT, max_size=8))
def test_every_reader_gets_what_was_stored(tmp_path_factory, values):
    folder = tmp_path_factory.mktemp("store")
    with closing(TextStore(folder)) as store:
        store.put_many(values.items())
        assert {key: store.get(key) for key in values} == values
        assert dict(store.items()) == values
        assert len(store) == len(values)
    with closing(FrozenStore(folder / FILE)) as frozen:
        assert {key: frozen.get(key) for key in values} == values
        assert [key for key, _ in frozen.items()] == sorted(values)
    with diskcache.Cache(str(folder)) as raw:
        assert {key: raw[key] for key in values} == values


def test_a_missing_key_gives_none(tmp_path):
    with closing(filled(tmp_path, a="1")) as store:
        assert store.get("b") is None
        assert store.get("\ud800") is None


def test_the_last_value_of_a_key_wins(tmp_path):
    with closing(filled(tmp_path, a="1")) as store:
        store.put("a", "2")
        assert list(store.items()) == [("a", "2")]


def test_a_prefix_selects_its_keys_alone(tmp_path):
    with closing(filled(tmp_path, **{"a:1": "x", "a:2": "y", "a;": "z", "a": "w", "b:1": "v"})) as store:
        assert list(store.items("a:")) == [("a:1", "x"), ("a:2", "y")]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (1, "x", "this store takes text, got a key of type int"),
        ("k", 1, "this store takes text, got a value of type int"),
        ("k", b"x", "this store takes text, got a value of type bytes"),
        ("k", {"a": 1}, "this store takes text, got a value of type dict"),
        ("k", "\ud800", "a value cannot be stored as UTF-8 (surrogates not allowed); escape it first"),
        ("\udfff", "x", "a key cannot be stored as UTF-8 (surrogates not allowed); escape it first"),
    ],
)
def test_anything_but_text_is_refused_on_writing(tmp_path, key, value, message):
    with closing(TextStore(tmp_path)) as store:
        with pytest.raises(DataError) as caught:
            store.put(key, value)
        assert str(caught.value) == message
        assert len(store) == 0


def test_a_failed_batch_stores_nothing(tmp_path):
    with closing(TextStore(tmp_path)) as store:
        with pytest.raises(DataError):
            store.put_many([("a", "1"), ("b", 2)])
        assert len(store) == 0


@pytest.mark.parametrize("reader", [FrozenStore, LiveView, lambda file: TextStore(file.parent)])
def test_a_planted_pickle_is_refused_and_never_loaded(tmp_path, reader):
    folder, trap = tmp_path / "store", tmp_path / "trap"
    filled(folder, good="1").close()
    plant(folder, "value", 1, 4, pickle.dumps(Bomb(trap)))
    plant(folder, pickle.dumps(Bomb(trap)), 0, 1, "x")
    with closing(reader(folder / FILE)) as store:
        with pytest.raises(DataError, match=r"the row 'value' in .* is not plain text and may be a pickle"):
            store.get("value")
        with pytest.raises(DataError, match=r"may be a pickle"):
            list(store.items())
        assert store.get("good") == "1"
        assert sorted(row.problem for row in store.rows()) == [
            "",
            "its key is not plain text",
            "its value is not plain text",
        ]
    assert not trap.exists()


def test_diskcache_itself_refuses_planted_pickles_through_our_disk(tmp_path):
    folder, trap = tmp_path / "store", tmp_path / "trap"
    filled(folder, good="1").close()
    plant(folder, "value", 1, 4, pickle.dumps(Bomb(trap)))
    plant(folder, pickle.dumps(Bomb(trap)), 0, 1, "x")
    with diskcache.Cache(str(folder), disk=TextDisk) as raw:
        with pytest.raises(DataError, match=r"a value in .* may be a pickle"):
            raw.get("value")
        with pytest.raises(DataError, match=r"a key in .* may be a pickle"):
            list(raw.iterkeys())
        with pytest.raises(DataError, match=r"this store takes text, got a file for key 'k'"):
            raw.set("k", open(__file__, "rb"), read=True)  # noqa: SIM115 (refused unread)
    assert not trap.exists()


@pytest.mark.parametrize(
    ("column", "value"), [("mode", 3), ("value", b"\xff"), ("expire_time", 5.0), ("value", 7), ("mode", None)]
)
def test_a_row_that_is_not_plain_lasting_text_is_refused(tmp_path, column, value):
    filled(tmp_path, a="1", b="2").close()
    with closing(sqlite3.connect(tmp_path / FILE)) as con, con:
        con.execute(f"UPDATE Cache SET {column} = ? WHERE key = 'a'", (value,))
    with closing(FrozenStore(tmp_path / FILE)) as store:
        with pytest.raises(DataError, match="refused"):
            store.get("a")
        assert [bool(row.problem) for row in store.rows()] == [True, False]


def test_text_that_is_not_utf8_is_refused(tmp_path):
    filled(tmp_path, a="1").close()
    with closing(sqlite3.connect(tmp_path / FILE)) as con, con:
        con.execute("UPDATE Cache SET value = CAST(x'ff41' AS TEXT)")
    with closing(FrozenStore(tmp_path / FILE)) as store:
        assert [row.problem for row in store.rows()] == ["not UTF-8"]
        with pytest.raises(DataError, match="cannot read"):
            store.get("a")


def test_settings_forbid_eviction_and_ask_for_durable_writes(tmp_path):
    TextStore(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE)) as con:
        found = dict(con.execute("SELECT key, value FROM Settings"))
    assert found["eviction_policy"] == "none"
    assert found["cull_limit"] == 0
    assert found["sqlite_synchronous"] == 2
    assert found["size_limit"] > 2**60


def test_a_large_value_stays_in_the_one_file(tmp_path):
    with closing(filled(tmp_path, a="x" * 1_000_000)) as store:
        assert len(store.get("a")) == 1_000_000
    assert [file.name for file in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize("opener", [TextStore, lambda folder: FrozenStore(folder / FILE).get("a")])
@pytest.mark.parametrize("damage", ["text", "short", "settings", "attribute", "tables"])
def test_damaged_data_is_a_clear_error(tmp_path, opener, damage):
    filled(tmp_path, a="x" * 50_000).close()
    file = tmp_path / FILE
    if damage == "text":
        file.write_text("not a database, but long enough to look at " * 100)
    elif damage == "short":
        file.write_bytes(file.read_bytes()[:3000])
    else:
        with closing(sqlite3.connect(file)) as con, con:
            con.execute(
                {
                    "settings": "UPDATE Settings SET value = 'many' WHERE key = 'count'",
                    "attribute": "INSERT INTO Settings VALUES ('_sql', 'DROP TABLE Cache')",
                    "tables": "DROP TABLE Cache",
                }[damage]
            )
    before = file.read_bytes()
    with pytest.raises(DataError, match=rf"{file}.*(restore|import into a new folder)"):
        opener(tmp_path)
    assert file.read_bytes() == before


def test_a_missing_file_is_a_clear_error(tmp_path):
    with pytest.raises(DataError, match=r"cannot read .*cache\.db: unable to open database file"):
        FrozenStore(tmp_path / FILE).get("a")


@pytest.mark.parametrize("name", ["with space", "Zürich 日本", "100%", "a?b=c#d", "~", "x;y&z", "'quoted\""])
def test_a_folder_is_used_exactly_as_named(tmp_path, name):
    with closing(filled(tmp_path / name, a="1")) as store:
        assert store.get("a") == "1"
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_a_folder_name_that_would_be_expanded_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("ELSEWHERE", "/")
    with pytest.raises(ConfigError, match=r"diskcache would expand the variable; choose a name without \$"):
        TextStore(tmp_path / "$ELSEWHERE")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_a_config_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot make the cache folder"):
        TextStore(tmp_path / "file" / "store")


@pytest.mark.parametrize("reader", [FrozenStore, LiveView])
def test_reading_changes_no_byte_and_makes_no_file(tmp_path, reader):
    filled(tmp_path, a="1", b="2").close()
    before = contents(tmp_path)
    with closing(reader(tmp_path / FILE)) as store:
        assert store.get("a") == "1"
        assert len(list(store.items())) == 2
        assert contents(tmp_path) == before
    assert contents(tmp_path) == before


def test_a_live_view_sees_what_another_handle_adds(tmp_path):
    with closing(filled(tmp_path, a="1")) as store, closing(LiveView(tmp_path / FILE)) as view:
        assert view.get("b") is None
        store.put("b", "2")
        assert view.get("b") == "2"


def test_a_closed_store_opens_again_when_it_is_used(tmp_path):
    store = filled(tmp_path, a="1")
    store.close()
    store.put("b", "2")
    assert store.get("a") == "1"
    store.close()
    store.close()


def test_the_path_of_a_store_is_fixed_when_it_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = TextStore("here")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    store.put("a", "1")
    store.close()
    assert (tmp_path / "here" / FILE).exists()
    assert not Path("here").exists()

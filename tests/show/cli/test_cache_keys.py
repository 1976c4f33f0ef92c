"""``stb-env cache`` keeps what was recorded of each spelling of a call, through every command."""

import csv
import itertools
import json
from contextlib import closing

import pytest

from stb_env.backend.cache import CacheEntry, CallKey, ResponseCache
from stb_env.backend.store import TextStore
from stb_env.tools import ToolId
from tests.show.cli.test_cache import PING, run, said

SPELLINGS = ({"n": 1}, {"n": 1.0}, {"n": "1"})
TABLE = "provenance.csv"


def recorded(folder, *answers):
    """Write answers of Net/icmp/ping in the official layout."""
    file = folder / "Net" / "icmp_for_Net" / "ping.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({str(arguments): answer for arguments, answer in answers}))
    return folder


def answer(response, error=""):
    return {"error": error, "response": response}


def entries(folder):
    with closing(ResponseCache(folder, read_only=True)) as cache:
        return list(cache.entries())


def hits(folder, *asked, identity=PING):
    """Return response and kind of key of what a cache answers to each call."""
    with closing(ResponseCache(folder, read_only=True)) as cache:
        found = [cache.get(CallKey(identity, arguments)) for arguments in asked]
        return [hit and (json.loads(hit.text)["response"], hit.key) for hit in found]


def filled(folder, *made):
    with closing(ResponseCache(folder)) as cache:
        cache.put_many((each.key, each) for each in made)
    return folder


@pytest.fixture
def cache(tmp_path):
    """A cache of three spellings of one call, and of another call."""
    answers = [(arguments, answer(type(arguments["n"]).__name__)) for arguments in SPELLINGS]
    source = recorded(tmp_path / "src", *answers, ({"n": 2}, answer("two")))
    assert said("import", source, "--cache", tmp_path / "cache")["entries_added"] == 4
    return tmp_path / "cache"


EXACT = [("int", "exact"), ("float", "exact"), ("str", "exact")]


@pytest.mark.parametrize("order", [*itertools.permutations(SPELLINGS)])
def test_each_spelling_gets_its_own_answer_and_others_the_first(tmp_path, order):
    answers = [(arguments, answer(type(arguments["n"]).__name__)) for arguments in order]
    said("import", recorded(tmp_path / "src", *answers), "--cache", tmp_path / "cache")
    assert hits(tmp_path / "cache", *SPELLINGS) == EXACT
    first = type(order[0]["n"]).__name__
    assert hits(tmp_path / "cache", {"N": 1}, '{"n":  "1.00"}', {"n": 3}) == [
        (first, "canonical"),
        None,
        None,
    ]


def test_the_order_of_arguments_is_part_of_the_exact_key_alone(tmp_path):
    source = recorded(tmp_path / "src", ({"a": 1, "b": 2}, answer("ab")), ({"b": 2, "a": 1}, answer("ba")))
    said("import", source, "--cache", tmp_path / "cache")
    asked = ({"a": 1, "b": 2}, {"b": 2, "a": 1}, '{"b": 2, "a": 1}', {"b": "2", "a": 1})
    assert hits(tmp_path / "cache", *asked) == [
        ("ab", "exact"),
        ("ba", "exact"),
        ("ba", "exact"),
        ("ab", "canonical"),
    ]


def test_stats_say_which_key_finds_the_entries(cache):
    assert said("stats", "--cache", cache)["by_key"] == {"canonical": 2, "exact": 2}
    assert "by_key: exact" in run("stats", "--cache", cache).stdout


def test_all_spellings_are_shown_and_verified(cache):
    shown = said("show", "Net/icmp/ping", "--cache", cache)["answers"]
    assert [each["arguments"] for each in shown] == [*SPELLINGS, {"n": 2}]
    assert said("verify", "--cache", cache)["checked"] == 4


def test_a_row_beside_the_first_whose_key_is_another_calls_is_damage(cache):
    key = CallKey(PING, {"n": 1}).row
    with closing(TextStore(cache / "overlay")) as store:
        store.put(key.canonical + ":" + "0" * 32, CacheEntry.of(PING, {"n": 1}, "planted").written())
    damaged = run("verify", "--cache", cache, "--json")
    assert damaged.exit_code == 1
    assert [each["key"][:49] for each in json.loads(damaged.stdout)["problems"]] == [key.canonical]


def test_importing_again_adds_and_replaces_nothing(tmp_path, cache):
    again = said("import", tmp_path / "src", "--cache", cache)
    assert (again["entries_added"], again["entries_replaced"], again["entries"]) == (0, 0, 4)


def test_a_new_answer_to_one_spelling_leaves_the_others(tmp_path, cache):
    source = recorded(tmp_path / "new", ({"n": "1"}, answer("newer")))
    data = said("import", source, "--cache", cache)
    assert (data["entries_added"], data["entries_replaced"], data["entries"]) == (0, 1, 4)
    assert hits(cache, *SPELLINGS) == [*EXACT[:2], ("newer", "exact")]


def test_a_snapshot_keeps_all_spellings(tmp_path, cache):
    said("snapshot", "--cache", cache, "--out", tmp_path / "frozen")
    assert hits(tmp_path / "frozen", *SPELLINGS) == EXACT
    assert entries(tmp_path / "frozen") == entries(cache)


def test_an_overlay_adds_a_spelling_to_a_base(tmp_path, cache):
    base = said("snapshot", "--cache", cache, "--out", tmp_path / "base")["hash"]
    source = recorded(tmp_path / "more", ({"n": 2.0}, answer("two point")))
    assert said("import", source, "--cache", tmp_path / "base")["entries_added"] == 1
    assert hits(tmp_path / "base", {"n": 2}, {"n": 2.0}, {"n": "2"}) == [
        ("two", "exact"),
        ("two point", "exact"),
        ("two", "canonical"),
    ]
    assert said("stats", "--cache", tmp_path / "base")["hash"] != base
    said("snapshot", "--cache", tmp_path / "base", "--out", tmp_path / "next")
    assert entries(tmp_path / "next") == entries(tmp_path / "base")


def test_a_merge_keeps_the_spellings_of_both(tmp_path, cache):
    ours = CacheEntry.of(PING, {"n": 1.0}, "ours")
    other = filled(tmp_path / "mine", ours)
    assert said("merge", cache, "--cache", other) == {
        "added": 3,
        "replaced": 0,
        "equal": 0,
        "kept": 1,
        "entries": 4,
    }
    assert hits(other, *SPELLINGS) == [EXACT[0], ("ours", "exact"), EXACT[2]]
    assert said("merge", cache, "--cache", other)["added"] == 0
    assert said("verify", "--cache", other)["ok"]


def test_a_filter_that_drops_the_first_lets_the_next_answer_other_spellings(tmp_path):
    broken = answer({"message": "Too many requests"})
    source = recorded(
        tmp_path / "src", ({"n": 1}, broken), ({"n": 1.0}, broken), ({"n": "1"}, answer("works"))
    )
    said("import", source, "--cache", tmp_path / "cache")
    said("filter", "--cache", tmp_path / "cache", "--out", tmp_path / "clean")
    assert hits(tmp_path / "clean", *SPELLINGS) == [("works", "canonical")] * 2 + [("works", "exact")]
    assert said("stats", "--cache", tmp_path / "clean")["by_key"] == {"canonical": 1}
    assert said("verify", "--cache", tmp_path / "clean")["ok"]


def test_a_filter_that_keeps_the_first_keeps_the_places(tmp_path, cache):
    said("filter", "--cache", cache, "--out", tmp_path / "clean")
    assert said("stats", "--cache", tmp_path / "clean")["hash"] == said("stats", "--cache", cache)["hash"]


def test_a_real_answer_comes_before_a_simulated_one_for_other_spellings(tmp_path):
    made = [
        CacheEntry.of(PING, {"n": 1}, "made up", source="simulator"),
        CacheEntry.of(PING, {"n": 1.0}, "measured", source="real"),
    ]
    folder = filled(tmp_path / "cache", *made)
    assert hits(folder, {"n": 1}, {"n": 1.0}, {"n": "1"}) == [
        ("made up", "exact"),
        ("measured", "exact"),
        ("measured", "canonical"),
    ]
    assert said("verify", "--cache", folder) == {"ok": True, "checked": 2, "damaged": 0, "problems": []}


def test_a_cache_of_an_earlier_version_is_read(tmp_path):
    """It has one row a call, under the canonical key."""
    kept = CacheEntry.of(PING, {"n": 1.0}, "last")
    with closing(TextStore(tmp_path / "overlay")) as store:
        store.put(kept.key, kept.written())
    assert hits(tmp_path, *SPELLINGS) == [("last", "canonical"), ("last", "exact"), ("last", "canonical")]
    assert said("stats", "--cache", tmp_path)["by_key"] == {"canonical": 1}
    filled(tmp_path, CacheEntry.of(PING, {"n": 1}, "new"))
    assert hits(tmp_path, *SPELLINGS) == [("new", "exact"), ("last", "exact"), ("last", "canonical")]


def test_numbers_and_texts_that_are_written_in_other_ways_are_found_exactly(tmp_path):
    odd = (
        {"n": 10**30},
        {"n": 1e30},
        {"n": -0.0},
        {"n": 0},
        {"n": None},
        {"n": "null"},
        {"n": "ü\ud800"},
        {"ü": ["é", {"b": 1, "a": 2}]},
        "raw ü text",
        "[1,2]",
    )
    folder = filled(
        tmp_path / "cache", *(CacheEntry.of(PING, arguments, str(arguments)) for arguments in odd)
    )
    assert hits(folder, *odd) == [(str(arguments), "exact") for arguments in odd]
    assert said("verify", "--cache", folder)["checked"] == len(odd)


# Own exports.


def exported(cache, out):
    said("export", "--cache", cache, "--out", out)
    return out


def test_an_own_export_comes_back_with_everything_that_is_known(tmp_path):
    made = [
        CacheEntry.of(PING, {"n": 1}, "r", source="real", origin="", recorded="2026-03-02T10:00:00Z"),
        CacheEntry.of(PING, {"n": 1.0}, "s", source="simulator", origin="experiment", model="m", prompt="v1"),
        CacheEntry.of(PING, 'raw, "text"\r\nof two lines \0 and \ud800', "u", origin="train"),
        CacheEntry.of(PING, {"text": "x" * 200_000}, "long", source="real"),
        CacheEntry.of(ToolId("a/b", "ü", "\ud800"), {"n": "1"}, "odd name", source="real", origin="test"),
    ]
    folder = filled(tmp_path / "cache", *made)
    source = exported(folder, tmp_path / "out")
    data = said("import", source, "--cache", tmp_path / "back")
    assert data["by_source"] == {"real": 3, "simulator": 1, "unknown": 1}
    assert data["unreadable"] == []
    assert entries(tmp_path / "back") == entries(folder)
    assert said("stats", "--cache", tmp_path / "back") == said("stats", "--cache", folder)


def test_without_its_table_an_export_is_of_unknown_source(tmp_path):
    folder = filled(tmp_path / "cache", CacheEntry.of(PING, {"n": 1}, "r", source="real"))
    source = exported(folder, tmp_path / "out")
    (source / TABLE).unlink()
    said("import", source, "--cache", tmp_path / "back")
    assert [(each.source, each.origin) for each in entries(tmp_path / "back")] == [("unknown", "official")]


def test_a_line_of_the_table_speaks_for_its_own_call_alone(tmp_path):
    made = [CacheEntry.of(PING, {"n": n}, n, source="real") for n in (1, 2)]
    source = exported(filled(tmp_path / "cache", *made), tmp_path / "out")
    file = source / "Net" / "icmp_for_Net" / "ping.json"
    answers = json.loads(file.read_text())
    file.write_text(json.dumps(answers | {"{'n': '1'}": answer("planted"), "{'n': 1.0}": answer("planted")}))
    said("import", source, "--cache", tmp_path / "back")
    assert [each.source for each in entries(tmp_path / "back")] == ["real", "real", "unknown", "unknown"]


def test_the_table_of_an_earlier_version_is_read_whatever_the_order_of_its_lines(tmp_path):
    identities = [ToolId("Net", "icmp", name) for name in ("ping", "pong")]
    made = [
        CacheEntry.of(each, {"n": n}, n, source="real", origin="x") for n in (1, 2) for each in identities
    ]
    folder = filled(tmp_path / "cache", *made)
    source = exported(folder, tmp_path / "out")
    with (source / TABLE).open(newline="") as file:
        names, *rows = [row[:-1] for row in csv.reader(file)]
    with (source / TABLE).open("w", newline="") as file:
        csv.writer(file).writerows([names, *sorted(rows, key=lambda row: row[3])])
    said("import", source, "--cache", tmp_path / "back")
    assert entries(tmp_path / "back") == entries(folder)


def test_an_origin_that_is_given_stands_for_that_of_the_table(tmp_path):
    folder = filled(tmp_path / "cache", CacheEntry.of(PING, {}, 1, source="real", origin="experiment"))
    said("import", exported(folder, tmp_path / "out"), "--cache", tmp_path / "back", "--origin", "train")
    assert [(each.source, each.origin) for each in entries(tmp_path / "back")] == [("real", "train")]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("source", "sauce", "expected the columns category, tool, api, arguments, source"),
        (",real,", ",invented,", "has source 'invented'"),
        (",real,", ",real", "a line of 8 columns"),
        (",real,", ',"real,', "cannot read"),
        ("2026-03-02T10:00:00Z", "yesterday", "and time 'yesterday'"),
    ],
)
def test_a_damaged_table_is_reported_and_believed_in_nothing(tmp_path, old, new, reason):
    made = CacheEntry.of(PING, {"n": 1}, 1, source="real", recorded="2026-03-02T10:00:00Z")
    source = exported(filled(tmp_path / "cache", made), tmp_path / "out")
    table = (source / TABLE).read_text()
    assert old in table
    (source / TABLE).write_text(table.replace(old, new))
    data = said("import", source, "--cache", tmp_path / "back")
    assert [reason in each["reason"] for each in data["unreadable"]] == [True]
    assert [each.source for each in entries(tmp_path / "back")] == ["unknown"]


@pytest.mark.heavy
def test_golden_recordings_come_back_from_an_export_the_same(tmp_path, shared_data):
    said("import", shared_data / "stabletoolbench", "--cache", tmp_path / "one", "--origin", "test")
    said("import", shared_data / "mirrorapi_bench", "--cache", tmp_path / "one", "--simulated")
    stats = said("stats", "--cache", tmp_path / "one")
    assert stats["by_source"].keys() >= {"real", "unknown"}
    assert stats["by_origin"].keys() == {"test", "mirrorapi"}
    data = said("import", exported(tmp_path / "one", tmp_path / "out"), "--cache", tmp_path / "two")
    assert (data["entries_read"], data["unreadable_total"]) == (stats["entries"], 0)
    assert entries(tmp_path / "two") == entries(tmp_path / "one")
    assert said("stats", "--cache", tmp_path / "two") == stats

"""``stb-env cache``: every command, its JSON, its errors and exit codes."""

import json
from contextlib import closing

import pytest
from typer.testing import CliRunner

from stb_env.backend.cache import CacheEntry, ResponseCache
from stb_env.backend.store import TextStore
from stb_env.show.cli.cache import app
from stb_env.tools import ToolId

PING = ToolId("Net", "icmp", "ping")


def run(*arguments):
    return CliRunner().invoke(app, [str(each) for each in arguments])


def said(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def source(tmp_path):
    file = tmp_path / "src" / "Net" / "icmp_for_Net" / "ping.json"
    file.parent.mkdir(parents=True)
    answers = {
        "{'host': 'a'}": {"error": "", "response": {"ms": 4}},
        "{'host': 'b'}": {"error": "", "response": {"message": "Too many requests"}},
    }
    file.write_text(json.dumps(answers))
    return tmp_path / "src"


@pytest.fixture
def cache(tmp_path, source):
    assert run("import", source, "--cache", tmp_path / "cache").exit_code == 0
    return tmp_path / "cache"


def test_import_reports_what_it_read_and_added(tmp_path, source):
    data = said("import", source, "--cache", tmp_path / "new", "--origin", "train")
    assert (data["entries_read"], data["entries_added"], data["entries"]) == (2, 2, 2)
    assert {"conflicts", "cut", "not_object", "unresolved", "unreadable", "by_source"} <= set(data)
    assert said("import", source, "--cache", tmp_path / "new")["entries_added"] == 0


def test_stats_have_entries(cache):
    data = said("stats", "--cache", cache)
    assert data["entries"] == 2
    assert data["by_class"] == {"not_connected": 1, "success": 1}
    assert data["by_origin"] == {"official": 2}


def test_an_answer_is_shown_with_who_gave_it_and_when(cache, monkeypatch):
    time = "2026-03-02T10:00:00Z"
    with closing(ResponseCache(cache)) as opened:
        for host, when in (("c", time), ("d", "")):
            entry = CacheEntry.of(
                PING, {"host": host}, "[b]up[/b]", source="real", origin="experiment", recorded=when
            )
            opened.put(entry.key, entry)
    answers = said("show", "Net/icmp/ping", "--cache", cache)["answers"]
    assert [(each["source"], each["origin"], each["recorded"]) for each in answers] == [
        *[("unknown", "official", "")] * 2,
        ("real", "experiment", time),
        ("real", "experiment", ""),
    ]
    assert len(said("show", "Net/icmp/ping", "--cache", cache, "--limit", "1")["answers"]) == 1
    monkeypatch.setenv("COLUMNS", "200")
    printed = run("show", "Net/icmp/ping", "--cache", cache).stdout
    assert time in printed
    assert "[b]up[/b]" in printed


def test_an_export_imports_back(tmp_path, cache):
    assert said("export", "--cache", cache, "--out", tmp_path / "out") == {"entries": 2, "files": 1}
    said("import", tmp_path / "out", "--cache", tmp_path / "back")
    assert said("stats", "--cache", tmp_path / "back")["hash"] == said("stats", "--cache", cache)["hash"]


def test_a_snapshot_has_the_hash_of_what_it_froze(tmp_path, cache):
    data = said("snapshot", "--cache", cache, "--out", tmp_path / "frozen")
    assert data["entries"] == 2
    assert (
        data["hash"]
        == said("stats", "--cache", tmp_path / "frozen")["hash"]
        == said("stats", "--cache", cache)["hash"]
    )


def test_a_filter_counts_and_writes_on_request(tmp_path, cache):
    assert said("filter", "--cache", cache)["entries_after"] == 1
    said("filter", "--cache", cache, "--taxonomy", "paper", "--out", tmp_path / "kept")
    assert said("stats", "--cache", tmp_path / "kept")["entries"] == 2


def test_a_merge_adds_the_entries_of_the_other(tmp_path, cache):
    entry = CacheEntry.of(PING, {"host": "c"}, 1)
    other = ResponseCache(tmp_path / "other")
    other.put(entry.key, entry)
    other.close()
    data = said("merge", tmp_path / "other", "--cache", cache)
    assert data == {"added": 1, "replaced": 0, "equal": 0, "kept": 0, "entries": 3}


def test_verify_ends_well_for_a_whole_cache_and_with_1_for_a_damaged_one(cache):
    assert said("verify", "--cache", cache) == {"ok": True, "checked": 2, "damaged": 0, "problems": []}
    store = TextStore(cache / "overlay")
    store.put("bad", "{")
    store.close()
    result = run("verify", "--cache", cache, "--json")
    assert result.exit_code == 1
    assert [problem["key"] for problem in json.loads(result.stdout)["problems"]] == ["bad"]


@pytest.mark.parametrize("command", ["stats", "verify", "filter"])
def test_without_json_a_table_is_printed(cache, command):
    result = run(command, "--cache", cache)
    assert result.exit_code == 0
    assert "figure" in result.stdout
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(result.stdout)


def test_stats_say_how_many_categories_the_table_does_not_show(tmp_path):
    cache = ResponseCache(tmp_path / "many")
    entries = [CacheEntry.of(ToolId(f"Category{n:02}", "tool", "api"), {}, n) for n in range(23)]
    cache.put_many((entry.key, entry) for entry in entries)
    cache.close()
    printed = " ".join(run("stats", "--cache", tmp_path / "many").stdout.split())
    assert "Category19" in printed
    assert "Category20" not in printed
    assert "by_category: not shown │ 3 more; --json lists all" in printed
    assert "by_source: not shown" not in printed


MAKE = "make one with `stb-env cache import SRC --cache"
NO_FOLDER = "error: --cache names a folder, and {0}/file is a file"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("stats --cache {0}/absent", f"error: no folder {{0}}/absent; {MAKE} {{0}}/absent`"),
        ("verify --cache {0}", f"error: no response cache in the folder {{0}}; {MAKE} {{0}}`"),
        ("stats --cache {0}/file", NO_FOLDER),
        ("import {0}/absent --cache {0}/new", "error: {0}/absent does not exist; name a file or folder"),
        ("import {0}/file --cache {0}/new", "error: nothing recorded found in {0}/file: expected "),
        ("import {0} --cache {0}/new --kind x", "error: no kind 'x'; expected one of auto, official"),
        ("import {0} --cache {0}/file", NO_FOLDER),
        ("merge {0}/absent --cache {0}/cache", f"error: no folder {{0}}/absent; {MAKE} {{0}}/absent`"),
        ("snapshot --cache {0}/cache --out {0}/src", "error: {0}/src exists and is not empty"),
        ("export --cache {0}/cache --out {0}/src", "error: {0}/src exists and is not empty"),
        (
            "show Net/icmp/pong --cache {0}/cache",
            "error: no answer of Net/icmp/pong in {0}/cache; `stb-env cache stats` counts what is there",
        ),
        ("show ping --cache {0}/cache", "error: an API is named CATEGORY/TOOL/API, got 'ping'"),
        (
            "filter --cache {0}/cache --taxonomy papers",
            "error: no taxonomy 'papers'; expected one of default",
        ),
    ],
)
def test_bad_use_ends_with_2_and_says_what_to_do(tmp_path, cache, arguments, message):
    (tmp_path / "file").write_text("")
    result = run(*arguments.format(tmp_path).split(), "--json")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(message.format(tmp_path))
    assert not (tmp_path / "new").exists()

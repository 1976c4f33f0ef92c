"""The overlay in Redis, against a real server: nothing is lost, first answers stay, secrets do not show."""

import json
import multiprocessing
import pickle
import shutil
from contextlib import closing

import pytest
from typer.testing import CliRunner

from stb_env.backend.cache import CacheEntry, CallKey, ResponseCache
from stb_env.backend.cache.redis_overlay import RedisOverlay
from stb_env.errors import BackendError, ConfigError, DataError
from stb_env.show.cli.main import app as main
from stb_env.tools import ToolId
from tests.fakes.redis_server import SERVER, start

redis = pytest.importorskip("redis", reason="the extra redis is not installed")
pytestmark = pytest.mark.skipif(SERVER is None, reason="there is no redis-server here")

FORK = multiprocessing.get_context("fork")
PING = ToolId("Net", "icmp", "ping")
SECRET = "not-to-be-shown"


def entry(arguments, response="pong"):
    return CacheEntry.of(PING, arguments, response, source="real")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server, url = start(tmp_path_factory.mktemp("redis"))
    yield url
    server.terminate()
    server.communicate()


@pytest.fixture
def url(server):
    with closing(redis.Redis.from_url(server)) as client:
        client.flushdb()
    return server


@pytest.fixture
def base(tmp_path):
    with closing(ResponseCache()) as cache:
        cache.put_many((made.key, made) for made in (entry({"n": n}, n) for n in range(3)))
        cache.snapshot(tmp_path / "base")
    return tmp_path / "base"


def test_two_machines_with_one_base_see_what_the_other_adds(base, url):
    new = entry({"n": 9}, "new")
    with closing(ResponseCache(base, overlay=url)) as one, closing(ResponseCache(base, overlay=url)) as other:
        assert other.get(new.call) is None
        one.put(new.key, new)
        assert other.get(new.call) == new.hit
        assert other.get(CallKey(PING, {"n": 1})).text == '{"error": "", "response": 1}'
        assert len(other) == 4


def test_a_snapshot_has_the_hash_that_the_same_entries_have_on_disk(base, url, tmp_path):
    # Among them an answer that hides one of the base.
    added = [entry({"n": 1}, "other"), entry({"ü": "é"}, {"a": [None, "ü"]}), entry("raw text")]
    shutil.copytree(base, tmp_path / "disk")
    caches = ResponseCache(base, overlay=url), ResponseCache(tmp_path / "disk")
    for cache in caches:
        cache.put_many((made.key, made) for made in added)
    shared, disk = caches
    assert shared.hash == disk.hash == shared.snapshot(tmp_path / "frozen")
    assert list(shared.entries()) == list(disk.entries())
    assert shared.examples(PING) == disk.examples(PING)
    assert shared.verify().ok
    assert len(shared) == len(disk) == 5
    for cache in caches:
        cache.close()


def test_more_entries_than_fit_into_one_transaction_are_all_stored(url):
    made = [entry({"n": n}, n) for n in range(2_500)]
    with closing(ResponseCache(overlay=url)) as cache:
        cache.put_many((each.key, each) for each in made)
        assert len(cache) == len(made)
        assert all(cache.get(each.call) == each.hit for each in made[::100])


def test_the_first_answer_to_a_call_stays(url):
    with closing(ResponseCache(overlay=url)) as cache:
        first, second = entry({}, "first"), entry({}, "second")
        assert cache.add(first.key, first) is None
        assert cache.add(second.key, second) == first.hit


def _answer_all(url, number, said):
    with closing(ResponseCache(overlay=url)) as cache:
        for index in range(400):
            made = entry({"of": number, "n": index}, "x" * 200)
            assert cache.add(made.key, made) is None
        for index in range(50):
            made = entry({"shared": index}, number)
            known = cache.add(made.key, made)
            said.put((index, made.text if known is None else known.text, known is None))


def test_of_eight_processes_with_four_hundred_entries_each_for_one_api_none_is_lost(url):
    said = FORK.Queue()
    processes = [FORK.Process(target=_answer_all, args=(url, number, said)) for number in range(8)]
    for process in processes:
        process.start()
    seen = [said.get(timeout=60) for _ in range(8 * 50)]
    for process in processes:
        process.join()
    with closing(ResponseCache(overlay=url, read_only=True)) as cache:
        assert len(cache) == 8 * 400 + 50
        for number in range(8):
            assert all(cache.get(CallKey(PING, {"of": number, "n": index})) for index in range(400))
        for index in range(50):
            kept = cache.get(CallKey(PING, {"shared": index})).text
            answers = [(text, first) for asked, text, first in seen if asked == index]
            assert {text for text, _ in answers} == {kept}
            assert sum(first for _, first in answers) == 1


def test_a_copy_and_a_forked_child_open_their_own_connections(url):
    made = entry({})
    with closing(ResponseCache(overlay=url)) as cache:
        cache.put(made.key, made)
        assert cache.entry(made.call)
        with closing(pickle.loads(pickle.dumps(cache))) as copy:
            assert copy.get(made.call) == made.hit
        child = FORK.Process(target=_answer_all, args=(url, 1, FORK.Queue()))
        child.start()
        child.join()
        assert (child.exitcode, len(cache)) == (0, 451)


def test_a_row_that_is_no_text_is_refused_and_never_loaded(url):
    key = CallKey(PING, {}).canonical
    with closing(redis.Redis.from_url(url)) as client:
        client.hset("stb-env:values", key, pickle.dumps(print))
        client.zadd("stb-env:order", {key: 1})
    with closing(ResponseCache(overlay=url)) as cache:
        with pytest.raises(
            DataError, match=r"^the row '[0-9a-f:]+' in redis://127\.0\.0\.1:\d+/0 is no UTF-8"
        ):
            cache.get(CallKey(PING, {}))
        assert not cache.verify().ok


def test_a_row_that_was_changed_or_exchanged_is_named_and_one_without_a_checksum_is_read(url):
    first, second = entry({"n": 1}, "one"), entry({"n": 2}, "two")
    keys = [each.call.canonical for each in (first, second)]
    with closing(ResponseCache(overlay=url)) as cache, closing(redis.Redis.from_url(url)) as client:
        cache.put_many((each.key, each) for each in (first, second))
        one, two = client.hmget("stb-env:values", keys)
        assert cache.verify().ok
        for text in (one.replace(b"one", b"two"), two):
            client.hset("stb-env:values", keys[0], text)
            with pytest.raises(DataError, match=r"^the row '[0-9a-f:]+' in redis://.* was changed: "):
                ResponseCache(overlay=url).get(first.call)
            assert not cache.verify().ok
        client.delete("stb-env:tags")
        client.hset("stb-env:values", keys[0], one)
        assert ResponseCache(overlay=url).get(first.call) == first.hit


def test_a_cache_open_for_reading_adds_nothing(url):
    with closing(ResponseCache(overlay=url, read_only=True)) as cache:
        with pytest.raises(ConfigError, match="is open for reading only; nothing was stored"):
            cache.put(entry({}).key, entry({}))
        assert len(cache) == 0


def test_a_server_that_is_gone_is_an_infrastructure_failure_of_the_cache(tmp_path):
    server, url = start(tmp_path)
    cache = ResponseCache(overlay=url)
    assert len(cache) == 0
    server.terminate()
    server.communicate()
    with pytest.raises(
        BackendError, match=rf"^the cache overlay {url} does not answer \(\w+\); start"
    ) as found:
        cache.get(CallKey(PING, {}))
    assert found.value.failure()["kind"] == "transport"
    assert (found.value.stage, found.value.retryable) == ("cache", True)


def test_the_password_comes_from_the_environment_and_shows_nowhere(tmp_path, monkeypatch):
    server, url = start(tmp_path, "--requirepass", SECRET)
    made = entry({})
    try:
        for wrong in ("", "wrong-" + SECRET):
            monkeypatch.setenv("STB_REDIS_PASSWORD", wrong)
            with closing(ResponseCache(overlay=url)) as cache, pytest.raises(BackendError) as found:
                cache.put(made.key, made)
            assert SECRET not in str(found.value)
            assert "check host, port and password (STB_REDIS_PASSWORD)" in str(found.value)
        monkeypatch.setenv("STB_REDIS_PASSWORD", SECRET)
        with closing(ResponseCache(overlay=url)) as cache:
            cache.put(made.key, made)
            assert cache.entry(made.call) == made
            assert SECRET.encode() not in pickle.dumps(cache)
            assert SECRET not in repr(cache) + repr(cache._layers.overlay)
    finally:
        server.terminate()
        server.communicate()


@pytest.mark.parametrize(
    "bad", ["http://h/0", "redis://", "redis://h:x/0", "redis://h/a", "redis://h/0?db=1"]
)
def test_what_is_no_redis_url_is_refused(bad):
    with pytest.raises(ConfigError, match=r"^no Redis URL: '.*'; expected redis://HOST:PORT/DATABASE"):
        RedisOverlay(bad)


def test_a_url_with_a_password_is_refused_and_not_repeated():
    with pytest.raises(ConfigError) as found:
        RedisOverlay(f"redis://:{SECRET}@h/0")
    assert str(found.value) == "the Redis URL holds a password; put it into STB_REDIS_PASSWORD instead"


def test_a_folder_with_an_overlay_of_its_own_is_refused(tmp_path, url):
    with closing(ResponseCache(tmp_path)) as cache:
        cache.put(entry({}).key, entry({}))
    with pytest.raises(ConfigError, match="has an overlay of its own, which the shared one would hide"):
        ResponseCache(tmp_path, overlay=url)


def test_the_cache_commands_and_a_recording_run_take_the_overlay(base, url, tmp_path):
    def said(*arguments):
        result = CliRunner().invoke(main, [str(each) for each in (*arguments, "--json")])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    simulator = tmp_path / "own.py"
    simulator.write_text("def answer(tool, arguments):\n    return {'answered': tool.name}\n")
    run = ["run", "stb/I1Instruction-v0", "--agent", "keyword(calls=2)", "--episodes", "2", "--cache", base]
    shared = ["--set", f"overlay={url}"]
    said(
        *run, *shared, "--mode", "record", "--set", f"simulator={simulator}:answer", "--out", tmp_path / "one"
    )
    grown = said("cache", "stats", "--cache", base, "--overlay", url)["entries"]
    assert grown > 3
    played = said(*run, *shared, "--mode", "replay", "--out", tmp_path / "two")
    assert played["invalid"] == 0
    assert url not in (tmp_path / "two" / "manifest.json").read_text()
    frozen = said("cache", "snapshot", "--cache", base, "--overlay", url, "--out", tmp_path / "frozen")
    assert frozen["entries"] == grown

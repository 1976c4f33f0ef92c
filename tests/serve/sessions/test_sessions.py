"""Sessions are found again by key, and closed when nobody comes back."""

from __future__ import annotations

import asyncio

import pytest

from stb_env.errors import ConfigError
from stb_env.runs.make import make_env
from stb_env.serve.sessions.refusals import NoRoom, NotAllowed, NotServed, SessionExists, UnknownSession
from stb_env.serve.sessions.served_environments import Served
from stb_env.serve.sessions.sessions import Sessions
from stb_env.testing.notes import SUITE

NOTES = "test/Notes-v0"


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def _registered():
    SUITE.register()


def opened(**settings) -> Sessions:
    return Sessions([NOTES], **settings)


def test_sessions_of_one_id_share_tasks_and_backend_and_nothing_else():
    async def play():
        sessions = opened()
        one, other = await sessions.create(NOTES), await sessions.create(NOTES)
        await one.episode.astart(task_id="day")
        await other.episode.astart(task_id="move")
        return one, other

    one, other = asyncio.run(play())
    assert one.key != other.key
    assert one.env.tasks is other.env.tasks
    assert one.env.rules.backend is other.env.rules.backend
    assert (one.episode.task_id, other.episode.task_id) == ("day", "move")


def test_a_client_that_comes_back_within_the_limit_finds_its_session():
    async def play():
        clock = Clock()
        sessions = opened(idle_s=60, clock=clock)
        session = await sessions.create(NOTES)
        clock.now = 59
        assert sessions.sweep() == 0
        assert sessions.get(session.key) is session
        clock.now = 118
        assert sessions.sweep() == 0
        clock.now = 119
        assert sessions.sweep() == 1
        with pytest.raises(UnknownSession, match="is open; it was closed, or idle for 60 s"):
            sessions.get(session.key)

    asyncio.run(play())


def test_a_session_that_is_in_use_is_never_closed_for_being_idle():
    async def play():
        clock = Clock()
        sessions = opened(idle_s=60, clock=clock)
        session = await sessions.create(NOTES)
        async with session.lock:
            clock.now = 1_000
            assert sessions.sweep() == 0
        assert sessions.sweep() == 1

    asyncio.run(play())


def test_where_there_is_no_room_the_session_that_is_idle_longest_goes():
    async def play():
        clock = Clock()
        sessions = opened(limit=2, spare_s=10, clock=clock)
        first, second = await sessions.create(NOTES), await sessions.create(NOTES)
        clock.now = 5
        sessions.get(first.key)
        clock.now = 12
        await sessions.create(NOTES)
        with pytest.raises(UnknownSession):
            sessions.get(second.key)
        assert sessions.get(first.key) is first

    asyncio.run(play())


def test_no_session_is_taken_from_who_has_just_used_it():
    async def play():
        sessions = opened(limit=1, spare_s=10, clock=Clock())
        await sessions.create(NOTES)
        with pytest.raises(NoRoom, match="1 sessions are open and hold 0 MB; close those that are done"):
            await sessions.create(NOTES)

    asyncio.run(play())


def test_what_episodes_hold_counts_as_well_as_how_many_there_are():
    async def play():
        clock = Clock()
        sessions = opened(memory=100_000, spare_s=0, clock=clock)
        session = await sessions.create(NOTES)
        before = sessions.held
        await session.episode.astart(task_id="day")
        await session.episode.acall("find_notes", {"word": "x" * 100_000})
        sessions.get(session.key)
        assert sessions.held > before
        await session.env.astep("chat " * 20_000)
        sessions.get(session.key)
        assert sessions.held > 200_000
        await sessions.create(NOTES)
        assert len(sessions) == 1
        assert sessions.held < 100_000

    asyncio.run(play())


def test_closing_one_session_leaves_the_backend_open_for_the_others():
    async def play():
        sessions = opened()
        one, other = await sessions.create(NOTES), await sessions.create(NOTES)
        await sessions.close(one.key)
        await other.episode.astart(task_id="day")
        assert len(sessions) == 1
        await sessions.aclose()
        assert len(sessions) == 0

    asyncio.run(play())


def test_a_key_that_was_given_is_taken_once():
    async def play():
        sessions = opened()
        assert (await sessions.create(NOTES, key="mine")).key == "mine"
        with pytest.raises(SessionExists, match="a session has the key 'mine' already"):
            await sessions.create(NOTES, key="mine")

    asyncio.run(play())


def test_a_fork_goes_on_from_where_its_origin_stands():
    async def play():
        sessions = opened()
        origin = await sessions.create(NOTES)
        await origin.episode.astart(task_id="day")
        await origin.env.astep("chat")
        branch = sessions.fork(origin.key)
        await branch.env.astep("more chat")
        return origin.env.snapshot().turn, branch.env.snapshot().turn

    assert asyncio.run(play()) == (1, 2)


@pytest.mark.parametrize("env_id", ["stb_env.testing.notes:test/Notes-v0", "evil.py:test/Notes-v0", ""])
def test_a_client_never_names_a_module_or_a_file(env_id: str):
    with pytest.raises(NotServed, match="is not served here; GET /environments lists what is"):
        asyncio.run(opened().create(env_id))


@pytest.mark.parametrize("name", ["data", "cache", "mode", "models", "judge", "real", "backend", "parse"])
def test_a_setting_that_is_the_operators_is_refused(name: str):
    with pytest.raises(NotAllowed, match=f"got '{name}'; the rest is the operator's"):
        asyncio.run(opened().create(NOTES, {name: "x"}))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"max_turns": 1_001}, "max_turns may be at most 1000 here, got 1001"),
        ({"limits": {"result": 1 << 30}}, "limits.result must be from 256 to 65536 here, got 1073741824"),
        ({"split": "/etc/passwd"}, "the splits of test/Notes-v0 are test, got '/etc/passwd'"),
    ],
)
def test_a_client_asks_for_no_more_than_the_operator_allows(settings, said: str):
    with pytest.raises((NotAllowed, ConfigError), match=said):
        asyncio.run(opened().create(NOTES, settings))


def test_bounds_that_a_client_sets_are_those_of_an_environment_made_with_them():
    async def play():
        sessions = opened()
        plain = await sessions.create(NOTES)
        short = await sessions.create(NOTES, {"max_turns": 3, "limits": {"result": 256}})
        return plain.env, short.env

    plain, short = asyncio.run(play())
    made = make_env(NOTES, {"max_turns": 3, "limits": {"result": 256}})
    assert short.observation_space == made.observation_space
    assert short.rules.limits == made.rules.limits
    assert plain.observation_space != short.observation_space
    assert plain.tasks is short.tasks


def test_an_environment_is_made_once_for_any_number_of_clients_at_once(monkeypatch):
    made = []
    original = Served._make

    def counting(self, env_id, chosen):
        made.append(env_id)
        return original(self, env_id, chosen)

    monkeypatch.setattr(Served, "_make", counting)

    async def play():
        sessions = opened()
        await asyncio.gather(*(sessions.create(NOTES) for _ in range(20)))
        return len(sessions)

    assert asyncio.run(play()) == 20
    assert made == [NOTES]


def test_a_client_chooses_what_a_suite_lets_it_choose_and_only_some_choices_are_kept(monkeypatch):
    monkeypatch.setattr("stb_env.serve.sessions.served_environments._PROTOTYPES", 2)

    async def play():
        served = Served(["stb/Sandbox-v1"])
        for level in (1, 2, 3, 1):
            env = await served.prototype("stb/Sandbox-v1", {"level": level})
            assert {env.tasks.at(index).record["level"] for index in range(4)} == {level}
        return len(served._made)

    assert asyncio.run(play()) == 2

"""Leases: which jobs are with which worker."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stb_env.runs.cluster.leases import Leases


def test_a_worker_gets_a_unit_at_most():
    leases = Leases(100, unit=8)
    assert leases.lease("a", 50) == list(range(8))
    assert leases.lease("b", 3) == [8, 9, 10]


def test_who_comes_first_leaves_the_others_their_part():
    leases = Leases(4, unit=8)
    assert [leases.lease(worker, 8, workers=2) for worker in "aab"] == [[0, 1], [], [2, 3]]


def test_what_a_lost_worker_did_not_return_goes_first_to_the_next():
    leases = Leases(6, unit=2)
    leases.lease("a", 2)
    leases.lease("b", 2)
    leases.returned("a", 0)
    assert leases.lost("a") == []
    assert leases.lease("b", 2) == [1, 4]


def test_an_episode_that_arrives_twice_counts_once():
    leases = Leases(1, unit=1)
    leases.lease("a", 1)
    leases.lost("a")
    leases.lease("b", 1)
    assert [leases.returned("b", 0), leases.returned("a", 0)] == [True, False]


def test_a_job_of_two_lost_workers_is_played_alone():
    leases = Leases(4, unit=4)
    for worker in ("a", "b"):
        assert leases.lease(worker, 2) == [0, 1]
        assert leases.lost(worker) == []
    assert leases.lease("c", 4) == [0]
    assert leases.lease("c", 4) == []
    leases.returned("c", 0)
    assert leases.lease("c", 4) == [1]


def test_who_plays_a_job_alone_first_finishes_what_it_has():
    leases = Leases(3, unit=1)
    leases.lease("busy", 1)
    for worker in ("a", "b"):
        leases.lease(worker, 1)
        leases.lost(worker)
    assert leases.lease("busy", 1) == []
    leases.returned("busy", 0)
    assert leases.lease("busy", 1) == [1]


def test_a_job_that_kills_is_given_up_and_those_beside_it_are_not():
    leases, given_up, played = Leases(4, unit=4), [], []
    for attempt in range(20):
        worker = f"worker {attempt}"
        while numbers := leases.lease(worker, 4):
            if 0 in numbers:
                given_up += leases.lost(worker)
                break
            played += [number for number in numbers if leases.returned(worker, number)]
    assert given_up == [0]
    assert sorted(played) == [1, 2, 3]


@given(st.data())
def test_every_job_is_returned_or_given_up_exactly_once_whoever_dies(data: st.DataObject):
    count = data.draw(st.integers(1, 12))
    leases = Leases(count, unit=data.draw(st.integers(1, 4)))
    over: list[int] = []
    deaths = 0
    for turn in range(2_000):
        if len(over) == count:
            break
        worker = f"worker {turn}"
        numbers = leases.lease(worker, 4)
        dies = deaths < 30 and data.draw(st.booleans())
        done = numbers[: data.draw(st.integers(0, len(numbers)))] if dies else numbers
        over += [number for number in done if leases.returned(worker, number)]
        if dies:
            deaths += 1
            over += leases.lost(worker)
    assert sorted(over) == list(range(count))
    assert leases.idle

"""Budgets over HTTP: what a call costs at most is reserved before it and settled after it."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from stb_env.models import (
    BudgetedModel,
    ChatReply,
    ChatRequest,
    Meter,
    ModelError,
    Price,
    ScriptedModel,
    Usage,
)
from tests.fakes.openai_server import Answer, completion

QUESTION = ChatRequest.of("Is it?")
# Five tokens are written each time: half a cent.
PRICE = Price(0.0, 1000.0)
THREADS = 8


def tried(model: BudgetedModel) -> str:
    try:
        return model.complete(QUESTION).text
    except ModelError as error:
        return error.kind


@pytest.mark.parametrize(("bound", "paid"), [(5, 0.05), (10, 0.045)])
def test_a_cap_on_dollars_is_never_exceeded_however_many_ask_at_once(server, connected, bound, paid):
    meter = Meter(max_cost=0.05)
    models = [
        BudgetedModel(connected(price=PRICE, max_tokens=bound, concurrency=THREADS), meter)
        for _ in range(THREADS)
    ]
    with ThreadPoolExecutor(THREADS) as pool:
        said = list(pool.map(tried, models * 5))
    assert meter.total.cost == pytest.approx(paid)
    assert len(server.requests) == said.count("ok") == round(paid / 0.005)
    assert set(said) == {"ok", "budget"}


def test_a_cap_holds_on_an_event_loop_too(server, connected):
    meter = Meter(max_cost=0.05)
    model = BudgetedModel(connected(price=PRICE, max_tokens=5, concurrency=THREADS), meter)

    async def all_at_once() -> list[object]:
        said = await asyncio.gather(*(model.acomplete(QUESTION) for _ in range(40)), return_exceptions=True)
        await model.model.aclose()
        return said

    said = asyncio.run(all_at_once())
    assert sum(isinstance(one, ChatReply) for one in said) == len(server.requests) == 10
    assert meter.total.cost == pytest.approx(0.05)


def test_an_answer_without_a_bound_gets_one_under_a_cap_and_none_without(server, connected):
    for cap in (None, 9.0):
        BudgetedModel(connected(price=PRICE), Meter(max_cost=cap)).complete(QUESTION)
    assert [request.body.get("max_tokens") for request in server.requests] == [None, 4096]


def test_a_call_that_may_cost_more_than_is_left_is_refused_before_it_is_made(server, connected):
    model = BudgetedModel(connected(price=PRICE, max_tokens=100), Meter(max_cost=0.05))
    message = (
        r"^the budget of \$0\.05 has \$0\.0500 left and the next call may cost \$0\.1000; raise max_cost"
    )
    with pytest.raises(ModelError, match=message):
        model.complete(QUESTION)
    assert server.requests == []


def test_a_model_without_a_price_is_refused_under_a_cap_before_its_first_call(server, connected):
    with pytest.raises(ModelError, match="a model has no configured price; add one under"):
        BudgetedModel(connected(), Meter(max_cost=9.0)).complete(QUESTION)
    assert server.requests == []


def test_a_call_waits_where_its_bound_fits_only_when_another_is_settled(server, connected):
    held = threading.Event()
    server.script(Answer(completion("first"), hold=held), Answer(completion("second")))
    meter = Meter(max_tokens=200)
    model = BudgetedModel(connected(max_tokens=20), meter)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(model.complete, QUESTION)
        while not server.requests:
            pass
        second = pool.submit(model.complete, QUESTION)
        assert not second.done()
        assert len(server.requests) == 1
        held.set()
        assert (first.result().text, second.result().text) == ("first", "second")
    assert meter.total.total_tokens == 30


def test_who_gives_up_while_waiting_for_the_budget_leaves_it_as_it_was(connected):
    meter = Meter(max_tokens=10)
    most = Usage(total_tokens=8)
    granted, waiting = meter.reserve(most=most), meter.reserve(most=most)
    meter.withdraw(waiting, most)
    meter.withdraw(granted, most)
    assert meter.reserve(most=most).done()
    assert meter.total == Usage()


def test_calls_without_an_answer_are_counted():
    meter = Meter()
    model = BudgetedModel(ScriptedModel([ModelError("down"), "up"]), meter)
    with pytest.raises(ModelError, match=r"^down$"):
        model.complete(QUESTION)
    assert model.complete(QUESTION).text == "up"
    assert (meter.failed, meter.total.calls) == (1, 1)

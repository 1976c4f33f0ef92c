"""Wrong predictions for our own dialogues, six of each type of error."""

from __future__ import annotations

from collections import Counter

import pytest

from stb_env.suites.api_bank.corpus import embedded_corpus
from stb_env.suites.api_bank.evaluator import Evaluator
from stb_env.suites.api_bank.metrics import ErrorType

STOCK = ("Call", "stock-price-1", 0)
LOGIN = ("Call", "balance-1", 0)
SEARCH = ("Retrieve", "stock-1", 0)
AFTER_SEARCH = ("Retrieve", "stock-1", 2)
ALARM_LOGIN = ("Retrieve", "alarm-1", 2)
ALARM = ("Retrieve", "alarm-1", 4)
PLAN_SEARCH = ("Plan", "paris-weather-1", 0)
PLAN_CALL = ("Plan", "paris-weather-1", 1)
PLAN_SECOND = ("Plan", "paris-weather-1", 3)
TAX = ("Plan", "tax-1", 3)

CASES = {
    ErrorType.NO_CALL: [
        (STOCK, ""),
        (STOCK, "One share cost 42."),
        (STOCK, "[QueryStock]"),
        (STOCK, "QueryStock(stock_code='BRKV', date='2023-03-22')"),
        (AFTER_SEARCH, "[QueryStock (stock_code='OPHR', date='2023-03-23')]"),
        (PLAN_CALL, "[Geocoding(address='Paris')"),
    ],
    ErrorType.FORMAT: [
        (STOCK, "[QueryStock('BRKV', '2023-03-22')]"),
        (STOCK, "[QueryStock(stock_code='BRKV' date='2023-03-22')]"),
        (STOCK, "[QueryStock(stock_code=NLUM, date='2023-03-22')]"),
        (LOGIN, "[GetUserToken(username='yusuf', password='yusuf-pass5'), QueryBalance(token='x')]"),
        (SEARCH, "[ToolSearcher(keywords='stock')]\n[QueryStock(stock_code='OPHR', date='2023-03-23')]"),
        (PLAN_CALL, "[Geocoding(address='London)]"),
    ],
    ErrorType.RETRIEVAL: [
        (SEARCH, "[QueryStock(stock_code='OPHR', date='2023-03-23')]"),
        (SEARCH, "[ToolSearcher(keywords='play music')]"),
        (AFTER_SEARCH, "[QueryBalance(token='x')]"),
        (AFTER_SEARCH, "[ToolSearcher(keywords='stock price on a date')]"),
        (PLAN_SEARCH, "[Geocoding(address='Paris')]"),
        (PLAN_SECOND, "[GetWeather(city='Paris')]"),
    ],
    ErrorType.HALLUCINATION: [
        (STOCK, "[GetStockPrice(stock_code='BRKV', date='2023-03-22')]"),
        (STOCK, "[SearchEngine(keyword='BRKV')]"),
        (STOCK, "[querystock(stock_code='BRKV', date='2023-03-22')]"),
        (LOGIN, "[QueryBalance(token='n8d4f1j7s3h6z9p2y5')]"),
        (ALARM_LOGIN, "[AddAlarm(token='x', time='2023-05-05 05:45:00')]"),
        (ALARM, "[GetUserToken(username='oskar', password='oskar-pass2')]"),
    ],
    ErrorType.INPUT: [
        (STOCK, "[QueryStock(stock_code='BRKV', day='2023-03-22')]"),
        (STOCK, "[QueryStock(stock_code='BRKV', date='2023-03-21')]"),
        (("Call", "meeting-add-1", 2), "[AddMeeting(attendees='Wen Zhao')]"),
        (
            ("Call", "lamp-timer-1", 0),
            "[TimedSwitch(name='floor lamp', time='2023-04-02 23:00:00', on='maybe')]",
        ),
        (("Plan", "likes-1", 3), "[LikeCount(post_id='ten')]"),
        (PLAN_CALL, "[Geocoding(address='Paris', country='France')]"),
    ],
    ErrorType.MISSING: [
        (STOCK, "[QueryStock(stock_code='BRKV')]"),
        (LOGIN, "[GetUserToken(username='yusuf')]"),
        (("Call", "scene-1", 0), "[QueryScene()]"),
        (ALARM, "[AddAlarm(time='2023-05-05 05:45:00')]"),
        (SEARCH, "[ToolSearcher()]"),
        (TAX, "[TaxCalculator()]"),
    ],
    ErrorType.EXCEPTION: [
        (STOCK, "[QueryStock(stock_code='XXXX', date='2023-03-22')]"),
        (STOCK, "[QueryStock(stock_code='BRKV', date='22 March')]"),
        (LOGIN, "[GetUserToken(username='yusuf', password='wrong')]"),
        (("Call", "forgotten-password-1", 0), "[ForgotPassword(status='Forgot Password')]"),
        (ALARM, "[AddAlarm(token='nobody', time='2023-05-05 05:45:00')]"),
        (PLAN_SECOND, "[GetWeatherForCoordinates(latitude=1, longitude=2)]"),
    ],
}


@pytest.fixture(scope="module")
def evaluator():
    return Evaluator([embedded_corpus(ability) for ability in ("Call", "Retrieve", "Plan")])


@pytest.mark.parametrize(
    ("place", "text", "expected"),
    [(place, text, expected) for expected, cases in CASES.items() for place, text in cases],
)
def test_a_wrong_prediction_has_its_one_type(evaluator, place, text, expected):
    ability, dialogue, number = place
    level = {"Call": 1, "Retrieve": 2, "Plan": 3}[ability]
    (sample,) = (
        sample
        for sample in evaluator.samples
        if (sample.level, sample.dialogue, sample.id) == (level, dialogue, number)
    )
    score = evaluator.score(sample, text)
    assert score.right is False
    assert score.error is expected


def test_every_type_has_six_cases():
    assert Counter(kind for kind, cases in CASES.items() for _ in cases) == dict.fromkeys(ErrorType, 6)

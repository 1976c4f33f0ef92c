"""The service keeps an account, and finds images in an order that never changes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.suites.sambanova.cat_api.account import Account
from stb_env.suites.sambanova.cat_api.api import HOST
from stb_env.suites.sambanova.cat_api.images import MIME_TYPES, SIZES, breeds, images, search
from stb_env.suites.sambanova.cat_api.service import FAVOURITES, SEARCH, VOTES, respond
from stb_env.suites.sambanova.common.rest.curl import Request

START = Account.of(["q7", "aa"])


def send(method: str, path: str, body: str | None = None, account: Account = START, **params: str):
    return respond(Request(method, HOST, path, params, body), account)


def test_favourites_are_listed_with_their_ids():
    answer, account = send("GET", FAVOURITES)
    assert [(entry["id"], entry["image_id"]) for entry in answer.body] == [(101, "q7"), (102, "aa")]
    assert set(answer.body[0]) == {"id", "image_id", "sub_id", "created_at", "image"}
    assert account is START


def test_an_image_is_added_once_however_often_it_is_asked_for():
    answer, account = send("POST", FAVOURITES, '{"image_id": "zx1"}')
    again, same = send("POST", FAVOURITES, '{"image_id": "zx1"}', account)
    assert answer.body == again.body == {"message": "SUCCESS", "id": 103}
    assert list(same.favourites.values()) == ["q7", "aa", "zx1"]


@pytest.mark.parametrize("name", ["q7", "101"])
def test_a_favourite_goes_by_its_image_and_by_its_own_id(name: str):
    answer, account = send("DELETE", f"{FAVOURITES}/{name}")
    assert (answer.body, list(account.favourites.values())) == ({"message": "SUCCESS"}, ["aa"])


def test_the_latest_vote_on_an_image_counts():
    answer, account = send("POST", VOTES, '{"image_id": "zx1", "value": 1}')
    assert answer.body == {"message": "SUCCESS", "id": 103, "image_id": "zx1", "value": 1}
    _, account = send("POST", VOTES, '{"value": -1, "image_id": "zx1"}', account)
    assert account.votes == {"zx1": -1}
    assert send("GET", VOTES, account=account)[0].body == [{"image_id": "zx1", "value": -1}]


@pytest.mark.parametrize(
    ("method", "path", "body", "code", "text"),
    [
        ("POST", FAVOURITES, None, 400, "INVALID_DATA"),
        ("POST", FAVOURITES, "{", 400, "INVALID_DATA"),
        ("POST", FAVOURITES, "[]", 400, "INVALID_DATA"),
        ("POST", FAVOURITES, '{"image_id": 3}', 400, "INVALID_DATA"),
        ("POST", FAVOURITES, '{"image_id": "a b"}', 400, "INVALID_DATA"),
        ("POST", VOTES, '{"image_id": "zx1"}', 400, "INVALID_DATA"),
        ("POST", VOTES, '{"image_id": "zx1", "value": true}', 400, "INVALID_DATA"),
        ("POST", VOTES, '{"image_id": "zx1", "value": 2}', 400, "INVALID_DATA"),
        ("DELETE", f"{FAVOURITES}/zx1", None, 404, "404 NOT_FOUND"),
        ("DELETE", FAVOURITES, None, 404, "404 NOT_FOUND"),
        ("delete", f"{FAVOURITES}/q7", None, 404, "404 NOT_FOUND"),
        ("GET", "/v1/favorites", None, 404, "404 NOT_FOUND"),
        ("GET", "/v0/favourites", None, 404, "404 NOT_FOUND"),
    ],
)
def test_what_cannot_be_done_says_so_and_changes_nothing(
    method: str, path: str, body: str | None, code: int, text: str
):
    answer, account = send(method, path, body)
    assert (answer.code, answer.body, answer.medium) == (code, text, "text")
    assert account is START


def test_there_are_sixty_seven_breeds_and_pictures_of_each_in_every_format():
    assert len(breeds()) == 67
    assert {(image.breed, image.mime) for image in images().values()} == {
        (b, m) for b in breeds() for m in MIME_TYPES
    }
    assert list(images()) == sorted(images())


def test_filters_choose_and_orders_sort():
    found = search({"breed_ids": "beng,siam", "mime_types": "png,gif", "order": "ASC", "limit": "100"})
    ids = [image["id"] for image in found]
    assert ids == sorted(ids)
    assert {image["breeds"][0]["id"] for image in found} == {"beng", "siam"}
    assert {image["url"].rpartition(".")[2] for image in found} == {"png", "gif"}
    down = search({"breed_ids": "beng,siam", "mime_types": "png,gif", "order": "desc", "limit": "100"})
    assert down == found[::-1]
    mixed = search({"breed_ids": "beng,siam", "mime_types": "png,gif", "limit": "100"})
    assert mixed not in (found, down)
    assert sorted(mixed, key=lambda image: image["id"]) == found


def test_one_image_of_medium_size_in_random_order_is_the_default():
    (image,) = search({})
    assert image["width"] == SIZES["med"]
    assert (
        search({})
        == search({"limit": "1", "size": "med", "order": "RANDOM", "page": "0"})
        == search({"limit": "x"})
    )


def test_pages_follow_each_other():
    pages = [search({"order": "ASC", "limit": "3", "page": str(page)}) for page in (0, 1)]
    assert pages[0] + pages[1] == search({"order": "ASC", "limit": "6"})


def test_no_more_than_a_hundred_images_come_at_once():
    assert [len(search({"limit": limit})) for limit in ("99", "100", "101", "0")] == [99, 100, 100, 0]


@given(
    st.text(max_size=30),
    st.sampled_from(["GET", "POST", "DELETE"]),
    st.sampled_from([FAVOURITES, VOTES, SEARCH]),
)
def test_any_request_has_an_answer_and_the_first_account_stays(text: str, method: str, path: str):
    before: Any = (dict(START.favourites), dict(START.votes))
    send(method, path, text, breed_ids=text, limit=text)
    send(method, f"{path}/{text}")
    assert before == (START.favourites, START.votes)

"""A command is the request that curl would send, or an error that says why there is none."""

from __future__ import annotations

import re
import shlex
from typing import Any
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.suites.sambanova.common.rest.curl import CurlError, Request, read_request

URL = "https://a.example/v1/x?q=palo+alto&n=1"
PARAMS = {"q": "palo alto", "n": "1"}


@pytest.mark.parametrize(
    ("command", "request_"),
    [
        (f"curl -X GET '{URL}'", Request("GET", "a.example", "/v1/x", PARAMS)),
        (f'curl "{URL}"', Request("GET", "a.example", "/v1/x", PARAMS)),
        (f"curl -sSLX PUT '{URL}'", Request("PUT", "a.example", "/v1/x", PARAMS)),
        (f"curl -XDELETE --url '{URL}'", Request("DELETE", "a.example", "/v1/x", PARAMS)),
        (f"curl '{URL}' -H 'a: b' --silent -A me", Request("GET", "a.example", "/v1/x", PARAMS)),
        ("curl a.example -d a=1 --data b=2", Request("POST", "a.example", "", {}, "a=1&b=2")),
        ("curl -X GET a.example -d {}", Request("GET", "a.example", "", {}, "{}")),
        (
            "curl 'https://A.example:8080/%C3%A9?q=%2B&q=2&z='",
            Request("GET", "a.example", "/é", {"q": "+", "z": ""}),
        ),
    ],
)
def test_a_command_is_the_request_that_it_would_send(command: str, request_: Request):
    assert read_request(command) == request_


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("", 127, "only curl is"),
        ("wget https://a.example", 127, "'wget' is no command here"),
        ("curl", 2, "one address is needed, got 0"),
        ("curl a.example b.example", 2, "one address is needed, got 2"),
        ("curl -Q a.example", 2, "option '-Q' is unknown here"),
        ("curl --proxy p a.example", 2, "option '--proxy' is unknown here"),
        ("curl a.example -X", 2, "option -X needs a value"),
        ("curl a.example --data", 2, "option --data needs a value"),
        ("curl a.example -d @/etc/passwd", 26, "would read a file"),
        ("curl -o out a.example", 2, "option '-o' is unknown here"),
        ("curl file:///etc/passwd", 1, "only http and https are spoken here, got 'file'"),
        ("curl 'https://a.example/new york'", 3, "write a blank as"),
        ("curl ' https://a.example/x'", 3, "write a blank as"),
        ("curl --data-urlencode @/etc/passwd a.example", 26, "would read a file"),
        ("curl -G a.example b.example", 2, "one address is needed, got 2"),
        ("curl 'https://[a.example'", 3, "the address cannot be read"),
        ("curl 'a.example?" + "a=1&" * 80 + "'", 3, "the address cannot be read"),
    ],
)
def test_a_command_that_curl_would_turn_down_says_why(command: str, code: int, message: str):
    with pytest.raises(CurlError, match=message) as caught:
        read_request(command)
    assert caught.value.code == code


GET = Request("GET", "a.example", "/v1/x", PARAMS)
WAYS = (
    f"curl '{URL}'",
    f"curl   -X   GET   '{URL}'   ",
    f"curl\t-X\tGET\t'{URL}'",
    f'curl -X GET "{URL}"',
    f"curl -X GET {URL}".replace("&", r"\&"),
    f"curl -X GET {URL}".replace("&", "'&'"),
    f"curl -XGET '{URL}'",
    f"curl --request GET '{URL}'",
    f"curl -X 'GET' '{URL}'",
    f"curl '{URL}' -X GET",
    f"curl --url '{URL}' --request GET",
    f"curl -s -S -L '{URL}' --compressed",
    f"curl -sSL '{URL}' -H 'accept: application/json'",
    f"curl -H 'accept: application/json' --max-time 10 -- '{URL}'",
    f"curl \\\n  -X GET \\\n  '{URL}'",
    f"curl '{URL} '",
    f"curl '{URL}#top'",
    f"curl '{URL}';",
    f"curl '{URL}&n=2'",
    f"curl '{URL}&'",
    "curl 'https://a.example/v1/x?n=1&q=palo+alto'",
    "curl 'https://a.example/v1/x?q=palo%20alto&n=1'",
    "curl 'https://a.example/v1/x?q=palo alto&n=1'",
    "curl 'https://a.example/v1/x?q=%70alo+alto&%6E=1'",
    "curl 'https://a.example/v1/%78?q=palo+alto&n=1'",
    "curl 'https://A.EXAMPLE:443/v1/x?q=palo+alto&n=1'",
    "curl 'https://a.example/v1/x?q=palo'+'alto&n=1'",
    "curl -G 'https://a.example/v1/x' -d 'q=palo+alto' -d n=1",
    "curl -sG 'https://a.example/v1/x?q=palo+alto' -d n=1",
    "curl --get 'https://a.example/v1/x' --data-urlencode 'q=palo alto' --data-urlencode 'n=1'",
)


@pytest.mark.parametrize("command", WAYS)
def test_every_way_to_write_a_request_is_that_request(command: str):
    assert read_request(command) == GET


@pytest.mark.parametrize(
    ("command", "params"),
    [
        ("curl -G a.example --data-urlencode '=a b'", {"a b": ""}),
        ("curl -G a.example --data-urlencode 'q=a=b&c'", {"q": "a=b&c"}),
        ("curl -G a.example -d 'q=a=b&c=1'", {"q": "a=b", "c": "1"}),
        ("curl 'a.example?q=%C3%A9&q2=%2B&q3=a%26b'", {"q": "é", "q2": "+", "q3": "a&b"}),
        ("curl 'a.example?q=oslo &n=1'", {"q": "oslo ", "n": "1"}),
    ],
)
def test_parameters_are_what_their_encoding_says(command: str, params: dict[str, str]):
    assert read_request(command).params == params


NAMES = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=6)
VALUES = st.text(
    st.characters(codec="utf-8", exclude_categories=["C"], exclude_characters="\u2028\u2029"), max_size=12
)
QUOTES = st.sampled_from([shlex.quote, lambda text: '"' + re.sub(r'(["\\$`])', r"\\\1", text) + '"'])
EXTRAS = st.lists(
    st.sampled_from(["-s", "-X GET", "-H 'a: b'", "--compressed", "-A me", "--", " "]), max_size=4
)


@given(st.dictionaries(NAMES, VALUES, max_size=4), QUOTES, EXTRAS, EXTRAS, st.booleans())
def test_what_is_encoded_comes_back_however_the_command_is_written(
    params: dict[str, str], quoted: Any, before: list[str], after: list[str], plus: bool
):
    query = urlencode(params, quote_via=quote_plus if plus else quote)
    words = ["curl", *before, quoted(f"https://a.example/x?{query}"), *after]
    assert read_request(" ".join(words)) == Request("GET", "a.example", "/x", params)

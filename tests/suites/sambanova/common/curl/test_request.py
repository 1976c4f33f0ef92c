"""A command is the request that curl would send, or an error that says why there is none."""

from __future__ import annotations

import pytest

from stb_env.suites.sambanova.common.curl.request import Request, read_request
from stb_env.suites.sambanova.common.curl.words import CurlError

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
        ("curl 'https://[a.example'", 3, "the address cannot be read"),
        ("curl 'a.example?" + "a=1&" * 80 + "'", 3, "the address cannot be read"),
    ],
)
def test_a_command_that_curl_would_turn_down_says_why(command: str, code: int, message: str):
    with pytest.raises(CurlError, match=message) as caught:
        read_request(command)
    assert caught.value.code == code

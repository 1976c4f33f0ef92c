"""JSON text that survives anything."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.core import jsontext

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=20,
)
surrogates = st.text(st.characters(categories=["Cs", "L"]), max_size=20)


@given(values)
def test_what_is_written_is_read_back(value: object):
    assert jsontext.loads(jsontext.dumps(value)) == value


@given(surrogates)
def test_written_text_can_always_be_encoded(text: str):
    assert json.loads(jsontext.dumps(text).encode("utf-8").decode("utf-8")) == text


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_json_lacks_become_text(number: float):
    assert json.loads(jsontext.dumps({"n": [number]})) == {"n": [str(number)]}


@given(values, st.integers(64, 400))
def test_a_cut_value_fits_and_still_parses(value: object, limit: int):
    text = jsontext.dumps(jsontext.cut(value, limit))
    assert len(text) <= limit
    json.loads(text)


@given(values)
def test_a_value_that_fits_is_not_cut(value: object):
    assert jsontext.cut(value, max(64, len(jsontext.dumps(value)))) == value


@pytest.mark.parametrize("value", ["x" * 999, ["x" * 50] * 99, {str(i): "x" * 50 for i in range(99)}])
def test_a_cut_value_carries_the_mark(value: object):
    assert jsontext.CUT_MARK in jsontext.dumps(jsontext.cut(value, 200))


def test_reading_takes_control_characters_and_nan():
    assert jsontext.loads('{"a": "line\nbreak", "b": NaN}') == {"a": "line\nbreak", "b": "NaN"}


def test_a_number_of_5000_digits_becomes_text():
    assert jsontext.loads("9" * 5000) == "9" * 5000


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 101 + "]" * 101])
def test_deep_nesting_is_refused(text: str):
    with pytest.raises(ValueError, match=r"^JSON nests deeper than 100 levels$"):
        jsontext.loads(text)


def test_brackets_inside_texts_are_no_nesting():
    assert jsontext.loads(json.dumps("[" * 500)) == "[" * 500


@given(st.text(max_size=60))
def test_reading_any_text_raises_nothing_but_value_errors(text: str):
    try:
        jsontext.loads(text)
    except ValueError:
        return
    json.loads(text, strict=False)


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": 1, "b": [2.5, null, true], "a": 3}',
        b"[18446744073709551616, -9223372036854775809, 1e30, -0, -0.0]",
        b"[1234567890123456789, -1234567890123456789, 9999999999999999999, -9999999999999999999]",
        b"[0.12345678901234567890, -12345678901234567890.5, 12345678901234567890e1, 100000000000000000000]",
        b"[NaN, -Infinity, 1e999]",
        b"9" * 5_000,
        b'{"key": "\\ud800", "emoji": "\\ud83d\\ude00"}',
        b'"a\x01b"',
        b'["' + b"[" * 200 + b'"]',
        "\u2028 Zürich".join('""').encode(),
        b" [1] ",
    ],
)
def test_bytes_are_read_as_their_text_is(data: bytes):
    # Their texts too, since 3 and 3.0 are equal.
    read, expected = jsontext.loads_utf8(data), jsontext.loads(data.decode())
    assert (read, repr(read)) == (expected, repr(expected))


@given(st.text(alphabet='{}[]",:0123456789.eE-+ntrufalse\\ \x01é', max_size=60))
def test_any_bytes_are_read_or_refused_as_their_text_is(text: str):
    try:
        expected = repr(jsontext.loads(text))
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            jsontext.loads_utf8(text.encode())
    else:
        assert repr(jsontext.loads_utf8(text.encode())) == expected


@pytest.mark.parametrize("data", [b"\xff", b'{"a": ', b"[" * 200, b"[" * 200 + b"]" * 200])
def test_bytes_that_are_no_text_of_json_are_refused(data: bytes):
    with pytest.raises(ValueError, match=r"can't decode|Expecting|nests deeper"):
        jsontext.loads_utf8(data)


ODD_FILES = {
    "duplicate names": b'{"a": 1, "b": 2, "a": [3]}',
    "an integer beyond 64 bits": b'{"a": [18446744073709551616, -9223372036854775809]}',
    "an integer too long to compute with": b"[" + b"9" * 400 + b"]",
    "a number too large": b"[1e999]",
    "NaN and infinities": b"[NaN, Infinity, -Infinity]",
    "half of a surrogate pair": rb'["\ud800", "\ud83d\ude00"]',
    "a line break inside a text": b'["a\r\nb\tc"]',
    "line breaks between values": b'{\r\n"a": 1\r\n}\r',
    "a zero and minus zeros": b"[0, -0, -0.0, 1E5, 123456789012345680.0]",
    "100 levels": b"[" * 100 + b"]" * 100,
    "101 levels": b'{"a":' * 101 + b"1" + b"}" * 101,
    "101 levels around brackets in texts": b"[" * 101 + rb'"\\", "\"]]]\"", "]]]"' + b"]" * 101,
    "100 levels around brackets in texts": b"[" * 100 + rb'"\\", "\"[[[\"", "[[["' + b"]" * 100,
    "brackets inside a text": b'["' + b"[" * 500 + b'"]',
    "null alone": b"null",
    "nothing": b"",
    "a byte order mark": b"\xef\xbb\xbf[]",
    "no UTF-8": b'["\xff"]',
    "two values": b"[] []",
    "UTF-8": '["Zürich \U0001f600"]'.encode(),
}


def _told(read, source):
    try:
        return repr(read(source))
    except ValueError as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("name", ODD_FILES)
def test_a_file_is_read_as_its_text_is(tmp_path, name):
    file = tmp_path / "odd.json"
    file.write_bytes(ODD_FILES[name])
    expected = _told(lambda each: jsontext.loads(each.read_text(encoding="utf-8")), file)
    assert _told(jsontext.load, file) == expected


@pytest.mark.parametrize(
    "text",
    ["[18446744073709551616]", "[1e999, NaN]", r'"\ud800"', '"\ud800"', "[-0, -0.0, 0.1]", '{"a":1,"a":2}'],
)
def test_text_is_read_exactly_as_python_reads_it(text):
    assert repr(jsontext.read_exactly(text)) == repr(json.loads(text))


@given(st.integers(0, 40), st.integers(15, 25), st.sampled_from(["", "-", "0.", "1."]), st.booleans())
def test_a_long_number_is_read_exactly_wherever_it_stands(before: int, digits: int, sign: str, spaced: bool):
    text = f'["{"x" * before}", {sign}{"9" * digits}{" " if spaced else ""}]'
    assert jsontext.read_exactly(text) == json.loads(text)
    assert jsontext.loads_utf8(text.encode()) == jsontext.loads(text)

"""What an answer says against what stands behind it."""

from __future__ import annotations

from stb_env.suites.sambanova.common.evidence import Evidence


def _contradicted(answer, **options):
    evidence = Evidence(lambda: "Move the red block.", list, lambda: [{"temp": 20, "name": "red block"}])
    return list(evidence.contradicted(answer, **options))


def test_a_wrong_kind_is_found_in_whatever_letters_it_is_written():
    assert _contradicted("It is a HOUSE.", kinds=("House", "Condo")) == ["House"]
    # The sign of Kelvin and the long s are a k and an s where upper and lower case are one.
    assert _contradicted("It is a desK.", kinds=("desk",)) == ["desk"]
    assert _contradicted("It is a houſe.", kinds=("House",)) == ["House"]


def test_a_thing_is_wrong_where_something_is_put_and_not_where_it_is_spoken_of():
    things = {"things": lambda: ("blue bowl", "red block")}
    assert _contradicted("I put it into the Blue Bowl.", **things) == ["blue bowl"]
    assert _contradicted("I left the blue bowl alone and put it in the red block.", **things) == []


def test_a_number_holds_in_another_unit_that_the_answer_speaks_of_alone():
    assert _contradicted("It is 68 degrees fahrenheit.") == []
    assert _contradicted("It is 68 blocks.") == ["68"]

"""The home: what each step needs, and what it changes."""

from __future__ import annotations

import pytest

from stb_env.suites.sambanova.virtual_home.acts import RefusedError, done
from stb_env.suites.sambanova.virtual_home.home import Home
from stb_env.suites.sambanova.virtual_home.judge import steps_of
from tests.suites.sambanova.virtual_home.careful import lines


def home_after(program: str, *given: str) -> Home:
    home = Home.of(given)
    for step in steps_of(lines(program)):
        home = done(home, step)
    return home


@pytest.mark.parametrize(
    ("given", "program", "refusal"),
    [
        ("", "Put cup, table", r"hold the cup first: grab it"),
        ("", "PutBack cup", r"hold the cup first: grab it"),
        ("", "Drop cup", r"hold the cup first: grab it"),
        ("", "Squeeze soap", r"hold the soap first: grab it"),
        ("", "Grab milk; PutIn milk, freezer", r"the freezer is shut: open it first"),
        ("", "Grab plate; Put plate, dishwasher", r"the dishwasher is shut: open it first"),
        ("in milk freezer", "Grab milk", r"the milk is shut in the freezer: open it first"),
        ("", "Watch television", r"the television is off: switch it on first"),
        ("", "TypeOn keyboard", r"the computer or laptop is off: switch it on first"),
        ("unplugged stereo", "SwitchOn stereo", r"the stereo is unplugged: plug it in first"),
        ("open microwave", "SwitchOn microwave", r"the microwave is open: close it first"),
        ("", "TakeOff shoes", r"you do not wear the shoes"),
        ("", "Sleep", r"lie down first"),
        ("sitting chair", "Sleep", r"lie down first"),
        ("", "WakeUp", r"you are awake already"),
        ("", "StandUp", r"you stand already"),
        ("lying bed", "Sleep; StandUp", r"you are asleep: wake up first"),
        ("", "Drink cup", r"the cup is empty: pour a drink into it first"),
        ("", "Eat plate", r"there is no food on the plate"),
        ("", "Cut food_bread", r"hold the knife or chef_knife first: grab it"),
        ("", "Wipe table", r"hold the rag or .* first: grab it"),
        ("", "Scrub sink", r"hold the sponge or .* first: grab it"),
        ("lacking coffee", "PourInto coffee, cup", r"there is no coffee yet"),
    ],
)
def test_a_step_is_refused_until_what_it_needs_is_so(given: str, program: str, refusal: str):
    with pytest.raises(RefusedError, match=f"^{refusal}$"):
        home_after(program, *filter(None, [given]))


@pytest.mark.parametrize(
    ("given", "program", "condition"),
    [
        ("", "Grab cup; Put cup, table", "on cup table"),
        ("", "Grab cup; Drop cup", "on cup floor"),
        ("in milk freezer", "Open freezer; Grab milk", "not in milk freezer"),
        ("open freezer", "Close freezer", "not open freezer"),
        ("", "Pull curtain", "open curtain"),
        ("running light", "SwitchOff light", "not running light"),
        ("", "PlugOut phone", "unplugged phone"),
        ("running television", "PlugOut television", "not running television"),
        ("running dishwasher", "Open dishwasher", "not running dishwasher"),
        ("", "Grab milk; Open microwave; PutIn milk, microwave; Close microwave; "
         "SwitchOn microwave", "hot milk"),
        ("", "SwitchOn toaster; Grab food_bread; Put food_bread, toaster", "hot food_bread"),
        ("in cup dishwasher", "SwitchOn dishwasher", "clean cup"),
        ("", "Grab rag; Wipe table", "clean table"),
        ("", "Grab knife; Cut food_bread", "cut food_bread"),
        ("", "PutOn shoes", "worn shoes"),
        ("worn shoes", "TakeOff shoes", "held shoes"),
        ("", "PourInto water, cup", "holds cup water"),
        ("", "Grab water; Put water, cup", "holds cup water"),
        ("", "Grab cup; Put cup, sink; SwitchOn faucet", "holds cup water"),
        ("holds cup milk", "PourInto milk, sink", "not holds cup milk"),
        ("holds cup milk", "Drink cup", "did Drink milk cup"),
        ("holds cup milk", "Drink milk", "did Drink milk cup"),
        ("on food_egg plate", "Eat plate", "did Eat food_egg"),
        ("lacking coffee", "Grab ground_coffee; Put ground_coffee, coffee_maker; SwitchOn coffee_maker; "
         "PourInto coffee, cup", "holds cup coffee"),
        ("", "LieOn bed; Sleep; WakeUp", "did Sleep bed"),
        ("sitting chair", "WalkTo table", "not sitting chair"),
        ("", "SitOn chair; Find table", "sitting chair"),
        ("", "Find window", "did WalkTo window"),
        ("", "SitOn chair; Read novel", "did Read novel chair"),
        ("", "Wash cup", "did Rinse cup"),
    ],
)  # fmt: skip
def test_a_step_changes_the_home(given: str, program: str, condition: str):
    before = Home.of(filter(None, [given]))
    assert not before.meets(condition)
    assert home_after(program, *filter(None, [given])).meets(condition)


def test_what_comes_after_is_not_what_a_thing_was_done_with():
    assert not home_after("Read novel; SitOn chair").meets("did Read novel chair")
    assert not home_after("Read novel; PutOn spectacles").meets("did Read novel spectacles")


def test_finding_is_no_running():
    assert not home_after("Find bathroom; WalkTo bathroom").meets("did RunTo bathroom")


def test_a_home_is_never_changed_in_place():
    home = Home.of(["held cup"])
    done(home, steps_of("Agent.Put(cup, table)")[0])
    assert home.about("cup") == ["held cup"]

"""Household steps: the needs of each, and its effects on a home.

A step that goes without saying is left out at no cost: whoever handles a thing goes there, and whoever walks
gets up. What nobody can do is refused: put down what is not held, reach into what is shut, sleep on one's
feet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stb_env.suites.sambanova.virtual_home.home import Fact, Home
from stb_env.suites.sambanova.virtual_home.step import Step

_CABINETS = frozenset({"cupboard", "dresser", "filing_cabinet", "freezer", "kitchen_cabinet", "oven"})
_SEALED = frozenset({"dishwasher", "microwave", "washing_machine"})
DOORS = _CABINETS | _SEALED
"""Things whose inside can be reached while they are open alone."""

_TOPS = frozenset({"dresser", "filing_cabinet", "oven"})
_HEATERS = frozenset({"microwave", "oven", "toaster"})
_WASHERS = frozenset({"dishwasher", "washing_machine"})
_CLOTHS = ("rag", "towel", "paper_towel", "napkin", "cloth_napkin", "sponge", "toilet_paper")
_SCRUBBERS = ("sponge", "brush", "rag", "towel", "mop", "soap", "dish_soap")
_BLADES = ("knife", "chef_knife")
_KEYS = {"keyboard": ("computer", "laptop")}
_LIQUIDS = frozenset(
    {
        "cleaning_solution",
        "coffee",
        "detergent",
        "dish_soap",
        "face_soap",
        "juice",
        "laundry_detergent",
        "milk",
        "shampoo",
        "water",
    }
)
_VESSELS = frozenset(
    {
        "bowl",
        "coffee_cup",
        "coffee_pot",
        "cup",
        "drinking_glass",
        "mop_bucket",
        "pot",
        "sauce_pan",
        "water_glass",
    }
)
_FOOD = "food_"

# A thing need not be within reach for these.
_FROM_AFAR = frozenset({"Find", "WalkTo", "RunTo", "TurnTo", "LookAt", "PointAt"})

# Whoever did the one did the other too.
_IMPLIED: Mapping[str, tuple[str, ...]] = {
    "Find": ("WalkTo",),
    "WalkTo": ("Find",),
    "RunTo": ("Find", "WalkTo"),
    "LookAt": ("TurnTo",),
    "Watch": ("LookAt", "TurnTo"),
    "Read": ("LookAt", "TurnTo"),
    "PointAt": ("TurnTo",),
    "Greet": ("TurnTo",),
    "Wash": ("Rinse",),
}


class RefusedError(Exception):
    """A step cannot be done as things are."""


Act = Callable[..., Home]


def done(home: Home, step: Step) -> Home:
    """Return the home after a step.

    Raises:
        RefusedError: It cannot be done as things are.

    Examples:
        >>> home = done(Home(), Step("Grab", ("cup",)))
        >>> done(home, Step("Put", ("cup", "table"))).about("cup")
        ['on cup table']
        >>> done(Home(), Step("Sleep"))
        Traceback (most recent call last):
        ...
        stb_env.suites.sambanova.virtual_home.acts.RefusedError: lie down first
    """
    if home.has("asleep") and step.name != "WakeUp":
        raise RefusedError("you are asleep: wake up first")
    if step.name not in _FROM_AFAR:
        for thing in step.objects:
            _reach(home, thing)
    act = _ACTS.get(step.name)
    after = act(home, *step.objects) if act else home
    names = (step.name, *_IMPLIED.get(step.name, ()))
    return _settled(after.after(*((name, *step.objects) for name in names), before=home))


def _settled(home: Home) -> Home:
    """Return the home after what machines that run do to what lies in them."""
    running = {fact[1] for fact in home.facts if fact[0] == "running"}
    if not running:
        return home
    lying = [fact for fact in home.facts if fact[0] in ("on", "in") and fact[2] in running]
    hot: list[Fact] = [("hot", thing) for _, thing, place in lying if place in _HEATERS]
    clean: list[Fact] = [("clean", thing) for _, thing, place in lying if place in _WASHERS]
    home = home.plus(*hot, *clean)
    if "faucet" in running:
        under = [vessel for _, vessel, place in home.having("on") if place == "sink" and vessel in _VESSELS]
        home = home.plus(*(("holds", vessel, "water") for vessel in under))
    if "coffee_maker" in running and home.has("on", "ground_coffee", "coffee_maker"):
        return home.minus("lacking", "coffee")
    return home


# -- needs -------------------------------------------------------------------------------------------


def _reach(home: Home, thing: str) -> None:
    if home.has("lacking", thing):
        raise RefusedError(f"there is no {thing} yet")
    for fact in home.having("in", thing):
        if fact[2] in DOORS and not home.has("open", fact[2]):
            raise RefusedError(f"the {thing} is shut in the {fact[2]}: open it first")


def _need_held(home: Home, *things: str) -> None:
    if not any(home.has("held", thing) for thing in things):
        raise RefusedError(f"hold the {' or '.join(things)} first: grab it")


def _need_running(home: Home, *things: str) -> None:
    if not any(home.has("running", thing) for thing in things):
        raise RefusedError(f"the {' or '.join(things)} is off: switch it on first")


def _standing(home: Home) -> Home:
    return home.minus("sitting").minus("lying")


def _loose(home: Home, thing: str) -> Home:
    """Return the home in which a thing lies nowhere."""
    return home.minus("held", thing).minus("on", thing).minus("in", thing)


# -- effects -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Effect:
    """An act with one object that changes a few facts about it.

    Attributes:
        held: Things of which one has to be held; the object itself where there is a ``*``.
        running: Whether the object has to be running.
        loose: Whether the object lies nowhere afterwards.
        stands: Whether the person gets up.
        gone: Relations that hold of the object no longer.
        holds: Facts that hold afterwards, in words; ``*`` stands for the object.
    """

    held: tuple[str, ...] = ()
    running: bool = False
    loose: bool = False
    stands: bool = False
    gone: tuple[str, ...] = ()
    holds: str = ""

    def __call__(self, home: Home, thing: str) -> Home:
        """Return the home after the act."""
        if self.held:
            _need_held(home, *(thing if each == "*" else each for each in self.held))
        if self.running:
            _need_running(home, thing)
        home = _loose(home, thing) if self.loose else home
        home = _standing(home) if self.stands else home
        for relation in self.gone:
            home = home.minus(relation, thing)
        if not self.holds:
            return home
        return home.plus(tuple(thing if word == "*" else word for word in self.holds.split()))


# -- acts --------------------------------------------------------------------------------------------------


def _put(home: Home, thing: str, place: str) -> Home:
    _need_held(home, thing)
    home = _loose(home, thing)
    if thing in _LIQUIDS:
        home = home.plus(("holds", place, thing))
    if place not in DOORS:
        return home.plus(("on", thing, place))
    if home.has("open", place):
        return home.plus(("on", thing, place), ("in", thing, place))
    if place in _TOPS:
        return home.plus(("on", thing, place))
    raise RefusedError(f"the {place} is shut: open it first")


def _put_in(home: Home, thing: str, place: str) -> Home:
    _need_held(home, thing)
    if place in DOORS and not home.has("open", place):
        raise RefusedError(f"the {place} is shut: open it first")
    return _loose(home, thing).plus(("in", thing, place))


def _take_off(home: Home, thing: str) -> Home:
    if not home.has("worn", thing):
        raise RefusedError(f"you do not wear the {thing}")
    return home.minus("worn", thing).plus(("held", thing))


def _switch_on(home: Home, thing: str) -> Home:
    if home.has("unplugged", thing):
        raise RefusedError(f"the {thing} is unplugged: plug it in first")
    if thing in _SEALED and home.has("open", thing):
        raise RefusedError(f"the {thing} is open: close it first")
    return home.plus(("running", thing))


def _open(home: Home, thing: str) -> Home:
    # A machine stops when its door is opened.
    stopped = home.minus("running", thing) if thing in _SEALED else home
    return stopped.plus(("open", thing))


def _pull(home: Home, thing: str) -> Home:
    return home.plus(("open", thing)) if thing == "curtain" else home


def _type_on(home: Home, keys: str) -> Home:
    if keys in _KEYS:
        _need_running(home, *_KEYS[keys])
    return home


def _stand_up(home: Home) -> Home:
    if not home.having("sitting") and not home.having("lying"):
        raise RefusedError("you stand already")
    return _standing(home)


def _sleep(home: Home) -> Home:
    if not home.having("lying"):
        raise RefusedError("lie down first")
    return home.plus(("asleep",))


def _wake_up(home: Home) -> Home:
    if not home.has("asleep"):
        raise RefusedError("you are awake already")
    return home.minus("asleep")


def _eat(home: Home, thing: str) -> Home:
    if thing != "plate":
        return _loose(home, thing)
    served = [fact[1] for fact in home.having("on") if fact[2] == thing and fact[1].startswith(_FOOD)]
    if not served:
        raise RefusedError("there is no food on the plate")
    for food in served:
        home = home.minus("on", food, thing).after(("Eat", food))
    return home


def _drink(home: Home, thing: str) -> Home:
    # A drink can be named, or the vessel that holds it.
    full = [fact for fact in home.having("holds") if thing in fact[1:]]
    for _, vessel, liquid in full:
        home = home.minus("holds", vessel, liquid).after(("Drink", liquid), ("Drink", liquid, vessel))
    if full:
        return home
    if thing not in ("beer", "coffee", "juice"):
        raise RefusedError(f"the {thing} is empty: pour a drink into it first")
    return home


def _pour(home: Home, liquid: str, vessel: str) -> Home:
    # Whatever holds the liquid can be meant where it goes down the sink, otherwise what is in the hand.
    for _, source, content in home.having("holds"):
        if content == liquid and source != vessel and (vessel == "sink" or home.has("held", source)):
            home = home.minus("holds", source, liquid)
    return home.plus(("holds", vessel, liquid))


_THE_OBJECT = ("*",)
_ACTS: Mapping[str, Act] = {
    "WalkTo": _Effect(stands=True),
    "RunTo": _Effect(stands=True),
    "Grab": _Effect(loose=True, holds="held *"),
    "Drop": _Effect(held=_THE_OBJECT, loose=True, holds="on * floor"),
    "Put": _put,
    "PutIn": _put_in,
    "PutBack": _Effect(held=_THE_OBJECT, loose=True),
    "PutOn": _Effect(loose=True, holds="worn *"),
    "TakeOff": _take_off,
    "SwitchOn": _switch_on,
    "SwitchOff": _Effect(gone=("running",)),
    "PlugIn": _Effect(gone=("unplugged",)),
    "PlugOut": _Effect(gone=("running",), holds="unplugged *"),
    "Open": _open,
    "Close": _Effect(gone=("open",)),
    "Pull": _pull,
    "Squeeze": _Effect(held=_THE_OBJECT),
    "Watch": _Effect(running=True),
    "TypeOn": _type_on,
    "SitOn": _Effect(stands=True, holds="sitting *"),
    "LieOn": _Effect(stands=True, holds="lying *"),
    "StandUp": _stand_up,
    "Sleep": _sleep,
    "WakeUp": _wake_up,
    "Eat": _eat,
    "Drink": _drink,
    "PourInto": _pour,
    "Cut": _Effect(held=_BLADES, holds="cut *"),
    "Wash": _Effect(holds="clean *"),
    "Scrub": _Effect(held=_SCRUBBERS, holds="clean *"),
    "Wipe": _Effect(held=_CLOTHS, holds="clean *"),
}

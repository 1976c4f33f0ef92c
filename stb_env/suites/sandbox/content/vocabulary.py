"""The words that the sandbox's dictionaries know, with our own short definitions."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition

PARTS_OF_SPEECH = ("noun", "verb", "adjective")
_NOUNS: Mapping[str, str] = {
    "anchor": "heavy hook that holds a ship in place",
    "attic": "room right under a roof",
    "beacon": "light that guides those who travel at night",
    "bramble": "thorny bush that bears dark berries",
    "cellar": "store room below the ground",
    "cobbler": "craftsman who mends shoes",
    "compass": "instrument whose needle points north",
    "cradle": "small bed that rocks a baby",
    "dune": "hill of sand that the wind has made",
    "eclipse": "hiding of one heavenly body by another",
    "ferryman": "one who rows people across a river",
    "furrow": "long groove that a plough leaves",
    "glacier": "slow river of ice",
    "gosling": "young of a goose",
    "harvest": "gathering of ripe crops",
    "hinge": "joint on which a door turns",
    "icicle": "hanging spike of frozen water",
    "inkwell": "little pot in which a pen is dipped",
    "jetty": "landing stage that juts into the water",
    "kiln": "oven in which clay is fired",
    "ladle": "deep spoon for serving soup",
    "lantern": "lamp with a case that can be carried",
    "meadow": "grassland full of flowers",
    "nectar": "sweet juice that draws bees",
    "oasis": "green place with a spring in a desert",
    "orchard": "piece of land planted with fruit trees",
    "pebble": "small stone rounded by water",
    "quarry": "open pit where stone is cut",
    "quill": "large feather cut for writing",
    "rudder": "board at the stern that steers a boat",
    "saddle": "leather seat for a rider",
    "thimble": "metal cap that protects a sewing finger",
    "twilight": "soft light after the sun has gone",
    "umbrella": "folding shield against rain",
    "vineyard": "slope on which grapes grow",
    "walnut": "wrinkled kernel in a hard round shell",
    "yoke": "wooden beam that joins two oxen",
    "zenith": "point of the sky straight overhead",
}
_VERBS: Mapping[str, str] = {
    "barter": "trade goods without using money",
    "blink": "shut and open both eyes quickly",
    "dawdle": "waste time by moving slowly",
    "embroider": "decorate cloth with a needle",
    "forage": "search widely for food",
    "gallop": "run at the top speed of a horse",
    "hover": "stay in one spot in the air",
    "kindle": "set a fire going",
    "mumble": "speak so low that nobody understands",
    "nibble": "eat in tiny bites",
    "plunder": "rob a town during a war",
    "prune": "cut branches to make a tree stronger",
    "rinse": "wash lightly with clear water",
    "scatter": "throw in many directions",
    "shiver": "tremble from cold",
    "sprout": "begin to grow from a seed",
    "stumble": "trip and nearly fall",
    "tether": "tie an animal so that it stays near",
    "wander": "walk about without a goal",
    "yawn": "open the mouth wide when tired",
}
_ADJECTIVES: Mapping[str, str] = {
    "barren": "unable to bear any crop",
    "brittle": "hard but easily broken",
    "clumsy": "awkward in movement",
    "dusky": "rather dark in colour",
    "eager": "full of keen wishing",
    "feeble": "lacking strength",
    "gaudy": "too bright and showy",
    "hoarse": "rough in voice after shouting",
    "idle": "doing nothing useful",
    "jagged": "with sharp uneven edges",
    "lofty": "very high and grand",
    "mellow": "soft and ripe in taste",
    "nimble": "quick and light on one's feet",
    "placid": "calm and seldom upset",
    "rusty": "covered in red iron crust",
    "sturdy": "strongly built",
    "tepid": "only slightly warm",
    "vivid": "producing clear pictures in the mind",
    "wary": "careful because danger may come",
    "zealous": "working for a cause with great energy",
}


@per_edition()
def words() -> Mapping[str, JsonObject]:
    """Return every entry by word; the years of first record are invented and all different."""
    rng = edition.rng("vocabulary")
    entries = [
        (word, part, meaning)
        for part, table in zip(PARTS_OF_SPEECH, (_NOUNS, _VERBS, _ADJECTIVES), strict=True)
        for word, meaning in table.items()
    ]
    years = rng.sample(range(1180, 1890), len(entries))
    return {
        word: {
            "word": word,
            "part_of_speech": part,
            "definition": meaning,
            "first_recorded": year,
            "uses_per_million": rng.randint(10, 9_000) / 100,
        }
        for (word, part, meaning), year in zip(entries, years, strict=True)
    }

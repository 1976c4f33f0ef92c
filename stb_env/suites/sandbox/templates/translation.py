"""Tasks about the two invented languages."""

from __future__ import annotations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.languages import LANGUAGES, lexicon
from stb_env.suites.sandbox.content.vocabulary import words
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, template
from stb_env.suites.sandbox.tools import phrase_bridge

_WORDS = list(words())


@template(phrase_bridge.TOOL, calls=3)
def translate_list(draw: Draw) -> Plan:
    """Three words in one foreign language."""
    language, chosen = draw.pick(LANGUAGES), draw.pick_some(_WORDS, 3)

    def solve() -> Solution:
        foreign = []
        for word in chosen:
            foreign += [(yield phrase_bridge.from_english(word=word, language=language))["translation"]]
        return Answer.of(f"They are {', '.join(foreign)}.", facts.names("translations", foreign))

    one, two, three = chosen
    return Plan.of(
        f"How do you say {one}, {two} and {three} in {language}?",
        f"I label my drawers in {language}. Translate {one}, {two} and {three}, please.",
        f"Give me the {language} words for {one}, {two} and {three}.",
        solve=solve,
    )


@template(phrase_bridge.TOOL, calls=4)
def translate_across(draw: Draw) -> Plan:
    """Two words from one foreign language to the other, by way of English."""
    source, target = draw.pick_some(LANGUAGES, 2)
    given = [lexicon(source)[word] for word in draw.pick_some(_WORDS, 2)]

    def solve() -> Solution:
        foreign = []
        for word in given:
            english = (yield phrase_bridge.to_english(word=word, language=source))["translation"]
            row = yield phrase_bridge.from_english(word=english, language=target)
            foreign.append(row["translation"])
        return Answer.of(f"They are {' and '.join(foreign)}.", facts.names("translations", foreign))

    one, two = given
    return Plan.of(
        f'What are the {target} words for what {source} calls "{one}" and "{two}"?',
        f'Translate "{one}" and "{two}" from {source} to {target}.',
        f'A speaker of {source} writes "{one}" and "{two}". How would that be in {target}?',
        solve=solve,
    )


@template(phrase_bridge.TOOL, calls=1)
def say_sum(draw: Draw) -> Plan:
    """The word for the sum of two numbers."""
    language, one, two = draw.pick(LANGUAGES), draw.between(2, 49), draw.between(2, 49)

    def solve() -> Solution:
        word = (yield phrase_bridge.say_number(number=one + two, language=language))["word"]
        return Answer.of(f"It is {word}.", facts.name("word", word))

    return Plan.of(
        f"Add {one} and {two}, and say the sum in {language}.",
        f"What is the {language} word for {one} + {two}?",
        f"A trader counts {one} sheep and {two} goats in {language}. Which word stands for all of them?",
        solve=solve,
    )

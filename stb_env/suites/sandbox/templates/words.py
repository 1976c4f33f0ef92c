"""Tasks about words: their history, and two invented languages."""

from __future__ import annotations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.languages import LANGUAGES, lexicon
from stb_env.suites.sandbox.content.vocabulary import words
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, template
from stb_env.suites.sandbox.tools import phrase_bridge, word_hoard

_WORDS = list(words())
_ENTRIES = Options(lambda: words().values())


@template(word_hoard.TOOL, calls=3)
def first_recorded(draw: Draw) -> Plan:
    """First records of the oldest and of the youngest of three words."""
    chosen = draw.pick_some(_WORDS, 3)

    def solve() -> Solution:
        years = []
        for word in chosen:
            years += [(yield word_hoard.word_history(word=word))["first_recorded"]]
        early, _, late = sorted(years)
        return Answer.of(
            f"The oldest is from {early}, the youngest from {late}.",
            facts.integer("oldest_year", early),
            facts.integer("youngest_year", late),
        )

    one, two, three = chosen
    return Plan.of(
        f"Of the words {one}, {two} and {three}: in which year was the oldest first recorded, and in which "
        "the youngest? Two years only.",
        f"When did the first of {one}, {two} and {three} turn up in writing, and when the last? Just give "
        "the earliest and the latest year.",
        f"Look up when {one}, {two} and {three} were first recorded. What are the earliest and the latest of "
        "these years, without the one between?",
        solve=solve,
    )


@template(word_hoard.TOOL, calls=2)
def crossword_pair(draw: Draw) -> Plan:
    """Two words by their meaning."""
    one, two = draw.pick_some(_ENTRIES, 2)
    clues = one["definition"], two["definition"]

    def solve() -> Solution:
        found = []
        for clue in clues:
            found += (yield word_hoard.find_by_meaning(meaning=clue))["results"]
        return Answer.of(f"They are {found[0]} and {found[1]}.", facts.names("words", found))

    return Plan.of(
        f'Which two words does the dictionary define as "{clues[0]}" and "{clues[1]}"?',
        f'Crossword help: one entry means "{clues[0]}", the other "{clues[1]}". Which words of the '
        "dictionary are they?",
        f'Find the entries with the definitions "{clues[0]}" and "{clues[1]}".',
        solve=solve,
    )


@template(word_hoard.TOOL, calls=2)
def word_in_use(draw: Draw) -> Plan:
    """Use of a word by a year, and its frequency today."""
    entry, year = draw.pick(_ENTRIES), draw.between(1200, 1880)
    clue = entry["definition"]

    def solve() -> Solution:
        word = (yield word_hoard.find_by_meaning(meaning=clue))["results"][0]
        row = yield word_hoard.word_history(word=word)
        known = row["first_recorded"] <= year
        return Answer.of(
            f"{'Yes' if known else 'No'}; it occurs {row['uses_per_million']} times in a million words.",
            facts.yes_no("was_in_use", known),
            facts.number("uses_per_million", row["uses_per_million"]),
        )

    return Plan.of(
        f'Was the word that the dictionary defines as "{clue}" on record by {year}, and how often is it used '
        "in a million words today?",
        f'I set a novel in {year}. Does the entry meaning "{clue}" go back that far, and what is its '
        "frequency by the million?",
        f'Take the word with the definition "{clue}": had it been recorded by the end of {year}? And how '
        "many uses are there in a million words?",
        solve=solve,
    )


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

"""Tasks about words and their history."""

from __future__ import annotations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.vocabulary import words
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, template
from stb_env.suites.sandbox.tools import word_hoard

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

"""ROUGE-L as Li et al., 2023, measure it: the rules of the package ``rouge`` 1.0.1, to the last digit.

Written out here, since that package raises on empty texts and recurses once for every word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_EPSILON = 1e-8


def rouge_l(hypothesis: str, reference: str) -> float:
    """Return the F-measure of the union of longest common subsequences of sentences (Lin, 2004).

    A text is cut at every ``.``; words are what blanks part, and case and punctuation matter. Counts are
    those of distinct words.

    Args:
        hypothesis: What was written; one without any word scores 0.
        reference: What it is compared with.

    Examples:
        >>> round(rouge_l("the cat the cat", "the cat sat on the mat"), 10)
        0.5714285673
        >>> round(rouge_l("The cat sat.", "The cat sat. "), 10)
        0.8571428522
        >>> rouge_l("", "The cat sat.")
        0.0
    """
    ours, theirs = _sentences(hypothesis), _sentences(reference)
    if not ours or not theirs:
        return 0.0
    common = sum(_new_words(theirs, ours))
    recall = common / len({word for sentence in theirs for word in sentence})
    precision = common / len({word for sentence in ours for word in sentence})
    return 2 * precision * recall / (precision + recall + _EPSILON)


def _sentences(text: str) -> list[list[str]]:
    # A piece of blanks alone stays, as one empty word.
    return [" ".join(piece.split()).split(" ") for piece in text.split(".") if piece]


def _new_words(references: Iterable[list[str]], hypotheses: Sequence[list[str]]) -> Iterable[int]:
    """Yield for each reference sentence how many words it adds to those in common so far."""
    common: set[str] = set()
    for reference in references:
        before = len(common)
        for hypothesis in hypotheses:
            # Most pairs of sentences share nothing that is new.
            if not common.issuperset(set(reference).intersection(hypothesis)):
                common.update(_common(reference, hypothesis))
        yield len(common) - before


def _common(reference: Sequence[str], hypothesis: Sequence[str]) -> list[str]:
    """Return one longest common subsequence; of several, the one that the package happens to find."""
    i, j = len(reference), len(hypothesis)
    words = []
    while i and j and reference[i - 1] == hypothesis[j - 1]:
        words.append(reference[i - 1])
        i, j = i - 1, j - 1
    lengths = [[0] * (j + 1)]
    for ours in reference[:i] if j else ():
        above, row, left = lengths[-1], [0], 0
        for place, theirs in enumerate(hypothesis[:j]):
            left = above[place] + 1 if ours == theirs else max(above[place + 1], left)
            row.append(left)
        lengths.append(row)
    while i and j:
        if reference[i - 1] == hypothesis[j - 1]:
            words.append(reference[i - 1])
            i, j = i - 1, j - 1
        elif lengths[i - 1][j] > lengths[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return words

"""Alignment data: API documents and several solved goals in one text, with what the loss covers.

SambaNova's ToolBench trains on them with an all-shot loss: it covers the action of every pair, where the
usual loss covers the last action alone (section on alignment).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.suites.sambanova.common.prompt import documents_block

Loss = Literal["all_shot", "last_only"]
Span = tuple[int, int]
"""Begin and end of a piece of text, in characters."""

MAX_TOKENS = 2_048
"""Longest sample of the paper's training."""


class Pair(NamedTuple):
    """A goal and the program that reaches it."""

    goal: str
    action: str


class Encoded(NamedTuple):
    """A tokenized text.

    Attributes:
        ids: Token ids.
        offsets: Begin and end of each token in the text, in characters; empty pieces for special tokens.
    """

    ids: Sequence[int]
    offsets: Sequence[Span]


Tokenizer = Callable[[str], Encoded | JsonMapping]
"""Encodes a text; a mapping with ``input_ids`` and ``offset_mapping``, as fast tokenizers return, will do."""


@dataclass(frozen=True, slots=True)
class AlignmentSample:
    r"""One training text.

    Attributes:
        text: API documents, then goals and actions of one task, with nothing between the pairs but a line
            break.
        spans: Where the actions are, the blank in front of each included and the line break behind it not.

    Examples:
        >>> sample = alignment_sample([], [Pair("Sleep", "Agent.Sleep()"), Pair("Read", "Agent.Read(novel)")])
        >>> sample.text
        'Task: Sleep\nAction: Agent.Sleep()\nTask: Read\nAction: Agent.Read(novel)\n'
        >>> [sample.text[begin:end] for begin, end in sample.spans]
        [' Agent.Sleep()', ' Agent.Read(novel)']
    """

    text: str
    spans: tuple[Span, ...]

    def covered(self, loss: Loss) -> tuple[Span, ...]:
        """Return the spans that a loss covers."""
        return self.spans if loss == "all_shot" else self.spans[-1:]

    def to_dict(self) -> dict[str, object]:
        """Return the sample as plain data; spans of both losses are in characters."""
        return {"text": self.text, **{loss: [list(span) for span in self.covered(loss)] for loss in _LOSSES}}

    def tokens(self, tokenizer: Tokenizer, end_of_text: int | None = None) -> dict[str, list[int]]:
        """Return token ids, and for each loss a mask with a 1 where it covers the token.

        A token counts as part of an action where all of its characters do. The end-of-text token, if one is
        given, follows the last action and is covered too; nothing else outside the actions is.

        Args:
            tokenizer: Encodes the text.
            end_of_text: Id of the token that ends a text.

        Raises:
            DataError: The tokenizer returns no offsets, or not one for each token.
        """
        ids, offsets = _encoded(tokenizer(self.text))
        masks = {loss: token_mask(offsets, self.covered(loss)) for loss in _LOSSES}
        if end_of_text is not None:
            ids = [*ids, end_of_text]
            masks = {loss: [*mask, 1] for loss, mask in masks.items()}
        return {"input_ids": list(ids), **{f"{loss}_mask": mask for loss, mask in masks.items()}}


_LOSSES: tuple[Loss, ...] = ("all_shot", "last_only")


def alignment_sample(documents: Iterable[str], pairs: Sequence[Pair]) -> AlignmentSample:
    """Build a sample.

    Args:
        documents: API documents.
        pairs: Goals with their actions, all of one task.

    Raises:
        DataError: There is no pair.
    """
    if not pairs:
        raise DataError("an alignment sample needs at least one goal with its action")
    block = documents_block(documents)
    text, spans = f"{block}\n" if block else "", []
    for goal, action in pairs:
        text += f"Task: {goal}\nAction:"
        spans.append((len(text), len(text) + 1 + len(action)))
        text += f" {action}\n"
    return AlignmentSample(text, tuple(spans))


def fitting_sample(
    documents: Sequence[str], pairs: Sequence[Pair], tokenizer: Tokenizer, max_tokens: int = MAX_TOKENS
) -> AlignmentSample | None:
    """Build a sample within a number of tokens, dropping whole pairs from the front where it is too long.

    Returns:
        The sample, or None where even the last pair is too long.
    """
    for first in range(len(pairs)):
        sample = alignment_sample(documents, pairs[first:])
        if len(_encoded(tokenizer(sample.text)).ids) <= max_tokens:
            return sample
    return None


def token_mask(offsets: Iterable[Span], spans: Iterable[Span]) -> list[int]:
    """Return a 1 for each token whose characters all lie inside one of the spans.

    Examples:
        >>> token_mask([(0, 0), (0, 4), (4, 6), (6, 9)], [(4, 9)])
        [0, 0, 1, 1]
    """
    inside = tuple(spans)
    return [
        int(begin < end and any(first <= begin and end <= last for first, last in inside))
        for begin, end in offsets
    ]


def _encoded(found: Encoded | JsonMapping) -> Encoded:
    if isinstance(found, Mapping):
        if "input_ids" not in found or "offset_mapping" not in found:
            raise DataError(
                f"a tokenizer must return input_ids and offset_mapping, got {', '.join(found)}; a fast one "
                "does with return_offsets_mapping=True"
            )
        found = Encoded(found["input_ids"], found["offset_mapping"])
    if len(found.ids) != len(found.offsets):
        raise DataError(
            f"a tokenizer must return an offset for each token, got {len(found.ids)} ids and "
            f"{len(found.offsets)} offsets"
        )
    return found

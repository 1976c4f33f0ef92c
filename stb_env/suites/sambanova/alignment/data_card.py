"""The data card that lies beside alignment data: what they are, how many, and what they keep off."""

from __future__ import annotations

from collections.abc import Sequence

from stb_env.core.jsontypes import JsonObject

_CARD = """\
# Alignment data for SambaNova's tasks

Solved goals of {tasks}, strung together {pairs} to a text behind the API documents that
a prompt for the last of them would show. Each line has the text and, in characters, what the all-shot and the
usual loss cover; with a tokenizer also ids and masks. Everything is synthetic: made from the tasks of stb_env
with seed {seed}.

| file | samples | use |
| --- | --- | --- |
| train.jsonl | {train} | training, as in recipe.json |
| validation.jsonl | {validation} | choosing the checkpoint |

{table}

- Wanted is the paper's number of training samples, or what was asked for; fewer are there where a task has no
  more solved goals.
- No test goal and no test's program is in either file.
- No goal is in both files. Where templates are filled, no program is, but for requests that take no value.
- Complexity is the mean distance of the tests to the nearest training program; paper is its Table 9. It is
  not measured where tests have no programs, and 0 by definition for the shop.
"""


def data_card(rows: Sequence[JsonObject], seed: int, pairs: int) -> str:
    """Return the card as Markdown.

    Args:
        rows: What was made, a row for each task.
        seed: Seed of the making.
        pairs: Solved goals in a sample.
    """
    lines = [["task", "train", "wanted", "validation", "too long", "templates", "complexity", "paper"]]
    lines.append(["---"] * len(lines[0]))
    fields = ("task", "samples", "wanted", "validation", "too_long", "templates", "complexity")
    for row in rows:
        shown = [row[name] for name in (*fields, "published_complexity")]
        lines.append(["-" if value is None else str(value) for value in shown])
    return _CARD.format(
        tasks=", ".join(row["task"] for row in rows),
        pairs=pairs,
        seed=seed,
        train=sum(row["samples"] for row in rows),
        validation=sum(row["validation"] for row in rows),
        table="\n".join(f"| {' | '.join(line)} |" for line in lines),
    )

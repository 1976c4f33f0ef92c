"""``stb-env sambanova align``: write the data that aligns a model with the tasks."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import track
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import console, emit, reporting
from stb_env.core import jsontext
from stb_env.core.files import write_json
from stb_env.core.jsontypes import JsonObject
from stb_env.core.options import Seed
from stb_env.errors import ConfigError
from stb_env.seeding import rng
from stb_env.suites.sambanova.alignment.data_card import data_card
from stb_env.suites.sambanova.alignment.generate import PAIRS, AlignmentSet, Split, training_recipe
from stb_env.suites.sambanova.alignment.text import MAX_TOKENS, Encoded, Tokenizer
from stb_env.suites.sambanova.tasks import suite_task

TaskName = Annotated[str, typer.Argument(metavar="TASK", help="A task, or several with commas between them.")]
Out = Annotated[Path, typer.Option("--out", help="Folder to write to; its files are replaced.")]
Samples = Annotated[
    int | None, typer.Option("--samples", min=1, help="Samples of each task; as many as in the paper.")
]
PairsOption = Annotated[int, typer.Option("--pairs", min=1, help="Solved goals in a sample.")]
TokenizerFile = Annotated[
    Path | None, typer.Option("--tokenizer", help="tokenizer.json, for token ids and masks.")
]
EndOfText = Annotated[str, typer.Option("--end-of-text", help="Token after the last action; none if empty.")]
MaxTokens = Annotated[int, typer.Option("--max-tokens", min=1, help="Longest sample, with a tokenizer.")]


@reporting
def align(
    task: TaskName,
    out: Out,
    samples: Samples = None,
    seed: Seed = 0,
    pairs: PairsOption = PAIRS,
    tokenizer: TokenizerFile = None,
    end_of_text: EndOfText = "",
    max_tokens: MaxTokens = MAX_TOKENS,
    as_json: options.AsJson = False,
) -> None:
    """Write alignment data: texts, and which parts of them the all-shot and the usual loss cover.

    train.jsonl and validation.jsonl share no goal, and have none of a test. The samples of all tasks are
    shuffled together, as the paper trains on them; recipe.json says how, and README.md is a data card.

    Example: stb-env sambanova align open_weather --samples 20 --out runs/alignment
    """
    tasks = [suite_task(name.strip()) for name in task.split(",")]
    encode, end = _tokenizer(tokenizer, end_of_text)
    lines: dict[Split, list[JsonObject]] = {"train": [], "validation": []}
    rows = []
    for one in track(tasks, "align", console=console, transient=True, disable=as_json):
        counts = {}
        for split, mixed in lines.items():
            made = AlignmentSet.make(one, samples, seed, split)
            written = [
                {"task": one.id, **sample.to_dict(), **({} if encode is None else sample.tokens(encode, end))}
                for sample in made.samples(seed, pairs, encode, max_tokens)
            ]
            mixed += written
            counts[split] = {"samples": len(written), "too_long": len(made.pairs) - len(written)}
            if split == "train":
                rows.append(_row(made, samples))
        rows[-1] |= {**counts["train"], "validation": counts["validation"]["samples"]}
    out.mkdir(parents=True, exist_ok=True)
    for split, mixed in lines.items():
        rng("alignment mixture", split, seed).shuffle(mixed)
        _write_lines(out / f"{split}.jsonl", mixed)
    sizes = {split: len(mixed) for split, mixed in lines.items()}
    report = {"out": str(out), "seed": seed, "pairs": pairs, "samples": sizes, "tasks": rows}
    write_json(out / "recipe.json", {**training_recipe(), "samples": sizes}, sort_keys=False)
    write_json(out / "summary.json", {name: value for name, value in report.items() if name != "out"})
    (out / "README.md").write_text(data_card(rows, seed, pairs), encoding="utf-8")
    emit(report, as_json, _table(report))


def _row(made: AlignmentSet, samples: int | None) -> dict[str, object]:
    task, score = made.task, made.complexity
    return {
        "task": task.id,
        "wanted": samples or task.samples,
        "templates": len(made.templates),
        "complexity": None if score is None else round(score.score, 3),
        "r_f1": None if score is None else round(score.rf1, 3),
        "published_complexity": task.published_complexity,
    }


def _tokenizer(file: Path | None, end_of_text: str) -> tuple[Tokenizer | None, int | None]:
    if file is None:
        if end_of_text:
            raise ConfigError("--end-of-text names a token; give its --tokenizer too")
        return None, None
    try:
        library: Any = importlib.import_module("tokenizers")
    except ModuleNotFoundError as error:
        raise ConfigError("--tokenizer needs the package tokenizers: pip install tokenizers") from error
    if not file.is_file():
        raise ConfigError(f"no tokenizer at {file}; give the path of a tokenizer.json")
    loaded = library.Tokenizer.from_file(str(file))

    def encode(text: str) -> Encoded:
        found = loaded.encode(text)
        return Encoded(found.ids, found.offsets)

    end = loaded.token_to_id(end_of_text) if end_of_text else None
    if end_of_text and end is None:
        raise ConfigError(f"the tokenizer has no token {end_of_text!r}")
    return encode, end


def _write_lines(file: Path, lines: Iterable[Mapping[str, object]]) -> None:
    draft = file.with_name(f".{file.name}")
    draft.write_text("".join(jsontext.dumps(line) + "\n" for line in lines), encoding="utf-8")
    draft.replace(file)


def _table(report: JsonObject) -> Table:
    table = Table(
        title=f"{report['samples']['train']} alignment samples",
        caption=f"training of wanted + validation, in {report['out']}",
    )
    for name in ("task", "samples", "templates", "complexity", "paper", "r-F1"):
        table.add_column(name, justify="left" if name == "task" else "right")
    for row in report["tasks"]:
        table.add_row(
            row["task"],
            f"{row['samples']} of {row['wanted']} + {row['validation']}",
            str(row["templates"] or "-"),
            _figure(row["complexity"]),
            _figure(row["published_complexity"]),
            _figure(row["r_f1"]),
        )
    return table


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"

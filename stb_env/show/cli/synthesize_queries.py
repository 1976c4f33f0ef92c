"""``stb-env synthesize --tools``: write queries for a catalogue, and keep those that can be solved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from rich.markup import escape
from rich.table import Table
from typing_extensions import Doc

from stb_env.backend.virtual import VirtualBackend
from stb_env.console.output import emit
from stb_env.console.progress import bar
from stb_env.core import jsontext
from stb_env.core.files import write_text
from stb_env.core.jsontypes import JsonObject
from stb_env.core.kinds import AtLeast
from stb_env.core.options import Cache, Mode, Start, Writes
from stb_env.envs.connections import connect_catalog
from stb_env.errors import ConfigError, DataError
from stb_env.experiments.synthesis import Ability, Pipeline, Settings, synthesize
from stb_env.experiments.synthesis.author import Author, load_authors, read_role_files
from stb_env.experiments.synthesis.catalog_author import CatalogAuthor, CatalogQuery
from stb_env.experiments.synthesis.catalog_queries import Sorted, gold_run, pool_of, queries_of, voted
from stb_env.formats.catalog_file import CatalogFile
from stb_env.models import Meter
from stb_env.models.preflight import checking
from stb_env.show.cli.poll import panel_of

_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOptions:
    """Source of the answers to calls of a catalogue: options of `stb-env synthesize`."""

    cache: Cache = None
    mode: Mode = None
    start: Start = False
    writes: Writes = False

    @property
    def given(self) -> bool:
        """True where one of them was given."""
        return self != AnswerOptions()

    def backend(self, file: CatalogFile) -> VirtualBackend:
        """Connect to them; what a cache lacks is not answered where no mode was given.

        Raises:
            ConfigError: There is no such mode, or it lacks something.
        """
        mode = self.mode or ("offline" if self.cache is None else "replay")
        return connect_catalog(file, mode, self.cache, start=self.start)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterOptions:
    """Models that write: options of `stb-env synthesize`; none of them for the deterministic author."""

    models: Annotated[Path | None, Doc("Models file (TOML); without one the Sandbox writes, no model.")] = (
        None
    )
    cast: Annotated[
        list[str] | None, Doc("ROLE=FILE: the agent of another models file plays a role; repeatable.")
    ] = None
    apis: Annotated[
        Path | None, Doc("Real API descriptions for the API agent: query files, or a JSON list.")
    ] = None
    budget: Annotated[float | None, Doc("Dollars that all models may cost."), AtLeast(0)] = None

    @property
    def asked(self) -> bool:
        """True where a model is asked at all."""
        return self.models is not None or bool(self.cast)

    def authors(self, method: str, meter: Meter) -> dict[str, Author]:
        """Connect the models.

        Raises:
            ConfigError: A file or a role is wrong, or a model cannot be used.
        """
        with checking():
            return load_authors(method, self.models, read_role_files(self.cast or []), meter)


def synthesize_queries(
    tools: Path,
    out: Path,
    count: int,
    seed: int,
    answers: AnswerOptions,
    writers: WriterOptions,
    panel: Sequence[Path],
    as_json: bool,
) -> None:
    """Write queries for a catalogue to a file, those that a gold run solves; see `synthesize_command`.

    Raises:
        ConfigError: A setting is wrong.
        DataError: A file cannot be read, or nothing could be asked.
    """
    if out.is_dir() or out.suffix not in (".jsonl", ".json"):
        raise ConfigError(f"with --tools, --out is the file of the queries, such as queries.jsonl; got {out}")
    file = CatalogFile.load(tools)
    backend = answers.backend(file)
    written: list[CatalogQuery]
    unasked: dict[str, str] = {}
    try:
        if not writers.asked:
            author = CatalogAuthor(file, backend, seed, writes=answers.writes)
            written, unasked = author.queries(count), author.unasked
        else:
            written = _dialogues(file, out, count, seed, writers, as_json)
        if not written:
            reasons = "; ".join(f"{name}: {why}" for name, why in list(unasked.items())[:_SHOWN])
            raise DataError(f"nothing can be asked about the tools of {tools}: {reasons}")
        with bar("gold run", as_json) as progress:
            found = gold_run(file, written, backend, progress)
        if panel:
            with checking():
                voters = panel_of(panel, None, out.with_suffix(".votes"))
            chosen = voted(file, found.kept, voters)
            found = Sorted(chosen.kept, {**found.dropped, **chosen.dropped})
    finally:
        backend.close()
    write_text(out, "".join(jsontext.dumps(query) + "\n" for query in found.kept))
    report: JsonObject = {
        "out": str(out),
        "written": len(written),
        "kept": len(found.kept),
        "dropped": found.dropped,
        "unasked": unasked,
    }
    emit(report, as_json, _table(report))


def _dialogues(
    file: CatalogFile, out: Path, count: int, seed: int, writers: WriterOptions, as_json: bool
) -> list[CatalogQuery]:
    """Let the agents write dialogues beside the file, resumable, and return the queries in them.

    Raises:
        DataError: None of them was kept.
    """
    meter = Meter(max_cost=writers.budget)
    authors = writers.authors("multi", meter)
    settings = Settings((Ability.CALL,), 1, 1)
    domain = " and ".join(file.sources) or "tools"
    pipeline = Pipeline(authors, seed, settings=settings, pool=pool_of(file), domain=domain)
    folder = out.with_suffix(".dialogues")
    with bar("synthesize", as_json, meter) as progress:
        written = synthesize(pipeline, folder, count, meter=meter, progress=progress).dialogues
    if not (found := queries_of(file, written)):
        raise DataError(
            f"no dialogue of {len(written)} was kept; {folder / 'dialogues.jsonl'} says of each why not. "
            f"Ask for more with --dialogues, or let another model write"
        )
    return found


def _table(report: JsonObject) -> Table:
    table = Table(title=f"{report['kept']} of {report['written']} queries kept", show_header=False)
    table.add_row("queries", report["out"])
    for label, reasons in (("left out", report["dropped"]), ("not asked", report["unasked"])):
        for name, why in list(reasons.items())[:_SHOWN]:
            table.add_row(label, escape(f"{name}: {why}"))
        if len(reasons) > _SHOWN:
            table.add_row(label, f"{len(reasons) - _SHOWN} more; --json lists all")
    return table

"""``stb-env synthesize --tools``: write queries for a catalogue, and keep those that can be solved."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from rich.markup import escape
from rich.table import Table

from stb_env.backend.real_api.catalog_api import CatalogAPI
from stb_env.backend.virtual import MODES, Mode, VirtualBackend
from stb_env.console.output import emit
from stb_env.console.progress import bar
from stb_env.core import jsontext
from stb_env.core.files import write_text
from stb_env.core.jsontypes import JsonObject
from stb_env.envs.connections import connect_backend
from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.experiments.synthesis import Ability, Pipeline, Settings, synthesize
from stb_env.experiments.synthesis.author import load_authors, read_role_files
from stb_env.experiments.synthesis.catalog_author import CatalogAuthor, CatalogQuery
from stb_env.experiments.synthesis.catalog_queries import Sorted, gold_run, pool_of, queries_of, voted
from stb_env.formats.catalog_file import CatalogFile
from stb_env.models import Meter
from stb_env.models.preflight import checking
from stb_env.show.cli.poll import panel_of

_SHOWN = 5


class Answers(NamedTuple):
    """Source of the answers to a synthesis' calls.

    Attributes:
        cache: Folder of recorded answers.
        mode: What happens on a miss; ``replay`` with a cache and ``offline`` without, where not given.
        start: Whether programs that the catalogue names may be started.
        writes: Whether the services may be called where that may change something.
    """

    cache: str | None
    mode: str | None
    start: bool
    writes: bool

    def backend(self, file: CatalogFile) -> VirtualBackend:
        """Connect to them.

        Raises:
            ConfigError: There is no such mode, or it lacks something.
        """
        mode = self._mode()
        real = CatalogAPI(file, start=self.start) if mode in ("live", "record") else None
        return connect_backend(mode, self.cache, real, "none" if real is not None else None)

    def _mode(self) -> Mode:
        if self.mode is None:
            return "offline" if self.cache is None else "replay"
        for mode in MODES:
            if mode == self.mode:
                return mode
        near = did_you_mean(self.mode, MODES)
        raise ConfigError(f"mode must be one of {MODES}, got {self.mode!r}.{near}")


class Writers(NamedTuple):
    """Writers of queries: five agents with models, or the deterministic author without.

    Attributes:
        models: Models file; None for no model.
        cast: ``ROLE=FILE`` of single agents.
        budget: Dollars that all may cost.
        panel: Models files whose judges vote on whether a query can be solved; none for no vote.
    """

    models: Path | None
    cast: list[str]
    budget: float | None
    panel: list[Path]


def synthesize_queries(
    tools: Path, out: Path, count: int, seed: int, answers: Answers, writers: Writers, as_json: bool
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
        if writers.models is None and not writers.cast:
            author = CatalogAuthor(file, backend, seed, writes=answers.writes)
            written, unasked = author.queries(count), author.unasked
        else:
            written = _dialogues(file, out, count, seed, writers, as_json)
        if not written:
            reasons = "; ".join(f"{name}: {why}" for name, why in list(unasked.items())[:_SHOWN])
            raise DataError(f"nothing can be asked about the tools of {tools}: {reasons}")
        with bar("gold run", as_json) as progress:
            found = gold_run(file, written, backend, progress)
        if writers.panel:
            with checking():
                panel = panel_of(writers.panel, None, out.with_suffix(".votes"))
            chosen = voted(file, found.kept, panel)
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
    file: CatalogFile, out: Path, count: int, seed: int, writers: Writers, as_json: bool
) -> list[CatalogQuery]:
    """Let the agents write dialogues beside the file, resumable, and return the queries in them.

    Raises:
        DataError: None of them was kept.
    """
    meter = Meter(max_cost=writers.budget)
    with checking():
        authors = load_authors("multi", writers.models, read_role_files(writers.cast), meter)
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

"""A real and a simulated answer to the same call: from a MirrorAPI-Bench folder, or from the Sandbox."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from stb_env import jsontext
from stb_env.backend.cache.key import call_key
from stb_env.backend.simulator.template import TemplateSimulator
from stb_env.errors import DataError
from stb_env.formats.recorded_answer import Answer, Notes, RecordedCall
from stb_env.jsontypes import JsonMapping
from stb_env.lab.sandbox_calls import SandboxCall
from stb_env.suites.sandbox.catalog import household
from stb_env.suites.sandbox.world import SandboxWorld
from stb_env.suites.stabletoolbench import mirrorapi_bench
from stb_env.tools import ToolId, ToolResult


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """One call with both answers.

    Attributes:
        group: Where it is from: the name of a file without its ending, or of a way to choose calls.
        id: The API.
        arguments: What it was called with.
        real: What the API answered.
        simulated: What the simulator answered.
    """

    group: str
    id: ToolId
    arguments: JsonMapping | str
    real: Answer
    simulated: Answer

    @property
    def text(self) -> str:
        """The whole pair as one JSON text, for hashing."""
        answers = [text_of(self.real), text_of(self.simulated)]
        return jsontext.dumps([self.group, *self.id, self.arguments, *answers])


def text_of(answer: Answer) -> str:
    """Return an answer as the text that an agent reads: its error, then its response.

    Examples:
        >>> text_of(Answer("", {"rain": 2})), text_of(Answer("not found", ""))
        ('{"rain": 2}', 'not found')
    """
    response = answer.response if isinstance(answer.response, str) else jsontext.dumps(answer.response)
    return "\n".join(part for part in (answer.error, response) if part)


def recorded_pairs(folder: str | Path) -> list[AnswerPair]:
    """Read every pair of a MirrorAPI-Bench folder, in order of file and line; of equal pairs one is kept.

    Args:
        folder: Holds ``*.jsonl`` files, or is one.

    Raises:
        DataError: There is no such file, or no pair in any.
    """
    place = Path(folder)
    files = [place] if place.is_file() else sorted(place.glob("*.jsonl"))
    found = {pair.text: pair for file in files for pair in _file_pairs(file)}
    if not found:
        raise DataError(
            f"no pair of a real and a simulated answer in {place}; give a MirrorAPI-Bench folder of .jsonl "
            "files whose lines hold request, real_response and simulated_response"
        )
    return list(found.values())


def _file_pairs(file: Path) -> Iterator[AnswerPair]:
    simulated: RecordedCall | None = None
    for recorded in mirrorapi_bench.read_file(file, Notes(), simulated=True):
        if recorded.source == "simulator":
            simulated = recorded
            continue
        call = (recorded.id, recorded.arguments)
        # A line without a usable simulated answer has a real one alone.
        if simulated is not None and call == (simulated.id, simulated.arguments):
            yield AnswerPair(file.stem, *call, recorded.answer, simulated.answer)
        simulated = None


def sandbox_pairs(calls: Iterable[SandboxCall], group: str) -> list[AnswerPair]:
    """Let the Sandbox, as the real API, and the template simulator answer the same calls.

    Args:
        calls: The calls; each meets the starting state of its household.
        group: Name of the group that the pairs get.
    """
    world, simulator = SandboxWorld(), TemplateSimulator()
    pairs = []
    for tool, arguments, home in calls:
        real, _ = world.call(household(home), tool, arguments)
        simulated = simulator.simulate(tool, arguments, key=call_key(tool.id, arguments))
        pairs.append(AnswerPair(group, tool.id, arguments, _answer(real), _answer(simulated)))
    return pairs


def _answer(result: ToolResult) -> Answer:
    return Answer(result.error, result.response)

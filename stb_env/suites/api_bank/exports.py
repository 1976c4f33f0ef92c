"""Episodes as API-Bank's official files: dialogues with recorded calls, and training samples."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.formats.export import ExportSettings
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.formats.dialogues import Dialogue, Envelope, GoldCall, Utterance
from stb_env.suites.api_bank.formats.training import (
    CALL_CUE,
    RESPONSE_CUE,
    Instructions,
    Requested,
    Said,
    TrainingSample,
    call_text,
    training_text,
)
from stb_env.tools import FINISH, Status
from stb_env.trajectory import Trajectory

_FOLDERS = {1: "level-1-given-desc", 2: "level-2-toolsearcher"}


def dialogue_files(episodes: Sequence[Trajectory], settings: ExportSettings) -> Iterator[tuple[str, str]]:
    """Yield the episodes as dialogues: a file each in levels 1 and 2, one for level 3.

    What an agent called stands in the place of the recorded calls, with the results that it got.
    """
    del settings
    plans = []
    for episode in episodes:
        dialogue = dialogue_of(episode)
        if dialogue.level == 3:
            plans.append(_plan(dialogue))
            continue
        text = "".join(json.dumps(_item(item)) + "\n" for item in dialogue.items)
        yield f"{_FOLDERS[dialogue.level]}/{dialogue.name}.jsonl", text
    if plans:
        yield "level-3.json", json.dumps(plans, indent=4) + "\n"


def training_files(episodes: Sequence[Trajectory], settings: ExportSettings) -> Iterator[tuple[str, str]]:
    """Yield the samples on which Lynx is trained, calls and responses apart, by level."""
    del settings
    instructions = Instructions()
    kept: dict[str, list[TrainingSample]] = {}
    for episode in episodes:
        level = _level(episode)
        for sample in _samples(episode, instructions):
            name = f"lv{level}-train.json" if sample.wants_call else f"lv{level}-response-train.json"
            kept.setdefault(name, []).append(sample)
    for name in sorted(kept):
        yield name, training_text(kept[name])


def dialogue_of(episode: Trajectory) -> Dialogue:
    """Return an episode as a dialogue; calls that never reached an API are left out.

    Raises:
        DataError: It is no episode of API-Bank.
    """
    level = _level(episode)
    items: list[Utterance | GoldCall] = []
    calls = (call for step in episode.steps for call in step["calls"] if call["name"] != FINISH)
    for message in episode.messages:
        match message["role"]:
            case "user":
                items.append(Utterance("User", str(message["content"])))
            case "assistant":
                items += _said_or_called(message, calls)
    trial = f"-trial-{episode.trial}" if episode.trial else ""
    return Dialogue(f"{episode.task_id}{trial}", level, tuple(items))


def _said_or_called(message: JsonMapping, calls: Iterator[JsonMapping]) -> Iterator[Utterance | GoldCall]:
    """Yield what an assistant's message did; a Finish with an answer is heard by the user as text is."""
    made = message.get("tool_calls") or ()
    said = str(message.get("content") or "").strip()
    if said and not made:
        yield Utterance("AI", said)
    for each in made:
        function = each["function"]
        if function["name"] == FINISH:
            arguments = jsontext.close(function["arguments"])
            answer = arguments.get("final_answer") if isinstance(arguments, Mapping) else None
            yield from [Utterance("AI", str(answer))] if answer else []
        elif (call := next(calls, None)) is not None:
            yield from _gold(call)


def _level(episode: Trajectory) -> int:
    level = episode.group.removeprefix("level-")
    if not episode.suite.startswith("APIBank") or level not in ("1", "2", "3"):
        raise DataError(
            f"episode {episode.task_id} is none of API-Bank, but of {episode.suite or 'no suite'}"
        )
    return int(level)


def _gold(call: JsonMapping) -> list[GoldCall]:
    refused = call["status"] not in (Status.OK, Status.TOOL_ERROR)
    if refused or not isinstance(call["arguments"], Mapping):
        return []
    error = call["error"] or None
    response = _official(call["response"]) if call["name"] == SEARCHER else call["response"]
    result: Envelope = {
        "api_name": call["name"],
        "input": dict(call["arguments"]),
        "output": None if error else response,
        "exception": error,
    }
    return [GoldCall(call["name"], dict(call["arguments"]), result)]


def _official(found: object) -> object:
    """Return what a search found without what only our searches tell: whether a parameter is required."""
    if isinstance(found, list):
        return [_official(each) for each in found]
    if not isinstance(found, Mapping) or "input_parameters" not in found:
        return found
    inputs = {
        name: {key: value for key, value in each.items() if key != "required"}
        for name, each in found["input_parameters"].items()
    }
    return {**found, "input_parameters": inputs}


def _item(item: Utterance | GoldCall) -> dict[str, object]:
    if isinstance(item, Utterance):
        return {"role": item.speaker, "text": item.text}
    texts = {name: value if isinstance(value, str) else str(value) for name, value in item.arguments.items()}
    return {"role": "API", "api_name": item.name, "param_dict": texts, "result": dict(item.result)}


def _plan(dialogue: Dialogue) -> dict[str, object]:
    said = [item for item in dialogue.items if isinstance(item, Utterance)]
    users = [item.text for item in said if item.speaker == "User"]
    replies = [item.text for item in said if item.speaker == "AI"]
    return {
        "requirement": "\n".join(users),
        "response": replies[-1] if replies else "",
        "apis": [
            {"api_name": call.name, "input": dict(call.arguments), "output": dict(call.result)}
            for call in dialogue.calls
        ],
    }


def _samples(episode: Trajectory, instructions: Instructions) -> Iterator[TrainingSample]:
    dialogue = dialogue_of(episode)
    described = _described(episode, dialogue)
    search = tuple(described[name] for name in (SEARCHER,) if name in described)
    everything = tuple(described.values())
    history: list[Said | Requested] = []
    for item in dialogue.items:
        if isinstance(item, Utterance) and item.speaker == "User":
            history.append(Said("User", item.text))
        elif isinstance(item, Utterance):
            shown = search if dialogue.level == 3 else everything
            output = f"AI: {item.text}\n"
            yield TrainingSample(instructions.response, shown, tuple(history), RESPONSE_CUE, output)
            history.append(Said("AI", " ".join(item.text.split())))
        else:
            shown = everything if dialogue.level == 1 else search
            request = call_text(item.name, item.arguments)
            yield TrainingSample(
                instructions.call, shown, tuple(history), CALL_CUE, f"API-Request: {request}"
            )
            history.append(Requested(request, str(_returned(item))))


def _returned(call: GoldCall) -> object:
    """Return what stands after the arrow: the bare output, or why there is none."""
    if call.result["exception"]:
        return {"error": call.result["exception"]}
    return call.result["output"]


def _described(episode: Trajectory, dialogue: Dialogue) -> dict[str, str]:
    """Return the line that describes each API of an episode: those on offer, and those that were found."""
    records: dict[str, JsonMapping] = {}
    for tool in episode.tools:
        function = tool["function"]
        schema = function.get("parameters", {})
        inputs = {
            name: {"type": each.get("type", "str"), "description": each.get("description", "")}
            for name, each in schema.get("properties", {}).items()
        }
        if function["name"] != FINISH:
            description = function.get("description", "")
            records[function["name"]] = {"description": description, "input_parameters": inputs}
    for call in dialogue.calls:
        output = call.result["output"] if call.name == SEARCHER else None
        for found in output if isinstance(output, list) else [output]:
            if isinstance(found, Mapping) and "name" in found:
                records[found["name"]] = found
    return {name: _line(name, record) for name, record in records.items()}


def _line(name: str, record: Mapping[str, object]) -> str:
    shown = {
        "apiCode": name,
        "description": record.get("description", ""),
        "parameters": record.get("input_parameters", {}),
        "response": record.get("output_parameters", {}),
    }
    return json.dumps(shown)

"""The agent's own turn: where it ends, and a model goes on with what others would have said."""

from __future__ import annotations

import re
from itertools import islice

from stb_env.actions.families import MARKS

_RESPONSES = (
    r"<\|?/?tool_(?:responses?|results?|outputs?)\|?>",
    r"</?function_(?:results?|response)>",
    r"\[/?TOOL_RESULTS\]",
    r"<[|｜]tool[▁_]outputs?[▁_]begin[|｜]>",
    r"<\|observation\|>",
    r"<(?:start|end)_function_response>",
    r"```\s*tool_outputs?\b",
    r"<\|START_TOOL_RESULT\|>",
    r"^[ \t]*(?:[-*#>]+[ \t]*)?[*_]{0,3}Observation(?:[ \t]{0,4}\d{1,3})?[*_]{0,3}[ \t]{0,4}:",
    # A server may stop in the middle of the word.
    r"^[ \t]*[*_]{0,3}Obs[erv]{0,3}[ation]{0,5}[ \t]*\Z",
)
_TURNS = (
    r"<\|start_header_id\|>\s*(?:assistant)?",
    r"<\|im_start\|>\s*(?:assistant\b)?",
    r"<start_of_turn>\s*(?:model\b)?",
    r"<\|(?:im_end|end_header_id|eot_id|eom_id|eot|endoftext|end_of_text|end|return)\|>",
    r"<\|(?:user|assistant|system|tool|im_user|im_system|im_assistant)\|>",
    r"</s>|<end_of_turn>|<eos>|<bot_end>|\[/?INST\]",
    r"<[|｜](?:end[▁_]of[▁_]sentence|User|Assistant)[|｜]>",
    r"<\|(?:END_OF_TURN|START_OF_TURN)_TOKEN\|>",
)
_BORDER = re.compile(f"(?P<response>{'|'.join(_RESPONSES)})|{'|'.join(_TURNS)}", re.IGNORECASE | re.MULTILINE)
_CLOSES = re.compile(r"</|<\|/|\[/|<end_", re.IGNORECASE)
_OWN_LABEL = re.compile(
    r"^[ \t]*(?:[*_#]{1,3}[ \t]*)?(?:thought|action)\b[^\n:]{0,20}:", re.IGNORECASE | re.MULTILINE
)


def stretches(text: str, most: int) -> list[str]:
    r"""Divide a text where a turn begins or ends, or a tool seems to answer.

    Args:
        text: What a model wrote.
        most: How many stretches are looked at; what comes after them is dropped.

    Returns:
        What stands between the borders, in order, without blank ones and without what tools seem to say. Once
        one of them holds a call, the rest was made up: no tool has answered yet.

    Examples:
        >>> stretches("Action: a\nObservation: 3\nAction: b", 64)
        ['Action: a\n', 'Action: b']
        >>> stretches("<|im_start|>assistant Hello.<|im_end|>", 64)
        [' Hello.']
    """
    parts: list[str] = []
    position, a_tool_speaks = 0, False
    for border in [*islice(MARKS.outside_calls(text, _BORDER.finditer(text)), most), None]:
        part = text[position : border.start() if border else None]
        if a_tool_speaks:
            own = _OWN_LABEL.search(part)
            part = part[own.start() :] if own else ""
        parts.append(part)
        if border:
            position = border.end()
            a_tool_speaks = bool(border["response"]) and not _CLOSES.match(border[0])
    return [part for part in parts[:most] if part and not part.isspace()]

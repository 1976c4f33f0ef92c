"""Tools, calls and results as text, for frameworks that give a model nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stb_env.core import jsontext
from stb_env.runs.driven import Reply

_HOW = """You can call these functions, each given as JSON with its parameters:
<tools>
{tools}
</tools>
To call one, write <tool_call>{{"name": its name, "arguments": {{...}}}}</tool_call>. \
What it answers comes back inside <tool_response>."""


def with_written_tools(
    messages: Sequence[Mapping[str, object]], tools: Sequence[Mapping[str, object]]
) -> list[dict[str, object]]:
    """Return opening messages whose system message also says which tools there are and how one is called.

    Examples:
        >>> ping = {"type": "function", "function": {"name": "ping", "parameters": {}}}
        >>> system, user = with_written_tools([{"role": "user", "content": "Ping it."}], [ping])
        >>> system["content"].splitlines()[2]
        '{"name": "ping", "parameters": {}}'
    """
    how = _HOW.format(tools="\n".join(jsontext.dumps(tool["function"]) for tool in tools))
    opened = [dict(message) for message in messages]
    if opened and opened[0]["role"] == "system":
        opened[0]["content"] = f"{opened[0]['content']}\n\n{how}"
        return opened
    return [{"role": "system", "content": how}, *opened]


def heard(reply: Reply) -> dict[str, object]:
    r"""Return what came back as a user's message: results in their marks, a user's words as they are.

    Examples:
        >>> heard(Reply('{"error": "", "response": 1}', 0, 0.0, over=False))["content"]
        '<tool_response>\n{"error": "", "response": 1}\n</tool_response>'
        >>> heard(Reply("Of 2023, please.", 0, 0.0, over=False))["content"]
        'Of 2023, please.'
    """
    marked = f"<tool_response>\n{reply.text}\n</tool_response>" if reply.answers_call else reply.text
    return {"role": "user", "content": marked}

"""How models write calls, and what a reader must find: the table that tests and fuzzing share."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

KNOWN = frozenset({"get_weather", "search", "ping"})
"""The tools of the task in which all of this is written."""

CALL = ("get_weather", {"city": "Rome", "days": 3})
SEARCH = ("search", {"query": "blue, (green) shoes"})
PING = ("ping", {})

ARGUMENTS = json.dumps(CALL[1])
OBJECT = json.dumps({"name": CALL[0], "arguments": CALL[1]})
LLAMA = json.dumps({"name": CALL[0], "parameters": CALL[1]})
OTHER = json.dumps({"name": SEARCH[0], "arguments": SEARCH[1]})
OTHER_ARGUMENTS = json.dumps(SEARCH[1])


class Style(NamedTuple):
    """A text and the calls in it.

    Attributes:
        name: What kind of text it is.
        text: As the model wrote it.
        calls: Name and arguments of each call.
    """

    name: str
    text: str
    calls: tuple[tuple[str, Any], ...] = (CALL,)


BOTH = (CALL, SEARCH)

HERMES = (
    Style("tags", f"<tool_call>\n{OBJECT}\n</tool_call>"),
    Style("prose before the tags", f"I look it up.\n<tool_call>\n{OBJECT}\n</tool_call>"),
    Style(
        "two pairs of tags", f"<tool_call>\n{OBJECT}\n</tool_call>\n<tool_call>\n{OTHER}\n</tool_call>", BOTH
    ),
    Style("an open tag", f"<tool_call>\n{OBJECT}"),
    Style("the closing tag opens", f"<tool_call>{OBJECT}<tool_call>"),
    Style("a list in tags", f"<tool_call>[{OBJECT}, {OTHER}]</tool_call>", BOTH),
    Style("Hunyuan", f"<tool_calls>[{OBJECT}]</tool_calls>"),
    Style("Nemotron", f"<TOOLCALL>[{OBJECT}]</TOOLCALL>"),
    Style("Granite 20b", f"<function_call> {OBJECT}"),
    Style("a fence in tags", f"<tool_call>\n```json\n{OBJECT}\n```\n</tool_call>"),
    Style("a brace too many in tags", f"<tool_call>\n{OBJECT}}}\n</tool_call>"),
    Style("Olmo 3", '<function_calls>\nget_weather(city="Rome", days=3)\n</function_calls>'),
)
QWEN_CODER = (
    Style(
        "elements",
        "<tool_call>\n<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n"
        "<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>",
    ),
    Style(
        "no outer tags", "<function=get_weather><parameter=city>Rome</parameter><parameter=days>3</parameter>"
    ),
    Style("JSON in the element", f"<function=get_weather>{ARGUMENTS}</function>"),
    Style("quotes around the name", f'<function="get_weather">{ARGUMENTS}</function>'),
    Style(
        "Seed-OSS",
        "<seed:tool_call>\n<function=get_weather>\n<parameter=city>Rome</parameter>\n"
        "<parameter=days>3</parameter>\n</function>\n</seed:tool_call>",
    ),
    Style(
        "two elements",
        f"<function=get_weather>{ARGUMENTS}</function>\n<function=search>{OTHER_ARGUMENTS}</function>",
        BOTH,
    ),
)
PARAMETERS = '<parameter name="city">Rome</parameter>\n<parameter name="days">3</parameter>'
ANTHROPIC = (
    Style(
        "invoke", f'<function_calls>\n<invoke name="get_weather">\n{PARAMETERS}\n</invoke>\n</function_calls>'
    ),
    Style("a bare invoke", f'I look.\n<invoke name="get_weather">\n{PARAMETERS}\n</invoke>'),
    Style(
        "MiniMax M2",
        f'<minimax:tool_call>\n<invoke name="get_weather">\n{PARAMETERS}\n</invoke>\n</minimax:tool_call>',
    ),
    Style(
        "DeepSeek V3.2",
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n'
        '<｜DSML｜parameter name="city" string="true">Rome</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>\n'
        "</｜DSML｜invoke>\n</｜DSML｜function_calls>",
    ),
    Style("function with a name", f'<function name="get_weather">{ARGUMENTS}</function>'),
)
LLAMAS = (
    Style("parameters", LLAMA),
    Style("a type", json.dumps({"type": "function", "name": CALL[0], "parameters": CALL[1]})),
    Style("the tag", f"<|python_tag|>{LLAMA}"),
    Style("the tag and the end of the turn", f"<|python_tag|>{LLAMA}<|eom_id|>"),
    Style("a semicolon", f"<|python_tag|>{LLAMA}; {OTHER}", BOTH),
    Style("objects in a row", f"{LLAMA}\n{OTHER}", BOTH),
    Style("a semicolon without the tag", f"{LLAMA};{OTHER}", BOTH),
    Style("a built-in tool", '<|python_tag|>search.call(query="blue, (green) shoes")', (SEARCH,)),
    Style("a header", f"<|start_header_id|>assistant<|end_header_id|>\n\n{LLAMA}<|eot_id|>"),
    Style("a bracket", '[get_weather(city="Rome", days=3)]'),
    Style(
        "two in a bracket", '[get_weather(city="Rome", days=3), search(query="blue, (green) shoes")]', BOTH
    ),
    Style(
        "a bracket of lines",
        '[\n  get_weather(city="Rome", days=3),\n  search(query="blue, (green) shoes")\n]',
        BOTH,
    ),
)
MISTRAL = (
    Style("a list", f"[TOOL_CALLS] [{OBJECT}]"),
    Style("a list without blanks", f"[TOOL_CALLS][{OBJECT}, {OTHER}]</s>", BOTH),
    Style("names before arguments", f"[TOOL_CALLS]get_weather[ARGS]{ARGUMENTS}"),
    Style(
        "the mark before each",
        f"[TOOL_CALLS]get_weather[ARGS]{ARGUMENTS}[TOOL_CALLS]search[ARGS]{OTHER_ARGUMENTS}",
        BOTH,
    ),
    Style("ids", f"[TOOL_CALLS]get_weather[CALL_ID]a1b2c3d4e[ARGS]{ARGUMENTS}"),
    Style("no second mark", f"Sure.[TOOL_CALLS]get_weather{ARGUMENTS}"),
)
DEEPSEEK = (
    Style(
        "V3",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n"
        f"```json\n{ARGUMENTS}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    ),
    Style(
        "V3.1",
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{ARGUMENTS}<｜tool▁call▁end｜>"
        f"<｜tool▁call▁begin｜>search<｜tool▁sep｜>{OTHER_ARGUMENTS}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        BOTH,
    ),
    Style(
        "plain bars",
        f"<|tool_calls_begin|><|tool_call_begin|>get_weather<|tool_sep|>{ARGUMENTS}<|tool_call_end|>",
    ),
)
KIMI = (
    Style(
        "a section",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
        f"{ARGUMENTS}<|tool_call_end|><|tool_calls_section_end|>",
    ),
    Style(
        "two in a section",
        "I look.<|tool_calls_section_begin|>"
        "<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
        f"{ARGUMENTS}<|tool_call_end|><|tool_call_begin|>functions.search:1<|tool_call_argument_begin|>"
        f"{OTHER_ARGUMENTS}<|tool_call_end|><|tool_calls_section_end|>",
        BOTH,
    ),
)
PAIRS = (
    "<arg_key>city</arg_key>\n<arg_value>Rome</arg_value>\n<arg_key>days</arg_key>\n<arg_value>3</arg_value>"
)
GLM = (
    Style("pairs", f"<tool_call>get_weather\n{PAIRS}\n</tool_call>"),
    Style("pairs in a line", f"<tool_call>get_weather{PAIRS}</tool_call>".replace("\n", "")),
    Style("no pairs", "<tool_call>ping\n</tool_call>", (PING,)),
    Style("an object after the name", f"<tool_call>get_weather\n{ARGUMENTS}</tool_call>"),
)
GRANITE = (
    Style("Granite 3", f"<|tool_call|>[{OBJECT}]"),
    Style("Phi 4 mini", f"<|tool_call|>[{OBJECT}]<|/tool_call|>"),
    Style("functools", f"functools[{OBJECT}, {OTHER}]", BOTH),
    Style("InternLM", f"I look.<|action_start|><|plugin|>\n{LLAMA}<|action_end|>"),
    Style("LFM 2", '<|tool_call_start|>[get_weather(city="Rome", days=3)]<|tool_call_end|>'),
    Style("Apertus", f'<|tools_prefix|>[{{"get_weather": {ARGUMENTS}}}]<|tools_suffix|>'),
    Style(
        "Command R",
        '<|START_ACTION|>[\n{"tool_call_id": "0", "tool_name": "get_weather", "parameters": '
        f"{ARGUMENTS}}}\n]<|END_ACTION|>",
    ),
)
HARMONY = (
    Style(
        "commentary",
        f"<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{ARGUMENTS}<|call|>",
    ),
    Style(
        "after an analysis",
        "<|channel|>analysis<|message|>Maybe ping.<|end|><|start|>assistant<|channel|>commentary "
        f"to=functions.get_weather <|constrain|>json<|message|>{ARGUMENTS}<|call|>",
    ),
    Style(
        "the recipient in the role",
        f"<|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>{ARGUMENTS}",
    ),
    Style(
        "no special tokens",
        f"analysisMaybe ping.assistantcommentary to=functions.get_weather json{ARGUMENTS}",
    ),
    Style("an object in the last channel", f"<|channel|>final<|message|>{OBJECT}<|return|>"),
)
GEMMA = (
    Style("a fence", '```tool_code\nget_weather(city="Rome", days=3)\n```'),
    Style("print", 'I look.\n```tool_code\nprint(get_weather(city="Rome", days=3))\n```'),
    Style("default_api", '```tool_code\nprint(default_api.get_weather(city="Rome", days=3))\n```'),
    Style("an element", '<tool_code>get_weather(city="Rome", days=3)</tool_code>'),
    Style(
        "function tokens",
        "<start_function_call>call:get_weather{city:<escape>Rome<escape>,days:3}<end_function_call>",
    ),
)
REACT = (
    Style("plain", f"Thought: I look.\nAction: get_weather\nAction Input: {ARGUMENTS}"),
    Style("bold", f"**Thought:** I look.\n**Action:** get_weather\n**Action Input:** {ARGUMENTS}"),
    Style("bold inside the colon", f"**Action**: get_weather\n**Action Input**: {ARGUMENTS}"),
    Style("backticks", f"Action: `get_weather`\nAction Input: `{ARGUMENTS}`"),
    Style("a JSON action", f"Thought: I look.\nAction: {OBJECT}"),
    Style(
        "a fenced JSON action",
        f'Action:\n```json\n{{"action": "get_weather", "action_input": {ARGUMENTS}}}\n```',
    ),
    Style("arguments in the line", 'Action: get_weather(city="Rome", days=3)'),
    Style("an object in parentheses", f"Action: get_weather({ARGUMENTS})"),
    Style("an object in the line", f"Action: get_weather {ARGUMENTS}"),
    Style("the input in the line", f"Action: get_weather, Action Input: {ARGUMENTS}"),
    Style("another label", f"Action: get_weather\nInput: {ARGUMENTS}"),
    Style("an underscore", f"Action: get_weather\nAction_Input: {ARGUMENTS}"),
    Style("a heading", f"### Action: get_weather\n### Action Input: {ARGUMENTS}"),
    Style("a known tool without an input", "Thought: Is it there?\nAction: ping", (PING,)),
    Style("a fenced input", f"Action: get_weather\nAction Input:\n```json\n{ARGUMENTS}\n```"),
    Style("a surplus brace", f"Action: get_weather\nAction Input: {ARGUMENTS}}}"),
    Style(
        "a made-up observation",
        f"Action: get_weather\nAction Input: {ARGUMENTS}\nObservation: Sun.\nAction: ping",
    ),
)
OBJECTS = (
    Style("an object", OBJECT),
    Style("a fence", f"```json\n{OBJECT}\n```"),
    Style("prose around a fence", f"I look:\n```json\n{OBJECT}\n```\nThen I answer."),
    Style("prose before", f"I look it up: {OBJECT}"),
    Style("prose around", f"Let me see.\n\n{OBJECT}\n\nThat is {{all}}."),
    Style("a missing brace", OBJECT[:-1]),
    Style("a surplus brace", OBJECT + "}"),
    Style("a missing brace in a list", f"[{OBJECT[:-1]}]"),
    Style("tool and args", f'{{"tool": "get_weather", "args": {ARGUMENTS}}}'),
    Style("tool_name and input", f'{{"tool_name": "get_weather", "input": {ARGUMENTS}}}'),
    Style("action and action_input", f'{{"action": "get_weather", "action_input": {ARGUMENTS}}}'),
    Style("function and parameters", f'{{"function": "get_weather", "parameters": {ARGUMENTS}}}'),
    Style("name and input", f'{{"name": "get_weather", "input": {ARGUMENTS}}}'),
    Style("the tool's name as the only key", f'{{"get_weather": {ARGUMENTS}}}'),
    Style("an inner object", f'{{"thought": "I look.", "action": {OBJECT}}}'),
    Style("an inner list", f'{{"actions": [{OBJECT}, {OTHER}]}}', BOTH),
    Style(
        "the parallel tool",
        f'{{"tool_uses": [{{"recipient_name": "functions.get_weather", "parameters": {ARGUMENTS}}}]}}',
    ),
    Style("a namespace", f'{{"name": "functions.get_weather", "arguments": {ARGUMENTS}}}'),
    Style("a namespace in a program", 'functions.get_weather(city="Rome", days=3)'),
    Style("single quotes", str({"name": CALL[0], "arguments": CALL[1]})),
)
THOUGHTS = (
    Style("an object after a thought", f"<think>\nPerhaps {OTHER}?\n</think>\n\n{OBJECT}"),
    Style(
        "tags after a thought",
        f"<think><tool_call>{OTHER}</tool_call></think><tool_call>{OBJECT}</tool_call>",
    ),
    Style("a thought that the template began", f"Perhaps <tool_call>{OTHER}</tool_call></think>\n{OBJECT}"),
    Style("Mistral's thought", f"[THINK]ping()[/THINK][TOOL_CALLS]get_weather[ARGS]{ARGUMENTS}"),
    Style("Kimi's thought", f"◁think▷{OTHER}◁/think▷{OBJECT}"),
    Style("an unclosed thought", f"<think>I call {OBJECT}", ()),
    Style("a thought alone", f"<thinking>{OBJECT}</thinking>", ()),
    Style(
        "a call in the channel of thoughts",
        f"<|channel|>analysis to=functions.ping<|message|>{ARGUMENTS}",
        (),
    ),
    Style("an analysis alone", f"<|channel|>analysis<|message|>{OBJECT}<|end|>", ()),
)
RESPONSES = (
    Style("an observation", f"{OBJECT}\nObservation: Sun.\n{OTHER}"),
    Style(
        "a tool response",
        f"<tool_call>{OBJECT}</tool_call>\n<tool_response>Sun.</tool_response>\n<tool_call>{OTHER}</tool_call>",
    ),
    Style(
        "a header of a tool",
        f"{LLAMA}<|eot_id|><|start_header_id|>ipython<|end_header_id|>\n\nSun.<|eot_id|>"
        f"<|start_header_id|>assistant<|end_header_id|>\n\n{OTHER}",
    ),
    Style(
        "the next turn",
        f"<tool_call>{OBJECT}</tool_call><|im_end|>\n<|im_start|>user\n<tool_call>{OTHER}</tool_call>",
    ),
    Style(
        "tool output",
        f'```tool_code\nget_weather(city="Rome", days=3)\n```\n```tool_output\nSun.\n```\n{OTHER}',
    ),
)
TEXTS = (
    Style("an unknown tool in prose", 'One writes {"name": "other", "arguments": {}} there.', ()),
    Style(
        "an unknown tool in a fence",
        'Like so:\n```json\n{"name": "other", "arguments": {}}\n```\nOr not.',
        (),
    ),
    Style("two calls with words between", f"Either {OBJECT} or {OTHER}.", ()),
    Style("two names", f'{{"tool": "get_weather", "action": "search", "args": {ARGUMENTS}}}', ()),
    Style("a person", '{"name": "Ada", "age": 36}', ()),
    Style("cut off in an argument", OBJECT[:-6], ()),
    Style("a call in a line of thought", f"Thought: I could write {OBJECT} now.", ()),
    Style("a plan", "Action: I will think about it", ()),
    Style("a word", "search", ()),
    Style("an unknown tool alone", '{"name": "other", "arguments": {}}', (("other", {}),)),
    Style(
        "an unknown tool in tags",
        '<tool_call>{"name": "other", "arguments": {}}</tool_call>',
        (("other", {}),),
    ),
)

FAMILIES = {
    "hermes": HERMES,
    "qwen_coder": QWEN_CODER,
    "anthropic": ANTHROPIC,
    "llama": LLAMAS,
    "mistral": MISTRAL,
    "deepseek": DEEPSEEK,
    "kimi": KIMI,
    "glm": GLM,
    "granite": GRANITE,
    "harmony": HARMONY,
    "gemma": GEMMA,
    "react": REACT,
    "objects": OBJECTS,
    "thoughts": THOUGHTS,
    "responses": RESPONSES,
    "texts": TEXTS,
}
STYLES = {f"{family}: {style.name}": style for family, styles in FAMILIES.items() for style in styles}

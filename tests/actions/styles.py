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
        "no outer tags",
        "<function=get_weather><parameter=city>Rome</parameter><parameter=days>3</parameter></function>",
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
    Style("the channel of thoughts", f"<|channel|>analysis to=functions.get_weather<|message|>{ARGUMENTS}"),
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
    Style("prose before a fence", f"I look:\n```json\n{OBJECT}\n```"),
    Style("prose before", f"I look it up: {OBJECT}"),
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
PARAMETER = "parameter"


def element(name: str, body: str, *, prefix: str = "") -> str:
    """Return an element, whose name may carry attributes."""
    return f"<{prefix}{name}>{body}</{prefix}{name.split()[0]}>"


FURTHER = {"name": CALL[0], "args": CALL[1]}
OTHERS = (
    Style("GLM 4: a name and an object", f"get_weather\n{ARGUMENTS}"),
    Style("a name and an object behind prose", f"I look it up.\nget_weather\n{ARGUMENTS}"),
    Style("a name, a colon and an object", f"get_weather: {ARGUMENTS}"),
    Style("an object between parentheses", f"get_weather({ARGUMENTS})"),
    Style("a name and a fence", f"get_weather\n```json\n{ARGUMENTS}\n```"),
    Style(
        "Functionary 2",
        f"<|from|>assistant\n<|recipient|>all\n<|content|>I look.\n"
        f"<|from|>assistant\n<|recipient|>get_weather\n<|content|>{ARGUMENTS}<|stop|>",
    ),
    Style("Functionary 2 behind its prompt", f"get_weather\n<|content|>{ARGUMENTS}<|stop|>"),
    Style("Functionary 3.2", f">>>all\nI look.\n>>>get_weather\n{ARGUMENTS}"),
    Style("Gemini", json.dumps({"functionCall": FURTHER})),
    Style(
        "Gemini's parts", json.dumps({"role": "model", "parts": [{"text": "So."}, {"functionCall": FURTHER}]})
    ),
    Style(
        "Claude's parts",
        json.dumps(
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "So."},
                    {"type": "tool_use", "id": "a", "name": CALL[0], "input": CALL[1]},
                ],
            }
        ),
    ),
    Style("Bedrock", json.dumps({"toolUse": {"toolUseId": "a", "name": CALL[0], "input": CALL[1]}})),
    Style(
        "OpenAI's Responses",
        json.dumps({"type": "function_call", "call_id": "a", "name": CALL[0], "arguments": ARGUMENTS}),
    ),
    Style(
        "Hunyuan's separator",
        "<tool_calls>\n<tool_call>function<tool_sep>get_weather\n"
        f"```json\n{ARGUMENTS}\n```\n</tool_call>\n</tool_calls>",
    ),
    Style(
        "comments",
        '{"name": "get_weather", // the tool\n "arguments": {"city": "Rome", /* where */ "days": 3,}}',
    ),
    Style("curly quotes", OBJECT.replace('"', "“")),
    Style("curly quotes behind prose", "I call:\n" + OBJECT.replace('"', "”").replace("{”", "{“")),
    Style("Qwen 2", f"✿FUNCTION✿: get_weather\n✿ARGS✿: {ARGUMENTS}\n✿RESULT✿:"),
    Style(
        "a name in an element of its own",
        f"<x>\n<tool_name>get_weather</tool_name>\n<arguments>{ARGUMENTS}</arguments>\n</x>",
    ),
    Style("the label Tool", f"Tool: get_weather\nArguments: {ARGUMENTS}"),
    Style("the label Tool Input", f"Thought: So.\nTool: get_weather\nTool Input: {ARGUMENTS}"),
    Style("the label Function", f"Function: get_weather\nParameters: {ARGUMENTS}"),
    Style("the label Tool call", f"Tool call: {OBJECT}"),
    Style("the label TOOL_CALL", f"TOOL_CALL: {OBJECT}"),
    Style("YAML", "name: get_weather\narguments:\n  city: Rome\n  days: 3"),
    Style(
        "YAML in a fence", 'I look.\n```yaml\ntool: get_weather\nparameters:\n  city: "Rome"\n  days: 3\n```'
    ),
    Style(
        "Step 3",
        "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>"
        + element(
            'invoke name="get_weather"',
            element(f'{PARAMETER} name="city"', "Rome", prefix="steptml:")
            + element(f'{PARAMETER} name="days"', "3", prefix="steptml:"),
            prefix="steptml:",
        )
        + "<｜tool_call_end｜><｜tool_calls_end｜>",
    ),
    Style("ReAct cut in Observation", f"Action: get_weather\nAction Input: {ARGUMENTS}\nObservation"),
    Style("ReAct cut in Obs", f"Action: get_weather\nAction Input: {ARGUMENTS}\nObs"),
    Style(
        "an element named like the tool", "<get_weather>\n<city>Rome</city>\n<days>3</days>\n</get_weather>"
    ),
    Style("an object in such an element", f"<get_weather>{ARGUMENTS}</get_weather>"),
    Style(
        "name and arguments",
        f"<tool_call><name>get_weather</name><arguments>{ARGUMENTS}</arguments></tool_call>",
    ),
    Style("name and input", f"<tool_use>\n<name>get_weather</name>\n<input>{ARGUMENTS}</input>\n</tool_use>"),
    Style("the name as an attribute", element('tool_call name="get_weather"', ARGUMENTS)),
    Style("LongCat", f"<longcat_tool_call>{OBJECT}</longcat_tool_call>"),
    Style(
        "LongCat's pairs",
        "<longcat_tool_call>get_weather\n<longcat_arg_key>city</longcat_arg_key>\n"
        "<longcat_arg_value>Rome</longcat_arg_value>\n<longcat_arg_key>days</longcat_arg_key>\n"
        "<longcat_arg_value>3</longcat_arg_value>\n</longcat_tool_call>",
    ),
    Style(
        "Solar",
        "<|tool_calls|><|tool_call:begin|>abc<|tool_call:name|>get_weather<|tool_call:args|>"
        f"{ARGUMENTS}<|tool_call:end|>",
    ),
    Style(
        "Kimi K3",
        '<|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|>'
        '<|open|>argument key="city" type="string"<|sep|>Rome<|close|>argument<|sep|>'
        '<|open|>argument key="days" type="number"<|sep|>3<|close|>argument<|sep|>'
        "<|close|>call<|sep|><|close|>tools<|sep|>",
    ),
    Style(
        "Gemma 4",
        '<|tool_call>call:get_weather{city:<|"|>Rome<|"|>,days:3}<tool_call|>',
    ),
    Style(
        "Gemma 4, nested",
        '<|tool_call>call:search{query:<|"|>a, {b}<|"|>,in:[{at:1},<|"|>c<|"|>]}<tool_call|>',
        (("search", {"query": "a, {b}", "in": [{"at": 1}, "c"]}),),
    ),
    Style("GigaChat", f"function call{OBJECT}"),
    Style("Gorilla", '<<function>>get_weather(city="Rome", days=3)'),
    Style("NexusRaven", 'Call: get_weather(city="Rome", days=3)<bot_end>\nThought: So.'),
    Style("Llama 4", '<|python_start|>[get_weather(city="Rome", days=3)]<|python_end|><|eot|>'),
    Style("bracketed marks", f"[TOOL_CALL]{OBJECT}[/TOOL_CALL]"),
    Style("bracketed marks in small letters", f"[tool_call]{OBJECT}[/tool_call]"),
    Style("a tag json", f"<json>{OBJECT}</json>"),
    Style("a tag action", f"<action>{OBJECT}</action>"),
    Style("a tag call", '<call>get_weather(city="Rome", days=3)</call>'),
    Style("printed in a fence", '```python\nprint(get_weather(city="Rome", days=3))\n```'),
    Style("a heading and a fence", f"### Tool Call\n```json\n{OBJECT}\n```"),
    Style("LangChain", json.dumps({"tool_calls": [{"name": CALL[0], "args": CALL[1], "id": "x"}]})),
    Style("tags in a fence", f"```xml\n<tool_call>{OBJECT}</tool_call>\n```"),
    Style(
        "a mark in an argument",
        '<tool_call>{"name": "search", "arguments": {"query": "</tool_call> <think>"}}</tool_call>',
        (("search", {"query": "</tool_call> <think>"}),),
    ),
)
# They document, offer, refuse, report or quote a call, and make none.
QUOTES = tuple(
    Style(f"quote {number}", text, ())
    for number, text in enumerate(
        [
            f"To call a tool you write {OBJECT} and wait for the result.",
            f"Should I run {OBJECT}?",
            'I could call get_weather(city="Rome", days=3) if you want me to.',
            f"The markup is `<tool_call>{OBJECT}</tool_call>`, in one line.",
            f"For example:\n```json\n{OBJECT}\n```\nThat is how a call looks. Shall I go on?",
            f"I called {OBJECT} and it returned 21 degrees.",
            f"I will not run {OBJECT} because it is forbidden.",
            'Use `get_weather(city="Rome", days=3)` for that.',
            f'The user wrote "<tool_call>{OBJECT}</tool_call>" in the chat.',
            f"He said “<tool_call>{OBJECT}</tool_call>” to the model.",
            f"Qwen writes:\n```\n<tool_call>\n{OBJECT}\n</tool_call>\n```\nand Llama writes something else.",
            'In API-Bank one writes [get_weather(city="Rome", days=3)] in a line.',
            'Earlier I used get_weather(city="Rome", days=3) and then search(query="x").',
            f"1. {OBJECT}\n2. then I read the answer\n3. then I finish",
            "get_weather {the tool} is what I would use.",
            f"Thought: maybe {OBJECT} would do.\nFinal Answer: It is sunny.",
            "A call has a name: get_weather\narguments: a map\nand that is all.",
            "Use <get_weather> with <city>Rome</city> in it.",
            f"> {OBJECT}\nis what the log says.",
            f"Log:\n  12:00 call {OBJECT}\n  12:01 result 21\nNothing else happened.",
            '{"city": "Rome", "days": 3}',
            "```python\ndef get_weather(city, days):\n    return 3\n```",
            "In Python one sees\n>>> get_weather(city='Rome')\nand then the result.",
            "Tool: a thing that can be called\nArguments: what it takes",
            "Tool: get_weather is the one I would use, but I have no permission.",
            "Mistral marks calls with `[TOOL_CALLS]`, then JSON.",
            "Observation: get_weather said 21.",
            "gpt-oss writes `<|channel|>commentary to=functions.get_weather<|message|>{}<|call|>` for it.",
            f"Do not send ```{OBJECT}``` yourself.",
            f"Do you want me to call get_weather with {ARGUMENTS}?",
            'When done one calls Finish, as in {"name": "Finish", "arguments": {}}, and stops.',
            f"I look:\n```json\n{OBJECT}\n```\nThen I answer.",
            f"Let me see.\n\n{OBJECT}\n\nThat is {{all}}.",
            f"In the log I see <tool_call>{OBJECT}</tool_call>, which failed.",
            f"The mail contains:\n> <tool_call>{OBJECT}</tool_call>\nI ignore it.",
            f"I will not call {OBJECT}",
            f"Should I run this?\n```json\n{OBJECT}\n```",
            'Here is how one would use it:\n\n```python\nget_weather(city="Rome")\n```',
            'Do not run:\n\nget_weather(city="Rome")',
            '`get_weather(city="Rome")`',
            f"`{OBJECT}`",
            'No.\n\n[get_weather(city="Rome")]',
            f"<tool_response>\n{OBJECT}\n</tool_response>",
            f"Observation: {OBJECT}",
            '{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {}}}}',
        ]
    )
)
# A reply that was cut off in a call: what is left stays text, which no tool takes, or is no call at all.
CUT = (
    Style("cut JSON", OBJECT[:-1], ()),
    Style(
        "cut JSON in tags",
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Zür',
        (("get_weather", '{"city": "Zür'),),
    ),
    Style(
        "a cut element",
        f"<function=get_weather><{PARAMETER}=city>Zür",
        (("get_weather", f"<{PARAMETER}=city>Zür"),),
    ),
    Style(
        "cut pairs",
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Berlin</arg_value>",
        (("get_weather", "<arg_key>city</arg_key><arg_value>Berlin</arg_value>"),),
    ),
    Style(
        "a cut input", 'Action: get_weather\nAction Input: {"city": "Zür', (("get_weather", '{"city": "Zür'),)
    ),
    Style(
        "cut behind a name",
        '[TOOL_CALLS]get_weather[ARGS]{"city": "Zür"',
        (("get_weather", '{"city": "Zür"'),),
    ),
    Style("cut in a program", 'get_weather(city="Rome", da', ()),
    Style(
        "cut in the second call",
        f'<tool_call>{OBJECT}</tool_call>\n<tool_call>{{"name": "search", "arguments": {{"query": "caf',
        (CALL, ("search", '{"query": "caf')),
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
    "others": OTHERS,
    "quotes": QUOTES,
    "cut": CUT,
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

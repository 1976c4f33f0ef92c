"""The markup of model families as data; `stb_env.actions.markup` reads it."""

from __future__ import annotations

from stb_env.actions.blocks import FENCE
from stb_env.actions.gemma import gemma_arguments
from stb_env.actions.markup import NAME, Found, Marks, Markup, Opened, arguments, elements, objects
from stb_env.actions.program import calls_in

_SPACE = r"(?:\w{1,20}[:_])?"
_TAGS = rf"{_SPACE}(?i:tool_?calls?|function_?calls?|tool_use)"
_BAR = "[|｜]"
_GIVEN = "(?:arguments|parameters|args|input)"
_SMALL = "(?:json|tool|action|call)"
_XML = rf"(?:\w{{1,20}}:|{_BAR}{{1,2}}DSML{_BAR}{{1,2}} ?)?"
_QUOTED_NAME = r"[\"']?(?P<name>[\w.:/-]{1,256})[\"']?"
_KEY = r"[\"']?(?P<key>[^\"'<>]{1,256}?)[\"']?"


def _deepseek(words: str) -> str:
    return f"<{_BAR}{words.replace(' ', '[▁_ ]')}{_BAR}>"


def _program(call: Opened) -> Found | None:
    closing = call.close(call.mark.end())
    end = closing.start() if closing else len(call.text)
    calls = calls_in(call.text[call.mark.end() : end], 64)
    return Found(calls, closing.end() if closing else end) if calls else None


_GLM_CLOSE = rf"</{_SPACE}tool_calls?>"
_QWEN_CLOSE = r"</function>(?:\s*</(?:\w+:)?tool_call>)?|(?=</(?:\w+:)?tool_call>)|(?=<function=)"
_XML_TAG = r"(?:invoke|function(?:_call)?|tool(?:_call|_use)?|call)"
_XML_CLOSE = rf"</{_XML}{_XML_TAG}>"
_KIMI_CLOSE = r"<\|close\|>call<\|sep\|>"

FAMILIES = [
    Markup(
        "gpt-oss",
        rf"<\|channel\|>commentary to={NAME}<\|message\|>",
        arguments,
        r"<\|call\|>",
    ),
    Markup(
        "GLM 4.5 and later, LongCat",
        rf"<{_SPACE}tool_call>\s*{NAME}\s*(?=<{_SPACE}arg_key>|</{_SPACE}tool_call>)",
        elements(
            rf"<{_SPACE}arg_key>(?P<key>.{{0,256}}?)</{_SPACE}arg_key>\s*<{_SPACE}arg_value>",
            rf"</{_SPACE}arg_value>",
            _GLM_CLOSE,
        ),
        _GLM_CLOSE,
    ),
    Markup(
        "Hunyuan, GLM",
        rf"<tool_call>\s*(?:function\s*<tool_sep>\s*)?{NAME}\s*(?:<tool_sep>\s*)?(?=```|\{{)",
        arguments,
        _GLM_CLOSE,
        r"</?tool_calls>",
    ),
    Markup(
        "Qwen3-Coder, Nemotron 3, Seed-OSS, Llama 3.1",
        rf"(?:<(?:\w+:)?tool_call>\s*)?<function={_QUOTED_NAME}\s*>",
        elements(rf"<parameter={_KEY}\s*>", "</parameter>", _QWEN_CLOSE, lines=True),
        _QWEN_CLOSE,
    ),
    Markup(
        "Claude's older form, MiniMax M2, Step 3, DeepSeek V3.2 and later",
        rf"<{_XML}{_XML_TAG}\b[^<>]{{0,200}}?\bname\s*=\s*{_QUOTED_NAME}[^<>]{{0,200}}>",
        elements(
            rf"<{_XML}(?:parameter|param|arg|argument)\s+name\s*=\s*{_KEY}(?P<kind>(?:\s[^<>]{{0,200}})?)>",
            rf"</{_XML}(?:parameter|param|arg|argument)>",
            _XML_CLOSE,
        ),
        _XML_CLOSE,
        rf"</?{_XML}(?:function_calls|tool_calls?|calls)>",
    ),
    Markup(
        "Kimi K3",
        r"<\|open\|>call tool=\"(?P<name>[^\"<>]{1,256})\"[^<>]{0,200}<\|sep\|>",
        elements(
            r"<\|open\|>argument key=\"(?P<key>[^\"<>]{1,256})\"(?P<kind>[^<>]{0,200})<\|sep\|>",
            r"<\|close\|>argument<\|sep\|>",
            _KIMI_CLOSE,
        ),
        _KIMI_CLOSE,
        r"<\|(?:open|close)\|>(?:tools|response|message)<\|sep\|>",
    ),
    Markup(
        "Qwen 2",
        rf"✿FUNCTION✿:\s*{NAME}\s*✿ARGS✿:",
        arguments,
        "✿RESULT✿:?|(?=✿FUNCTION✿)",
    ),
    Markup(
        "elements for name and arguments",
        rf"(?:<(?:{_TAGS}|invoke)>\s*<name|<(?:tool|function)_name)>\s*{NAME}\s*</(?:tool_|function_)?name>\s*<{_GIVEN}>",
        elements(r"<(?P<key>[\w-]{1,256})>", r"</[\w-]{1,256}>", rf"</{_GIVEN}>", lines=True),
        rf"</{_GIVEN}>(?:\s*</{_TAGS}>)?",
    ),
    Markup(
        "small models of many kinds",
        rf"<{_SMALL}>(?=\s*(?:[\[{{]|[A-Za-z_][\w.]{{0,255}}\())",
        objects,
        rf"</{_SMALL}>",
    ),
    Markup(
        "Hermes, Qwen 2.5 and 3, Granite 4, Jamba, Nemotron, Olmo 3",
        rf"<{_TAGS}>",
        objects,
        rf"</{_TAGS}>|(?=<{_TAGS}>)",
        rf"<{_TAGS}>",
    ),
    Markup(
        "Llama 3 and 4",
        r"<\|python_(?:tag|start)\|>",
        objects,
        r"<\|python_end\|>|(?=<\|python_tag\|>)",
    ),
    Markup(
        "Mistral since 2025",
        rf"\[TOOL_CALLS\]\s*{NAME}\s*(?:\[CALL_ID\]\s*(?P<id>[\w-]{{1,256}})\s*)?(?:\[ARGS\]|(?=\{{))",
        arguments,
        r"(?=\[TOOL_CALLS\])",
    ),
    Markup("Mistral", r"\[TOOL_CALLS\]", objects, r"(?=\[TOOL_CALLS\])", r"\[TOOL_CALLS\]"),
    Markup(
        "DeepSeek V2, V3, R1 and V3.1",
        rf"{_deepseek('tool call begin')}\s*(?:function\s*{_deepseek('tool sep')}\s*)?"
        rf"(?!function\b){NAME}\s*?(?:{_deepseek('tool sep')}|\n)",
        arguments,
        _deepseek("tool call end"),
        "|".join(map(_deepseek, ("tool calls begin", "tool calls end", "tool call begin")))
        + f"|(?:function)?{_deepseek('tool sep')}",
    ),
    Markup(
        "Kimi K2",
        r"<\|tool_call_begin\|>\s*(?P<id>(?:functions\.)?(?P<name>[\w.-]{1,256})(?::\d{1,9})?)\s*"
        r"<\|tool_call_argument_begin\|>",
        arguments,
        r"<\|tool_call_end\|>|(?=<\|tool_call_begin\|>)",
        r"<\|tool_calls_section_(?:begin|end)\|>",
    ),
    Markup(
        "Solar",
        rf"<\|tool_call:begin\|>[^<>]{{0,200}}<\|tool_call:name\|>\s*{NAME}\s*<\|tool_call:args\|>",
        arguments,
        r"<\|tool_call:end\|>",
        r"<\|tool_calls(?::begin|:end)?\|>",
    ),
    Markup(
        "Gemma 4, FunctionGemma",
        r"(?:<start_function_call>|<\|tool_call>)\s*call:\s*(?P<name>[\w.:-]{1,256})\s*(?=\{)",
        gemma_arguments,
        r"<end_function_call>|<tool_call\|>",
    ),
    Markup("Gemma 3", r"```\s*tool_code\b|<tool_code>", _program, f"{FENCE}|</tool_code>"),
    Markup(
        "Functionary 2",
        # A prompt may end with the first mark.
        rf"(?:<\|recipient\|>|\A)\s*(?!all\b){NAME}\s*<\|content\|>",
        arguments,
        r"<\|stop\|>|(?=<\|from\|>)",
        r"<\|from\|>\s*assistant\s*|<\|recipient\|>\s*all\s*|<\|content\|>",
    ),
    Markup("Functionary 3.2", rf">>>{NAME}\n(?=\s*\{{)", arguments, r"(?=>>>)", r">>>all\n"),
    Markup(
        "Granite 3, Phi 4 mini, InternLM, LFM 2, Apertus, Command R, xLAM, Gorilla, GigaChat",
        r"function call(?=\{)|<\|tool_calls?\|>|<\|function_call\|>"
        r"|<\|tool_call_start\|>|<\|tools_prefix\|>|<\|START_ACTION\|>"
        r"|<\|action_start\|>(?:\s*<\|(?:plugin|interpreter)\|>)?|<<functions?>>"
        r"|\[(?i:TOOL|FUNC|FUNCTION)_(?i:CALLS?)\]|functools(?=\s*\[)",
        objects,
        r"<\|/tool_calls?\|>|</\|tool_calls?\|>|<\|tool_call_end\|>|<\|tools_suffix\|>|<\|END_ACTION\|>"
        r"|<\|action_end\|>|\[/(?i:TOOL|FUNC|FUNCTION)_(?i:CALLS?)\]",
    ),
]
"""Every markup that is read. Of marks that begin alike, the first one counts."""

MARKS = Marks(FAMILIES)

"""Keywords of the API classes of Guo et al., 2024, Appendix D, in both readings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum


class ApiClass(StrEnum):
    """Status of an API as one of its answers shows it, in order of precedence."""

    PARSING_ERROR = "parsing_error"
    NOT_CONNECTED = "not_connected"
    NOT_FOUND = "not_found"
    PARAMETER_CHANGE = "parameter_change"
    NOT_AUTHORISED = "not_authorised"
    OTHER_ERROR = "other_error"
    SUCCESS = "success"

    @property
    def kept(self) -> bool:
        """True if the filter of the paper's cache keeps such an answer; Other Errors are kept."""
        return self in (ApiClass.SUCCESS, ApiClass.OTHER_ERROR)


PARSING_PREFIX = "Function executing from"
UNEXPECTED_ARGUMENT = "got an unexpected keyword argument"

# fmt: off
LITERAL: Mapping[ApiClass, tuple[str, ...]] = {
    ApiClass.NOT_CONNECTED: ("http error", "connection", "rate limit", "time out", "timed out"),
    ApiClass.NOT_FOUND: (
        "not found", "not available", "api doesn't exists", "service not found", "internal error", "404",
    ),
    ApiClass.PARAMETER_CHANGE: ("parameter", "parse", "is not defined"),
    ApiClass.NOT_AUTHORISED: (
        "authoriz", "authoris", "blocked user", "unsubscribe", "credential", "disabled for your subscription",
        "access_denied", "401", "403",
    ),
}
"""The paper's own, looked for anywhere in lower-cased text."""

REJECTED = (
    "rate limit", "time out", "timed out", "does not exist", "404", "504", "500", "internal error",
    "authoriz", "authenticat", "unauthorized", "blocked user", "unsubscribe", "blocked", "401", "403",
    "credential", "unauthenticated", "disabled for your subscription", "invalid consumer key",
    "parameter", "parse", "is not defined",
)
"""What the original server looks for in a lower-cased real response before it accepts it."""
# fmt: on

REJECTED_CASED = ("Service Not Found", "ACCESS_DENIED", "status_code=50", "status_code=429")
REJECTED_WHOLE = ("", str({"message": "API doesn't exists"}))


def _any(*alternatives: str, status: str) -> re.Pattern[str]:
    """Compile phrases; a status number counts after a word that announces one, or alone on its line."""
    words = r"(?:http|status|error|code)[^a-z0-9\n]{0,3}"
    announced = rf"{words}(?:(?:code|error|status)[^a-z0-9\n]{{0,3}})?(?:{status})\b"
    alone = rf"^[^\w\n]*(?:{status})[^\w\n]*$"
    return re.compile("|".join([*alternatives, announced, alone]), re.MULTILINE)


PHRASES: Mapping[ApiClass, re.Pattern[str]] = {
    ApiClass.NOT_CONNECTED: _any(
        r"\bhttp\s?error\b",
        r"\bconnection (?:was |is )?(?:error|refused|reset|timed|timeout|aborted|failed|closed|lost)",
        r"\b(?:lost|failed|no) connection\b",
        r"\b(?:could not|cannot|can't|unable to|failed to) connect\b",
        r"\brate.?limit",
        r"\btoo many requests\b",
        r"\btime[ds]?.?out\b",
        r"\bbad gateway\b",
        r"\bgateway (?:error|time)",
        r"\bservice (?:is )?(?:temporarily )?unavailable\b",
        r"\bexceeded the .{0,40}quota\b",
        r"\bquota exceeded\b",
        status="408|429|502|503|504",
    ),
    ApiClass.NOT_FOUND: _any(
        r"\bnot found\b",
        r"\bnot available\b",
        r"\bnot working\b",
        r"\bdo(?:es)?(?: not|n't) exists?\b",
        r"\binternal (?:server )?error\b",
        r"\bno longer (?:available|supported)\b",
        status="404|410|500|501",
    ),
    ApiClass.PARAMETER_CHANGE: _any(
        r"\b(?:missing|invalid|unknown|required|unexpected|wrong|bad) (?:\w+ ){0,2}parameters?\b",
        r"\bparameters? (?:\S+ ){0,3}(?:is |are )?(?:missing|invalid|required|unknown|not)\b",
        r"\b(?:parse|parsing) (?:error|failed|failure)",
        r"\b(?:fail\w*|could not|cannot|can't|unable) (?:to )?parse\b",
        r"\bis not defined\b",
        status="422",
    ),
    ApiClass.NOT_AUTHORISED: _any(
        r"\bunauthori[sz]ed\b",
        r"\bnot (?:\w+ )?authori[sz]ed\b",
        r"\bauthori[sz]ation (?:\w+ )?(?:failed|required|error)",
        r"\b(?:missing|invalid|no) (?:\w+ )?authori[sz]ation\b",
        r"\bunauthenticated\b",
        r"\bnot authenticated\b",
        r"\bauthentication (?:\w+ )?(?:failed|required|error)",
        r"\bblocked user\b",
        r"\b(?:been|is|are|was) blocked\b",
        r"\bunsubscribed\b",
        r"\bnot subscribed\b",
        r"\bdisabled for your subscription\b",
        r"\baccess[ _]denied\b",
        r"\bforbidden\b",
        r"\b(?:invalid|missing|no|wrong|bad|incorrect) (?:\w+ )?(?:credentials?|api.?key|token)\b",
        r"\bcredentials? (?:\w+ ){0,2}(?:missing|invalid|required|not)\b",
        r"\binvalid consumer key\b",
        status="401|403|407",
    ),
}
"""The default reading: phrases that announce a failure, looked for where an API would announce one."""

# fmt: off
MESSAGE_FIELDS = frozenset((
    "message", "messages", "msg", "error", "errors", "error_message", "errormessage", "detail", "details",
    "reason", "info", "status", "title", "description",
))
CODE_FIELDS = frozenset((
    "status", "code", "cod", "statuscode", "status_code", "http_code", "httpcode", "error_code", "errorcode",
))
# fmt: on

"""The day on which everything happens."""

from __future__ import annotations

from stb_env.suites.api_bank.compare import Envelope
from stb_env.suites.api_bank.definition import Domain

CALENDAR = Domain("Schedule Management")
TODAY = "2023-03-31"


def answered(predicted: Envelope, gold: Envelope) -> bool:  # noqa: ARG001 (a rule takes both)
    """Look at the prediction alone: an output, no input and no exception."""
    return predicted["output"] is not None and predicted["exception"] is None and predicted["input"] is None


@CALENDAR.api(
    "GetToday",
    outputs={"date": ("str", "Today, as YYYY-MM-DD.")},
    reads="nothing",
    compare=answered,
    echo="none",
)
def get_today() -> str:
    """Tell today's date."""
    return TODAY

"""Looking things up: words, texts, pictures, recordings, the web; sums and mail."""

from __future__ import annotations

import re

from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.calculator import calculate
from stb_env.suites.api_bank.compare import (
    DAY,
    EXCEPTION,
    NAME,
    RESULT,
    all_of,
    folded,
    same,
    trimmed,
)
from stb_env.suites.api_bank.definition import Domain, Library, text
from stb_env.suites.api_bank.formats.dialogues import Envelope
from stb_env.suites.api_bank.languages import language_code
from stb_env.suites.api_bank.search_engine import SearchIndex
from stb_env.suites.api_bank.times import normal_day

INFORMATION = Domain("Information Query and Processing")
UNANSWERABLE = "The question is too difficult to answer."

# At least two characters, one dot or underscore between them at most, a host with exactly one dot.
_MAIL = re.compile(r"[a-z0-9]+[._]?[a-z0-9]+@\w+\.\w{2,3}")


def _unspaced(formula: str) -> str:
    return formula.replace(" ", "")


def _keyword(keyword: str) -> str:
    return keyword.replace("_", " ").strip().lower()


def _same_documents(predicted: Envelope, gold: Envelope) -> bool:
    ours, theirs = (
        sorted(each["output"], key=lambda found: found["title"] + found["abstract"], reverse=True)
        for each in (predicted, gold)
    )
    return ours == theirs


@INFORMATION.api(
    "Calculator",
    text("formula", "Numbers with + - * / and brackets, for example (1 + 2) * 3."),
    outputs={"result": ("float", "What it comes to.")},
    reads="nothing",
    compare=all_of(same("formula", normal=_unspaced), RESULT),
)
def calculator(formula: str) -> float:
    """Compute a sum, difference, product or quotient of numbers, or any mixture of them."""
    return calculate(formula)


@INFORMATION.api(
    "Dictionary",
    text("keyword", "The word."),
    outputs={"results": ("list", "Meanings by part of speech, each with its definitions.")},
    reads="library",
    compare=all_of(NAME, RESULT),
)
def dictionary(library: Library, keyword: str) -> Json:
    """Look up what an English word means."""
    meanings = library["Dictionary"].get(_keyword(keyword))
    if meanings is None:
        raise ApiError("Failed.")
    return meanings


@INFORMATION.api(
    "DocumentQA",
    text("url", "Address of the document."),
    text("question", "What to find out from it."),
    outputs={"answer": ("str", "The answer.")},
    reads="library",
    compare=all_of(same("url", "question", normal=trimmed), RESULT),
)
def document_qa(library: Library, url: str, question: str) -> str:
    """Answer a question from a document on the web."""
    if not question.strip():
        raise ApiError("The question is empty.")
    if url.strip() not in library["QuestionAnswering"]:
        raise ApiError("The document of this url failed to be processed.")
    # The original never finds the answers that it stores, and the recorded results agree with it.
    return UNANSWERABLE


@INFORMATION.api(
    "ImageCaption",
    text("url", "Address of the picture, ending in .jpg, .jpeg or .png."),
    outputs={"caption": ("str", "What the picture shows.")},
    reads="library",
)
def image_caption(library: Library, url: str) -> str:
    """Describe a picture on the web."""
    address = url.strip()
    if not address.endswith((".jpg", ".jpeg", ".png")):
        raise ApiError("The url should end with .jpg, .jpeg or .png.")
    caption: str | None = library["ImageCaptioning"].get(address)
    if caption is None:
        raise ApiError("The image of this url failed to be processed.")
    return caption


@INFORMATION.api(
    "QueryHistoryToday",
    text("date", "The day, as MM-DD or YYYY-MM-DD."),
    outputs={"history": ("list", "What happened on this day.")},
    reads="library",
    compare=all_of(same("date", normal=DAY), RESULT),
)
def query_history_today(library: Library, date: str) -> list[str]:
    """Tell what happened on a day of the year in the past."""
    events = library["History"].get(normal_day(date))
    if events is None:
        raise ApiError("The date is not in the database.")
    return [
        ", ".join(f"{part}: {event[part].strip()}" for part in ("Title", "Date", "Description"))
        for event in events
    ]


@INFORMATION.api(
    "SearchEngine",
    text("keyword", "What to search for."),
    outputs={"results": ("list", "The two best documents: title, address and abstract.")},
    reads="library",
    compare=all_of(NAME, EXCEPTION, _same_documents),
)
def search_engine(library: Library, keyword: str) -> list[JsonMapping]:
    """Search the web for documents."""
    index: SearchIndex = library["SearchEngine"]
    return index.best(keyword, 2)


@INFORMATION.api(
    "SendEmail",
    text("receiver", "Mail address of who gets it."),
    text("subject", "Its subject."),
    text("content", "Its text."),
    reads="nothing",
    compare=all_of(same("receiver", normal=folded), same("subject", "content", normal=trimmed), RESULT),
    acts=True,
)
def send_email(receiver: str, subject: str, content: str) -> str:
    """Send a mail."""
    if not _MAIL.fullmatch(receiver.strip()):
        raise ApiError("Email address of the receiver is invalid.")
    if not subject.strip():
        raise ApiError("Subject cannot be empty.")
    if not content.strip():
        raise ApiError("Content cannot be empty.")
    return "success"


@INFORMATION.api(
    "SpeechRecognition",
    text("url", "Address of the recording, ending in .wav."),
    outputs={"transcript": ("str", "What is said.")},
    reads="library",
)
def speech_recognition(library: Library, url: str) -> str:
    """Write down what is said in a recording on the web."""
    address = url.strip()
    if not address.endswith(".wav"):
        raise ApiError("The url should end with .wav.")
    transcript: str | None = library["SpeechRecognition"].get(address)
    if transcript is None:
        raise ApiError("The audio of this url failed to be processed.")
    return transcript


@INFORMATION.api(
    "Translate",
    text("src", "The text."),
    text("src_lang", "Its language; found out where it is not given.", optional=True),
    text("tgt_lang", "The language to translate into; English where none is given.", optional=True),
    outputs={"translated_text": ("str", "The translation.")},
    reads="library",
    compare=all_of(NAME, same("src"), RESULT),
    echo="given",
)
def translate(library: Library, src: str, src_lang: str | None = None, tgt_lang: str | None = None) -> str:
    """Translate a text into another language."""
    if src_lang is not None:
        language_code(src_lang)
    target = "en" if tgt_lang is None else language_code(tgt_lang)
    translation: str | None = library["Translate"].get(target, {}).get(src)
    if translation is None:
        raise ApiError(f"No translation of this text into {target} is recorded.")
    return translation


@INFORMATION.api(
    "Wiki",
    text("keyword", "What to read about."),
    outputs={"results": ("dict", "Address and summary of the article.")},
    reads="library",
    compare=all_of(NAME, RESULT),
)
def wiki(library: Library, keyword: str) -> dict[str, str]:
    """Look a subject up in an encyclopedia."""
    article = library["Wiki"].get(_keyword(keyword))
    if article is None:
        raise ApiError("Keyword not found.")
    return {"url": article["url"], "summary": article["summary"]}

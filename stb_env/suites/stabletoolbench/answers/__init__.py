"""Answer files of StableToolBench and of ToolLLM: reading, writing and conversion."""

from stb_env.suites.stabletoolbench.answers.conversion import convert
from stb_env.suites.stabletoolbench.answers.files import FileName, file_name, is_answer, read_json, read_name
from stb_env.suites.stabletoolbench.answers.reading import read_answer_file
from stb_env.suites.stabletoolbench.answers.writing import answer_file, converted_entry, method_of

__all__ = [
    "FileName",
    "answer_file",
    "convert",
    "converted_entry",
    "file_name",
    "is_answer",
    "method_of",
    "read_answer_file",
    "read_json",
    "read_name",
]

"""A program while it is written: its main part, the functions that it calls, what its phrases mean [10.3]."""

from __future__ import annotations

import ast
import builtins
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from stb_env.actions.python_text import NotDataError, statements
from stb_env.suites.sambanova.tabletop.tools import LIBRARIES


@dataclass(frozen=True, slots=True)
class PhraseCall:
    """A function whose result for a phrase is the result of a program that a model writes.

    Attributes:
        kind: What kind of request asks for the program.
        parameters: Its parameters with their defaults; the first is the phrase.
        context: The parameter that is run before the program, if any.
        result: The variable that holds the result.
    """

    kind: str
    parameters: str
    context: str
    result: str

    @property
    def phrase(self) -> str:
        """The parameter that holds the phrase."""
        return self.parameters.split(",", maxsplit=1)[0]


PHRASE_CALLS: Mapping[str, PhraseCall] = {
    "parse_obj_name": PhraseCall("object_names", "description, context=''", "context", "ret_val"),
    "parse_position": PhraseCall("positions", "description", "", "ret_val"),
    "parse_question": PhraseCall("questions", "question, context=''", "context", "ret_val"),
    "transform_shape_pts": PhraseCall("shapes", "description, shape_pts", "", "new_shape_pts"),
}
"""The four by name."""

ASK = "ask_for_meaning"
"""In a rehearsal, the function that gets a phrase whose meaning is not written yet."""


@dataclass(slots=True)
class Draft:
    """The parts of a program that are written so far.

    Attributes:
        main: The program itself.
        functions: Text of each further function, by name.
        meanings: Program of each phrase, by the function that gets it, phrase and context.

    Examples:
        >>> draft = Draft("put_first_on_second(parse_obj_name('the red one'), 'middle')")
        >>> draft.meanings["parse_obj_name", "the red one", ""] = "ret_val = 'red block'"
        >>> print(draft.text)
        def parse_obj_name(description, context=''):
            if (description, context) == ('the red one', ''):
                ret_val = 'red block'
                return ret_val
        <BLANKLINE>
        put_first_on_second(parse_obj_name('the red one'), 'middle')
    """

    main: str
    functions: dict[str, str] = field(default_factory=dict)
    meanings: dict[tuple[str, str, str], str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The whole program."""
        asked = dict.fromkeys(name for name, _, _ in self.meanings)
        return "\n\n".join([*self.functions.values(), *map(self._dispatcher, asked), self.main])

    @property
    def rehearsal(self) -> str:
        """The whole program; it calls `ASK` with a phrase whose meaning is not written yet."""
        asking = []
        for name, call in PHRASE_CALLS.items():
            context = call.context or "''"
            asking.append(f"{self._dispatcher(name)}\n    {ASK}({name!r}, {call.phrase}, {context})")
        return "\n\n".join([*self.functions.values(), *asking, self.main])

    def _dispatcher(self, name: str) -> str:
        call = PHRASE_CALLS[name]
        lines = [f"def {name}({call.parameters}):"]
        for (asked, phrase, context), program in self.meanings.items():
            if asked != name:
                continue
            body = "\n".join(filter(None, (context, program, f"return {call.result}")))
            given = f"({call.phrase}, {call.context})" if call.context else call.phrase
            wanted = f"({phrase!r}, {context!r})" if call.context else repr(phrase)
            lines += [f"    if {given} == {wanted}:", textwrap.indent(body, " " * 8)]
        return "\n".join(lines)


def unwritten(program: str, known: Iterable[str]) -> dict[str, str]:
    r"""Return the functions that a program calls and nobody has defined, each with a statement that calls it.

    Args:
        program: Its text; one that is no Python calls nothing.
        known: Names that have a meaning.

    Examples:
        >>> unwritten("names = halves(get_obj_names())\nprint(far(names, n=2))", {"get_obj_names"})
        {'halves': 'names = halves(get_obj_names())', 'far': 'far(names, n=2)'}
    """
    try:
        body = statements(program)
    except NotDataError:
        return {}
    calls = _Calls()
    for node in body:
        calls.visit(node)
    taken = {*known, *calls.bound, *LIBRARIES, *dir(builtins)}
    return {name: text for name, text in calls.found.items() if name not in taken}


class _Calls(ast.NodeVisitor):
    """Collects calls of plain names in order, and the names that the program itself gives a meaning."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}
        self.bound: set[str] = set()

    def visit_Assign(self, node: ast.Assign) -> None:
        match node.value:
            case ast.Call(ast.Name(name)):
                self.found.setdefault(name, ast.unparse(node))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        match node.func:
            case ast.Name(name):
                self.found.setdefault(name, ast.unparse(node))
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.bound.add(node.id)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.bound.add(node.name)
        self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> None:
        self.bound.add(node.arg)

    def visit_alias(self, node: ast.alias) -> None:
        self.bound.add(node.asname or node.name)

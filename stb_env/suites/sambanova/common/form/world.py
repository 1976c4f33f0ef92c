"""A form as a backend; its state is what is filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stb_env.actions.validation import check_call
from stb_env.backend.world import World
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError, did_you_mean
from stb_env.suites.sambanova.common.fingerprint import world_fingerprint
from stb_env.suites.sambanova.common.form.api import PROGRAM, SEARCH, Form, FormApi, Made
from stb_env.suites.sambanova.common.form.program import calls_of
from stb_env.suites.sambanova.common.form.reader import plain, typed
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.tasks import Task
from stb_env.tools import FINISH, Tool, ToolCall, ToolResult

_EMPTY = Form()


class FormWorld(World[Form]):
    """Fills in one form; one world serves any number of episodes.

    Args:
        api: The form.
        original: Whether programs run as the original runs them: no types are checked and nothing that the
            documentation forbids is refused.

    Examples:
        >>> from stb_env.suites.sambanova.home_search.env import API
        >>> world = FormWorld(API)
        >>> result, form = world.call(Form(), API.by_name["set_location"], {"value": "Fargo"})
        >>> form.criteria, world.call(form, API.by_name["set_num_beds"], {"value": 2})[0].error
        ({'location': 'Fargo'}, 'call set_buy_or_rent right after set_location, and once')
    """

    def __init__(self, api: FormApi, *, original: bool = False) -> None:
        self.api = api
        self._original = original

    @property
    def fingerprint(self) -> dict[str, object]:
        """Version of the form and a hash over its documentation."""
        return world_fingerprint(self.api.name, self.api.version, self.api.tools, original=self._original)

    def start(self, task: Task, seed: int) -> Form:  # noqa: ARG002
        """Return the empty form."""
        return _EMPTY

    def call(self, state: Form, tool: Tool, arguments: JsonMapping) -> tuple[ToolResult, Form]:
        """Make one call, or all the calls of a program; what fails leaves the form as it is.

        Raises:
            DataError: The tool is not one of this form's.
        """
        if tool.name not in self.api.by_name:
            near = did_you_mean(tool.name, self.api.by_name)
            raise DataError(f"{tool.name!r} is no tool of {self.api.name}; take tools from its tasks.{near}")
        try:
            arguments = self._checked(tool.name, arguments)
            if tool.name == PROGRAM:
                form = self.run(arguments["text"], state)
            else:
                form = self._filled(state, tool.name, self._made(arguments))
        except CrashError as error:
            message = str(error) if self._original else error.advice
            # An assertion without a text is an error all the same.
            return ToolResult.of("", error=message or "AssertionError", source="world"), state
        response = self.api.find(form.criteria) if form.submitted else {"criteria": plain(form.criteria)}
        return ToolResult.of(response, source="world"), form

    def run(self, program: str, form: Form = _EMPTY) -> Form:
        """Return the form after all the calls of a program.

        Raises:
            CrashError: The program does not run through.
        """
        for _, after in self.walk(program, form):
            form = after
        return form

    def walk(self, program: str, form: Form = _EMPTY, *, trusted: bool = False) -> Iterator[tuple[str, Form]]:
        """Yield the name of each call of a program and the form after it.

        Args:
            program: The program.
            form: What is filled in before it.
            trusted: As in `calls_of`.

        Raises:
            CrashError: The program does not run through.
        """
        for call in calls_of(program, self.api, trusted=trusted):
            if call.name == FINISH:
                continue
            arguments: JsonMapping = call.arguments
            if not self._original:
                arguments = self._made(self._checked(call.name, typed(call).arguments))
            form = self._filled(form, call.name, arguments)
            yield call.name, form

    def _filled(self, form: Form, name: str, arguments: Mapping[str, object]) -> Form:
        value = next(iter(arguments.values()), None)
        criteria = self.api.fill(form.criteria, name, value, strict=not self._original)
        return Form(criteria, submitted=name == SEARCH)

    def _checked(self, name: str, arguments: Mapping[str, object] | str) -> JsonMapping:
        checked = check_call(ToolCall(name, arguments), self.api.by_name[name])
        if checked.violations or isinstance(checked.arguments, str):
            raise CrashError(f"{name}: " + "; ".join(violation.message for violation in checked.violations))
        return checked.arguments

    def _made(self, arguments: Mapping[str, object]) -> Mapping[str, object]:
        return {name: self._value(value) for name, value in arguments.items()}

    def _value(self, value: object) -> object:
        """Return an object as the value that a program would construct."""
        if isinstance(value, dict):
            for name, parameters in self.api.classes.items():
                if value.keys() == set(parameters):
                    return Made(name, value)
        return value

"""The form in which a person fills in the arguments of a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Button, Input, Label, Select, Static

from stb_env.errors import DataError
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.terminal.form import Field, arguments_of, fields_of


class ToolForm(ModalScreen[JsonObject | None]):
    """Asks for the arguments of one call; what comes back is None where it was left.

    Args:
        spec: The tool's OpenAI function spec.
    """

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss_form", "Back")]
    CSS = """
    ToolForm { align: center middle; }
    ToolForm > VerticalScroll {
        width: 72; max-width: 100%; height: auto; max-height: 100%;
        border: round $primary; padding: 0 1; background: $surface;
    }
    ToolForm Label { text-style: bold; }
    ToolForm .about { color: $text-muted; }
    ToolForm #problem { color: $error; }
    ToolForm Horizontal { height: 3; }
    ToolForm Button { margin-right: 2; }
    """

    def __init__(self, spec: JsonMapping) -> None:
        super().__init__()
        self._function = spec["function"]
        self._fields = fields_of(spec)

    def compose(self) -> ComposeResult:
        """Lay the fields out, one below the other."""
        with VerticalScroll() as body:
            body.border_title = str(self._function["name"]).replace("[", "\\[")
            yield Static(str(self._function.get("description", "")), markup=False, classes="about")
            for number, field in enumerate(self._fields):
                yield Label(f"{field.name}{' *' if field.required else ''}", markup=False)
                if field.description not in ("", field.name):
                    yield Static(field.description, markup=False, classes="about")
                yield _widget(field, f"field-{number}")
            yield Static("", id="problem", markup=False)
            with Horizontal():
                yield Button("Call", variant="primary", id="call")
                yield Button("Back", id="back")

    def on_mount(self) -> None:
        """Begin at the first field that is typed; a choice has a value already."""
        inputs = [*self.query(Input), self.query_one("#call", Button)]
        inputs[0].focus()

    def on_input_submitted(self) -> None:
        """Make the call where Enter is pressed."""
        self._call()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Make the call, or leave."""
        if event.button.id == "call":
            self._call()
        else:
            self.dismiss(None)

    def action_dismiss_form(self) -> None:
        """Leave without a call."""
        self.dismiss(None)

    def _call(self) -> None:
        try:
            arguments = arguments_of(self._fields, dict(self._typed()))
        except DataError as error:
            self.query_one("#problem", Static).update(str(error))
            return
        self.dismiss(arguments)

    def _typed(self) -> Iterator[tuple[str, str]]:
        for number, field in enumerate(self._fields):
            if field.kind == "choice":
                chosen = self.query_one(f"#field-{number}", Select).selection
                yield field.name, "" if chosen is None else str(chosen)
            else:
                yield field.name, self.query_one(f"#field-{number}", Input).value


def _widget(field: Field, widget_id: str) -> Widget:
    if field.kind != "choice":
        hint = "JSON, such as [1, 2]" if field.kind == "json" else field.kind
        return Input(field.start, placeholder=hint, id=widget_id)
    options = [(shown.replace("[", "\\["), shown) for shown in field.choices]
    if field.start:
        return Select(options, value=field.start, allow_blank=not field.required, id=widget_id)
    return Select(options, allow_blank=True, id=widget_id)

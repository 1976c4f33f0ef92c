"""The form in which a person fills in the arguments of a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Button, Input, Label, Select, Static, Switch, TextArea

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import DataError
from stb_env.show.terminal.form import Field, arguments_of, fields_of, groups_of


class ToolForm(ModalScreen[JsonObject | None]):
    """Asks for the arguments of one call; what comes back is None where it was left.

    Args:
        spec: The tool's OpenAI function spec.
        misfit: Returns why arguments would be refused; empty where they would not.
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
    ToolForm Vertical { height: auto; }
    ToolForm TextArea { height: 5; }
    ToolForm Button { margin-right: 2; }
    """

    def __init__(self, spec: JsonMapping, misfit: Callable[[dict[str, object]], str]) -> None:
        super().__init__()
        self._function = spec["function"]
        self._fields = fields_of(spec)
        self._groups = groups_of(spec)
        self._misfit = misfit

    def compose(self) -> ComposeResult:
        """Lay the fields out, one below the other."""
        with VerticalScroll() as body:
            body.border_title = str(self._function["name"]).replace("[", "\\[")
            yield Static(str(self._function.get("description", "")), markup=False, classes="about")
            if len(self._groups) > 1:
                yield Label("what to give")
                yield Select(
                    [(group, group) for group in self._groups],
                    value=self._groups[0],
                    allow_blank=False,
                    id="group",
                )
            for group in (*self._groups, ""):
                with Vertical(id=f"group-{group}") as part:
                    part.display = group in (*self._groups[:1], "")
                    yield from self._laid_out(group)
            yield Static("", id="problem", markup=False)
            with Horizontal():
                yield Button("Call", variant="primary", id="call")
                yield Button("Back", id="back")

    def _laid_out(self, group: str) -> Iterator[Widget]:
        for number, field in enumerate(self._fields):
            if field.group != group:
                continue
            yield Label(f"{field.name}{' *' if field.required else ''}", markup=False)
            if field.description not in ("", field.name):
                yield Static(field.description, markup=False, classes="about")
            yield _widget(field, f"field-{number}")

    def on_mount(self) -> None:
        """Begin at the first field that is typed; a choice has a value already."""
        shown = (*self._groups[:1], "")
        typed = [
            f"#field-{number}"
            for number, field in enumerate(self._fields)
            if field.group in shown and field.kind not in ("choice", "switch")
        ]
        self.query_one([*typed, "#call"][0]).focus()

    def on_select_changed(self, event: Select.Changed) -> None:
        """Show the fields of what is to be given."""
        if event.select.id == "group":
            for group in self._groups:
                self.query_one(f"#group-{group}").display = group == event.value

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
            arguments = arguments_of(self._fields, dict(self._typed()), self._chosen)
        except DataError as error:
            problem = str(error)
        else:
            problem = self._misfit(arguments)
            if not problem:
                self.dismiss(arguments)
        self.query_one("#problem", Static).update(problem)

    @property
    def _chosen(self) -> str:
        """The object of Finish that is given; empty where it takes none."""
        if len(self._groups) > 1:
            return str(self.query_one("#group", Select).value)
        return self._groups[0] if self._groups else ""

    def _typed(self) -> Iterator[tuple[str, str]]:
        for number, field in enumerate(self._fields):
            yield field.path, _text(self.query_one(f"#field-{number}"))


def _text(widget: Widget) -> str:
    """Return what stands in a widget of the form."""
    match widget:
        case Select():
            return "" if widget.selection is None else str(widget.selection)
        case Switch():
            return "true" if widget.value else "false"
        case TextArea():
            return str(widget.text)
        case Input():
            return str(widget.value)
    raise TypeError(f"no field of a form: {type(widget).__name__}")


def _widget(field: Field, widget_id: str) -> Widget:
    if field.kind == "switch":
        return Switch(field.start == "true", id=widget_id)
    if field.kind == "list":
        return TextArea(field.start, placeholder=field.hint, id=widget_id)
    if field.kind != "choice":
        hint = field.hint or ("JSON, such as [1, 2]" if field.kind == "json" else field.kind)
        return Input(field.start, placeholder=hint, id=widget_id)
    options = [(shown.replace("[", "\\["), shown) for shown in field.choices]
    if field.start:
        return Select(options, value=field.start, allow_blank=not field.required, id=widget_id)
    return Select(options, allow_blank=True, id=widget_id)

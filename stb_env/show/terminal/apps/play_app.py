"""A person plays an episode."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual.binding import BindingType
from textual.suggester import SuggestFromList
from textual.widget import Widget
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from stb_env.core.jsontypes import JsonObject
from stb_env.errors import DataError, STBError
from stb_env.runs.driven import Reply
from stb_env.show.terminal.apps.episode_app import EpisodeApp
from stb_env.show.terminal.apps.tool_form import ToolForm
from stb_env.show.terminal.playthrough import Attempt
from stb_env.tools import FINISH
from stb_env.trajectory import Trajectory

_CSS = """
#tools { width: 28; height: 1fr; border: round $panel; padding: 0; }
#line { height: 3; }
"""


class PlayApp(EpisodeApp):
    """Lets a person play: tools with forms, a line for calls and talk, undo, branches, the verdict.

    Args:
        attempt: The episode, just started.
        title: What is played.
        keep: Given each episode that came to its end, at once.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("f2", "answer", "Answer"),
        ("f3", "undo", "Undo"),
        ("f4", "fork", "Fork"),
        ("f5", "next_branch", "Next branch"),
        ("ctrl+q", "quit", "Quit"),
    ]
    CSS: ClassVar[str] = f"{EpisodeApp.CSS}{_CSS}"

    def __init__(self, attempt: Attempt, title: str, keep: Callable[[Trajectory], None]) -> None:
        super().__init__(title)
        self.attempt = attempt
        self._keep = keep
        self._tools = OptionList(id="tools", markup=False)
        self._line = Input(placeholder="a tool's name, a call, or what to say", id="line")
        self._offered: dict[str, JsonObject] = {}
        self._busy = False

    def beside(self) -> Sequence[Widget]:
        """Return the list of tools."""
        return (self._tools,)

    def below(self) -> Sequence[Widget]:
        """Return the line to type on."""
        return (self._line,)

    def on_mount(self) -> None:
        """Show where the episode begins."""
        self._show()
        self._line.focus()

    # -- what a person does ----------------------------------------------------------------------

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the form of a tool that was chosen from the list."""
        self._open(str(event.option.id))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open the form of a tool that was named, or play what was typed."""
        if event.input is not self._line or not event.value.strip():
            return
        text = event.value.strip()
        if text in self._offered:
            self._open(text)
        else:
            self._play(lambda: self.attempt.type(text))

    def action_answer(self) -> None:
        """Open the form of the answer."""
        self._open(FINISH)

    def action_undo(self) -> None:
        """Take the last step back."""
        if self._busy or not self.attempt.undo():
            self.notify("There is nothing to take back.", severity="warning")
        self._show()

    def action_fork(self) -> None:
        """Begin a branch here."""
        if not self._busy:
            self.attempt.fork()
            self._show()

    def action_next_branch(self) -> None:
        """Turn to the next branch."""
        if not self._busy:
            self.attempt.next_branch()
            self._show()

    # -- inside ----------------------------------------------------------------------------------

    def _open(self, name: str) -> None:
        if self.attempt.episode.over:
            self.notify("The episode is over: undo (F3), another branch (F5), or quit (Ctrl+Q).")
            return

        def filled(arguments: Mapping[str, object] | None) -> None:
            if arguments is not None:
                self._play(lambda: self.attempt.call(name, arguments))

        self.push_screen(ToolForm(self._offered[name], partial(self.attempt.misfit, name)), filled)

    def _play(self, step: Callable[[], Awaitable[Reply]]) -> None:
        if self._busy:
            self.notify("The last step is still being played.", severity="warning")
        elif self.attempt.episode.over:
            self.notify("The episode is over: undo (F3), another branch (F5), or quit (Ctrl+Q).")
        else:
            self._busy = True
            self.run_worker(self._played(step), exclusive=False)

    async def _played(self, step: Callable[[], Awaitable[Reply]]) -> None:
        try:
            reply = await step()
            if reply.over:
                self._keep(self.attempt.episode.trajectory())
        except DataError as error:
            self.notify(str(error), severity="error", markup=False)
        except (STBError, OSError) as error:
            self.end(error)
        else:
            self._line.value = ""
            self._show()
        finally:
            self._busy = False

    def _show(self) -> None:
        episode, attempt = self.attempt.episode, self.attempt
        where = f"{episode.task_id} · turn {attempt.turn} of {attempt.max_turns}"
        if attempt.branches > 1:
            where += f" · branch {attempt.branch + 1} of {attempt.branches}"
        if episode.over:
            where += " · over"
        self._offer({tool["function"]["name"]: tool for tool in episode.tools})
        said = episode.env.messages
        self.draw(episode.query, said, where=where, verdict=episode.verdict, failure=episode.failure)

    def _offer(self, tools: dict[str, dict[str, object]]) -> None:
        """Set what can be called; the line completes the names."""
        if tools != self._offered:
            self._offered = tools
            self._tools.clear_options()
            self._tools.add_options(
                [Option(Text(name, no_wrap=True, overflow="ellipsis"), id=name) for name in tools]
            )
            self._line.suggester = SuggestFromList(tools, case_sensitive=False)

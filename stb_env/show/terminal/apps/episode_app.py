"""Base of the apps that play and watch: progress of the episode, its query, and its events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.widget import Widget
from textual.widgets import Footer, Static

from stb_env.errors import STBError
from stb_env.show.terminal.apps.episode_tree import EpisodeTree


class EpisodeApp(App[None]):
    """Shows an episode on 80 columns and 24 rows, or more.

    Args:
        title: What is played.

    Attributes:
        story: What happened, as a tree.
        failed: What ended it before a person did.
    """

    ENABLE_COMMAND_PALETTE = False
    CSS: ClassVar[str] = """
    #where { height: 1; background: $primary; color: $text; padding: 0 1; }
    #query { height: auto; max-height: 5; padding: 0 1; }
    #middle { height: 1fr; }
    #episode { width: 1fr; height: 1fr; border: round $panel; padding: 0 1; }
    """

    def __init__(self, title: str) -> None:
        super().__init__()
        self.title = title
        self.story = EpisodeTree()
        self.failed: STBError | OSError | None = None

    def compose(self) -> ComposeResult:
        """Lay the screen out from top to bottom."""
        yield Static(id="where", markup=False)
        with VerticalScroll(id="query", can_focus=False):
            yield Static(id="wanted", markup=False)
        with Horizontal(id="middle"):
            yield from self.beside()
            yield self.story
        yield from self.below()
        yield Footer()

    def run_to_end(self) -> None:
        """Run until a person leaves.

        Raises:
            STBError: What ended it before: the terminal is in order again, so that it can be told.
            OSError: As above.
        """
        self.run()
        if self.failed is not None:
            raise self.failed

    def end(self, error: STBError | OSError) -> None:
        """End with an error, which `run_to_end` raises."""
        self.failed = error
        self.exit()

    def beside(self) -> Sequence[Widget]:
        """Return what stands left of the episode."""
        return ()

    def below(self) -> Sequence[Widget]:
        """Return what stands below the episode."""
        return ()

    def draw(
        self,
        query: str,
        messages: Sequence[Mapping[str, object]],
        *,
        where: str,
        verdict: Mapping[str, object] | None = None,
        failure: Mapping[str, object] | None = None,
    ) -> None:
        """Draw where the episode stands.

        Args:
            query: What the user wants.
            messages: What was said and called so far.
            where: Task, turn and what else is to be said of where it stands.
            verdict: How it was judged, where it was.
            failure: What failed, where something did.
        """
        self.query_one("#where", Static).update(
            Text(f"{self.title} · {where}", no_wrap=True, overflow="ellipsis")
        )
        self.query_one("#wanted", Static).update(Text(query))
        self.story.show(messages, verdict, failure)

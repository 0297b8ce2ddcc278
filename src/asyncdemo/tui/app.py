"""The application, what all screens share, and two screens that others open: their keys, and long content."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import groupby
from typing import ClassVar, Final

from rich.cells import cell_len, set_cell_size
from rich.markdown import Markdown
from rich.text import Text
from rich.theme import Theme as Styles
from textual import events
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.filter import LineFilter, Monochrome
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Footer, Input, Static
from textual.widgets._footer import FooterKey  # exported nowhere else

from asyncdemo.course.workspace.context import CourseContext
from asyncdemo.errors import EXIT_INTERRUPTED, EXIT_OK
from asyncdemo.render.terminal.theme import Theme, theme_for
from asyncdemo.tui.leaving import EndingSignals
from asyncdemo.tui.terminal import AsciiFilter, NoColorFilter, TerminalDriver

_LAST_KEYS: Final = 2
"""To leave, and to list all keys: these are always in the footer."""
_TAKES_S: Final = 0.5
PICTURE_WORDS: Final[Mapping[str, str]] = {
    "lane": "a row: one call, task or thread, from its start to its end",
    "open": "started, and not ended yet",
    "at work": "open, and not queued for something limited",
    "wall": "from the start of the first lane to the end of the last",
    "ideal": "the wall without any overhead",
}


class LearnerScreen(Screen[None]):
    """A screen of this application.

    Attributes:
        words: Words that the list of its keys explains.
    """

    words: ClassVar[Mapping[str, str]] = {}

    @property
    def application(self) -> Application:
        assert isinstance(self.app, Application)
        return self.app

    def interrupt(self) -> bool:
        """Stop what is running, on Ctrl-C.

        Returns:
            Whether there was anything to stop; if not, the application quits.
        """
        return False

    def ask_before_quitting(self) -> str:
        """Return the question to ask once before quitting from here; "" for none."""
        return ""

    def exit_code(self) -> int:
        """Return the command's exit code if the application quits from here."""
        return EXIT_OK


class Application(App[int]):
    """All screens. Its result is the exit code of the command.

    Attributes:
        context: The course, the workspace, and the progress.
        glyphs: The glyphs that this terminal can show.
    """

    TITLE = "asyncdemo"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "leave", "Quit"),
        Binding("q", "leave_screen", "Back"),
        Binding("ctrl+c", "interrupt", "Stop what is running, or leave", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", "To the shell", show=False),
        Binding("question_mark", "keys", "Keys", key_display="?"),
    ]

    def __init__(self, context: CourseContext, first: Callable[[], LearnerScreen]) -> None:
        """``first`` creates the initial screen."""
        super().__init__(TerminalDriver)
        self.context = context
        self.signals = EndingSignals(lambda: self.exit(EXIT_INTERRUPTED))
        self.glyphs: Theme = theme_for(getattr(sys.stdout, "encoding", None))
        self.console.push_theme(Styles({"markdown.code": "bold"}))  # Rich's is on black
        self._first = first
        self._asked = False

    def on_mount(self) -> None:
        # If the terminal goes away, or on a kill, stop what is running and restore the terminal.
        self.signals.begin()
        self.push_screen(self._first())

    @contextmanager
    def terminal_lent(self) -> Iterator[None]:
        """Suspend the application, for example for an editor. A Ctrl-C there is not meant for us."""
        before = signal.signal(signal.SIGINT, lambda *_: None)  # if ignored, the editor would ignore it, too
        suspended = self.suspend()
        suspended.__enter__()
        try:
            yield
        finally:
            suspended.__exit__(None, None, None)  # not restored by an exception
            signal.signal(signal.SIGINT, before)

    async def on_event(self, event: events.Event) -> None:
        """Handle a screen's key now: if passed on, it would be handled after keys that were typed later."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            await self._all_typed()
            bound = self.screen.active_bindings.get(event.key)
            if bound is not None and bound.enabled:
                await self.run_action(bound.binding.action, bound.node)
                return
        await super().on_event(event)

    async def _all_typed(self) -> None:
        """Wait until the focused field has handled the keys before this one."""
        field = self.focused
        if isinstance(field, Input):
            taken = asyncio.Event()
            field.call_later(taken.set)
            with suppress(TimeoutError):  # it may be about to disappear
                await asyncio.wait_for(taken.wait(), _TAKES_S)

    def action_keys(self) -> None:
        listed: list[tuple[str, str]] = []
        bindings = (binding for binding, _ in self._keys(self.screen))
        for action, alike in groupby(bindings, lambda binding: binding.action.partition("(")[0]):
            keys = [(self.get_key_display(binding), binding.description) for binding in alike]
            if action == "show":  # a range of digits
                listed.append((f"{keys[0][0]} to {keys[-1][0]}", f"{keys[0][1]} to {keys[-1][1]}"))
            elif action != "keys":
                listed += keys
        words = self.screen.words if isinstance(self.screen, LearnerScreen) else {}
        self.push_screen(KeysScreen(listed, words))

    def _handle_exception(self, error: Exception) -> None:
        """Report an error, but not that a part of a screen is gone because we are leaving."""
        if not (self._exit and isinstance(error, NoMatches)):
            super()._handle_exception(error)

    def get_line_filters(self) -> Sequence[LineFilter]:
        filters = super().get_line_filters()
        if self.no_color:
            filters = [NoColorFilter() if isinstance(each, Monochrome) else each for each in filters]
        return filters if self.glyphs.rule == "─" else [*filters, AsciiFilter()]

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Yield the command palette: what the keys do now, and Textual's own commands without a key here."""
        known: set[str] = set()
        for binding, node in self._keys(screen):
            known.add(binding.description)
            run = partial(self.run_action, binding.action, node)
            yield SystemCommand(binding.description, f"Key: {self.get_key_display(binding)}", run)
        yield from (each for each in super().get_system_commands(screen) if each.title not in known)

    def _keys(self, screen: Screen[object]) -> Iterator[tuple[Binding, DOMNode]]:
        """Yield each key's current binding, once, and its node; of Textual's own keys only those it shows."""
        known = {""}
        for node, binding, enabled, _ in screen.active_bindings.values():
            act = getattr(node, f"action_{binding.action.partition('(')[0]}", None)
            ours = act is not None and act.__module__.startswith(__package__)
            if (ours or binding.show) and enabled and binding.description not in known:
                known.add(binding.description)
                yield binding, node

    def action_interrupt(self) -> None:
        if isinstance(self.screen, LearnerScreen) and self.screen.interrupt():
            return
        if not self._asks_first():  # it may have been meant for what ended a moment ago
            self.exit(EXIT_INTERRUPTED)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """q is named after its target."""
        return action not in ("leave", "leave_screen") or (action == "leave_screen") == self._is_deep

    @property
    def _is_deep(self) -> bool:
        """Whether there is a previous screen; the application has its own empty one."""
        return len(self.screen_stack) > 2

    def action_leave(self) -> None:
        if self._asks_first():
            return
        if self._is_deep:
            self._asked = False
            self.clear_notifications()  # the question would cover the screen below
            self.pop_screen()
        else:
            self.exit(self.screen.exit_code() if isinstance(self.screen, LearnerScreen) else EXIT_OK)

    action_leave_screen = action_leave

    def _asks_first(self) -> bool:
        """Return whether it asks now instead of leaving: the first time, if the screen has a question."""
        question = self.screen.ask_before_quitting() if isinstance(self.screen, LearnerScreen) else ""
        if not question or self._asked:
            return False
        self._asked = True
        self.notify(question)
        return True


class KeysScreen(ModalScreen[None]):
    """A list on top of the screen; any key that opens or leaves something closes it."""

    DEFAULT_CSS = """
    KeysScreen { align: center middle; }
    KeysScreen VerticalScroll { width: auto; height: auto; max-width: 90%; max-height: 90%; }
    KeysScreen VerticalScroll { border: round $foreground 50%; padding: 0 1; background: $background; }
    KeysScreen Static { width: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,escape,enter,q", "dismiss", "Close"),
        Binding("ctrl+c", "interrupt", show=False, priority=True),
    ]

    def __init__(self, keys: Iterable[tuple[str, str]], words: Mapping[str, str]) -> None:
        """``keys`` has each key and what it does, ``words`` each term and its meaning."""
        super().__init__()
        self._keys = [*keys, ("?", "Close this list (or press Escape)")]
        self._words = words

    def compose(self) -> ComposeResult:
        rows = [*self._keys, *self._words.items()]
        width = max(cell_len(name) for name, _ in rows)
        lines = [Text.assemble((set_cell_size(name, width), "bold"), f"  {words}") for name, words in rows]
        if self._words:
            lines.insert(len(self._keys), Text())
        with VerticalScroll():
            yield Static(Text("\n").join(lines))

    async def action_interrupt(self) -> None:
        await self.dismiss()
        await self.app.run_action("interrupt")


class _Text(VerticalScroll):
    """Shows the page keys if there is more than one page."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown", "page_down", "Down", key_display="PgDn"),
        Binding("pageup", "page_up", "Up", key_display="PgUp"),
    ]

    def watch_virtual_size(self) -> None:
        self.screen.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action not in ("page_down", "page_up") or self.max_scroll_y > 0


class KeyFooter(Footer):
    """The keys of a screen. Those that don't fit are only in the list that ``?`` shows, so it always fits."""

    def __init__(self, *, compact: bool = True) -> None:
        super().__init__(compact=compact, show_command_palette=False)

    def compose(self) -> ComposeResult:
        keys = [key for key in super().compose() if isinstance(key, FooterKey)]
        others = keys[:-_LAST_KEYS]
        others.sort(key=lambda key: key.action.endswith("code"))  # the first to go
        around = 2 if self.compact else 3
        while others and sum(len(key.key_display + key.description) + around for key in keys) > self._room:
            keys.remove(others.pop())
        yield from keys

    @property
    def _room(self) -> int:
        return self.app.size.width + 1  # there is no space after the last one

    def on_resize(self) -> None:
        self.refresh(recompose=True)


class ReadingScreen(LearnerScreen):
    """Scrolls with the arrow keys and by pages; q and Escape go back."""

    DEFAULT_CSS = """
    ReadingScreen _Text { height: 1fr; padding: 0 1; }
    ReadingScreen Drawing { height: auto; }
    ReadingScreen .prose { max-width: 100; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.leave_screen", "Back"),
        Binding("q", "app.leave_screen", "Back", show=False),
    ]

    def __init__(self, title: str, content: Widget) -> None:
        super().__init__()
        self._title, self._content = title, content

    def compose(self) -> ComposeResult:
        yield Static(self._title, classes="heading", markup=False)
        with _Text():
            yield self._content
        yield KeyFooter()


def markdown(text: str) -> Static:
    """Return a long text for reading. Textual's own Markdown makes a widget for each paragraph: seconds."""
    return Static(Markdown(text, code_theme="ansi_dark"), classes="prose")


def run_application(context: CourseContext, first: Callable[[], LearnerScreen]) -> int:
    """Run the application until the user quits. Returns the exit code of the command."""
    application = Application(context, first)
    with application.signals:
        code = application.run()
    return (application.return_code or EXIT_INTERRUPTED) if code is None else code

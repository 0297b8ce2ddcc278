"""``asyncdemo run LESSON --present``: a lesson on a projector, one step for each key.

Not for: what the steps are and say (``lecture``), recording (``recording``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console

from asyncdemo.cli.keys import CLOSED, Keys
from asyncdemo.cli.lecture import Lecture, Stage
from asyncdemo.cli.recording import Recorded, record_live
from asyncdemo.cli.signals import Signals
from asyncdemo.render.terminal.draw import Line
from asyncdemo.render.terminal.live import LivePanel, LiveView, picture_lines
from asyncdemo.render.terminal.slide_blocks import Row, Words
from asyncdemo.render.terminal.slides import PITCH, Slide, bright, footer, pages, projected, screen, timeline
from asyncdemo.render.terminal.theme import theme_for
from asyncdemo.serving import Job

__all__ = ["present"]

_LOOK_S = 0.1
"""How often it is seen whether the window has another size."""
_LONGEST = 200

_NEXT = {" ", "enter", "right", "n", "page_down"}
_BACK = {"left", "b", "p", "page_up", "backspace"}
_KEYS = ("Space next", "b back", "r run", "q quit", "? help")
_KEYS_BEFORE_RUN = ("Space run", "b back", "q quit", "? help")
_HELP = Slide(
    "Keys",
    (
        Row("Space", "next; also Enter, Right, n, Page Down"),
        Row("b", "back, without running again; also Left, p, Page Up"),
        Row("a", "type what the class answers; a digit begins at once"),
        Row("r", "run the programs again"),
        Row("q", "quit"),
        Words("Any key goes back to where you were."),
    ),
)


def present(lecture: Lecture, jobs: Sequence[Job], race: bool, console: Console) -> Recorded:
    """Until someone quits; returns the last recording. Needs a terminal. Raises KeyboardInterrupt."""
    with Signals() as signals:
        presentation = _Presentation(lecture, jobs, race, console, signals)
        while True:
            with Keys() as keys, console.screen():
                presentation.until_quit(keys)
            if not signals.stop:
                break
            signals.stop_now()
    if signals.seen:
        raise KeyboardInterrupt
    return presentation.recorded or Recorded(())


class _Presentation:
    def __init__(
        self, lecture: Lecture, jobs: Sequence[Job], race: bool, console: Console, signals: Signals
    ) -> None:
        self.recorded: Recorded | None = None
        self._lecture = lecture
        self._jobs = jobs
        self._race = race
        self._console = console
        self._signals = signals
        self._theme = projected(theme_for(console.encoding))
        self._at = 0
        self._page = 0
        self._pages = 1
        self._help = False
        self._typed: str | None = None
        self._panels: Sequence[LivePanel] = ()

    def until_quit(self, keys: Keys) -> None:
        """Or until a signal; after Ctrl-Z it can go on where it was."""
        goes_on = True
        while goes_on:
            size = self._console.size
            self._draw()
            key = None
            while key is None and self._console.size == size:
                key = keys.read(_LOOK_S)
                if self._signals.seen or self._signals.stop:
                    return
            if key is not None:
                goes_on = self._press(key, keys)

    def _press(self, key: str, keys: Keys) -> bool:
        """Whether it goes on."""
        if key == CLOSED:
            return False
        if self._help:
            self._help = False
        elif self._typed is not None:
            self._type(key)
        elif key in ("q", "Q"):
            return False
        elif key == "?":
            self._help = True
        elif key == "r":
            return self._run(keys)
        elif key in _NEXT:
            return self._next(keys)
        elif key in _BACK:
            self._back()
        elif self._stage is Stage.PREDICT and (key in ("a", ".") or key.isdecimal()):
            self._typed = self._lecture.said.get(self._place, "") if key == "a" else key
        return True

    def _next(self, keys: Keys) -> bool:
        if self._stage is Stage.RUN and self.recorded is None:
            return self._run(keys)
        if self._page + 1 < self._pages:
            self._page += 1
        elif self._at + 1 < len(self._lecture.steps):
            self._go(self._at + 1)
        return True

    def _back(self) -> None:
        if self._page:
            self._page -= 1
        elif self._at:
            self._go(self._at - 1)

    def _go(self, at: int) -> None:
        self._at, self._page = at, 0

    def _type(self, key: str) -> None:
        typed = self._typed or ""
        if key == "backspace":
            self._typed = typed[:-1]
        elif key == "enter":
            self._lecture.said[self._place] = typed.strip()
            if not typed.strip():
                del self._lecture.said[self._place]
            self._typed = None
        elif key == "escape":
            self._typed = None
        elif len(key) == 1 and len(typed) < _LONGEST:
            self._typed = typed + key

    def _run(self, keys: Keys) -> bool:
        self._go(next(at for at, step in enumerate(self._lecture.steps) if step.stage is Stage.RUN))
        recorded = record_live(self._jobs, self._console, self._race, self._show)
        self.recorded = recorded
        if recorded.interrupted:
            return False
        self._lecture.ran(recorded.runs)
        keys.forget()
        return True

    def _show(self, panels: Sequence[LivePanel], console: Console) -> LiveView:
        self._panels = panels
        return _WholeScreen(panels, console, lambda: self._picture(["Ctrl-C ends it"]))

    @property
    def _stage(self) -> Stage:
        return self._lecture.steps[self._at].stage

    @property
    def _place(self) -> int:
        return self._lecture.steps[self._at].place

    def _draw(self) -> None:
        if self._stage is Stage.RUN and self.recorded is not None and not self._help:
            self._pages = 1
            self._console.update_screen_lines(self._picture(_KEYS))
            return
        width, height = self._console.size
        keys, laid_out = self._laid_out(width, height - 1)
        # The window may have become larger; what is being typed stands on the last page.
        page = min(self._page, len(laid_out) - 1) if self._typed is None else len(laid_out) - 1
        if not self._help:
            self._page, self._pages = page, len(laid_out)
        last = footer(self._where(), keys, self._theme, width)
        self._console.update_screen_lines(screen(laid_out[0 if self._help else page], last, width, height))

    def _laid_out(self, width: int, height: int) -> tuple[Sequence[str], list[list[Line]]]:
        """Which keys there are, and the pages."""
        step = self._lecture.steps[self._at]
        if self._help:
            return ["any key: back"], pages(_HELP, self._theme, width, height)
        if step.stage is Stage.TIMELINE:
            return _KEYS, [timeline(self._lecture.run_of(step), self._theme, width, height)]
        laid_out = pages(self._lecture.slide(step, self._typed), self._theme, width, height)
        if self._typed is not None:
            return ["Enter keeps it", "Esc drops it"], laid_out
        if step.stage is Stage.PREDICT:
            return [_KEYS[0], "a answer", *_KEYS[1:]], laid_out
        return _KEYS_BEFORE_RUN if step.stage is Stage.RUN else _KEYS, laid_out

    def _picture(self, keys: Sequence[str]) -> list[Line]:
        width, height = self._console.size
        lines = picture_lines(self._panels, self._theme, width, height - 1, PITCH)
        return screen(
            [bright(line) for line in lines], footer(self._where(), keys, self._theme, width), width, height
        )

    def _where(self) -> str:
        page = f" ({self._page + 1}/{self._pages})" if self._pages > 1 and not self._help else ""
        return f"{self._at + 1} of {len(self._lecture.steps)}{page}: {self._stage}"


class _WholeScreen(LiveView):
    """Frames on a screen that is all ours, so that nothing need be given back after each."""

    def __init__(
        self, panels: Sequence[LivePanel], console: Console, picture: Callable[[], list[Line]]
    ) -> None:
        super().__init__(panels, console)
        self._picture = picture
        self._whole = console

    def lines(self) -> list[Line]:
        return self._picture()

    def draw(self, lines: list[Line]) -> None:
        self._whole.update_screen_lines(lines)

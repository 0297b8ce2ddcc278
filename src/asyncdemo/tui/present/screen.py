"""``asyncdemo run LESSON --present``: a lesson on a projector, one step for each key."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Static

from asyncdemo.render.terminal.draw import Line
from asyncdemo.render.terminal.slide_blocks import ALARM, Words
from asyncdemo.render.terminal.slides import Slide, pages, projected, timeline
from asyncdemo.serving import Job
from asyncdemo.tui.app import KeyFooter, LearnerScreen
from asyncdemo.tui.drawing import Drawing
from asyncdemo.tui.present.lecture import MOST_ANSWERS, Lecture, Stage, Step
from asyncdemo.tui.present.picture import RunPicture
from asyncdemo.tui.recording import LiveRecording

_SHIFTED: Final = (
    "exclamation_mark",
    "at",
    "number_sign",
    "dollar_sign",
    "percent_sign",
    "circumflex_accent",
    "ampersand",
    "asterisk",
    "left_parenthesis",
)
"""The digits 1 to 9 with Shift, on an American keyboard; others can use ``-``."""
_MINUTE_S: Final = 60
_LAST: Final = 999
"""The last page. The number of pages is only known after the layout."""
_SINGLE_ROWS: Final = 60
"""The most rows per program that are readable from a distance."""


class PresentScreen(LearnerScreen):
    """The steps of a lecture. Those with results are available once the programs have run.

    Attributes:
        lecture: The lecture, with answers of the class and runs.
    """

    DEFAULT_CSS = """
    PresentScreen > #where { height: auto; padding: 0 2; text-style: bold; }
    PresentScreen > Input { display: none; }
    PresentScreen.typing > Input { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,enter,right,n,pagedown", "begin", "Run", key_display="Space"),
        Binding("space,enter,right,n,pagedown", "next", "Next", key_display="Space"),
        Binding("b,left,p,pageup,backspace", "back", "Back", key_display="b"),
        *(
            Binding(f"{digit}", f"raise_hand({digit - 1})", "Vote", key_display="1-9", show=digit == 1)
            for digit in range(1, MOST_ANSWERS + 1)
        ),
        *(
            Binding(key, f"lower_hand({place})", "Undo", key_display=f"Shift+{place + 1}", show=False)
            for place, key in enumerate(_SHIFTED)
        ),
        Binding("minus", "lower_hand", "Undo", key_display="-"),
        Binding("a", "answer", "Add"),
        Binding("escape", "drop", "Drop it", show=False),
        Binding("c", "code", "Code"),
        Binding("z", "zoom", "Zoom"),
        Binding("r", "run", "Run"),
        Binding("t", "add_minute", "Timer"),
        Binding("T", "stop_timer", "Stop the timer", show=False),
    ]

    def __init__(
        self,
        lecture: Lecture,
        make_jobs: Callable[[Callable[[], bool]], Sequence[Job]],
        race: bool,
        at: int = 0,
    ) -> None:
        """Begin at the step with this index. If it shows results, the programs run first.

        ``make_jobs`` is called in a thread before each run, with a function that says whether it is still
        wanted. ``race``: all programs run at the same time, else one after another.
        """
        super().__init__()
        self.lecture, self._make_jobs, self._race = lecture, make_jobs, race
        self._at, self._page, self._pages = at, 0, 1
        self._came_from: int | None = None
        self._after_run: int | None = None
        self._zoomed = False
        self._trouble = self._notice = ""
        self._is_recording = False
        self._began_s = time.monotonic()
        self._until_s: float | None = None

    def compose(self) -> ComposeResult:
        self._slide = Drawing(self._lines, id="slide")
        self._slide.can_focus = True
        yield self._slide
        yield Input(placeholder="The class's answer. Enter keeps it, Esc drops it.", max_length=200)
        yield Static(id="where")
        yield KeyFooter(compact=False)

    def on_mount(self) -> None:
        self._theme = projected(self.application.glyphs)
        self._recording = LiveRecording(self, self._theme, self._slide.redraw, head=_SINGLE_ROWS)
        self._picture = RunPicture(self._theme)
        self.set_interval(1, self._show_where)
        if self._step.needs_runs:
            self._after_run = self._at
            self.action_run()
        self._show()

    # display

    @property
    def _step(self) -> Step:
        return self.lecture.steps[self._at]

    def _lines(self, width: int, height: int) -> Sequence[Line]:
        step = self._step
        asked, self._pages, self._page = self._page, 1, 0
        if step.stage is Stage.RUN and self._recording.panels and not self._trouble:
            return self._picture.lines(self._recording.panels, width, height, over=not self._is_recording)
        if step.stage is Stage.TIMELINE and self.lecture.runs:
            run = self.lecture.runs[step.place]
            return timeline(run, [run] if self._zoomed else self.lecture.runs, self._theme, width, height)
        slide = self.lecture.slide(step)
        if step.stage is Stage.RUN and self._trouble:
            slide = Slide(slide.heading, (Words(self._trouble, style=ALARM),))
        laid_out = pages(slide, self._theme, width, height)
        self._pages = len(laid_out)
        self._page = min(asked, self._pages - 1)  # the window may be larger now
        return laid_out[self._page]

    def _show(self) -> None:
        self._slide.redraw()
        self.refresh_bindings()
        self.call_after_refresh(self._show_where)

    def _show_where(self) -> None:
        page = f" ({self._page + 1}/{self._pages})" if self._pages > 1 else ""
        words = f"{self._at + 1} of {len(self.lecture.steps)}: {self._step.stage}{page}"
        poll = self.lecture.polls[self._step.place] if self._step.stage is Stage.PREDICT else None
        if poll is not None and any(poll.hands):
            words += f"   hands: {sum(poll.hands)}"
        if self._is_recording:
            words += "   Ctrl-C ends the run"
        clock = f"{_minutes(time.monotonic() - self._began_s)} of {self.lecture.minutes} min"
        if self._until_s is not None:
            left_s = self._until_s - time.monotonic()
            clock = f"{f'timer {_minutes(left_s)}' if left_s > 0 else 'time is up'}   {clock}"
        room = self.size.width - 4 - len(clock)
        line = f"{words[: max(room - 1, 0)]:<{max(room, 0)}}{clock}"
        # A notice has its own lines, so that nothing of it is cut.
        self.query_one("#where", Static).update(f"{self._notice}\n{line}" if self._notice else line)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        stage, free = self._step.stage, not self._is_recording
        votes = stage is Stage.PREDICT and bool(self.lecture.polls[self._step.place].answers)
        allowed = {
            "answer": stage is Stage.PREDICT,
            "raise_hand": votes,
            "lower_hand": votes,
            "zoom": stage is Stage.TIMELINE,
            "code": free and self._has_code and (stage is not Stage.CODE or self._came_from is not None),
            # Not by accident, while the class is still thinking.
            "run": free and not self._is_due and (stage is Stage.RUN or self._step.needs_runs),
            "begin": free and self._is_due,
            "next": free and not self._is_due,
            "back": free,
            "add_minute": free,
            "stop_timer": self._until_s is not None,
            "drop": self.has_class("typing"),
        }
        return allowed.get(action, True)

    # steps

    @property
    def _is_due(self) -> bool:
        """Whether the programs must run now, for the first time."""
        return self._step.stage is Stage.RUN and not (self.lecture.runs or self._recording.panels)

    @property
    def _has_code(self) -> bool:
        return any(step.stage is Stage.CODE for step in self.lecture.steps)

    def action_next(self) -> None:
        if self._page + 1 < self._pages:
            self._page += 1
            self._show()
        elif self._came_from is not None:
            self._go(self._came_from)
        elif self._at + 1 < len(self.lecture.steps):
            self._go(self._at + 1)

    def action_back(self) -> None:
        """Go back, without running anything again."""
        if self._page:
            self._page -= 1
            self._show()
        elif self._came_from is not None:
            self._go(self._came_from)
        elif self._at:
            self._go(self._at - 1)
            self._page = _LAST
            self._lines(*self._slide.size)  # to know the number of pages
            self._show()

    def action_code(self) -> None:
        """Switch to the programs and back, from any step."""
        if self._came_from is not None:
            self._go(self._came_from)
        else:
            before = self._at
            self._go(self._first(Stage.CODE))
            self._came_from = before
            self._page = self.lecture.program_of(self.lecture.steps[before])
            self._show()

    def action_zoom(self) -> None:
        """Toggle between the time scales of this run and of the lesson."""
        self._zoomed = not self._zoomed
        self._show()

    def _go(self, at: int) -> None:
        self._at, self._page, self._came_from = at, 0, None
        self._zoomed, self._notice = False, ""
        self._show()

    # hands

    def action_raise_hand(self, place: int) -> None:
        self.lecture.polls[self._step.place].raise_hand(place)
        self._show()

    def action_lower_hand(self, place: int | None = None) -> None:
        self.lecture.polls[self._step.place].lower_hand(place)
        self._show()

    def action_answer(self) -> None:
        self.add_class("typing")
        self.query_one(Input).focus()

    def action_drop(self) -> None:
        self.remove_class("typing")
        self.query_one(Input).clear()
        self._slide.focus()
        self._notice = ""
        self._show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        answer = " ".join(event.value.split())
        if trouble := self.lecture.offer(self._step.place, answer) if answer else "":
            self._notice = f"{trouble} Esc drops it."  # the text stays, to be changed
            self._show()
        else:
            self.action_drop()

    # the run

    def action_run(self) -> None:
        self._go(self._first(Stage.RUN))
        self._trouble = ""
        self._recording.panels = []
        self._is_recording = True
        recording = self._recording
        self.run_worker(recording.record(lambda: self._make_jobs(lambda: recording.wanted), self._race))
        self._show()

    action_begin = action_run

    def _first(self, stage: Stage) -> int:
        return next(at for at, step in enumerate(self.lecture.steps) if step.stage is stage)

    def on_live_recording_ended(self, event: LiveRecording.Ended) -> None:
        self._is_recording = False
        after, self._after_run = self._after_run, None
        self._trouble = event.error
        if event.interrupted:
            self._notice = "Ended early. r runs the programs again."
        elif not event.error:
            self.lecture.ran(event.runs)
            if after is not None:
                self._go(after)
        self._show()

    def interrupt(self) -> bool:
        """Stop the run on Ctrl-C, and keep the slide."""
        return self._recording.interrupt()

    def ask_before_quitting(self) -> str:
        return "Press it again to end the presentation."

    # the timer

    def action_add_minute(self) -> None:
        now_s = time.monotonic()
        self._until_s = max(self._until_s or now_s, now_s) + _MINUTE_S
        self.set_timer(self._until_s - now_s, partial(self._time_is_up, self._until_s))
        self._show_where()

    def action_stop_timer(self) -> None:
        self._until_s = None
        self._show_where()

    def _time_is_up(self, until_s: float) -> None:
        if self._until_s == until_s:
            self.app.bell()
            self._show_where()


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(max(round(seconds), 0), 60)
    return f"{minutes}:{rest:02}"

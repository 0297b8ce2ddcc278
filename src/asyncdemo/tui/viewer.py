"""The run viewer: recorded runs on one scale, to explore and to find out what waited for what."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from typing import ClassVar, Final, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.timer import Timer
from textual.widgets import Input

from asyncdemo.analysis.waking import row_at, who_woke
from asyncdemo.model import Run
from asyncdemo.render.facts.moments import place_at, waking_words
from asyncdemo.render.terminal.draw import Line, gutter_width, legend_of, panel_width, text_line
from asyncdemo.render.terminal.row_details import row_details
from asyncdemo.render.terminal.theme import DIM
from asyncdemo.render.timeline.layout import scale_ns
from asyncdemo.render.words import fit
from asyncdemo.tui.app import PICTURE_WORDS, KeyFooter, LearnerScreen
from asyncdemo.tui.drawing import Drawing
from asyncdemo.tui.row_states import RowStates
from asyncdemo.tui.run_rows import RunRows, TimeView

_DETAILS: Final = 4
_TALL: Final = 30
_LEAST_RUN: Final = 3
"""A title, an axis, and a row."""
_FRAME_S: Final = 1 / 20
_SHORTEST_PLAY_S, _LONGEST_PLAY_S = 2.0, 10.0


class _Place(NamedTuple):
    """An earlier position to go back to."""

    rows: RunRows
    row: int
    start_ns: int
    length_ns: int
    at_ns: int


class ViewerScreen(LearnerScreen):
    """Runs side by side on a wide screen, else below each other, with a common cursor time."""

    TITLE = "Recorded runs"
    words = PICTURE_WORDS
    CSS = """
    ViewerScreen #runs { layout: vertical; height: 1fr; }
    ViewerScreen #runs.beside { layout: horizontal; }
    ViewerScreen #runs.beside RunRows { margin-right: 3; }
    ViewerScreen #runs.beside RunRows.last { margin-right: 0; }
    ViewerScreen #details { height: 4; }
    ViewerScreen #legend { height: 2; }
    ViewerScreen Input { display: none; dock: bottom; height: 1; border: none; padding: 0; margin-bottom: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("plus,equals_sign,z", "go('zoom', 0.5)", "Zoom", key_display="+/-/0"),
        Binding("minus,underscore,Z", "go('zoom', 2)", "Zoom out", show=False),
        Binding("0", "go('all', 0)", "Whole run", show=False),
        Binding("slash", "find", "Find", key_display="/"),
        Binding("enter", "states", "States", key_display="Enter"),
        Binding("w", "go_to_waker", "Waker"),
        Binding("b,backspace", "go_back", "Go back", show=False),
        Binding("c", "counts", "Counts"),
        Binding("space", "play", "Play", key_display="Space"),
        Binding("m", "alone", "Max"),
        Binding("up,k", "go('row', -1)", "Row above", show=False),
        Binding("down,j", "go('row', 1)", "Row below", show=False),
        Binding("pageup", "go('page', -1)", "Page up", show=False),
        Binding("pagedown", "go('page', 1)", "Page down", show=False),
        Binding("ctrl+home,g", "go('row', -999999999)", "First row", show=False),
        Binding("ctrl+end,G", "go('row', 999999999)", "Last row", show=False),
        Binding("left,h", "go('column', -1)", "Earlier", show=False),
        Binding("right,l", "go('column', 1)", "Later", show=False),
        Binding("shift+left,H", "go('pan', -0.5)", "Half a screen earlier", show=False),
        Binding("shift+right,L", "go('pan', 0.5)", "Half a screen later", show=False),
        Binding("home", "go('time', 0)", "To the start", show=False),
        Binding("end", "go('time', 1)", "To the end", show=False),
        Binding("comma,less_than_sign", "go('state', -1)", "Previous state", show=False, key_display="<"),
        Binding("full_stop,greater_than_sign", "go('state', 1)", "Next state", show=False, key_display=">"),
        Binding("n", "find_next(1)", "Next match", show=False),
        Binding("N", "find_next(-1)", "Previous match", show=False),
        Binding("escape", "close", "Back", show=False),
    ]

    def __init__(self, runs: Sequence[Run]) -> None:
        super().__init__()
        self.runs = tuple(runs)
        self._view = TimeView(scale_ns(self.runs))
        self._panes: list[RunRows] = []
        self._been: list[_Place] = []
        self._playing: Timer | None = None
        self._alone = False
        self._said = ""

    def compose(self) -> ComposeResult:
        theme = self.application.glyphs
        with Container(id="runs"):
            self._panes = [RunRows(run, self._view, theme) for run in self.runs]
            self._pane = self._panes[0]
            yield from self._panes
        yield RowStates(theme)
        yield Drawing(self._details, id="details")
        yield Drawing(self._legend, id="legend")
        yield Input(placeholder="a part of a row's name", id="find")
        yield KeyFooter()

    def on_mount(self) -> None:
        # Recordings don't change; looking through them for garbage takes a tenth of a second each time.
        gc.collect()
        gc.freeze()
        self._panes[-1].add_class("last")
        self._panes[0].focus()
        self._arrange()
        for pane in self._panes:
            self.run_worker(pane.prepare, thread=True)

    def on_unmount(self) -> None:
        gc.unfreeze()

    def on_resize(self) -> None:
        self._arrange()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if isinstance(event.widget, RunRows):
            self._pane = event.widget
            self._redraw()

    def _arrange(self) -> None:
        alone = self._alone and self._pane
        for pane in self._panes:
            pane.display = pane is alone or not alone
        width, beside = panel_width(1 if alone else len(self.runs), self.size.width)
        self.query_one("#runs").set_class(beside, "beside")
        names = {name for pane in self._panes for name in pane.names()}
        ends = self.application.glyphs.ends
        marked = any(row.outcome in ends for run in self.runs for row in run.rows)
        gutter = gutter_width(names, 0, 0, width, marked)
        for pane in self._panes:
            pane.names_width = gutter
            pane.redraw()
        legend = self.query_one("#legend", Drawing)
        legend_height = 2 if self.size.height < _TALL else 3
        legend.styles.height = legend_height
        # The states leave each run a row: below each other, the runs have less space.
        below = 1 if beside or alone else len(self.runs)
        room = self.size.height - 1 - _DETAILS - legend_height - _LEAST_RUN * below
        self.query_one(RowStates).styles.max_height = max(min(self.size.height * 2 // 5, room), 3)
        self.call_after_refresh(legend.redraw)

    def _redraw(self) -> None:
        for pane in self._panes:
            pane.redraw()
        for drawing in self.query(Drawing):
            drawing.redraw()
        states = self.query_one(RowStates)
        pane = self._pane
        if states.display and not states.has_focus and pane.chosen is not None:
            states.show(pane.windows, pane.row, self._view.at_ns)

    def _say(self, words: str) -> None:
        self._said = words
        self._redraw()

    def _details(self, width: int, _: int) -> list[Line]:
        pane, theme = self._pane, self.application.glyphs
        if pane.chosen is None:
            return []
        lines = [*row_details(pane.windows, pane.row, self._view.at_ns, theme, width)]
        said = text_line(fit(self._said, width, theme.ellipsis), DIM)
        return [*lines, *[[]] * (_DETAILS - 1 - len(lines)), said]

    def _legend(self, width: int, height: int) -> list[Line]:
        """Return the legend of the visible part, in a constant height, so that the rows don't move."""
        grids = [pane.grid for pane in self._panes if pane.display]
        return legend_of(grids, self.application.glyphs, width)[:height]

    def interrupt(self) -> bool:
        playing = self._playing is not None
        self._stop_playing()
        return playing

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "alone" or len(self.runs) > 1

    def action_alone(self) -> None:
        """Give all the space to the run with the cursor; the second time, show all again."""
        self._alone = not self._alone
        self._arrange()

    # Moving

    def action_go(self, where: str, by: float) -> None:
        """Move the cursor, or what is visible. What ``by`` counts depends on ``where``."""
        view, pane = self._view, self._pane
        match where:
            case "zoom":
                view.zoom(by)
            case "all":
                view.show_all()
            case "pan":
                view.pan(by)
            case "column":
                view.move_to(view.at_ns + round(by) * view.window(pane.columns).column_ns)
            case "time":
                view.move_to(round(by * pane.windows.length_ns))
            case "row":
                pane.move_to(pane.row + round(by))
            case "page":
                pane.move_to(pane.row + round(by) * pane.room)
            case "state":
                self._go_to_state(round(by))
        self._say("")

    def _go_to_state(self, by: int) -> None:
        pane = self._pane
        if pane.chosen is None or not len(pane.chosen.spans):
            return
        zero, spans = pane.windows.zero_ns, pane.chosen.spans
        at = place_at(pane.chosen, zero + self._view.at_ns)
        begins = spans[at].start_ns - zero
        outside = by > 0 and self._view.at_ns < begins
        if not outside and not (by < 0 and self._view.at_ns > begins):
            at = min(max(at + by, 0), len(spans) - 1)
        self._view.move_to(spans[at].start_ns - zero)

    def on_run_rows_chosen(self, message: RunRows.Chosen) -> None:
        if message.at_ns is not None:
            self._view.move_to(message.at_ns)
        self._say("")

    # Finding

    def action_find(self) -> None:
        field = self.query_one("#find", Input)
        field.display = True
        self.set_focus(field)

    def on_input_changed(self, message: Input.Changed) -> None:
        if message.value:
            self._find(message.value, self._pane.row, 1)

    def on_input_submitted(self) -> None:
        self.action_close()

    def action_find_next(self, step: int) -> None:
        text = self.query_one("#find", Input).value
        if text:
            self._find(text, self._pane.row + step, step)
        else:
            self.action_find()

    def _find(self, text: str, row: int, step: int) -> None:
        pane = self._pane
        found = pane.find(text, row, step)
        if found is not None:
            pane.move_to(found)
        self._say("" if found is not None else f"No row has {text!r} in its name.")

    def action_close(self) -> None:
        """Close what was opened last, or else the viewer."""
        field, states = self.query_one("#find", Input), self.query_one(RowStates)
        if field.display:
            field.display = False
        elif self._playing is not None:
            self._stop_playing()
        elif states.display:
            states.display = False
        else:
            self.application.action_leave_screen()
            return
        self.set_focus(states if states.display else self._pane)

    # Asking

    def action_states(self) -> None:
        states, pane = self.query_one(RowStates), self._pane
        if states.display or pane.chosen is None:
            self.action_close()
            return
        states.show(pane.windows, pane.row, self._view.at_ns)
        states.display = True
        self.set_focus(states)

    def on_row_states_chosen(self, message: RowStates.Chosen) -> None:
        self._view.move_to(message.at_ns)
        self._say("")

    def action_go_to_waker(self) -> None:
        pane = self._pane
        if pane.chosen is None:
            return
        zero = pane.windows.zero_ns
        waking = who_woke(pane.run, pane.chosen, zero + self._view.at_ns)
        words = waking_words(pane.run, waking)
        row = None if waking is None else row_at(pane.run, waking.track, waking.at_ns)
        if waking is None or row is None:
            self._say(words if waking is None else f"{words} It has no row.")
            return
        view = self._view
        self._been.append(_Place(pane, pane.row, view.start_ns, view.length_ns, view.at_ns))
        pane.move_to(row)
        view.move_to(waking.at_ns - zero)
        self._say(f"{words} This is its row at that time. To go back, press b.")

    def action_go_back(self) -> None:
        if not self._been:
            self._say("There is nothing to go back to. To go to what woke this row, press w.")
            return
        before = self._been.pop()
        view = self._view
        view.start_ns, view.length_ns, view.at_ns = before.start_ns, before.length_ns, before.at_ns
        self.set_focus(before.rows)
        before.rows.move_to(before.row)
        self._say("")

    def action_counts(self) -> None:
        counts = not self._panes[0].counts
        for pane in self._panes:
            pane.counts = counts
            pane.move_to(pane.row)
        self._arrange()

    # Playing

    def action_play(self) -> None:
        """Play the visible part as it happened, faster or slower to make it easy to watch."""
        if self._playing is not None:
            self._stop_playing()
            return
        view, since_s, from_ns = self._view, time.monotonic(), self._view.start_ns
        real_s = view.length_ns / 1e9
        speed = real_s / min(max(real_s, _SHORTEST_PLAY_S), _LONGEST_PLAY_S)
        pace = "" if speed == 1 else f", {speed:.1f}x as fast" if speed > 1 else f", {1 / speed:.1f}x slower"

        def play_on() -> None:
            now_ns = from_ns + round((time.monotonic() - since_s) * speed * 1e9)
            if now_ns >= view.start_ns + view.length_ns:
                self._stop_playing()
            elif self._playing is not None:
                view.until_ns = view.at_ns = now_ns
                self._say(f"Playing it as it happened{pace}. To stop, press Space.")

        self._playing = self.set_interval(_FRAME_S, play_on)
        play_on()

    def _stop_playing(self) -> None:
        if self._playing is not None:
            self._playing.stop()
            self._playing = self._view.until_ns = None
        self._say("")

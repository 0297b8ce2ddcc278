"""Step 5, Change: other settings, another run, and both on one scale."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import ContentSwitcher, Label, OptionList, Static

from asyncdemo.course.content.lesson import Knob, Variant
from asyncdemo.course.content.presets import Preset, presets
from asyncdemo.errors import UsageError
from asyncdemo.model import Run
from asyncdemo.render.terminal.draw import Line
from asyncdemo.render.terminal.picture import picture_of_runs, whole_height
from asyncdemo.render.words import settings_words
from asyncdemo.tui.lesson.inputs import NumberInput
from asyncdemo.tui.lesson.pane import RunningPane
from asyncdemo.tui.lesson.session import LessonRun, LessonSession, figures
from asyncdemo.tui.viewer import ViewerScreen

_NAME = 14
_BEFORE, _AFTER = ", before", ", after"


class _Suggestions(OptionList):
    """The suggestions. Above the first one are the inputs."""

    def action_cursor_up(self) -> None:
        if self.highlighted:
            super().action_cursor_up()
        else:
            self.screen.focus_previous()


class ChangePane(RunningPane):
    """The knobs and the suggestions; then the runs before and after."""

    step = "change"
    DEFAULT_CSS = """
    ChangePane Static { height: auto; }
    ChangePane ContentSwitcher { height: 1fr; }
    ChangePane .knob { height: 1; }
    ChangePane .knob Label { width: auto; margin-right: 1; }
    ChangePane .knob .dim { width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
    ChangePane .knob NumberInput { width: 12; margin-right: 1; }
    ChangePane OptionList { height: auto; border: none; padding: 0; background: transparent; }
    ChangePane #suggested { margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "run", "Run", key_display="Enter"),
        Binding("down", "field(1)", "Choose", key_display="Up/Down"),
        Binding("up", "field(-1)", "Choose", show=False),
        Binding("e", "edit", "Change again"),
        Binding("v", "picture", "Picture"),
    ]
    can_focus = True

    def __init__(self, session: LessonSession) -> None:
        super().__init__(session)
        self._presets = presets(session.lesson)
        self._remark = ""
        self._run: LessonRun | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="message", markup=False)
        with ContentSwitcher(initial="form"):
            with VerticalScroll(id="form", can_focus=False):
                yield from self._knobs()
                if self._presets:
                    yield Label("The text suggests", id="suggested", classes="heading")
                    yield _Suggestions(*map(self._suggestion, self._presets), compact=True, markup=False)
            with Vertical(id="outcome"):
                yield self.picture
                yield self.wrote

    def shown(self) -> None:
        if self._form_is_shown:
            self.take_focus(next(iter(self.query(NumberInput)), None) or self)
        else:
            self.take_focus(self)

    @property
    def _form_is_shown(self) -> bool:
        return self.query_one(ContentSwitcher).current == "form"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("edit", "picture"):
            return not self._form_is_shown and not self.recording.active
        return self._form_is_shown if action in ("run", "field") else True

    def action_field(self, by: int) -> None:
        (self.screen.focus_next if by > 0 else self.screen.focus_previous)()

    def action_edit(self) -> None:
        self.query_one(ContentSwitcher).current = "form"
        self.shown()
        self.refresh_bindings()

    def action_picture(self) -> None:
        self.app.push_screen(ViewerScreen(self._before_and_after()[0]))

    def action_run(self) -> None:
        self._remark = ""
        self._begin(self.session.variants)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Put the suggestion's values into the inputs, and those of the first run into all others."""
        event.stop()
        preset = self._presets[event.option_index]
        for knob in self.query(NumberInput):
            knob.value = preset.settings.get(knob.name or "", str(self.session.values[knob.name or ""]))
        self._remark = preset.remark
        self._begin(self.session.lesson.chosen(preset.variants))

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Show a knob's full row, which a narrow terminal cuts off."""
        for knob in self.session.lesson.knobs:
            if knob.name == event.widget.name:
                self._say(f"{knob.name} is {knob.meaning}. {_limits(knob)}. Enter runs the programs.")
        if isinstance(event.widget, OptionList):
            self._say("Enter runs the suggestion. All other values are those of the first run.")

    def _begin(self, variants: tuple[Variant, ...]) -> None:
        written = self.session.values_of({})
        typed = {knob.name or "": knob.value for knob in self.query(NumberInput)}
        settings = {name: text for name, text in typed.items() if text != str(written[name])}
        try:
            self.session.values_of(settings)
        except UsageError as error:
            self._say(str(error).rpartition("--set ")[2], bad=True)
            return
        self.start(settings, variants)

    def started(self) -> None:
        self._say("Running. Ctrl-C stops it and shows what was recorded.")
        self.query_one(ContentSwitcher).current = "outcome"
        self.take_focus(self)
        self.refresh_bindings()

    def ended(self, run: LessonRun) -> None:
        self._run = run
        self.picture.redraw(self._lines)
        self.wrote.show(run, self.size.height - 2, self.size.width)
        words = run.no_verdict or f"With {settings_words(run.settings) or 'the first settings'}"
        self._say(f"{words}: {self._remark}" if self._remark else words)

    def failed(self, error: str) -> None:
        self._say(error, bad=True)

    def _say(self, words: str, bad: bool = False) -> None:
        message = self.query_one("#message", Static)
        message.update(words.replace("`", ""))
        message.set_class(bad, "bad")

    def _knobs(self) -> Iterator[Horizontal]:
        for knob in self.session.lesson.knobs:
            value = NumberInput(str(self.session.values[knob.name]), name=knob.name)
            yield Horizontal(
                Label(f"{knob.name:<{_NAME}}", markup=False),
                value,
                Label(f"{_limits(knob)}: {knob.meaning}", classes="dim", markup=False),
                classes="knob",
            )

    @staticmethod
    def _suggestion(preset: Preset) -> Text:
        words = settings_words(preset.settings)
        return Text(f"{words}  runs only {', '.join(preset.variants)}" if preset.variants else words)

    def _lines(self, width: int, height: int) -> list[Line]:
        """If both would be folded, show only the figures of the run before."""
        runs, captions = self._before_and_after()
        after, before = self._run, self.session.first
        if before and after and len(runs) > len(after.runs) and whole_height(runs, width) > height:
            brief = {run.name: figures(run, before.measured[run.name], brief=True) for run in before.runs}
            runs, captions = (
                list(after.runs),
                [
                    f"{words}; before {brief[run.name]}" if run.name in brief else words
                    for run, words in zip(after.runs, after.figures, strict=True)
                ],
            )
        return picture_of_runs(runs, self.glyphs, width, height, captions)

    def _before_and_after(self) -> tuple[list[Run], list[str]]:
        after, before = self._run, self.session.first
        if after is None:
            return [], []
        earlier = {} if before is None or before is after else {run.name: run for run in before.runs}
        runs, captions = [], []
        for run, words in zip(after.runs, after.figures, strict=True):
            if run.name in earlier and before is not None:
                runs.append(replace(earlier[run.name], name=run.name + _BEFORE))
                captions.append(figures(earlier[run.name], before.measured[run.name]))
            runs.append(replace(run, name=run.name + _AFTER) if earlier else run)
            captions.append(words)
        return runs, captions


def _limits(knob: Knob) -> str:
    low, high = (f"{value:.0f}" if value == int(value) else f"{value:g}" for value in (knob.low, knob.high))
    return f"{low} to {high} {knob.unit}".strip()

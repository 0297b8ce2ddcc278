"""Home: the lessons, the progress in them, and the question of each."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import ClassVar, Final

from rich.cells import set_cell_size
from rich.console import Group
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.workspace.next_step import exercises, next_step
from asyncdemo.course.workspace.progress import Record
from asyncdemo.course.workspace.workspace import has_exercise
from asyncdemo.packages import install_command
from asyncdemo.render.terminal.theme import WARNING
from asyncdemo.render.words import count, join
from asyncdemo.tui.app import KeyFooter, LearnerScreen
from asyncdemo.tui.lesson.screen import LessonScreen
from asyncdemo.tui.lesson.session import LessonSession

_TITLE_CELLS = 28
_PAUSE_S: Final = 1.0
"""Digits that are further apart in time belong to separate numbers."""


class _Lessons(OptionList):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "cursor_down", "Choose", key_display="Up/Down"),
        Binding("enter", "select", "Open", key_display="Enter"),
    ]


class HomeScreen(LearnerScreen):
    """The list of all lessons, and beside or below it a description of the selected one."""

    DEFAULT_CSS = """
    HomeScreen > #progress { height: auto; padding: 0 1; }
    HomeScreen > #filter { display: none; border: none; height: 1; padding: 0 1; }
    HomeScreen > Container { height: 1fr; layout: vertical; }
    HomeScreen OptionList { height: 1fr; width: 1fr; padding: 0; background: transparent; }
    HomeScreen OptionList, HomeScreen OptionList:focus { border: none; }
    HomeScreen #about { height: 6; padding: 0 1; border-top: solid $foreground 30%; }
    HomeScreen.-wide > Container { layout: horizontal; }
    HomeScreen.-wide OptionList { width: 70; }
    HomeScreen.-wide #about { width: 1fr; height: 1fr; border-top: none; padding: 0 2; }
    """
    AUTO_FOCUS = "OptionList"  # the first widget is the filter, which is hidden
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", key_display="/"),
        Binding("escape", "show_all", "Show all"),
        Binding("down", "to_list", show=False),
        *(
            Binding(digit, f"number({digit})", "Lesson of that number", show=False, key_display="0-9")
            for digit in "0123456789"
        ),
    ]

    def __init__(self, note: str = "") -> None:
        """``note`` is about the workspace."""
        super().__init__()
        self._note = note
        self._typed, self._typed_s = "", 0.0
        self._records: Mapping[str, Record] = {}

    def compose(self) -> ComposeResult:
        yield Static(id="progress")
        yield Input(placeholder="part of a title or a question; Escape shows all", id="filter")
        with Container():
            yield _Lessons(markup=False)
            with VerticalScroll(id="about", can_focus=False):
                yield Static(id="words")
        yield KeyFooter()

    def on_mount(self) -> None:
        self._read()
        step = next_step(self.application.context.course, self._records)
        self._list(step.lesson.id if step else None)

    def on_screen_resume(self) -> None:
        """Show the progress made on another screen."""
        if self.query_one(OptionList).option_count:
            self._read()
            lesson = self._lesson
            self._list(lesson.id if lesson else None)

    # -- display ----------------------------------------------------------------------------------

    def _read(self) -> None:
        context = self.application.context
        self._records = context.records
        lessons, tasks = context.course.lessons, exercises(context.course)
        run = sum(1 for lesson in lessons if self._record(lesson).runs)
        passed = sum(1 for lesson in tasks if self._record(lesson).passed)
        words = f"{run} of {count(len(lessons), 'lesson')} run, {passed} of {len(tasks)} exercises passed."
        if not run and not passed:
            words = f"{count(len(lessons), 'lesson')}. Choose one with Up and Down, open it with Enter."
        own = "Your own script: asyncdemo trace SCRIPT.py. All commands: asyncdemo --help."
        lines = [
            Content.assemble((context.course.title.partition(":")[0], "bold"), f": {words}"),
            Content(own).stylize("dim"),
        ]
        if self._note:
            lines.append(Content(self._note))
        self.query_one("#progress", Static).update(Content("\n").join(lines))

    def _record(self, lesson: Heading) -> Record:
        return self._records.get(lesson.id, Record())

    def _list(self, wanted: str | None) -> None:
        """Fill the list. ``wanted`` is the id of the lesson to select."""
        part = self.query_one("#filter", Input).value.lower()
        options: list[Option] = []
        for module in self.application.context.course.modules:
            lessons = [
                lesson
                for lesson in module.lessons
                if part in f"{lesson.number} {lesson.id} {lesson.title} {lesson.question}".lower()
            ]
            if lessons:
                minutes = sum(lesson.minutes for lesson in module.lessons)
                heading = Text.assemble((f" {module.title}", "bold"), f", {minutes} min")
                options.append(Option(heading, disabled=True))
            options += [Option(self._line(lesson), id=lesson.id) for lesson in lessons]
        listed = self.query_one(OptionList)
        with self.prevent(OptionList.OptionHighlighted):
            listed.clear_options().add_options(options)
        ids = [option.id for option in options]
        known = wanted is not None and wanted in ids
        listed.highlighted = ids.index(wanted) if known else (1 if options else None)
        self._show_about()

    def _line(self, lesson: Heading) -> Text:
        record = self._record(lesson)
        done = "✓ run" if record.runs else ""
        if record.passed:
            exercise = "✓ exercise"
        elif record.checks and has_exercise(lesson):
            exercise = "  exercise started"
        else:
            exercise = ""
        title = set_cell_size(lesson.title, _TITLE_CELLS)
        return Text.assemble(
            f" {lesson.number:>3}  {title} ",
            (f"{lesson.minutes:>3} min  ", "dim"),
            (f"{done:<7}{exercise}", "green"),
        )

    def _show_about(self) -> None:
        lesson = self._lesson
        words = self.query_one("#words", Static)
        if lesson is None:
            words.update("No lesson matches. To show all lessons, press Escape.")
            return
        parts = [
            Text.assemble((f"{lesson.number} {lesson.title}", "bold"), f", {lesson.minutes} minutes"),
            Text(lesson.question),
        ]
        if self._record(lesson).runs:
            parts.append(Text.assemble(("The point: ", "bold"), lesson.point))
        if missing := lesson.missing_packages:
            needs = f"Needs {join(missing)}. To install what the lessons need: {install_command('course')}"
            parts.append(Text(needs, WARNING))
        words.update(Group(*parts))

    @property
    def _lesson(self) -> Heading | None:
        option = self.query_one(OptionList).highlighted_option
        lessons = self.application.context.course.lessons
        return next((lesson for lesson in lessons if option and lesson.id == option.id), None)

    # -- events -----------------------------------------------------------------------------------

    def on_option_list_option_highlighted(self) -> None:
        self._show_about()

    def on_option_list_option_selected(self) -> None:
        self._enter()

    def on_input_submitted(self) -> None:
        self._enter()

    def _enter(self) -> None:
        lesson = self._lesson
        if lesson is not None:
            self.app.push_screen(LessonScreen(LessonSession(self.application.context, lesson.folder)))

    def on_input_changed(self) -> None:
        lesson = self._lesson
        self._list(lesson.id if lesson else None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.query_one("#filter", Input).display if action == "show_all" else True

    def action_to_list(self) -> None:
        self.query_one(OptionList).focus()

    def action_number(self, digit: int) -> None:
        """Go to the lesson whose number is typed, digit by digit."""
        now_s = time.monotonic()
        self._typed = f"{self._typed if now_s - self._typed_s < _PAUSE_S else ''}{digit}"
        self._typed_s = now_s
        for lesson in self.application.context.course.lessons:
            if str(lesson.number) == self._typed:
                self._list(lesson.id)

    def action_filter(self) -> None:
        field = self.query_one("#filter", Input)
        field.display = True
        field.focus()
        self.refresh_bindings()

    def action_show_all(self) -> None:
        field = self.query_one("#filter", Input)
        field.value, field.display = "", False
        self.query_one(OptionList).focus()
        self.refresh_bindings()

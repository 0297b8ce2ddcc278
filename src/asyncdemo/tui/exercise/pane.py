"""One exercise on a screen: the task, the verdict on the last save, and help.

Its files are watched while it exists.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import ClassVar, cast

from rich.console import RenderableType
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Static

from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.course.content.text import ending
from asyncdemo.course.judging.practice import Practice
from asyncdemo.course.workspace.context import CourseContext, current_folder, shown_path
from asyncdemo.course.workspace.exercise_files import reset
from asyncdemo.course.workspace.next_step import exercises
from asyncdemo.course.workspace.progress import Record
from asyncdemo.course.workspace.saves import Change
from asyncdemo.course.workspace.starting import FOLDER, start_workspace
from asyncdemo.course.workspace.workspace import FileState, has_exercise
from asyncdemo.errors import AsyncdemoError, UsageError
from asyncdemo.model import Run
from asyncdemo.render.terminal.draw import Line
from asyncdemo.tui.app import Application, ReadingScreen, markdown
from asyncdemo.tui.drawing import Drawing
from asyncdemo.tui.exercise.checking import Checking
from asyncdemo.tui.exercise.editor import find_editor, has_window, line_to_look_at, open_in
from asyncdemo.tui.exercise.pages import changes_page, code, draw_verdict, hint_page, solution_page
from asyncdemo.tui.viewer import ViewerScreen


class ExercisePane(Widget, can_focus=True):
    """The exercise of one lesson. Its keys work while it, or something in it, has the focus.

    Attributes:
        lesson: The exercise's lesson; ``switch_to`` changes it.
        context: Where the learner works on it; replaced if a workspace is created.
    """

    DEFAULT_CSS = """
    ExercisePane { height: 1fr; layout: vertical; padding: 0 1; }
    ExercisePane > Static { height: auto; }
    ExercisePane > #note { color: $text-accent; }
    ExercisePane > #hint { margin-top: 1; }
    ExercisePane > #body { height: 1fr; margin-top: 1; }
    ExercisePane > .checking { opacity: 60%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "make_workspace", "Create the folder"),
        Binding("enter", "check", "Check"),
        Binding("e", "edit", "Edit"),
        Binding("h", "hint", "Hint"),
        Binding("s", "solution", "Solution"),
        Binding("d", "changes", "Diff"),
        Binding("x", "reset", "Reset"),
        Binding("z", "look_closer", "Zoom"),
        Binding("w", "ending", "Key points"),
        Binding("escape,b", "back", "Back", key_display="Esc"),
        Binding("c", "code", "Code"),
    ]

    @dataclass
    class OtherSaved(Message):
        """Another exercise of the workspace was saved."""

        lesson: Heading

    def __init__(self, lesson: Heading) -> None:
        super().__init__()
        self.lesson = lesson
        self.context: CourseContext
        self._exercise: Exercise | None = None
        self._practice: Practice | None = None
        # Use the widget's own messages, which end before its children are removed.
        self._checking = Checking(self._saved, lambda: self.call_later(self._show))
        self._hint = 0
        """The number of the visible hint, from 1; 0 if none is."""
        self._resetting = False
        """Reset was requested once, and waits for confirmation."""

    def compose(self) -> ComposeResult:
        yield Static(id="task")
        yield Static(id="state")
        yield Static(id="note")
        yield Static(id="hint")
        with ContentSwitcher(initial="verdict", id="body"):
            yield Drawing(self._draw, id="verdict")
            with VerticalScroll(id="page"):
                yield Static(id="text")

    def on_mount(self) -> None:
        self._open(self.lesson)
        self.set_interval(1, self._show_elapsed)
        self.run_worker(self._checking.work())

    async def on_unmount(self) -> None:
        await self._checking.close()

    def on_show(self) -> None:
        self._checking.wanted = True
        if self.context is not self._application.context:  # a workspace was created elsewhere
            self._open(self.lesson)
        if self._practice is not None:
            self._practice.resume()
        self._checking.wake()

    def on_hide(self) -> None:
        self._checking.wanted = False

    def interrupt(self) -> bool:
        return self._checking.stop()

    def switch_to(self, lesson: Heading, note: str = "", *, saved: bool = False) -> None:
        """Switch to another exercise, with a note why. If it was saved, its check counts as a try."""
        self._open(lesson)
        self._show_note(note)
        if saved and self._practice is not None:
            self._practice.saved()

    @property
    def passed(self) -> bool:
        return self._practice is not None and bool(self._practice.record.passed)

    @property
    def _application(self) -> Application:
        return cast(Application, self.app)

    def _open(self, lesson: Heading) -> None:
        self.lesson, self.context = lesson, self._application.context
        workspace, files = self.context.workspace, {}
        self._practice = self._exercise = None
        if has_exercise(lesson) and workspace is not None:
            self._practice = Practice(self.context, workspace, lesson, "press x")
            self._exercise = self._practice.exercise
            files = {other.id: workspace.file(other) for other in exercises(self.context.course)}
        elif has_exercise(lesson):
            self._exercise = load_lesson(lesson.folder).exercise
        title = f"Exercise {lesson.number}, {lesson.title}"
        task = f": {self._exercise.task}" if self._exercise else ""
        self.query_one("#task", Static).update(Content.assemble((title, "bold"), task))
        self._show_note("")
        self._turn_page(None)
        self._checking.switch_to(self._practice, files)
        self._show()

    # -- display ----------------------------------------------------------------------------------

    def _show(self) -> None:
        verdict = self._practice.verdict if self._practice and not self._practice.stale else None
        if self._hint and verdict is not None and verdict.passed:
            self._show_hint(0)
        self._show_state()
        body = self.query_one("#body", ContentSwitcher)
        body.set_class(self._checking.elapsed_s is not None, "checking")
        self.query_one("#verdict", Drawing).redraw()
        self.refresh_bindings()

    def _show_elapsed(self) -> None:
        if self._checking.elapsed_s is not None:
            self._show_state()

    def _show_state(self) -> None:
        self.query_one("#state", Static).update(self._state())

    def _state(self) -> Content:
        practice, exercise = self._practice, self._exercise
        if practice is None and not has_exercise(self.lesson):
            return Content("This lesson has no exercise.")
        if practice is None:
            return Content(
                "You have no folder for the exercises yet. "
                f"To create it, press m: {current_folder() or '.'}/{FOLDER}"
            )
        path = shown_path(practice.file)
        elapsed_s = self._checking.elapsed_s
        if elapsed_s is not None:
            limit = f" {elapsed_s:.0f} s; a run is stopped after {exercise.timeout_s:g} s" if exercise else ""
            return Content.assemble(("Checking ", "bold"), f"{path} ...{limit if elapsed_s >= 1 else ''}")
        if practice.stale or practice.checked is None:
            return Content(f"{path} has not been checked. To check it, press Enter or save the file.")
        when, trouble = f"{practice.checked:%H:%M:%S}", practice.trouble
        if practice.verdict is None:
            return Content.assemble(("No verdict", "bold $warning"), f", {when}. {trouble}")
        if practice.verdict.passed:
            return Content.assemble(
                ("Passed", "bold $success"),
                f", {when}. For the key points, press w; to go on, press n. {path} {trouble}",
            )
        return Content.assemble(
            ("Not passed yet", "bold $warning"),
            f", {when}. To check again, save {path} {trouble}",
        )

    def _show_note(self, note: str) -> None:
        widget = self.query_one("#note", Static)
        widget.update(Content(note))
        widget.display = bool(note)

    def _draw(self, width: int, height: int) -> list[Line]:
        practice = self._practice
        if practice is None or practice.verdict is None:
            return []
        glyphs = self._application.glyphs
        return draw_verdict(practice.verdict, practice.before, practice.run, glyphs, width, height)

    def _turn_page(self, page: RenderableType | None) -> None:
        """Show a page in place of the verdict; the verdict if None."""
        self._resetting = False
        self._show_hint(0)
        if page is not None:
            self.query_one("#text", Static).update(page)
            self.query_one("#page").scroll_home(animate=False)
        self.query_one("#body", ContentSwitcher).current = "verdict" if page is None else "page"
        if self.has_focus_within:
            (self if page is None else self.query_one("#page")).focus()
        self.refresh_bindings()

    # -- events -----------------------------------------------------------------------------------

    def _saved(self, changes: Mapping[str, Change]) -> None:
        saved = [name for name, change in changes.items() if change is Change.SAVED]
        practice = self._practice
        if practice is not None and self.lesson.id in saved:
            practice.saved()
            self.call_later(self._show_saved, [name for name in saved if name != self.lesson.id])
        elif saved:
            ours = exercises(self.context.course)
            self.post_message(self.OtherSaved(next(lesson for lesson in ours if lesson.id == saved[-1])))
        if practice is not None and changes.get(self.lesson.id) is Change.GONE:
            practice.changed()
            practice.resume()

    def _show_saved(self, others: list[str]) -> None:
        self._show_note(f"Also saved, but not checked: {', '.join(others)}." if others else "")
        if self._page_is_open:
            self._turn_page(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        practice = self._practice
        if action == "make_workspace":
            return practice is None and has_exercise(self.lesson)
        if action in ("hint", "solution"):
            return self._exercise is not None
        if action in ("edit", "reset", "code"):
            return practice is not None
        if action == "check":
            return practice is not None and practice.stale and self._checking.elapsed_s is None
        if action == "changes":
            return practice is not None and practice.verdict is not None
        if action == "ending":
            return self.passed
        if action == "look_closer":
            return bool(self._runs) and not self._page_is_open
        return self._page_is_open or bool(self._hint) if action == "back" else True

    @property
    def _page_is_open(self) -> bool:
        return self.query_one("#body", ContentSwitcher).current == "page"

    @property
    def _runs(self) -> list[Run]:
        """The runs in the picture; after a pass, including an earlier one."""
        practice = self._practice
        if practice is None or practice.verdict is None:
            return []
        runs = [practice.before, practice.run] if practice.verdict.passed else [practice.run]
        return [run for run in runs if run is not None and run.rows]

    def action_code(self) -> None:
        """Show the file as it is on disk, with line numbers, which the verdict refers to."""
        if self._practice is not None and self._practice.file.is_file():
            file = self._practice.file
            self.app.push_screen(ReadingScreen(shown_path(file), Static(code(file, numbered=True))))

    def action_ending(self) -> None:
        try:
            text = ending(self.lesson.folder / "README.md", self.lesson.id)
        except AsyncdemoError as error:
            self._show_note(str(error))
            return
        self.app.push_screen(ReadingScreen(f"The end of lesson {self.lesson.number}", markdown(text)))

    def action_look_closer(self) -> None:
        self.app.push_screen(ViewerScreen(self._runs))

    def action_check(self) -> None:
        if self._practice is not None:
            self._practice.resume()
            self._turn_page(None)
            self._checking.wake()

    def action_hint(self) -> None:
        """Show the first unseen hint, or the first if all are known; if one is visible, the one after it."""
        exercise = self._exercise
        assert exercise is not None  # ``check_action`` makes sure of it
        count, known = len(exercise.hints), self.context.record(self.lesson.id).hints
        number = min((self._hint or known % count) + 1, count)
        if number > known:
            self._show_note(self.context.remember(self.lesson.id, Record.after_hint))
        self._turn_page(None)
        self._show_hint(number)

    def action_back(self) -> None:
        """Go from a hint to the previous one, from a page to the verdict."""
        if self._hint:
            self._show_hint(self._hint - 1)
        else:
            self._turn_page(None)

    def _show_hint(self, number: int) -> None:
        """Show a hint above the verdict, as it is about that. ``number`` counts from 1; 0 removes it."""
        self._hint = number
        widget = self.query_one("#hint", Static)
        widget.display = bool(number)
        if number and self._exercise is not None:
            widget.update(hint_page(number, self._exercise.hints))
        self.refresh_bindings()

    def action_solution(self) -> None:
        exercise = self._exercise
        assert exercise is not None
        trouble = self.context.remember(self.lesson.id, Record.after_asking_for_solution)
        record = self.context.record(self.lesson.id)
        if not (record.solution_shown or trouble):  # without a record of it, nobody could ask twice
            hint = " For a hint instead, press h." if record.hints < len(exercise.hints) else ""
            self._show_note(
                f"Yours has not passed yet, and you learn more if you find the solution yourself.{hint} "
                "To see a solution anyway, press s again."
            )
            return
        self._show_note(trouble)
        self._help(lambda: solution_page(exercise))

    def action_changes(self) -> None:
        practice, exercise = self._practice, self._exercise
        assert practice is not None and exercise is not None
        known = practice.record
        may_see = bool(known.passed) or known.solution_shown
        self._help(lambda: changes_page(exercise, practice.file, with_solution=may_see))

    def _help(self, page: Callable[[], RenderableType]) -> None:
        try:
            self._turn_page(page())
        except AsyncdemoError as error:
            self._show_note(str(error))

    def action_reset(self) -> None:
        """Ask first if edits would be lost."""
        practice, workspace = self._practice, self.context.workspace
        assert practice is not None and workspace is not None
        name = shown_path(practice.file)
        try:
            if workspace.state(self.lesson) is FileState.EDITED and not self._resetting:
                self._resetting = True
                self._show_note(
                    f"You have edited {name}. To restore it, press x again; your version is kept beside it."
                )
                return
            backup = reset(workspace, self.lesson)
        except AsyncdemoError as error:
            self._show_note(str(error))
            return
        self._checking.forget(self.lesson.id)
        self._show_note(f"{name} is restored." + (f" Your version: {shown_path(backup)}" if backup else ""))
        practice.changed()
        self.action_check()

    def action_edit(self) -> None:
        practice = self._practice
        assert practice is not None
        message = practice.verdict.message if practice.verdict else None
        line = line_to_look_at(practice.file, message or "")
        try:
            editor = find_editor()
            with nullcontext() if has_window(editor) else self._application.terminal_lent():
                open_in(editor, practice.file, line)
        except UsageError as error:
            self._show_note(str(error))
        self._checking.wake()

    async def action_make_workspace(self) -> None:
        try:
            started = await asyncio.to_thread(start_workspace, None, self.context.course_folder)
        except AsyncdemoError as error:
            self._show_note(str(error))
            return
        self._application.context = started.context
        self._open(self.lesson)
        self._show_note(
            f"Created {started.workspace.folder}, with {len(started.given)} exercises. {started.trouble}"
        )

"""``asyncdemo watch``: checks an exercise whenever it is saved, until one quits.

Not for: what was saved (``course.watching``), judging (``course.judging``), what it looks like (``board``).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

import click

from asyncdemo.cli.attention import QUIT, Attention
from asyncdemo.cli.board import Board, Log, Picture, Sheet
from asyncdemo.cli.console import make_console
from asyncdemo.cli.editor import edit, editor_command
from asyncdemo.cli.exercises import exercise_argument, find_exercise, need_workspace, now, shown_path
from asyncdemo.cli.keys import Keys
from asyncdemo.cli.options import course_option, plain_option
from asyncdemo.cli.pages import command_page, keys_page, timeline_page
from asyncdemo.cli.signals import Signals
from asyncdemo.cli.terminal import can_ask, can_draw, in_foreground
from asyncdemo.course.catalog import Heading
from asyncdemo.course.exercise import Exercise
from asyncdemo.course.judging import Stopped, Verdict, judge
from asyncdemo.course.lesson import load_lesson
from asyncdemo.course.place import Place, locate
from asyncdemo.course.progress import Record
from asyncdemo.course.steps import exercises, following_exercise
from asyncdemo.course.watching import Change, Watcher
from asyncdemo.errors import EXIT_INTERRUPTED, EXIT_OK, AsyncdemoError, UsageError, WorkspaceError
from asyncdemo.model import Run
from asyncdemo.runner import Spares

__all__ = ["command"]

_IDLE_S: Final = 0.1
"""How long at most until a signal or another size of the window is seen."""
_MOST_SPARES: Final = 4
_BACK: Final = {"enter", "escape", " ", "backspace"}


@click.command("watch")
@exercise_argument()
@click.option(
    "--poll",
    is_flag=True,
    help="Look at the files again and again. For file systems that do not report changes.",
)
@plain_option
@course_option
@click.pass_context
def command(
    context: click.Context,
    exercise_name: str | None,
    poll: bool,
    plain: bool,
    course_folder: Path | None,
) -> None:
    """Check an exercise whenever you save it. q quits, ? explains the keys.

    EX is an id, a number, a part of an id, or the file. Without it: the first that has not passed. Whichever
    exercise of the workspace you save is checked. Without a terminal there are no keys: Ctrl-C ends it.
    """
    place = locate(course_folder)
    need_workspace(place)
    first = find_exercise(place, exercise_name)
    with_keys = can_ask() and in_foreground()
    drawn = with_keys and can_draw() and not plain
    if not drawn:
        context.color = False
    with ExitStack() as stack:
        signals = stack.enter_context(Signals())
        spares = stack.enter_context(Spares())
        spares.fill(1)  # it starts while we load what is left
        watcher = stack.enter_context(Watcher(_files(place), poll))
        keys = stack.enter_context(Keys()) if with_keys else None
        board: Board = Picture(make_console()) if drawn else Log(with_keys)
        attention = Attention(keys, watcher, signals)
        words = ""
        try:
            watch = _Watch(place, first, board, attention, watcher, spares, course_folder, plain=plain)
            words = watch.until_quit()
        finally:
            board.close(words)
    context.exit(EXIT_INTERRUPTED if signals.seen else EXIT_OK)


class _Watch:
    """One exercise at a time, its last verdict, and what is to happen next."""

    def __init__(
        self,
        place: Place,
        first: Heading,
        board: Board,
        attention: Attention,
        watcher: Watcher,
        spares: Spares,
        course_folder: Path | None,
        *,
        plain: bool,
    ) -> None:
        self._place = place
        self._workspace = need_workspace(place)
        self._board = board
        self._attention = attention
        self._watcher = watcher
        self._spares = spares
        self._course = [] if course_folder is None else ["--course", str(course_folder)]
        self._plain = plain
        self._due = False
        """The exercise is to be checked."""
        self._saved = False
        """... because it was saved."""
        self._ended = False
        self._stale = False
        """There is no verdict on what is in the file now."""
        self._runs: tuple[Run, ...] = ()
        self._began_s = 0.0
        self._shown_s = 0
        self._lesson = first
        self._exercise: Exercise | None = None
        self._sheet = Sheet("", "", "")
        self._turn_to(first, "")

    def until_quit(self) -> str:
        """Returns some last words."""
        while not self._ended:
            if self._due:
                self._check()
            else:
                ready = self._spares.fill(
                    min(len(self._exercise.runs) if self._exercise else 1, _MOST_SPARES)
                )
                self._attention.listen(_IDLE_S if ready else _IDLE_S / 4)
            self._heed()
        if self._record(self._lesson).passed:
            return f"{self._lesson.id} has passed."
        return f"{self._lesson.id} has not passed yet. `asyncdemo watch {self._lesson.id}` goes on."

    # -- what happens -----------------------------------------------------------------------------

    def _heed(self) -> None:
        attention = self._attention
        if attention.stopped:  # whoever has the terminal meanwhile gets it as it was
            self._board.suspend()
            attention.stop()
            self._board.resume()
            self._due = self._due or self._stale
            self._show()
        self._board.resized()
        if attention.changes:
            changes, attention.changes = attention.changes, {}
            self._heed_changes(changes)
        while attention.typed and not self._ended:
            self._press(attention.typed.pop(0))
        self._ended = self._ended or attention.ended

    def _heed_changes(self, changes: Mapping[str, Change]) -> None:
        saved = [name for name, change in changes.items() if change is Change.SAVED]
        if self._lesson.id in saved:
            self._due = self._saved = True
            others = [name for name in saved if name != self._lesson.id]
            note = f"Saved at the same time, and not checked: {', '.join(others)}." if others else ""
            self._sheet = replace(self._sheet, note=note)
        elif saved:
            lesson = next(lesson for lesson in exercises(self._place.course) if lesson.id == saved[-1])
            before = self._lesson
            self._turn_to(
                lesson, f"You saved {lesson.id}, so this is the exercise now; before it was {before.id}."
            )
            self._saved = True
        if Change.GONE in changes.values():
            self._watcher.watch(_files(self._place))  # it may have been moved
            self._due = self._due or self._stale or self._lesson.id in changes

    # -- the check ----------------------------------------------------------------------------------

    def _check(self) -> None:
        self._due, self._stale = False, True
        saved, self._saved = self._saved, False
        self._began_s = time.monotonic()
        self._shown_s = 0
        file = self._workspace.file(self._lesson)
        self._sheet = replace(
            self._sheet,
            file=shown_path(file),
            checking=f"Checking {file.name} ...",
            verdict=None,
            trouble="",
            end="",
        )
        self._show()
        verdict, trouble = None, ""
        try:
            verdict = self._verdict(file)
        except Stopped:
            self._saved = saved
            self._sheet = replace(
                self._sheet, checking="", trouble="This check was ended. Enter starts it again."
            )
            return
        except AsyncdemoError as error:
            trouble = str(error)
        self._stale = False
        passed = verdict is not None and verdict.passed
        if verdict is not None:
            self._runs = verdict.runs
            if saved or passed:
                trouble = self._remember(passed)
        self._sheet = replace(
            self._sheet,
            file=f"{shown_path(file)}, checked at {datetime.now():%H:%M:%S}",
            checking="",
            verdict=verdict,
            trouble=trouble,
            end=self._end(passed),
        )
        self._show()

    def _verdict(self, file: Path) -> Verdict:
        """Raises Stopped, AsyncdemoError."""
        if self._exercise is None:
            self._exercise = load_lesson(self._lesson.folder).exercise
        if self._exercise is None:
            raise WorkspaceError(f"{self._lesson.folder}: its manifest says nothing of an exercise.")
        if not file.is_file():
            raise WorkspaceError(
                f"{shown_path(file)} is not there. To get it again: {self._press_or('x', 'reset')}."
            )
        return judge(self._exercise, file, self._goes_on, self._spares)

    def _goes_on(self) -> bool:
        """Whether the check that is running is still wanted; called many times while it runs."""
        self._attention.listen(0)
        self._board.resized()
        self._show_time()
        return not self._attention.elsewhere()

    def _end(self, passed: bool) -> str:
        """What the verdict means for what to do next."""
        if not passed:
            words = "Not passed yet. Save the file and it is checked again. For a hint: "
            return f"{words}{self._press_or('h', 'hint')}."
        following = self._following()
        if following is None or self._record(following).passed:
            return "Passed, and so have all the others: that was the last exercise."
        name = f"exercise {following.number}, {following.title}"
        if self._attention.has_keys:
            return f"Passed. Press n to go on: {name}."
        file = shown_path(self._workspace.file(following))
        return f"Passed. Next: {name}. Save {file} and it is checked."

    def _remember(self, passed: bool) -> str:
        """Returns why it could not be kept, if so: the verdict is not less true."""
        if self._place.progress is None:
            return ""
        try:
            self._place.progress.update(self._lesson.id, lambda record: record.after_check(passed, now()))
        except WorkspaceError as error:
            return str(error)
        return ""

    def _show_time(self) -> None:
        """While a check takes long."""
        elapsed_s = int(time.monotonic() - self._began_s)
        if elapsed_s > self._shown_s:
            self._shown_s = elapsed_s
            words = self._sheet.checking.partition(" ...")[0]
            limit = f"; a run is ended after {self._exercise.timeout_s:g} s" if self._exercise else ""
            self._sheet = replace(self._sheet, checking=f"{words} ... {elapsed_s} s{limit}")
            self._show()

    # -- keys ---------------------------------------------------------------------------------------

    def _press(self, key: str) -> None:
        course, plain = self._course, ["--plain"] if self._plain else []
        if key in QUIT:
            self._ended = True
        elif key in _BACK:
            self._due = self._due or self._stale
            self._show()
        elif key == "n":
            self._next()
        elif key == "e":
            self._edit()
        elif key == "h":
            self._page(lambda: self._command("hint", self._lesson.id, *course))
        elif key == "l":
            self._page(lambda: self._command("list", *course))
        elif key == "s":
            self._page(lambda: self._command("solution", self._lesson.id, *course))
        elif key == "t":
            self._page(self._timeline)
        elif key == "?":
            self._page(keys_page)
        elif key == "r":
            self._page(lambda: self._command("run", self._lesson.id, *course, *plain), asks=True)
        elif key == "x":
            self._reset()

    def _next(self) -> None:
        following = self._following()
        if following is None:
            self._sheet = replace(self._sheet, note="There is no other exercise.")
            self._show()
            return
        left = self._lesson
        passed = self._record(left).passed
        self._turn_to(
            following, "" if passed else f"{left.id} has not passed yet; pressing n comes back to it."
        )

    def _following(self) -> Heading | None:
        records = {lesson.id: self._record(lesson) for lesson in exercises(self._place.course)}
        return following_exercise(self._place.course, records, self._lesson)

    def _page(self, write: Callable[[], None], *, asks: bool = False) -> None:
        """Something else in the place of the sheet, until the next key or save.

        asks: it reads lines from the terminal.
        """
        self._board.page()
        if asks:
            with self._attention.lent(raised=True):
                write()
        else:
            write()
        self._board.end_page()

    def _command(self, name: str, *arguments: str) -> None:
        command_page(name, arguments, plain=self._plain)

    def _timeline(self) -> None:
        console = make_console() if isinstance(self._board, Picture) else None
        timeline_page(self._runs, self._exercise.rows if self._exercise else (), console)

    def _reset(self) -> None:
        """It says where the learner's text is kept; the new one is checked when they have read that."""
        self._page(lambda: self._command("reset", self._lesson.id, *self._course), asks=True)
        self._stale = self._watcher.forget(self._lesson.id) or self._stale

    def _edit(self) -> None:
        note = ""
        try:
            command = editor_command()
            self._board.suspend()
            with self._attention.lent(raised=False):
                edit(command, self._workspace.file(self._lesson), lambda: self._attention.told)
        except UsageError as error:
            note = str(error)
        self._board.resume()
        self._sheet = replace(self._sheet, note=note)
        self._due = self._stale
        self._show()

    # -- parts --------------------------------------------------------------------------------------

    def _turn_to(self, lesson: Heading, note: str) -> None:
        self._lesson = lesson
        self._runs = ()
        self._exercise = None
        with contextlib.suppress(AsyncdemoError):  # the check will say so
            self._exercise = load_lesson(lesson.folder).exercise
        if not self._record(lesson).runs:
            note = f"{note} You have not run its lesson yet: {self._press_or('r', 'run')}.".lstrip()
        self._sheet = Sheet(
            title=f"Exercise {lesson.number}, {lesson.title}",
            task=self._exercise.task if self._exercise else "",
            file=shown_path(self._workspace.file(lesson)),
            note=note,
        )
        self._due = True

    def _record(self, lesson: Heading) -> Record:
        return self._place.progress.of(lesson.id) if self._place.progress else Record()

    def _press_or(self, key: str, command: str) -> str:
        return f"press {key}" if self._attention.has_keys else f"asyncdemo {command} {self._lesson.id}"

    def _show(self) -> None:
        self._board.show(self._sheet)


def _files(place: Place) -> dict[str, Path]:
    workspace = need_workspace(place)
    return {lesson.id: workspace.file(lesson) for lesson in exercises(place.course)}

"""``asyncdemo watch``: checks an exercise whenever it is saved, until one quits.

Not for: what was saved (``course.workspace.saves``), a check and its verdict (``exercise_view``), what it
looks like (``board``) or says to do next (``guidance``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import click

from asyncdemo.cli.attention import QUIT, Attention
from asyncdemo.cli.board import Board, Log, Picture
from asyncdemo.cli.console import make_console
from asyncdemo.cli.editor import edit, editor_command
from asyncdemo.cli.exercise_view import ExerciseView
from asyncdemo.cli.exercises import exercise_argument, find_exercise, need_workspace
from asyncdemo.cli.guidance import Guide
from asyncdemo.cli.keys import Keys
from asyncdemo.cli.options import course_option, plain_option
from asyncdemo.cli.pages import command_page, keys_page, timeline_page
from asyncdemo.cli.signals import Signals
from asyncdemo.cli.terminal import can_ask, can_draw, in_foreground
from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.workspace.context import CourseContext, locate
from asyncdemo.course.workspace.next_step import exercises
from asyncdemo.course.workspace.saves import Change, Watcher
from asyncdemo.errors import EXIT_INTERRUPTED, EXIT_OK, UsageError
from asyncdemo.recording.runner import SpareChildren
from asyncdemo.serving import ServiceCache

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
    click_context: click.Context,
    exercise_name: str | None,
    poll: bool,
    plain: bool,
    course_folder: Path | None,
) -> None:
    """Check an exercise whenever you save it. q quits, ? explains the keys.

    EX is an id, a number, a part of an id, or the file. Without it: the first that has not passed. Whichever
    exercise of the workspace you save is checked. Without a terminal there are no keys: Ctrl-C ends it.
    """
    context = locate(course_folder)
    need_workspace(context)
    first = find_exercise(context, exercise_name)
    with_keys = can_ask() and in_foreground()
    drawn = with_keys and can_draw() and not plain
    if not drawn:
        click_context.color = False
    with ExitStack() as stack:
        signals = stack.enter_context(Signals())
        spares = stack.enter_context(SpareChildren())
        spares.fill(1)  # it starts while we load what is left
        kept = stack.enter_context(ServiceCache())
        watcher = stack.enter_context(Watcher(_files(context), poll))
        keys = stack.enter_context(Keys()) if with_keys else None
        board: Board = Picture(make_console()) if drawn else Log(with_keys)
        attention = Attention(keys, watcher, signals)
        words = ""
        try:
            watch = _Watch(
                context, first, board, attention, watcher, spares, kept, course_folder, plain=plain
            )
            words = watch.until_quit()
        finally:
            board.close(words)
    click_context.exit(EXIT_INTERRUPTED if signals.seen else EXIT_OK)


class _Watch:
    """One exercise at a time, and what happens to it: saves, keys, signals."""

    def __init__(
        self,
        context: CourseContext,
        first: Heading,
        board: Board,
        attention: Attention,
        watcher: Watcher,
        spares: SpareChildren,
        kept: ServiceCache,
        course_folder: Path | None,
        *,
        plain: bool,
    ) -> None:
        self._context = context
        self._board = board
        self._attention = attention
        self._watcher = watcher
        self._spares = spares
        self._kept = kept
        self._course = [] if course_folder is None else ["--course", str(course_folder)]
        self._plain = plain
        self._ended = False
        self._guide = Guide(context, has_keys=attention.has_keys)
        self._view = ExerciseView(context, first, self._guide)

    def until_quit(self) -> str:
        """Returns some last words."""
        while not self._ended:
            if self._view.due:
                self._view.check(self._spares, self._kept, self._board.show, self._check_goes_on)
            else:
                ready = self._spares.fill(min(self._view.run_count, _MOST_SPARES))
                self._attention.listen(_IDLE_S if ready else _IDLE_S / 4)
            self._heed()
        return self._guide.on_quitting(self._view.lesson)

    def _check_goes_on(self) -> bool:
        self._attention.listen(0)
        self._board.resized()
        return not self._attention.check_is_unwanted()

    # -- what happens -----------------------------------------------------------------------------

    def _heed(self) -> None:
        attention = self._attention
        if attention.stopped:  # whoever has the terminal meanwhile gets it as it was
            self._board.suspend()
            attention.stop()
            self._board.resume()
            self._come_back()
        self._board.resized()
        if attention.changes:
            changes, attention.changes = attention.changes, {}
            self._heed_changes(changes)
        while attention.typed and not self._ended:
            self._press(attention.typed.pop(0))
        self._ended = self._ended or attention.ended

    def _heed_changes(self, changes: Mapping[str, Change]) -> None:
        here = self._view.lesson.id
        saved = [name for name, change in changes.items() if change is Change.SAVED]
        if here in saved:
            others = [name for name in saved if name != here]
            self._view.saved()
            self._view.note(
                f"Saved at the same time, and not checked: {', '.join(others)}." if others else ""
            )
        elif saved:
            lesson = next(lesson for lesson in exercises(self._context.course) if lesson.id == saved[-1])
            self._turn_to(
                lesson, f"You saved {lesson.id}, so this is the exercise now; before it was {here}."
            )
            self._view.saved()
        if Change.GONE in changes.values():
            self._watcher.watch(_files(self._context))  # it may have been moved
            self._view.changed(here in changes)
            self._view.come_back()

    # -- keys ---------------------------------------------------------------------------------------

    def _press(self, key: str) -> None:
        lesson, course, plain = self._view.lesson, self._course, ["--plain"] if self._plain else []
        if key in QUIT:
            self._ended = True
        elif key in _BACK:
            self._come_back()
        elif key == "n":
            self._next()
        elif key == "e":
            self._edit()
        elif key == "h":
            self._page(lambda: self._command("hint", lesson.id, *course))
        elif key == "l":
            self._page(lambda: self._command("list", *course))
        elif key == "s":
            self._page(lambda: self._command("solution", lesson.id, *course))
        elif key == "t":
            self._page(self._timeline)
        elif key == "?":
            self._page(keys_page)
        elif key == "r":
            self._page(lambda: self._command("run", lesson.id, *course, *plain), asks=True)
            self._view.note(self._guide.on_coming(lesson))
        elif key == "x":
            self._reset()

    def _next(self) -> None:
        left = self._view.lesson
        following = self._guide.following(left)
        if following is None:
            self._view.note("There is no other exercise.")
            self._show()
        else:
            self._turn_to(following, self._guide.on_leaving(left))

    def _reset(self) -> None:
        """It says where the learner's text is kept; the new one is checked when they have read that."""
        lesson = self._view.lesson
        self._page(lambda: self._command("reset", lesson.id, *self._course), asks=True)
        self._view.changed(self._watcher.forget(lesson.id))

    def _edit(self) -> None:
        note = ""
        try:
            command = editor_command()
            self._board.suspend()
            with self._attention.lent(raised=False):
                edit(command, self._view.file, lambda: self._attention.ended_meanwhile)
        except UsageError as error:
            note = str(error)
        self._board.resume()
        self._view.note(note)
        self._come_back()

    # -- what is shown ------------------------------------------------------------------------------

    def _turn_to(self, lesson: Heading, note: str) -> None:
        self._view = ExerciseView(self._context, lesson, self._guide, note)

    def _come_back(self) -> None:
        self._view.come_back()
        self._show()

    def _show(self) -> None:
        self._board.show(self._view.sheet)

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
        timeline_page(self._view.runs, self._view.rows, console)


def _files(context: CourseContext) -> dict[str, Path]:
    workspace = need_workspace(context)
    return {lesson.id: workspace.file(lesson) for lesson in exercises(context.course)}

"""``asyncdemo watch``: checks an exercise whenever it is saved, until one quits.

Not for: what was saved (``course.watching``), judging (``course.judging``), what it looks like (``board``).
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Final

import click

from asyncdemo.cli.board import KEYS, Board, Log, Picture, Sheet
from asyncdemo.cli.console import make_console, print_runs
from asyncdemo.cli.editor import edit, editor_command
from asyncdemo.cli.exercises import exercise_argument, find_exercise, need_workspace, now, shown_path
from asyncdemo.cli.keys import CLOSED, Keys
from asyncdemo.cli.options import course_option, plain_option
from asyncdemo.cli.signals import Signals
from asyncdemo.cli.terminal import can_ask, can_draw, in_foreground, wrapped
from asyncdemo.course.catalog import Heading
from asyncdemo.course.exercise import Exercise
from asyncdemo.course.judging import Stopped, Verdict, judge
from asyncdemo.course.lesson import load_lesson
from asyncdemo.course.place import Place, locate
from asyncdemo.course.progress import Record
from asyncdemo.course.steps import exercises
from asyncdemo.course.watching import Change, Watcher
from asyncdemo.errors import EXIT_INTERRUPTED, EXIT_OK, AsyncdemoError, UsageError, WorkspaceError
from asyncdemo.model import Run
from asyncdemo.runner import Spares

__all__ = ["command"]

_IDLE_S: Final = 0.1
"""How long at most until a signal or another size of the window is seen."""
_MOST_SPARES: Final = 4
_STOPPING: Final = {"q", "Q", "n", "r", "x", "e", CLOSED, "ctrl-d"}
"""Keys that make the verdict on the check that is running pointless."""
_QUIT: Final = {"q", "Q", CLOSED, "ctrl-d"}
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
        watched = _files(place)
        watcher = stack.enter_context(Watcher(watched, poll))
        keys = stack.enter_context(Keys()) if with_keys else None
        board: Board = Picture(make_console()) if drawn else Log(with_keys)
        watch = _Watch(place, first, board, keys, watcher, spares, signals, course_folder, plain=plain)
        words = "Interrupted."
        try:
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
        keys: Keys | None,
        watcher: Watcher,
        spares: Spares,
        signals: Signals,
        course_folder: Path | None,
        *,
        plain: bool,
    ) -> None:
        self._place = place
        self._workspace = need_workspace(place)
        self._board = board
        self._keys = keys
        self._watcher = watcher
        self._spares = spares
        self._signals = signals
        self._course = [] if course_folder is None else ["--course", str(course_folder)]
        self._plain = plain
        self._typed: list[str] = []
        self._changes: dict[str, Change] = {}
        self._due = False
        """The exercise is to be checked."""
        self._saved = False
        """... because it was saved."""
        self._ended = False
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
                self._wait()
            self._heed()
        if self._record(self._lesson).passed:
            return f"{self._lesson.id} has passed."
        return f"{self._lesson.id} has not passed yet. `asyncdemo watch {self._lesson.id}` goes on."

    # -- what happens -----------------------------------------------------------------------------

    def _wait(self) -> None:
        """Until there may be something to heed; meanwhile processes are started ahead."""
        ready = self._spares.fill(min(len(self._exercise.runs) if self._exercise else 1, _MOST_SPARES))
        pause_s = min(self._watcher.pause_s(), _IDLE_S if ready else _IDLE_S / 4)
        self._listen(pause_s)

    def _listen(self, pause_s: float) -> None:
        """Gathers keys and changes."""
        if self._keys is not None:
            key = self._keys.read(pause_s, [self._watcher.fileno()])
            while key is not None:
                self._typed.append(key)
                key = None if key == CLOSED else self._keys.read(0)
        elif pause_s:
            select.select([self._watcher.fileno()], [], [], pause_s)
        self._changes.update(self._watcher.look())

    def _goes_on(self) -> bool:
        """Whether the check that is running is still wanted; called many times while it runs."""
        self._listen(0)
        self._show_time()
        return not (
            self._changes or self._signals.seen or self._signals.stop or not _STOPPING.isdisjoint(self._typed)
        )

    def _heed(self) -> None:
        if self._signals.seen:
            self._ended = True
            return
        if self._signals.stop:
            self._stop()
        self._board.resized()
        if self._changes:
            self._heed_changes()
        while self._typed and not self._ended:
            self._press(self._typed.pop(0))

    def _heed_changes(self) -> None:
        changes, self._changes = self._changes, {}
        saved = [name for name, change in changes.items() if change is Change.SAVED]
        if self._lesson.id in saved:
            self._due = self._saved = True
            others = [name for name in saved if name != self._lesson.id]
            note = f"Saved at once, and not checked: {', '.join(others)}." if others else ""
            self._sheet = replace(self._sheet, note=note)
        elif saved:
            lesson = next(lesson for lesson in exercises(self._place.course) if lesson.id == saved[-1])
            before = self._lesson
            self._turn_to(
                lesson, f"You saved {lesson.id}, so this is the exercise now; before it was {before.id}."
            )
            self._saved = True
        if changes.get(self._lesson.id) is Change.GONE:
            self._due = True
            self._watcher.watch(_files(self._place))

    def _stop(self) -> None:
        """Ctrl-Z: whoever has the terminal meanwhile gets it as it was."""
        self._leave()
        self._signals.stop_now()
        self._come_back()
        self._due = True

    # -- the check ----------------------------------------------------------------------------------

    def _check(self) -> None:
        self._due = False
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
            return
        except AsyncdemoError as error:
            trouble = str(error)
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

    def _end(self, passed: bool) -> str:
        """What the verdict means for what to do next."""
        if not passed:
            words = "Not passed yet. Save the file and it is checked again. For a hint: "
            return f"{words}{self._press_or('h', 'hint')}."
        following = self._following()
        if following is None or self._record(following).passed:
            return "Passed, and so have all the others: that was the last exercise."
        name = f"exercise {following.number}, {following.title}"
        if self._keys is not None:
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
        if key in _QUIT:
            self._ended = True
        elif key in _BACK:
            self._show()
        elif key == "n":
            self._next()
        elif key in "hlrtsxe?":
            action: Callable[[], None] = {
                "h": lambda: self._page(lambda: self._command("hint", self._lesson.id)),
                "l": lambda: self._page(lambda: self._command("list")),
                "r": lambda: self._page(
                    lambda: self._command("run", self._lesson.id, *self._plainly), asks=True
                ),
                "t": lambda: self._page(self._timeline),
                "s": lambda: self._page(lambda: self._command("solution", self._lesson.id)),
                "x": lambda: self._page(lambda: self._command("reset", self._lesson.id), asks=True),
                "e": self._edit,
                "?": lambda: self._page(self._explain),
            }[key]
            action()
        if self._sheet.checking:  # the key ended it
            self._due = True

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
        """The exercise after this one that has not passed; if all have, the one after it."""
        order = exercises(self._place.course)
        here = next(place for place, lesson in enumerate(order) if lesson.id == self._lesson.id)
        others = (*order[here + 1 :], *order[:here])
        return next(
            (lesson for lesson in others if not self._record(lesson).passed), next(iter(others), None)
        )

    def _page(self, write: Callable[[], None], *, asks: bool = False) -> None:
        """Something else in the place of the sheet, until the next key or save.

        asks: it reads lines from the terminal.
        """
        self._board.page()
        if not asks:
            write()
        elif self._keys is not None:
            self._leave_keys()
            with self._signals.elsewhere(raised=True):
                write()
            self._keys.__enter__()
        self._board.end_page()

    def _command(self, name: str, *arguments: str) -> None:
        """Another command, here."""
        called: click.Command = import_module(f"asyncdemo.cli.{name}").command
        color = False if self._plain or os.environ.get("NO_COLOR") else None
        try:
            called.main([*arguments, *self._course], f"asyncdemo {name}", standalone_mode=False, color=color)
        except AsyncdemoError as error:
            click.echo(wrapped(str(error)))
        except click.ClickException as error:
            error.show()
        except click.Abort:
            click.echo()

    def _timeline(self) -> None:
        if not self._runs:
            click.echo("There is no timeline yet: nothing of this exercise has run.")
            return
        rows = self._exercise.rows if self._exercise else ()
        run = self._runs[-1]
        lanes = tuple(lane for lane in run.lanes if lane.function in rows) or run.lanes
        console = make_console() if isinstance(self._board, Picture) else None
        print_runs([replace(run, lanes=lanes)], console)

    def _explain(self) -> None:
        for key, (name, words) in KEYS.items():
            click.echo(wrapped(words, f"  {key}  {name:<12}", " " * 17))
        click.echo("\n" + wrapped("Enter goes back to the verdict. Whatever you save is checked at once."))

    def _edit(self) -> None:
        file = self._workspace.file(self._lesson)
        note = ""
        try:
            editor_command()
            self._leave()
            with self._signals.elsewhere(raised=False):
                edit(file, lambda: any(number != signal.SIGINT for number in self._signals.seen))
        except UsageError as error:
            note = str(error)
        finally:
            self._come_back()
        self._sheet = replace(self._sheet, note=note)
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
        return f"press {key}" if self._keys is not None else f"asyncdemo {command} {self._lesson.id}"

    @property
    def _plainly(self) -> Sequence[str]:
        return ["--plain"] if self._plain else []

    def _show(self) -> None:
        self._board.show(self._sheet)

    def _leave(self) -> None:
        """Somebody else gets the terminal."""
        self._board.suspend()
        self._leave_keys()

    def _leave_keys(self) -> None:
        if self._keys is not None:
            self._keys.__exit__(None, None, None)

    def _come_back(self) -> None:
        if self._keys is not None:
            self._keys.__enter__()
        self._board.resume()


def _files(place: Place) -> dict[str, Path]:
    workspace = need_workspace(place)
    return {lesson.id: workspace.file(lesson) for lesson in exercises(place.course)}

"""``asyncdemo watch``: checks an exercise whenever it is saved, until the user quits."""

from __future__ import annotations

import select
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import click

from asyncdemo.cli.exercises import (
    exercise_argument,
    find_exercise,
    locate_with_progress,
    need_workspace,
)
from asyncdemo.cli.options import course_option, plain_option
from asyncdemo.cli.output import has_room
from asyncdemo.cli.signals import noting_signals
from asyncdemo.cli.terminal import interactive, wrap_for
from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.judging.practice import Practice, following
from asyncdemo.course.workspace.context import CourseContext, shown_path
from asyncdemo.course.workspace.next_step import exercises
from asyncdemo.course.workspace.saves import Change, Watcher
from asyncdemo.errors import EXIT_INTERRUPTED
from asyncdemo.recording.runner import SpareChildren
from asyncdemo.render.terminal.verdict import verdict_text
from asyncdemo.serving import ServiceCache

_IDLE_S: Final = 0.1
"""The maximum delay until a signal is noticed."""
_MOST_SPARES: Final = 4


@click.command("watch")
@exercise_argument()
@plain_option
@course_option
@click.pass_context
def command(
    click_context: click.Context,
    exercise_name: str | None,
    plain: bool,
    course_folder: Path | None,
) -> None:
    """Check an exercise whenever you save it. Press q to quit, ? for the keys.

    EX is an id, a number, a part of an id, or the file. By default, the first that has not passed. If you
    save another exercise of the workspace, that one is checked. With --plain or without a terminal, this
    writes a log until Ctrl-C.
    """
    context = locate_with_progress(course_folder)
    lesson = find_exercise(context, exercise_name)
    if interactive(plain):
        from asyncdemo.tui.app import run_application
        from asyncdemo.tui.watch import WatchScreen

        click_context.exit(run_application(context, lambda: WatchScreen(lesson)))
    need_workspace(context)
    click_context.color = False
    with _Log(context, lesson) as log, suppress(KeyboardInterrupt):
        log.say()
        if sys.stdin.isatty():
            _say("To check the file, save it. To stop, press Ctrl-C.")
        while click_context.obj.has_reader:
            log.step()
    if has_room():
        log.end()
    click_context.exit(EXIT_INTERRUPTED)


class _Log(ExitStack):
    """One exercise at a time, and its verdicts, as lines."""

    def __init__(self, context: CourseContext, lesson: Heading) -> None:
        super().__init__()
        self._words: list[str] = []
        """What to print as soon as no signal is deferred."""
        self._context = context
        self._workspace = need_workspace(context)
        self._spares = self.enter_context(SpareChildren())
        self._kept = self.enter_context(ServiceCache())
        self._watcher = self.enter_context(Watcher(self._files()))
        self._practice = self._switch_to(lesson)

    def __exit__(self, *error: Any) -> bool | None:
        with noting_signals():
            return super().__exit__(*error)

    def step(self) -> None:
        if self._practice.due:
            _say(f"Checking {self._practice.file.name} ...")
            self._practice.begin()
            with self._stoppable() as signals:
                has_ended = self._practice.check(
                    self._spares, self._kept, lambda: not (signals or self._handle_saves())
                )
            if has_ended:
                self._report()
        else:
            with self._stoppable():
                ready = self._spares.fill(min(self._practice.run_count, _MOST_SPARES))
            pause_s = min(self._watcher.pause_s(), _IDLE_S if ready else _IDLE_S / 4)
            select.select([self._watcher.fileno()], [], [], pause_s)
            with self._stoppable():
                self._handle_saves()
        self.say()

    def say(self) -> None:
        words, self._words = self._words, []
        _say(*words)

    @contextmanager
    def _stoppable(self) -> Iterator[list[int]]:
        with noting_signals() as signals:
            yield signals
        if signals:
            raise KeyboardInterrupt

    def end(self) -> None:
        lesson = self._practice.lesson
        if self._practice.record.passed:
            _say(f"{lesson.id} has passed.")
        else:
            _say(f"{lesson.id} has not passed yet. To continue: asyncdemo watch {lesson.id}")

    def _handle_saves(self) -> bool:
        """Return whether the verdict of a running check is no longer of interest."""
        changes = self._watcher.look()
        here = self._practice.lesson.id
        saved = [name for name, change in changes.items() if change is Change.SAVED]
        if here in saved:
            self._practice.saved()
            if others := ", ".join(name for name in saved if name != here):
                self._words.append(f"Also saved, but not checked: {others}.")
        elif saved:
            self._words.append(f"You saved {saved[-1]}, so that is checked now, not {here}.")
            ours = exercises(self._context.course)
            self._practice = self._switch_to(next(lesson for lesson in ours if lesson.id == saved[-1]))
            self._practice.saved()
        if Change.GONE in changes.values():
            self._watcher.watch(self._files())  # it may have been moved
            if here in changes:
                self._practice.changed()
            self._practice.resume()
        return bool(changes)

    def _switch_to(self, lesson: Heading) -> Practice:
        practice = Practice(self._context, self._workspace, lesson, f"asyncdemo reset {lesson.id}")
        task = practice.exercise.task if practice.exercise else ""
        title = f"\nExercise {lesson.number}, {lesson.title}: {task}"
        self._words += [title, f"  {shown_path(practice.file)}"]
        if not practice.record.runs:
            self._words.append(f"You have not run its lesson yet. To run it: asyncdemo run {lesson.id}")
        return practice

    def _report(self) -> None:
        practice, verdict = self._practice, self._practice.verdict
        if practice.trouble:
            _say(f"  {practice.trouble}")
        if verdict is None:
            _say("There is no verdict. To check again, save the file.")
            return
        _say(*verdict_text(verdict))
        if verdict.passed:
            _say(self._after_a_pass(practice.lesson))
        else:
            hint = f"asyncdemo hint {practice.lesson.id}"
            _say(f"Not passed yet. To check again, save the file. For a hint: {hint}")

    def _after_a_pass(self, lesson: Heading) -> str:
        other = following(self._context, lesson)
        if other is None or self._context.record(other.id).passed:
            return "Passed. That was the last exercise: all have passed now."
        run = f" First run its lesson (asyncdemo run {other.id})."
        first = "" if self._context.record(other.id).runs else run
        file = shown_path(self._workspace.file(other))
        return f"Passed. Next: exercise {other.number}, {other.title}.{first} To check it, save {file}."

    def _files(self) -> dict[str, Path]:
        return {lesson.id: self._workspace.file(lesson) for lesson in exercises(self._context.course)}


def _say(*lines: str) -> None:
    for line in lines:
        click.echo(wrap_for(sys.stdout, line))

"""What watch mode says to do next, and what it knows of the learner for that.

Not for: when it is said (``watch``, ``exercise_view``), or what a verdict says.
"""

from __future__ import annotations

from asyncdemo.cli.exercises import need_workspace
from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.workspace.context import CourseContext, shown_path
from asyncdemo.course.workspace.next_step import exercises, following_exercise
from asyncdemo.course.workspace.progress import Record
from asyncdemo.errors import WorkspaceError

__all__ = ["Guide"]


class Guide:
    """has_keys: somebody can press keys; else what they do is told as commands."""

    def __init__(self, context: CourseContext, *, has_keys: bool) -> None:
        self._context = context
        self._workspace = need_workspace(context)
        self._has_keys = has_keys

    def record(self, lesson: Heading) -> Record:
        """An empty one if it can't be read: the watch goes on, and says so when it records a check."""
        try:
            return self._context.progress.of(lesson.id) if self._context.progress else Record()
        except WorkspaceError:
            return Record()

    def following(self, lesson: Heading) -> Heading | None:
        """The exercise that ``n`` goes to. None if there is no other."""
        records = {other.id: self.record(other) for other in exercises(self._context.course)}
        return following_exercise(self._context.course, records, lesson)

    # -- sentences --------------------------------------------------------------------------------

    def on_coming(self, lesson: Heading) -> str:
        """ "" if there is nothing to say."""
        unknown = not self.record(lesson).runs
        return f"You have not run its lesson yet: {self._run(lesson)}." if unknown else ""

    def on_leaving(self, lesson: Heading) -> str:
        """By the key ``n``."""
        passed = self.record(lesson).passed
        return "" if passed else f"{lesson.id} has not passed yet; pressing n comes back to it."

    def on_pass(self, lesson: Heading) -> str:
        following = self.following(lesson)
        if following is None or self.record(following).passed:
            return "Passed, and so have all the others: that was the last exercise."
        name = f"exercise {following.number}, {following.title}"
        unknown = not self.record(following).runs
        if self._has_keys:
            then = " You have not run its lesson yet: press r there." if unknown else ""
            return f"Passed. Press n to go on: {name}.{then}"
        first = f" First run its lesson: {self._run(following)}." if unknown else ""
        file = shown_path(self._workspace.file(following))
        return f"Passed. Next: {name}.{first} Save {file} and it is checked."

    def on_failure(self, lesson: Heading) -> str:
        hint = self._press_or("h", "hint", lesson)
        return f"Not passed yet. Save the file and it is checked again. For a hint: {hint}."

    def without_verdict(self) -> str:
        return "So there is no verdict. Save the file and it is checked again."

    def without_file(self, lesson: Heading) -> str:
        file = shown_path(self._workspace.file(lesson))
        return f"{file} is not there. To get it again: {self._press_or('x', 'reset', lesson)}."

    def on_quitting(self, lesson: Heading) -> str:
        if self.record(lesson).passed:
            return f"{lesson.id} has passed."
        return f"{lesson.id} has not passed yet. `asyncdemo watch {lesson.id}` goes on."

    def _run(self, lesson: Heading) -> str:
        return self._press_or("r", "run", lesson)

    def _press_or(self, key: str, command: str, lesson: Heading) -> str:
        return f"press {key}" if self._has_keys else f"asyncdemo {command} {lesson.id}"

"""Rules about the files of an exercise that need no run (for the others, see ``solutions``)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from asyncdemo.course.content.exercise import HINT_HEADINGS
from asyncdemo.course.content.overlay import WRONG, lay_over, read_overlay
from asyncdemo.course.rules.lesson_source import (
    Fault,
    LessonSource,
    Rule,
    Script,
    line_at,
    script_of,
    text_of,
)
from asyncdemo.course.rules.scripts import (
    faults_of_form,
    faults_of_imports,
    faults_of_length,
    faults_of_running,
)

_LEAST_WRONG: Final = 3
_NEAR: Final = 3
"""This many lines around a TODO between functions may differ as well."""
_TODO: Final = re.compile(r"#.*\bTODO\b")


def required_files(source: LessonSource) -> Iterator[Fault]:
    exercise = source.lesson.exercise
    if exercise is None:
        yield source.in_manifest("the lesson has no exercise: the table [exercise] is missing")
        return
    for file in (exercise.file, exercise.solution, exercise.check, exercise.folder / "hints.md"):
        if not file.is_file():
            yield Fault("is missing; the exercise needs it", file)
    if not exercise.task.strip().endswith("."):
        yield source.in_manifest("the task must be a sentence that ends with a full stop", "exercise.task")
    if not exercise.lanes:
        yield source.in_manifest("the exercise records no calls: lanes is empty", "exercise.lanes")
    if (many := len(exercise.wrong)) < _LEAST_WRONG:
        message = f"there must be {_LEAST_WRONG} or more wrong solutions, not {many}"
        yield Fault(message, exercise.folder / WRONG)


def overlays(source: LessonSource) -> Iterator[Fault]:
    """Check that each wrong solution says what is wrong, and that it can be laid over the solution."""
    exercise, solution = source.lesson.exercise, source.exercise_scripts.get("solution.py")
    for script in source.overlay_scripts:
        if script.error or exercise is None or solution is None or solution.error:
            yield from faults_of_running(script, ())
            continue
        overlay = read_overlay(script.path)
        if not overlay.words:
            yield Fault("does not say what is wrong with it: the docstring is missing", script.path, 1)
        if not overlay.fault:
            yield Fault("names no fault: the docstring needs a line 'Fault: ...'", script.path, 1)
        yield from faults_of_imports(script, source.lesson.packages)
        try:
            program = lay_over(script.text, solution.text)
        except ValueError as error:
            yield Fault(f"cannot be laid over solution.py: {error}", script.path)
        else:
            yield from faults_of_running(script_of(script.path, program), exercise.lanes)


def scripts(source: LessonSource) -> Iterator[Fault]:
    lesson, exercise = source.lesson, source.lesson.exercise
    for name, script in source.exercise_scripts.items():
        yield from faults_of_running(script, exercise.lanes if exercise else ())
        if script.error:
            continue
        yield from faults_of_form(script, lesson.packages)
        if not script.docstring:
            yield Fault("has no docstring", script.path, 1)
        if name.startswith("right/"):
            continue
        yield from faults_of_length(script, 20, 70)
        # In a workspace, the exercise is named after the lesson's folder.
        names = (script.path.name, f"{lesson.folder.name}.py")
        commands = (*(f"python {name}" for name in names), f"asyncdemo check {lesson.id}")
        if not any(command in script.docstring for command in commands):
            yield Fault(f"the docstring must name the command: {commands[0]}", script.path, 1)


def marks(source: LessonSource) -> Iterator[Fault]:
    exercise = source.lesson.exercise
    for script in (*source.exercise_scripts.values(), *source.overlay_scripts):
        given, mark = exercise and script.path == exercise.file, _TODO.search(script.text)
        if given and mark is None:
            yield Fault("marks no place to edit with a TODO", script.path)
        elif not given and mark is not None:
            yield Fault("still has a TODO", script.path, line_at(script.text, mark.start()))


def edits(source: LessonSource) -> Iterator[Fault]:
    """Check that the solution differs only at a TODO: in that function, in imports, in the docstring."""
    given, solved = (source.exercise_scripts.get(name) for name in ("exercise.py", "solution.py"))
    if given is None or solved is None or given.error or solved.error:
        return
    may_differ = _open_lines(given)
    ours, theirs = given.text.splitlines(), solved.text.splitlines()
    for tag, start, end, at, stop in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        touched = [line for line in range(start + 1, end + 1) if ours[line - 1].strip()]
        if not touched:  # only insertions: they are between two lines
            if not any(line.strip() for line in theirs[at:stop]):
                continue
            touched = [] if {start, start + 1} & may_differ else [start]
        closed = [line for line in touched if line not in may_differ]
        if closed:
            what = repr(ours[closed[0] - 1].strip()) if end > start else f"what follows line {closed[0]}"
            message = f"differs from exercise.py at {what}, where no TODO asks for a change"
            yield Fault(message, solved.path, min(at + 1, len(theirs)))


def hints(source: LessonSource) -> Iterator[Fault]:
    file = source.lesson.folder / "hints.md"
    if source.lesson.exercise is None or not file.is_file():
        return
    _, *parts = re.split(r"^## (.+)$", text_of(file), flags=re.MULTILINE)
    headings, bodies = parts[::2], parts[1::2]
    if tuple(map(str.strip, headings)) != HINT_HEADINGS or not all(map(str.strip, bodies)):
        wanted = ", ".join(f"'## {heading}'" for heading in HINT_HEADINGS)
        yield Fault(f"must have these headings, in this order, each with a hint: {wanted}", file)


def _open_lines(script: Script) -> set[int]:
    """Return the lines of an exercise that may differ in its solution."""
    lines = script.text.splitlines()
    todos = {number for number, line in enumerate(lines, start=1) if _TODO.search(line)}
    found: set[int] = set()
    inside: set[int] = set()
    for place, statement in enumerate(script.tree.body):
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
        while first > 1 and lines[first - 2].lstrip().startswith("#"):
            first -= 1  # the comment above belongs to it
        span = set(range(first, (statement.end_lineno or first) + 1))
        inside |= span
        is_docstring = place == 0 and isinstance(statement, ast.Expr)
        if is_docstring or isinstance(statement, ast.Import | ast.ImportFrom) or span & todos:
            found |= span
    for todo in todos - inside:
        found |= set(range(todo - _NEAR, todo + _NEAR + 1))
    return found


RULES: Final = (
    Rule("exercise", required_files),
    Rule("exercise-scripts", scripts),
    Rule("exercise-overlays", overlays),
    Rule("exercise-marks", marks),
    Rule("exercise-edits", edits),
    Rule("exercise-hints", hints),
)

"""Rules about the variants: plain, short Python each, and side by side the same job.

So a diff shows only the concept.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from asyncdemo.course.content.listing import declared_lines
from asyncdemo.course.rules.lesson_source import Fault, LessonSource, Rule, Script

_GUARD: Final = '\n\nif __name__ == "__main__":\n'


def runnable(source: LessonSource) -> Iterator[Fault]:
    for script in source.variants.values():
        yield from faults_of_running(script, source.lesson.lanes)


def form(source: LessonSource) -> Iterator[Fault]:
    lesson = source.lesson
    for name, script in _readable(source).items():
        yield from faults_of_form(script, lesson.packages)
        yield from faults_of_length(script, 20, 60)
        lines = script.docstring.splitlines() or [""]
        if not lines[0].endswith("?"):
            yield Fault("the first line of the docstring must be the question", script.path, 1)
        if "Predict" not in script.docstring:
            yield Fault("the docstring must say what to predict", script.path, 1)
        alone = f"python {script.path.name}"
        # On its own, a server waits for requests.
        command = f"asyncdemo run {lesson.id} --variant {name}" if lesson.load else alone
        if not lines[-1].endswith((command, alone)):
            yield Fault(f"the docstring must end with the command: {command}", script.path, 1)


def pairs(source: LessonSource) -> Iterator[Fault]:
    """Check that the variants are the same but for the lines that the manifest declares to differ."""
    rest: list[tuple[str, list[tuple[int | None, str | None]]]] = []
    for variant in source.lesson.variants:
        text = source.variants[variant.name].text
        differing, missing = declared_lines(text, variant.differs)
        if missing:
            message = f"the line {missing[0]!r} is declared to differ, but is not there in that order"
            yield Fault(f"{variant.name}: {message}", variant.path)
        lines = enumerate(text.splitlines(), start=1)
        rest.append((variant.name, [(number, line) for number, line in lines if number not in differing]))
    first, ours = rest[0]
    for name, lines_of_it in rest[1:]:
        for (_, our), (number, its) in zip_longest(ours, lines_of_it, fillvalue=(None, None)):
            if our != its:
                both = f"{first} has {_line(our)} where {name} has {_line(its)}"
                yield Fault(f"{both}, and no manifest entry allows it", source.variants[name].path, number)
                break


def faults_of_running(script: Script, lanes: tuple[str, ...]) -> Iterator[Fault]:
    if script.error:
        yield Fault(f"is not valid Python: {script.error}", script.path, script.line)
        return
    for lane in lanes:
        if lane not in script.functions:
            yield Fault(f"has no function {lane}, whose calls are to be recorded", script.path)


def faults_of_form(script: Script, packages: tuple[str, ...]) -> Iterator[Fault]:
    for module, line in script.imports.items():
        if module == "asyncdemo":
            message = "imports asyncdemo; a lesson is ordinary Python, watched from outside"
            yield Fault(message, script.path, line)
        elif module not in sys.stdlib_module_names and not any(_brings(name, module) for name in packages):
            message = f"imports {module}, which the manifest does not name in packages"
            yield Fault(message, script.path, line)
    if _GUARD not in script.text:
        yield Fault('must do nothing on import: if __name__ == "__main__": at the end', script.path)


def faults_of_length(script: Script, least: int, most: int) -> Iterator[Fault]:
    count = len(script.text.splitlines())
    if not least <= count <= most:
        yield Fault(f"has {count} lines; to be read in one go it must have {least} to {most}", script.path)


def _brings(package: str, module: str) -> bool:
    """Match packages to modules: ``psycopg2-binary`` to ``psycopg2``, ``moto[server]`` to ``moto``."""
    name = package.partition("[")[0].lower().replace("-", "_")
    return name == module.lower() or name.startswith(f"{module.lower()}_")


def _readable(source: LessonSource) -> dict[str, Script]:
    return {name: script for name, script in source.variants.items() if not script.error}


def _line(text: str | None) -> str:
    return "no line" if text is None else repr(text)


RULES: Final = (Rule("python", runnable), Rule("scripts", form), Rule("pairs", pairs))

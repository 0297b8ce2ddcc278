"""Rules about each script of a lesson: plain, short Python that says what it is for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from asyncdemo.course.rules.lesson_source import LessonSource, Script
from asyncdemo.course.rules.problem import Fault, Rule

_GUARD: Final = '\n\nif __name__ == "__main__":\n'


def syntax(source: LessonSource) -> Iterator[Fault]:
    for script in source.variants.values():
        yield from faults_of_syntax(script)


def length(source: LessonSource) -> Iterator[Fault]:
    for script in source.variants.values():
        yield from faults_of_length(script, 20, 60)


def docstring(source: LessonSource) -> Iterator[Fault]:
    lesson = source.lesson
    for name, script in source.variants.items():
        if script.tree is None:
            continue
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


def imports(source: LessonSource) -> Iterator[Fault]:
    for script in _readable(source):
        yield from faults_of_imports(script, source.lesson.packages)


def guard(source: LessonSource) -> Iterator[Fault]:
    for script in _readable(source):
        yield from faults_of_guard(script)


def faults_of_syntax(script: Script) -> Iterator[Fault]:
    if script.tree is None:
        yield Fault(f"is not valid Python: {script.error}", script.path, script.line)


def faults_of_length(script: Script, least: int, most: int) -> Iterator[Fault]:
    count = len(script.text.splitlines())
    if not least <= count <= most:
        yield Fault(f"has {count} lines; to be read in one go it must have {least} to {most}", script.path)


def faults_of_imports(script: Script, packages: tuple[str, ...]) -> Iterator[Fault]:
    for module, line in script.imports.items():
        if module == "asyncdemo":
            message = "imports asyncdemo; a lesson is ordinary Python, watched from outside"
        elif module in sys.stdlib_module_names or any(_imports_as(name, module) for name in packages):
            continue
        else:
            message = f"imports {module}, which the manifest does not name in packages"
        yield Fault(message, script.path, line)


def faults_of_lanes(script: Script, lanes: tuple[str, ...], purpose: str) -> Iterator[Fault]:
    for lane in lanes if script.tree is not None else ():
        if lane not in script.functions:
            yield Fault(f"has no function {lane}, whose calls are to be {purpose}", script.path)


def faults_of_guard(script: Script) -> Iterator[Fault]:
    if _GUARD not in script.text:
        yield Fault('must do nothing on import: if __name__ == "__main__": at the end', script.path)


def _imports_as(package: str, module: str) -> bool:
    """Match packages to modules: ``psycopg2-binary`` to ``psycopg2``, ``moto[server]`` to ``moto``."""
    name = package.partition("[")[0].lower().replace("-", "_")
    return name == module.lower() or name.startswith(f"{module.lower()}_")


def _readable(source: LessonSource) -> Iterator[Script]:
    return (script for script in source.variants.values() if script.tree is not None)


RULES: Final = (
    Rule("python", syntax),
    Rule("length", length),
    Rule("docstring", docstring),
    Rule("imports", imports),
    Rule("guard", guard),
)

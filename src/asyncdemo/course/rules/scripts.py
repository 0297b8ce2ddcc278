"""Rules about the variants: plain, short Python each, and side by side the same job.

So a diff shows only the concept.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import combinations
from typing import Final

from asyncdemo.course.rules.lesson_source import Fault, LessonSource, Rule, Script

_FUNCTION: Final = ast.FunctionDef | ast.AsyncFunctionDef
_TOKEN: Final = re.compile(r"""#.*|"[^"]*"|'[^']*'|\d[\w.]*|\w+|\S""")
_TYPES: Final = re.compile(r"  # type: ignore\[.*?\]")
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
    """Check that no two variants differ by carelessness.

    Their functions and classes come in the same order, and no line differs only in a variable's name, in a
    number or in a comment.
    """
    seen: set[tuple[str, int]] = set()
    for (first, ours), (second, theirs) in combinations(_readable(source).items(), 2):
        order = [name for name in _defined(ours) if name in _defined(theirs)]
        for name, wanted in zip([name for name in _defined(theirs) if name in order], order, strict=True):
            if name != wanted:
                yield Fault(
                    f"has {name} where {first} has {wanted}; they must be in the same order", theirs.path
                )
                break
        for our, its, number in _differing(ours, theirs):
            essence = _essence(our, ours)
            if essence and essence == _essence(its, theirs) and (second, number) not in seen:
                seen.add((second, number))
                message = f"{first} has {our!r}, which differs only in a name, a number or a comment"
                yield Fault(message, theirs.path, number)


def _defined(script: Script) -> list[str]:
    """Return the names of functions and classes, in their order."""
    names = (node.name for node in script.tree.body if isinstance(node, _FUNCTION | ast.ClassDef))
    return list(dict.fromkeys(names))


def _differing(ours: Script, theirs: Script) -> Iterator[tuple[str, str, int]]:
    """Yield lines that stand in each other's place, and the number of the second. Docstrings are left out."""
    first, second = (
        [_TYPES.sub("", line) * (number > _last_of_docstring(script)) for number, line in _numbered(script)]
        for script in (ours, theirs)
    )
    for tag, start, end, at, stop in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if tag == "replace":
            for our, (number, its) in zip(first[start:end], enumerate(second[at:stop], at + 1), strict=False):
                if our.strip() != its.strip():
                    yield our.strip(), its.strip(), number


def _numbered(script: Script) -> Iterator[tuple[int, str]]:
    return enumerate(script.text.splitlines(), start=1)


def _last_of_docstring(script: Script) -> int:
    return (script.tree.body[0].end_lineno or 0) if script.docstring else 0


def _essence(line: str, script: Script) -> str:
    """Return the line's code without numbers and the names of variables; "" if it has none."""
    nodes = [
        node
        for function in ast.walk(script.tree)
        if isinstance(function, _FUNCTION)
        for node in ast.walk(function)
    ]
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    names |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    tokens = [token for token in _TOKEN.findall(line) if not token.startswith("#")]
    return " ".join("_" if token in names or token[0].isdecimal() else token for token in tokens)


def faults_of_running(script: Script, lanes: tuple[str, ...]) -> Iterator[Fault]:
    if script.error:
        yield Fault(f"is not valid Python: {script.error}", script.path, script.line)
        return
    for lane in lanes:
        if lane not in script.functions:
            yield Fault(f"has no function {lane}, whose calls are to be recorded", script.path)


def faults_of_form(script: Script, packages: tuple[str, ...]) -> Iterator[Fault]:
    yield from faults_of_imports(script, packages)
    if _GUARD not in script.text:
        yield Fault('must do nothing on import: if __name__ == "__main__": at the end', script.path)


def faults_of_imports(script: Script, packages: tuple[str, ...]) -> Iterator[Fault]:
    for module, line in script.imports.items():
        if module == "asyncdemo":
            message = "imports asyncdemo; a lesson is ordinary Python, watched from outside"
            yield Fault(message, script.path, line)
        elif module not in sys.stdlib_module_names and not any(_brings(name, module) for name in packages):
            message = f"imports {module}, which the manifest does not name in packages"
            yield Fault(message, script.path, line)


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


RULES: Final = (Rule("python", runnable), Rule("scripts", form), Rule("pairs", pairs))

"""The constants of a script, read from its source and never executed."""

from __future__ import annotations

import ast
from pathlib import Path

from asyncdemo.course.content.manifest import Value
from asyncdemo.errors import CourseError


def constants(script: Path) -> dict[str, Value]:
    """Return the upper-case module-level constants with plain values, in order. Raises CourseError."""
    try:
        tree = ast.parse(script.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError) as error:
        raise CourseError(f"{script}: cannot be read as Python: {error}") from None
    found: dict[str, Value] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            target, value = statement.target, statement.value
        else:
            continue
        if isinstance(target, ast.Name) and target.id.isupper():
            try:
                constant = ast.literal_eval(value)
            except ValueError:
                continue
            if isinstance(constant, int | float | str):
                found[target.id] = constant
    return found

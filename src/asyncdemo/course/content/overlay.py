"""Wrong solutions as overlays: only what differs from ``solution.py``, laid over it by name.

A function, a constant, a call or the ``if __name__`` block of an overlay takes the place of the solution's,
with the comments directly above it; a class is laid over member by member. A new import goes after the
solution's imports, any other new statement in front of the one that follows it in the overlay, or else to the
end. ``del name`` leaves something out. The rest is the solution as it stands, comments included.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from asyncdemo.errors import CourseError

WRONG: Final = "wrong"
"""The folder of the overlays, beside solution.py."""
_FIELD: Final = re.compile(r"^(?=(?:Breaks|Fault): )", re.MULTILINE)
_GUARD: Final = "if __name__"
_DOCSTRING: Final = "the docstring"


@dataclass(frozen=True, slots=True)
class Overlay:
    """A wrong solution.

    Attributes:
        words: What is wrong with it.
        fault: Words of the message that the check must fail it with.
        breaks: Parts of the exercise's text that it breaks. It keeps the others.
    """

    path: Path
    words: str
    fault: str
    breaks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Part:
    """A statement and its lines, from index ``start`` to before ``stop``, with the comments above it."""

    node: ast.stmt
    name: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class _Code:
    """A module, or the body of a class in it: its parts are between the lines ``start`` and ``stop``."""

    lines: list[str]
    parts: list[_Part]
    start: int
    stop: int

    @classmethod
    def of(cls, text: str) -> _Code:
        lines = text.rstrip("\n").split("\n")  # as the parser counts them
        return cls(lines, [_part(node, lines) for node in ast.parse(text).body], 0, len(lines))

    @classmethod
    def of_class(cls, part: _Part, code: _Code) -> _Code:
        assert isinstance(part.node, ast.ClassDef)
        parts = [_part(node, code.lines) for node in part.node.body]
        return cls(code.lines, parts, parts[0].start, part.stop)


def read_overlay(path: Path) -> Overlay:
    """Read the docstring of an overlay. Raises CourseError if the file isn't Python."""
    try:
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    except (OSError, SyntaxError, ValueError) as error:
        raise CourseError(f"{path}: cannot be read as Python: {error}") from None
    words, *fields = (" ".join(part.split()) for part in _FIELD.split(docstring))
    faults = [field.removeprefix("Fault: ") for field in fields if field.startswith("Fault: ")]
    breaks = tuple(field.removeprefix("Breaks: ") for field in fields if field.startswith("Breaks: "))
    return Overlay(path, words, " ".join(faults), breaks)


@contextmanager
def program_file(file: Path, solution: Path) -> Iterator[Path]:
    """Yield the file to run: of an overlay, the program that it makes, which is removed afterwards.

    Any other file stands for itself. Raises CourseError.
    """
    if file.resolve().parent != solution.resolve().with_name(WRONG):
        yield file
        return
    with TemporaryDirectory(prefix="asyncdemo-") as folder:
        program = Path(folder, file.name)
        program.write_text(program_of(file, solution), encoding="utf-8")
        yield program


def program_of(overlay: Path, solution: Path) -> str:
    """Return the program that an overlay makes of the solution. Raises CourseError."""
    try:
        return lay_over(overlay.read_text(encoding="utf-8"), solution.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError) as error:
        raise CourseError(f"{overlay}: cannot be laid over solution.py: {error}") from None


def lay_over(overlay: str, solution: str) -> str:
    """Return the program: the solution with the overlay laid over it. Raises SyntaxError, ValueError."""
    over, under = _Code.of(overlay), _Code.of(solution)
    return "\n".join(_laid(over, under)) + "\n"


def _laid(over: _Code, under: _Code) -> list[str]:
    """Return the lines of ``under``, changed as ``over`` says."""
    known = {part.name: part for part in under.parts}
    if len({part.name for part in over.parts}) < len(over.parts):
        raise ValueError("has two statements of the same name")
    changes: list[tuple[int, int, list[str]]] = []
    new: list[str] = []
    for part, following in zip_longest(over.parts, over.parts[1:]):
        there = known.get(part.name)
        if isinstance(part.node, ast.Delete):
            changes += [_left_out(known, ast.unparse(target), under) for target in part.node.targets]
        elif there is not None:
            changes += [
                (there.start, there.start, new),
                (there.start, there.stop, _in_place(part, over, there, under)),
            ]
            new = []
        elif _is_import(part):
            after = max(
                (one.stop for one in under.parts if _is_import(one) or one.name == _DOCSTRING), default=0
            )
            changes.append((after, after, over.lines[part.start : part.stop]))
        else:
            new += over.lines[part.start : following.start if following else part.stop]
    if new and _GUARD in known:
        changes.append((known[_GUARD].start, known[_GUARD].start, [*new, "", ""]))
    elif new:
        changes.append((under.stop, under.stop, ["", *new]))
    return _changed(under, changes)


def _in_place(part: _Part, over: _Code, there: _Part, under: _Code) -> list[str]:
    """Return the lines that take the place of a part: itself, or its class laid over that of the solution."""
    both = (part.node, there.node)
    if not all(isinstance(node, ast.ClassDef) and node.body[0].lineno > node.lineno for node in both):
        return over.lines[part.start : part.stop]
    ours, theirs = _Code.of_class(part, over), _Code.of_class(there, under)
    return [*over.lines[part.start : ours.start], *_laid(ours, theirs)]


def _left_out(known: Mapping[str, _Part], name: str, code: _Code) -> tuple[int, int, list[str]]:
    if name not in known:
        raise ValueError(f"del {name}: the solution has no {name}")
    part, stop = known[name], known[name].stop
    if isinstance(part.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        while stop < code.stop and not code.lines[stop].strip():
            stop += 1  # and the blank lines below it
    return part.start, stop, []


def _changed(code: _Code, changes: Iterable[tuple[int, int, list[str]]]) -> list[str]:
    lines, at = [], code.start
    for start, stop, instead in sorted(changes, key=lambda change: change[:2]):
        lines += [*code.lines[at:start], *instead]
        at = stop
    return [*lines, *code.lines[at : code.stop]]


def _is_import(part: _Part) -> bool:
    return isinstance(part.node, ast.Import | ast.ImportFrom)


def _part(node: ast.stmt, lines: Sequence[str]) -> _Part:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    start = min([node.lineno, *(decorator.lineno for decorator in decorators)]) - 1
    while lines[start - 1].lstrip().startswith("#") and start:
        start -= 1
    return _Part(node, _name(node), start, node.end_lineno or node.lineno)


def _name(node: ast.stmt) -> str:
    """Return the name that the statement binds, or that of the function it calls."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
            return ast.unparse(target)
        case ast.Expr(value=ast.Constant(value=str())):
            return _DOCSTRING
        case ast.Expr(value=ast.Call(func=function)):
            return ast.unparse(function)
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return _GUARD
    return ast.unparse(node)

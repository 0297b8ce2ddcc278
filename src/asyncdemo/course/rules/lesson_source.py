"""A lesson as the rules see it: its texts and scripts, read once, with line numbers; and what a rule is.

Whatever can't be read is empty here; the rules ``sections`` and ``python`` report it.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from asyncdemo.course.content.lesson import Lesson
from asyncdemo.errors import AsyncdemoError
from asyncdemo.recording.runner import SpareChildren
from asyncdemo.services import Services
from asyncdemo.serving import ServiceCache

SEEDS: Final = (1, 2, 3)
"""The rules always draw the knobs of an exercise with these."""

THREAD: Final = re.compile(r"\b[\w.-]+/[\w.-]+#\d+")
"""A GitHub thread by name: owner/repository#number."""
_KEY: Final = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+)\s*=""")
FENCE: Final = re.compile(
    r"^(?P<indent>[ \t]*)```(?P<language>\w*)[ \t]*\n(?P<body>.*?)^[ \t]*```[ \t]*$", re.MULTILINE | re.DOTALL
)


class Fault(NamedTuple):
    """What is wrong, in a sentence, and where. ``line`` is None for a file as a whole."""

    message: str
    file: Path
    line: int | None = None


class Problem(NamedTuple):
    """A fault that a rule found. ``lesson`` is its id, or its folder's name if that can't be read."""

    lesson: str
    rule: str
    message: str
    file: Path
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """``name``: a word or two, part of a test's name. ``find`` looks at one lesson, and changes nothing.

    Any AsyncdemoError of ``find`` is a problem of the lesson, too.
    """

    name: str
    find: Callable[[LessonSource], Iterable[Fault]]

    def problems(self, source: LessonSource) -> Iterator[Problem]:
        try:
            for fault in self.find(source):
                yield Problem(source.lesson.id, self.name, *fault)
        except AsyncdemoError as error:
            yield Problem(source.lesson.id, self.name, str(error), source.manifest)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, its line, and the text below it as written."""

    heading: str
    line: int
    body: str

    def line_at(self, position: int) -> int:
        """Return the line of a position in the body."""
        return self.line + line_at(self.body, position)


@dataclass(frozen=True, slots=True)
class Script:
    """A script. ``tree`` is empty if it's not valid Python; then ``error`` and ``line`` say why and where."""

    path: Path
    text: str
    tree: ast.Module
    error: str = ""
    line: int | None = None

    @property
    def docstring(self) -> str:
        return ast.get_docstring(self.tree) or ""

    @property
    def functions(self) -> set[str]:
        """All functions, including methods and inner ones: any of them can be a lane."""
        kinds = ast.FunctionDef | ast.AsyncFunctionDef
        return {node.name for node in ast.walk(self.tree) if isinstance(node, kinds)}

    @property
    def imports(self) -> dict[str, int]:
        """The line of each import, by the top-level name of the module."""
        found: dict[str, int] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    found.setdefault(alias.name.partition(".")[0], node.lineno)
            elif isinstance(node, ast.ImportFrom):
                found.setdefault((node.module or "").partition(".")[0], node.lineno)
        return found


class LessonSource:
    """One lesson under the rules.

    ``course`` has the lessons that it may refer to, including itself. ``commands`` are asyncdemo's; empty if
    unknown here. ``service_cache`` keeps services between the runs of its scripts, and ``spares`` provides
    processes; if None, each run starts its own.
    """

    def __init__(
        self,
        lesson: Lesson,
        course_folder: Path,
        course: Iterable[Lesson] = (),
        commands: Collection[str] = (),
    ) -> None:
        self.lesson = lesson
        self.course_folder = course_folder
        self.course = tuple(course) or (lesson,)
        self.commands = commands
        self.service_cache: ServiceCache | None = None
        self.spares: SpareChildren | None = None
        self.manifest = lesson.folder / "lesson.toml"

    @contextmanager
    def services(self, names: Sequence[str]) -> Iterator[Services | None]:
        """Yield the services, freshly seeded; None without names. Raises MissingError, ServiceError."""
        if not names:
            yield None
            return
        with ExitStack() as stack:
            service_cache = self.service_cache or stack.enter_context(ServiceCache())
            services = service_cache.get(names)
            assert services is not None, "nobody stopped waiting for them"
            services.reset()
            yield services

    @cached_property
    def text(self) -> str:
        """The README; "" if there is none."""
        return text_of(self.lesson.readme)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The sections with headings of the second level, in order."""
        found = list(re.finditer(r"^## (.+)\n?", self.text, flags=re.MULTILINE))
        ends = [*(match.start() for match in found), len(self.text)][1:]
        return tuple(
            Section(match[1].strip(), line_at(self.text, match.start()), self.text[match.end() : end])
            for match, end in zip(found, ends, strict=True)
        )

    def section(self, heading: str) -> Section | None:
        return next((section for section in self.sections if section.heading == heading), None)

    @cached_property
    def _manifest_text(self) -> str:
        return text_of(self.manifest)

    def in_manifest(self, message: str, field: str = "") -> Fault:
        """Return the fault at a field, named as in errors: ``predictions[2].metric``."""
        return Fault(message, self.manifest, manifest_line(self._manifest_text, field))

    def in_text(self, message: str, line: int | None = None) -> Fault:
        return Fault(message, self.lesson.readme, line)

    @cached_property
    def variants(self) -> dict[str, Script]:
        """The script of each variant by name, in the order of the manifest."""
        return {variant.name: script_of(variant.path) for variant in self.lesson.variants}

    @cached_property
    def exercise_scripts(self) -> dict[str, Script]:
        """The exercise, its solution, and the other right ones by name, as far as they exist."""
        exercise = self.lesson.exercise
        if exercise is None:
            return {}
        files = [exercise.file, exercise.solution, *exercise.right]
        return {
            path.relative_to(self.lesson.folder).as_posix(): script_of(path)
            for path in files
            if path.is_file()
        }

    @cached_property
    def overlay_scripts(self) -> tuple[Script, ...]:
        """The wrong solutions as their files have them, not as programs."""
        exercise = self.lesson.exercise
        return tuple(map(script_of, exercise.wrong)) if exercise else ()


def script_of(path: Path, text: str = "") -> Script:
    """Return the script with this text, or else with that of its file."""
    try:
        text = text or path.read_text(encoding="utf-8")
        return Script(path, text, ast.parse(text))
    except SyntaxError as error:
        return Script(path, text, ast.parse(""), error.msg, error.lineno)
    except (OSError, ValueError) as error:  # missing; not text; null bytes
        return Script(path, text, ast.parse(""), str(error))


def text_of(path: Path) -> str:
    """Return the file's text, "" if it can't be read as text."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def line_at(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def prose(text: str) -> str:
    """Return the text in one line, so that line breaks don't matter."""
    return " ".join(text.split())


def blank(match: re.Match[str]) -> str:
    """Return spaces in place of a match, so that positions stay the same."""
    return re.sub(r"\S", " ", match[0])


def manifest_line(text: str, field: str) -> int | None:
    """Return the line of a field in TOML, else of the table where it is missing; None if there is neither."""
    counts: dict[str, int] = {}
    current, of_table, quoted = "", None, False
    for number, line in enumerate(text.splitlines(), start=1):
        if not quoted:
            if header := re.match(r"\s*(\[\[?)\s*([\w.-]+)\s*\]", line):
                current = _table_name(header[2], header[1] == "[[", counts)
                of_table = number if field.startswith(f"{current}.") else of_table
                if current == field:
                    return number
            elif key := _KEY.match(line):
                (written,) = tomllib.loads(f"{key[1]} = 0")
                name = f"{current}.{written}".lstrip(".")
                if field == name or field.startswith(f"{name}."):
                    return number
        if len(re.findall(r"'''|\"\"\"", line)) % 2:
            quoted = not quoted
    return of_table


def _table_name(name: str, repeats: bool, counts: dict[str, int]) -> str:
    """Return ``claims[3]`` for the third ``claims``. Each one restarts the count of the tables below it."""
    if repeats:
        counts[name] = counts.get(name, 0) + 1
        for other in [other for other in counts if other.startswith(f"{name}.")]:
            del counts[other]
    parts = name.split(".")
    named = []
    for end, part in enumerate(parts, start=1):
        count = counts.get(".".join(parts[:end]))
        named.append(part if count is None else f"{part}[{count}]")
    return ".".join(named)

"""Python for the pages: the parts of Pyodide that they need, and our code that runs in it.

Not here: what it does there (see ``in_page``), or the page's own script (see ``docs/assets/python.js``).
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import asyncdemo
from asyncdemo.course.content.lesson import Lesson

_FILES: Final = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
    "python_stdlib.zip",
)
_OURS: Final = (
    "__init__.py",
    "ansi.py",
    "errors.py",
    "packages.py",
    "analysis",
    "in_page",
    "capture",
    "course",
    "model",
    "recording",
    "render",
    "services",
    "store",
    "testing",
)
"""Imports of ``in_page``, by room."""
_NO_TIME: Final = (1980, 1, 1, 0, 0, 0)


def pyodide_files(package: Path) -> dict[str, bytes]:
    """Return the files that a page needs, by name."""
    found = {}
    with tarfile.open(package) as archive:
        for name in _FILES:
            member = archive.extractfile(f"package/{name}")
            assert member is not None
            found[name] = member.read()
    return found


def packed_python(lessons: Iterable[Lesson], asked: Callable[[Path], bool] = lambda _: True) -> bytes:
    """Return a zip of ``asyncdemo``, of the part of Rich that it draws with, and of the lessons' files.

    For the same files, it is the same, byte by byte. ``asked`` selects files of a lesson.
    """
    data = io.BytesIO()
    with ZipFile(data, "w", ZIP_DEFLATED, compresslevel=9) as packed:
        for name, content in _contents(lessons, asked):
            entry = ZipInfo(name, _NO_TIME)
            entry.compress_type = ZIP_DEFLATED
            packed.writestr(entry, content)
    return data.getvalue()


def _contents(lessons: Iterable[Lesson], asked: Callable[[Path], bool]) -> Iterator[tuple[str, bytes]]:
    ours = Path(asyncdemo.__file__).parent
    for name in _OURS:
        yield from _files(ours / name, f"asyncdemo/{name}", (".py", ".toml", ".js"))
    spec = find_spec("rich")
    assert spec is not None
    assert spec.origin is not None
    yield from _files(Path(spec.origin).parent, "rich", (".py",))
    for lesson in lessons:
        for file in sorted(lesson.folder.rglob("*")):
            if file.suffix in (".py", ".toml", ".md") and asked(file):
                yield (
                    f"lessons/{lesson.folder.name}/{file.relative_to(lesson.folder).as_posix()}",
                    file.read_bytes(),
                )


def _files(path: Path, name: str, kinds: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    if path.is_file():
        yield name, path.read_bytes()
        return
    for file in sorted(path.rglob("*")):
        if file.suffix in kinds and "__pycache__" not in file.parts:
            yield f"{name}/{file.relative_to(path).as_posix()}", file.read_bytes()

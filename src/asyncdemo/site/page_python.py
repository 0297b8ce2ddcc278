"""Python and the editor for the pages: packages of npm, verified by their hashes, and our code in Python."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import shutil
import subprocess
import tarfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import asyncdemo
from asyncdemo.course.content.lesson import Lesson
from asyncdemo.errors import MissingError
from asyncdemo.in_page.needs import runs_in_a_page

PINNED: Final = Path("requirements/page.toml")
FOLDER: Final = Path(".cache/site/npm")
"""Downloads, in the checkout."""
_FETCH_S: Final = 300.0
_FILES: Final = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
    "python_stdlib.zip",
)
_OURS: Final = (
    "__init__.py",
    "bounded.py",
    "safe_text.py",
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
"""The earliest time in a zip file."""
_IMPORT: Final = re.compile(
    r"""^(import\b[^'"\n]*|export\b[^'"\n]*\bfrom\s*)(['"])([^'"]+)\2""", re.MULTILINE
)


def python_files(lessons: Iterable[Lesson]) -> dict[str, bytes]:
    """Return the files that let a page run Python, by name. Raises MissingError if one is unavailable."""
    packages = {name: fetch_package(name) for name in pinned_packages()}
    files = pyodide_files(packages.pop("pyodide"))
    files |= editor_files(packages)  # all others are the editor's
    files["worker.mjs"] = (resources.files("asyncdemo.in_page") / "worker.mjs").read_bytes()
    files["page.zip"] = packed_python(
        [lesson for lesson in lessons if runs_in_a_page(lesson)],
        lambda file: file.parent.name not in ("wrong", "right"),
    )
    return files


def pinned_packages(file: Path = PINNED) -> dict[str, dict[str, str]]:
    """Return each package's version and integrity, in npm's terms."""
    return tomllib.loads(file.read_text("utf-8"))


def file_stem(package: str) -> str:
    """Return "codemirror-view" for "@codemirror/view", as npm names the archive."""
    return package.removeprefix("@").replace("/", "-")


def fetch_package(name: str, file: Path = PINNED, folder: Path = FOLDER) -> Path:
    """Return a package, as published. Raises MissingError if it is unavailable or differs."""
    wanted = pinned_packages(file)[name]
    package = folder / f"{file_stem(name)}-{wanted['version']}.tgz"
    if not package.is_file():
        _fetch(f"{name}@{wanted['version']}", folder)
    if not package.is_file():
        raise MissingError(f"npm did not write {package}.")
    digest = base64.b64encode(hashlib.sha512(package.read_bytes()).digest()).decode()
    if f"sha512-{digest}" != wanted["integrity"]:
        package.unlink()
        raise MissingError(f"{package} was not what {file} names, and is removed.")
    return package


def _fetch(what: str, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise MissingError(f"{what} is fetched by npm, which is not installed.")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(
            [npm, "pack", "--silent", "--pack-destination", str(folder), what],
            check=True,
            capture_output=True,
            timeout=_FETCH_S,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise MissingError(f"{what} could not be fetched by npm: {error}") from None


def pyodide_files(package: Path) -> dict[str, bytes]:
    with tarfile.open(package) as archive:
        return {name: _member(archive, f"package/{name}").read() for name in _FILES}


def packed_python(lessons: Iterable[Lesson], asked: Callable[[Path], bool] = lambda _: True) -> bytes:
    """Return a zip of ``asyncdemo``, of the part of Rich that it draws with, and of the lessons' files.

    For the same files, it is the same, byte by byte. ``asked`` selects files of a lesson.
    """
    data = io.BytesIO()
    write_zip(data, _contents(lessons, asked))
    return data.getvalue()


def write_zip(target: Path | IO[bytes], files: Iterable[tuple[str, bytes]]) -> None:
    """Write an archive that is the same, byte by byte, for the same files."""
    with ZipFile(target, "w", ZIP_DEFLATED, compresslevel=9) as packed:
        for name, content in files:
            entry = ZipInfo(name, _NO_TIME)
            entry.compress_type = ZIP_DEFLATED
            entry.create_system = 3  # Unix on every system, for the permissions
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, content)


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


def editor_files(packages: Mapping[str, Path]) -> dict[str, bytes]:
    """Return CodeMirror's modules as published, which import each other as files, and begin with a license.

    ``packages``: name -> archive. A bundler would make one file of them, but would be one more thing to
    install. Raises ValueError if an import is missing.
    """
    return {f"{file_stem(name)}.mjs": _module(name, archive, packages) for name, archive in packages.items()}


def _module(name: str, archive: Path, packages: Mapping[str, Path]) -> bytes:
    with tarfile.open(archive) as opened:
        about = json.load(_member(opened, "package/package.json"))
        path = about["exports"]["import"].removeprefix("./")
        text = _member(opened, f"package/{path}").read().decode()
        license_text = _member(opened, "package/LICENSE").read().decode()

    def by_file(found: re.Match[str]) -> str:
        begin, quote, imported = found.groups()
        if imported not in packages:
            raise ValueError(f"{name} imports {imported}, which is not pinned")
        return f"{begin}{quote}./{file_stem(imported)}.mjs{quote}"

    return f"/*!\n{license_text}*/\n{_IMPORT.sub(by_file, text)}".encode()


def _member(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    member = archive.extractfile(name)
    assert member is not None
    return member

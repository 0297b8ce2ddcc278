"""mypy over all lessons in one process, though their modules have the same names in every folder.

Wrong solutions are checked as the programs that they make: `asyncdemo dev program FILE` shows the lines.

Called by `make lint`. Not for: the package, its tests and benchmarks, which plain mypy checks.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from mypy.build import build
from mypy.errors import CompileError
from mypy.main import process_options
from mypy.modulefinder import BuildSource

from asyncdemo.course.content.overlay import WRONG, program_of


def main() -> int:
    files = [str(path) for path in sorted(Path("lessons").rglob("*.py"))]
    # Without a cache: with one, errors went unseen after a lesson was added, as the modules were renamed.
    # A lesson may say `Sanic` without the types of its config and context, which no learner needs.
    _, options = process_options(["--allow-any-generics", "--cache-dir=/dev/null", *files])
    # What is imported from beside it has a name that occurs once, and keeps it.
    often = Counter(Path(file).stem for file in files)
    sources = []
    for place, file in enumerate(files):
        name = Path(file).stem
        module = name if often[name] == 1 else f"{name}_{place}"
        sources.append(BuildSource(file, module, _text(Path(file)), base_dir=str(Path(file).parent)))
    try:
        errors = build(sources, options).errors
    except CompileError as error:
        errors = error.messages
    sys.stdout.writelines(f"{error}\n" for error in errors)
    return bool(errors)


def _text(file: Path) -> str | None:
    """Return the program that a wrong solution makes of its solution.py; for any other file, None."""
    return program_of(file, file.parents[1] / "solution.py") if file.parent.name == WRONG else None


if __name__ == "__main__":
    sys.exit(main())

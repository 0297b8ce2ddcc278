"""What a page loads: the package that is pinned and no other, and all that our part of it imports."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.site.pyodide import packed_python

_LESSON = Path(__file__).parents[3] / "lessons/01-loop/01-two-sleeps"


def test_the_pack_has_all_that_is_imported_and_is_the_same_each_time(tmp_path: Path) -> None:
    lessons = [load_lesson(_LESSON)]
    data = packed_python(lessons, lambda file: file.parent.name != "wrong")
    assert data == packed_python(lessons, lambda file: file.parent.name != "wrong")
    with ZipFile(io.BytesIO(data)) as packed:
        assert "lessons/01-two-sleeps/solution.py" in packed.namelist()
        assert not [name for name in packed.namelist() if "/wrong/" in name]
        packed.extractall(tmp_path)
    # With no packages but those in it: -S leaves out the environment's own.
    command = [sys.executable, "-S", "-c", "import asyncdemo.in_page.page as page; print(page.__file__)"]
    ended = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, env={"PYTHONPATH": str(tmp_path)}
    )
    assert ended.stdout.strip() == str(tmp_path / "asyncdemo/in_page/page.py"), ended.stderr

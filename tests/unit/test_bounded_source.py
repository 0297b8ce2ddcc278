"""Source that a recording mentions, whose file may be anything."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from asyncdemo.bounded import source_line, source_lines


@pytest.mark.parametrize("path", ["/dev/zero", "<stdin>", "null\0byte", ""])
def test_what_is_no_file_has_no_lines(path: str) -> None:
    assert list(source_lines(path)) == []


def test_fifo_and_sparse_file_have_no_lines(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.py")
    with open(tmp_path / "sparse.py", "wb") as file:
        file.truncate(1 << 34)
    assert list(source_lines(str(tmp_path / "fifo.py"))) == []
    assert list(source_lines(str(tmp_path / "sparse.py"))) == []


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"# coding: latin-1\nx = '\xe9'", "x = '\xe9'"),
        (b"\xef\xbb\xbf# BOM\r\nx = 1\r\n", "x = 1\n"),
        (b"# coding: klingon\nx = 1", ""),
        (b"\xe9\nx = 1", ""),
    ],
)
def test_source_is_decoded_as_python_does(tmp_path: Path, data: bytes, line: str) -> None:
    (tmp_path / "script.py").write_bytes(data)
    assert source_line(str(tmp_path / "script.py"), 2) == line
    assert source_line(str(tmp_path / "script.py"), 9) == ""


def test_changed_file_is_read_again(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("first")
    assert source_line(str(script), 1) == "first"
    script.write_text("second one")
    assert source_line(str(script), 1) == "second one"

"""What a killed asyncdemo left is removed, and nothing that anybody could want."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from asyncdemo.recording.stale_folders import remove_leftovers


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="t"))  # names of sockets must be short
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    shutil.rmtree(folder)


def listener(folder: Path) -> socket.socket:
    folder.mkdir()
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(str(folder / "events"))
    listening.listen(1)
    return listening


def test_only_an_old_socket_that_nobody_listens_to_goes_with_its_folder(
    temporary: Path, tmp_path: Path
) -> None:
    with listener(temporary / "asyncdemo-used"):
        for name in ("left", "young", "shared"):
            listener(temporary / f"asyncdemo-{name}").close()
        (temporary / "asyncdemo-shared" / "mine.txt").write_text("mine")
        (temporary / "asyncdemo-exercises").mkdir()
        (temporary / "asyncdemo-file").touch()
        (temporary / "asyncdemo-link").symlink_to(tmp_path, target_is_directory=True)
        before = {path.name for path in temporary.iterdir()}
        for name in before - {"asyncdemo-young", "asyncdemo-link"}:
            os.utime(temporary / name, (0, 0))
        remove_leftovers.cache_clear()
        remove_leftovers()
        assert {path.name for path in temporary.iterdir()} == before - {"asyncdemo-left"}
        assert (temporary / "asyncdemo-shared" / "mine.txt").read_text() == "mine"

"""The wheel carries the built site, and is built without one too. Alone it runs the first lesson."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.cli.commands import ROOT, asyncdemo

pytest.importorskip("hatchling")

PARTS = (".gitignore", "LICENSE", "README.md", "pyproject.toml", "lessons", "scripts", "src")
SITE = {"index.html": "start", "lessons/two-sleeps.html": "two sleeps"}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What git has of it and a wheel needs, without a built site."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder)
    return folder


def wheel(checkout: Path, folder: Path, version: str = "standard") -> ZipFile:
    """Built as installers build it."""
    hook = "build_editable" if version == "editable" else "build_wheel"
    code = f"import sys; from hatchling.build import {hook}; print({hook}(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], cwd=checkout, capture_output=True, text=True, check=True
    )
    return ZipFile(folder / done.stdout.strip())


def carried(packed: ZipFile) -> dict[str, str]:
    start = "asyncdemo/_site/"
    return {
        name.removeprefix(start): packed.read(name).decode()
        for name in packed.namelist()
        if name.startswith(start)
    }


def test_built_site_is_in_the_wheel_and_found_there(checkout: Path, tmp_path: Path) -> None:
    pytest.importorskip("editables")
    path = str(tmp_path / "installed")
    with wheel(checkout, tmp_path) as packed:
        assert carried(packed) == {}
        assert "asyncdemo/_lessons/course.toml" in packed.namelist()
        packed.extractall(path)
    done = asyncdemo("docs", cwd=tmp_path, PYTHONPATH=path)
    assert done.code == 3
    assert "make wheel" in done.err
    for name, text in SITE.items():  # which git ignores
        (checkout / "site" / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / "site" / name).write_text(text)
    with wheel(checkout, tmp_path) as packed:
        assert carried(packed) == SITE
        packed.extractall(path)
    checks = asyncdemo("doctor", "--json", cwd=tmp_path, PYTHONPATH=path).data["checks"]
    (found,) = [check["words"] for check in checks if check["name"] == "docs site"]
    assert found == str(tmp_path / "installed" / "asyncdemo" / "_site")
    with wheel(checkout, tmp_path, "editable") as packed:
        assert carried(packed) == {}


def test_installed_commands_need_no_right_and_wrong_solutions(checkout: Path, tmp_path: Path) -> None:
    with wheel(checkout, tmp_path) as packed:
        packed.extractall(tmp_path / "installed")
    path = str(tmp_path / "installed")
    solution = tmp_path / "installed/asyncdemo/_lessons/01-loop/01-two-sleeps/solution.py"
    done = asyncdemo("check", "--file", str(solution), "two-sleeps", cwd=tmp_path, PYTHONPATH=path)
    assert done.code == 0, done.err
    done = asyncdemo("dev", "check", cwd=tmp_path, PYTHONPATH=path)
    assert (done.code, done.out) == (2, "")


@pytest.mark.slow
def test_the_wheel_alone_runs_the_first_lesson(checkout: Path, tmp_path: Path) -> None:
    """As a stranger would run it, who has uv and nothing else."""
    with wheel(checkout, tmp_path) as packed:
        path = str(packed.filename)
    uvx = [sys.executable, "-m", "uv", "tool", "run", "--python", sys.executable, "--from", path]
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if name.startswith(("UV_", "PIP_", "SSL_"))}
    done = subprocess.run(
        [*uvx, "asyncdemo", "run", "two-sleeps", "--plain", "--no-predict"],
        cwd=home,
        env={"HOME": str(home), "PATH": os.defpath, **kept},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if "Failed to fetch" in done.stderr:
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stderr
    assert "awaited: time " in done.stdout

"""The commands with nothing installed but what `make tour` installs: the rest is hidden."""

from __future__ import annotations

import os
import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.cli.commands import ROOT, program

HIDE = """
import sys

HIDDEN = {names!r}

class Seeing:
    def __init__(self, finder):
        self.finder = finder

    def __getattr__(self, name):
        return getattr(self.finder, name)

    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in HIDDEN else self.finder.find_spec(name, path, target)

sys.meta_path[:] = [Seeing(finder) for finder in sys.meta_path]
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Of PYTHONPATH: with it Python finds none of the packages that the tour has not."""
    pinned = (ROOT / "requirements" / "tour.txt").read_text(encoding="utf-8")
    installed = {"asyncdemo", *(known(name) for name in re.findall(r"^([\w.-]+)==", pinned, re.MULTILINE))}
    hidden = {
        name
        for name, packages in packages_distributions().items()
        if not {known(package) for package in packages} & installed and name not in sys.stdlib_module_names
    }
    assert {"httptools", "redis", "sanic"} <= hidden and not {"rich", "click", "psutil"} & hidden
    (tmp_path / "sitecustomize.py").write_text(HIDE.format(names=hidden), encoding="utf-8")
    return os.pathsep.join([str(tmp_path), str(ROOT / "src")])


def known(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


EACH = "import sys; from asyncdemo.cli import main; print([main(each.split()) for each in sys.argv[1:]])"


def each(path: str, *commands: str) -> tuple[str, str]:
    """One after the other in one process: the exit codes, and stderr."""
    done = program(sys.executable, "-c", EACH, *commands, PYTHONPATH=path)
    assert done.code == 0 and "Traceback" not in done.err, done.err
    return done.out.splitlines()[-1], done.err


def test_what_the_tour_has_is_enough(path: str) -> None:
    codes, _ = each(
        path,
        "run two-sleeps --set BREW_S=0.01 --no-predict",
        "list",
        "doctor",
        "lab",
        "lab --json",
        "services --help",
        "check --help",
        "completion bash",
    )
    assert codes == str([0] * 8)


def test_missing_extra_is_named_with_the_installing_command(path: str) -> None:
    codes, said = each(
        path,
        "run flask-vs-sanic --no-predict",
        "services s3",
        "lab hello-world --quick",
        "lab twenty-one-pairs --set WORKERS=4",
    )
    assert codes == str([3] * 4), said
    assert len(re.findall(r"make [\w ]*(?:course|lab)\b|\[(?:course|lab)\]", " ".join(said.split()))) == 4

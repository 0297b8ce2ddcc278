"""The rules for the repository as a whole that no linter knows: the lock files, what no file may name."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from asyncdemo.packages import WITHOUT_WHEEL

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "asyncdemo"
LOCKS = ("tour.txt", "course.txt", "lab.txt", "browser.txt", "dev.txt", "all.txt")

# Both are written so that they do not match themselves. Pip uses whatever index it is set up to use.
INDEX = re.compile(
    r"\bpy(?:pi)\.\w|\bpython(?:hosted)\.|\bnpm(?:js)\.|(?:extra-)?index-url\s*=\s*\S|\[\[tool\.uv\.index"
)
# A home folder or a temporary one of somebody's machine; "ada" is the user of the examples.
MACHINE_PATH = re.compile(
    r"/(?:home|Users)/(?!ada\b|you\b)\w+/|/ro(?:ot)/|/tm(?:p)/\w+\.\w{6,}|/pri(?:vate)/var/"
)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def texts() -> Iterator[tuple[str, str]]:
    for path in tracked():
        data = path.read_bytes()
        if b"\0" not in data:
            yield name_of(path), data.decode("utf-8")


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def test_capture_imports_only_the_standard_library_and_itself() -> None:
    foreign = {
        (name_of(path), name)
        for path in (PACKAGE / "capture").rglob("*.py")
        for name in imported(parsed(path))
        if name.partition(".")[0] not in sys.stdlib_module_names
        and name != "asyncdemo.capture"
        and not name.startswith("asyncdemo.capture.")
    }
    assert foreign == set()


def test_no_tracked_file_names_a_package_index() -> None:
    assert [(name, found[0]) for name, text in texts() if (found := INDEX.search(text))] == []


def test_no_tracked_file_names_a_path_of_one_machine() -> None:
    here = re.escape(str(ROOT)) if len(ROOT.parts) > 2 else "(?!)"
    pattern = re.compile(f"{MACHINE_PATH.pattern}|{here}(?![\\w-])")
    assert [(name, found[0]) for name, text in texts() if (found := pattern.search(text))] == []


def pins(lock: str) -> dict[str, str]:
    """Package and marker -> version."""
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    found = re.findall(r"^([\w.\[\],-]+)==(\S+)(?: ; (.*?))? \\$", text, re.MULTILINE)
    return {f"{name} ; {marker}": version for name, version, marker in found}


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_file_pins_packages_with_hashes_and_no_address(lock: str) -> None:
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    heads = [line for line in lines if not line.startswith(" ")]
    assert len(pins(lock)) == len(heads)
    assert all(
        re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}(?: \\)?", line) for line in lines if line not in heads
    )
    assert "://" not in text


@pytest.mark.parametrize("lock", LOCKS[:-1])
def test_the_smaller_lock_files_are_subsets_of_the_whole_one(lock: str) -> None:
    whole = {(entry.partition(" ")[0], version) for entry, version in pins("all.txt").items()}
    assert {(entry.partition(" ")[0], version) for entry, version in pins(lock).items()} <= whole


def test_the_lock_files_hold_what_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]

    def names(requirements: list[str]) -> set[str]:
        found = (re.match(r"[\w.-]+", requirement) for requirement in requirements)
        return {name[0].lower() for name in found if name} - {"asyncdemo"}

    for lock, wanted in {
        "tour.txt": names([*project["dependencies"], *extras["watch"]]) | {"hatchling", "editables"},
        "course.txt": names([*project["dependencies"], *extras["course"]]) | {"hatchling", "editables"},
        "lab.txt": names([*project["dependencies"], *extras["course"], *extras["lab"]])
        | {"hatchling", "editables"},
        "dev.txt": names([*project["dependencies"], *extras["course"], *extras["dev"], *extras["docs"]]),
        "browser.txt": names(extras["browser"]),
        "all.txt": names([*project["dependencies"], *(one for extra in extras.values() for one in extra)]),
    }.items():
        assert wanted <= {entry.partition(" ")[0] for entry in pins(lock)}, f"{lock}: run `make lock`"


def test_packages_without_a_wheel_are_not_required_here() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [Requirement(one) for extra in project["optional-dependencies"].values() for one in extra]
    by_version = [one for one in asked if one.marker and "python_version" in str(one.marker)]
    assert by_version
    assert {one.name for one in by_version if one.marker and not one.marker.evaluate()} == WITHOUT_WHEEL


def test_wheel_has_the_lessons_without_wrong_solutions(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    carried = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("asyncdemo/_lessons/")}
    wanted = {name for path in tracked() if (name := name_of(path)).startswith("lessons/")}
    assert wanted
    for_authors = {name for name in wanted if "/wrong/" in name or "/right/" in name}
    needed = {name.replace("lessons/", "asyncdemo/_lessons/", 1) for name in wanted - for_authors}
    assert for_authors
    assert needed <= carried
    assert not {name for name in carried if "/wrong/" in name or "/right/" in name}

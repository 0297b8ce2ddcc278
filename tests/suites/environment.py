"""Where a suite runs: its source distribution, unpacked, and a virtual environment with what it needs."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

from tests.suites.catalog import Suite

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "suites"
_CONSTRAINTS = Path(__file__).parent / "constraints.txt"


@dataclass(frozen=True)
class Place:
    """python: that runs the suite. folder: in which."""

    python: Path
    folder: Path


def version_of(python: Path) -> str:
    """Such as "3.11"."""
    return _said(python, "import sys; print('%d.%d' % sys.version_info[:2])")


def has_own_tests(python: Path) -> bool:
    """Some systems put CPython's tests into a package of their own."""
    tried = subprocess.run([python, "-c", "import test.test_asyncio"], check=False, capture_output=True)
    return tried.returncode == 0


def prepare(suite: Suite, python: Path) -> Place:
    """Downloads and installs what is not there. Raises CalledProcessError, or ValueError for another file."""
    CACHE.mkdir(parents=True, exist_ok=True)
    # A suite without a configuration would be run with the one of this checkout.
    (CACHE / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    folder = CACHE / f"{suite.name}-{version_of(python)}"
    if suite.is_pythons_own:
        (folder / "source").mkdir(parents=True, exist_ok=True)
        return Place(python, folder / "source")
    place = Place(folder / "venv" / "bin" / "python", folder / "source")
    wanted = "\n".join([f"{suite.name}=={suite.version}", *suite.install, *suite.hide])
    wanted += "\n" + _CONSTRAINTS.read_text(encoding="utf-8")
    done = folder / "installed"
    if not done.exists() or done.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        _unpack(_download(suite), place.folder)
        for hidden in suite.hide:
            shutil.rmtree(place.folder / hidden)
        _run(python, "-m", "venv", folder / "venv")
        # with asyncdemo, as in the environment of somebody who uses it
        packages = [f"{suite.name}=={suite.version}", *suite.install]
        _install(place.python, *packages, "--editable", ROOT, "--constraint", _CONSTRAINTS)
        done.write_text(wanted, encoding="utf-8")
    return place


def _download(suite: Suite) -> Path:
    folder = CACHE / "sdists"
    stem = f"{suite.name.replace('-', '_')}-{suite.version}.tar.gz"
    path = folder / stem
    if not path.exists():
        source: list[str | Path] = [
            "--no-deps",
            "--no-binary",
            suite.name,
            f"{suite.name}=={suite.version}",
            "--dest",
            folder,
        ]
        _run(Path(sys.executable), "-m", "pip", "download", "--quiet", *source)
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != suite.sha256:
        raise ValueError(f"{path} has the SHA-256 {found}, and suites.toml says {suite.sha256}")
    return path


def _unpack(archive: Path, folder: Path) -> None:
    """What is in the archive's one folder."""
    with tarfile.open(archive) as opened:
        opened.extractall(folder.parent, filter="data")
    (folder.parent / archive.name.removesuffix(".tar.gz")).rename(folder)


def _install(python: Path, *packages: str | Path) -> None:
    uv = shutil.which("uv")
    pip: list[str | Path] = (
        [uv, "pip", "install", "--python", python] if uv else [python, "-m", "pip", "install"]
    )
    _run(*pip, "--quiet", *packages)


def _run(*command: str | Path) -> None:
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def _said(python: Path, code: str) -> str:
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()

"""The command that installs what is missing, for each way in which asyncdemo may have been installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from asyncdemo import packages
from asyncdemo.packages import install_command


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setattr(packages, "CHECKOUT", tmp_path)
    return tmp_path


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Not from a checkout; the folder of its environment."""
    monkeypatch.setattr(packages, "CHECKOUT", tmp_path / "lib")
    monkeypatch.setattr(packages, "_source", lambda: "")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(("extra", "command"), [("", "tour"), ("course", "course"), ("lab", "lab")])
def test_in_a_checkout_make_does_it(
    extra: str, command: str, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(checkout / ".venv"))
    assert install_command(extra) == f"make -C {checkout} {command}"
    monkeypatch.chdir(checkout)
    assert install_command(extra) == f"make {command}"


def test_checkout_in_its_own_environment_is_installed_with_pip(checkout: Path) -> None:
    assert install_command("course").endswith(f"install -e '{checkout}[course]'")


def test_a_tool_of_uv_is_installed_again(installed: Path) -> None:
    (installed / "uv-receipt.toml").touch()
    assert install_command("course") == "uv tool install 'asyncdemo[course]'"


def test_what_uvx_runs_is_run_with_more(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(installed / "archive-v0" / "f00"))
    assert install_command("course") == "uvx --from 'asyncdemo[course]' asyncdemo"


@pytest.mark.usefixtures("installed")
def test_elsewhere_pip_does_it() -> None:
    assert install_command("course").endswith("install 'asyncdemo[course]'")
    assert install_command().endswith("install asyncdemo")


@pytest.mark.usefixtures("installed")
def test_what_came_from_a_folder_is_installed_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "_source", lambda: "file:///home/ada/asyncdemo")
    assert install_command("course").endswith("install 'asyncdemo[course] @ file:///home/ada/asyncdemo'")

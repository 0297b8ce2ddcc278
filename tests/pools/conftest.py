"""The real things: a Redis, a PostgreSQL and an S3, started once for all tests of a worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from asyncdemo.errors import AsyncdemoError
from asyncdemo.services import NAMES, Services


@pytest.fixture(scope="session")
def services() -> Iterator[dict[str, str]]:
    """The environment in which scripts find all of them."""
    try:
        running = Services(NAMES)
        running.start()
    except AsyncdemoError as error:
        pytest.skip(str(error))
    try:
        yield dict(running.environment)
    finally:
        running.close()


@pytest.fixture(autouse=True)
def environment(services: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in services.items():
        monkeypatch.setenv(name, value)

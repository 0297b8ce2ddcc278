"""The servers that lessons talk to: started once for all that a process tests with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from asyncdemo.course.rules import LessonSource
from asyncdemo.serving import ServiceCache


@pytest.fixture(scope="session")
def services_of() -> Iterator[Callable[[dict[str, str]], ServiceCache]]:
    """Those of one kind, which these variables choose."""
    kept: dict[tuple[tuple[str, str], ...], ServiceCache] = {}
    with ExitStack() as stack:

        def of(variables: dict[str, str]) -> ServiceCache:
            kind = tuple(sorted(variables.items()))
            if kind not in kept:
                kept[kind] = stack.enter_context(ServiceCache())
            return kept[kind]

        yield of


@pytest.fixture
def servers(
    variables: dict[str, str],
    subject: LessonSource,
    services_of: Callable[[dict[str, str]], ServiceCache],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those of a lesson, of this kind; each of its programs finds in them what is there at first."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(subject, "service_cache", services_of(variables))

"""The API reference: its pages have all that is public, and the docstrings say what each name is."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import griffe
import pytest

ROOT = Path(__file__).resolve().parents[3]
API = ROOT / "docs" / "reference" / "api"
PAGES = sorted(page for page in API.glob("*.md") if page.name != "index.md")
# Names that a module lends from another one, whose page has them; and constants that its prose explains.
ELSEWHERE = {
    "asyncdemo.testing.checks": {"Answer", "Evidence", "Lane", "Outcome"},
    "asyncdemo.errors": {
        "EXIT_CODES",
        "EXIT_FAILED",
        "EXIT_INTERRUPTED",
        "EXIT_MISSING",
        "EXIT_OK",
        "EXIT_USAGE",
    },
    "asyncdemo.load": {"Event"},
    "asyncdemo.model": {"LOOPS", "MOST_STUCK", "NO_WAIT"},
    "asyncdemo.testing.observe": {"make_observed", "target_of"},
    "asyncdemo.testing.plugin": {"pytest_runtest_makereport"},
    "asyncdemo.services": {"NAMES", "NOUNS", "SERVICES"},
    "asyncdemo.store": {"FORMAT"},
}


def module_of(page: Path) -> str:
    (module,) = re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return str(module)


def members_of(page: Path) -> list[str]:
    listed = page.read_text(encoding="utf-8").partition("\n      members:")[2]
    return re.findall(r"\b[A-Za-z_]\w+\b", listed)


@pytest.fixture(scope="module")
def package() -> griffe.Module:
    loaded = griffe.load("asyncdemo", search_paths=[ROOT / "src"], docstring_parser=griffe.Parser.google)
    assert isinstance(loaded, griffe.Module)
    return loaded


def shown(page: Path, package: griffe.Module) -> Iterator[griffe.Object | griffe.Alias]:
    """What the page has, with the methods and properties of classes."""
    for name in members_of(page):
        member = package[module_of(page).removeprefix("asyncdemo.")][name]
        yield member
        if member.is_class:
            yield from (
                one
                for one in member.all_members.values()
                if not one.name.startswith("_") and (one.is_function or "property" in one.labels)
            )


def classes(page: Path, package: griffe.Module) -> Iterator[griffe.Class]:
    for one in shown(page, package):
        target = one.final_target if isinstance(one, griffe.Alias) else one
        if isinstance(target, griffe.Class):
            yield target


@pytest.fixture(scope="module")
def with_a_place(package: griffe.Module) -> set[str]:
    """The paths of the classes that some page has."""
    return {one.path for page in PAGES for one in classes(page, package)}


def described(one: griffe.Object | griffe.Alias, kind: griffe.DocstringSectionKind) -> list[str]:
    """The names that a section of its docstring explains."""
    sections = one.docstring.parsed if one.docstring else []
    return [item.name for section in sections if section.kind is kind for item in section.value]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_all_that_its_module_offers(page: Path) -> None:
    offered = set(import_module(module_of(page)).__all__)
    assert set(members_of(page)) == offered - ELSEWHERE.get(module_of(page), set())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_begins_with_what_it_is(page: Path, package: griffe.Module) -> None:
    for one in shown(page, package):
        assert one.docstring is not None, one.path
        first = one.docstring.parsed[0]
        assert first.kind is griffe.DocstringSectionKind.text, one.path
        # What a line of it names would have been said of a parameter or a field in another section.
        assert not re.search(r"(?m)^(Args|Attributes|Returns|Raises)\b", first.value), one.path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_field_of_a_class_is_explained(
    page: Path, package: griffe.Module, with_a_place: set[str]
) -> None:
    """There, or at a base that some page has."""
    for one in classes(page, package):
        fields = {
            name
            for name, field in one.all_members.items()
            if field.is_attribute and not name.startswith("_") and "property" not in field.labels
        }
        attributes = griffe.DocstringSectionKind.attributes
        bases = [base for base in one.mro() if base.path in with_a_place]
        names = {name for base in [one, *bases] for name in described(base, attributes)}
        assert fields - names == set(), one.path
        assert set(described(one, attributes)) <= fields, one.path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_docstrings_are_read_without_a_warning(
    page: Path, package: griffe.Module, caplog: pytest.LogCaptureFixture
) -> None:
    """Of a parameter that is not there, say, or a section that is laid out in another way."""
    with caplog.at_level(logging.WARNING):
        for one in shown(page, package):
            if one.docstring is not None:
                one.docstring.parse()
    assert caplog.messages == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_field_has_its_type(page: Path, package: griffe.Module) -> None:
    """From the source, or in the docstring where that has none."""
    for one in classes(page, package):
        if not {"Enum", "IntEnum", "StrEnum"} & {str(base) for base in one.bases}:
            sections = one.docstring.parsed if one.docstring else []
            fields = [s.value for s in sections if s.kind is griffe.DocstringSectionKind.attributes]
            untyped = [field.name for values in fields for field in values if field.annotation is None]
            assert untyped == [], one.path

"""Our docstrings in the API reference: what is said of a name is found, and nothing public is left out."""

from __future__ import annotations

import re
from importlib import import_module
from inspect import cleandoc
from pathlib import Path

import griffe
import pytest

from asyncdemo.site.docstrings import HouseStyle, read

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
    "asyncdemo.model": {"LOOPS", "NO_WAIT"},
    "asyncdemo.testing.plugin": {"pytest_runtest_makereport"},
    "asyncdemo.services": {"NAMES", "NOUNS", "settings"},
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
    extensions = griffe.load_extensions(HouseStyle)
    loaded = griffe.load("asyncdemo", search_paths=[ROOT / "src"], extensions=extensions)
    assert isinstance(loaded, griffe.Module)
    return loaded


def test_a_page_has_all_that_its_module_offers() -> None:
    for page in PAGES:
        module = module_of(page)
        offered = set(import_module(module).__all__)
        assert set(members_of(page)) == offered - ELSEWHERE.get(module, set()), module


def test_each_has_its_words_and_each_field_too(package: griffe.Module) -> None:
    named = [
        (module_of(page).removeprefix("asyncdemo."), name) for page in PAGES for name in members_of(page)
    ]
    for module, name in named:
        member = package[module][name]
        assert member.has_docstring, name
        sections = member.docstring.parsed
        assert sections[0].kind is griffe.DocstringSectionKind.text, f"{name}: no word about the whole"
        for section in sections[1:]:
            untold = [
                field.name
                for field in section.value
                if not field.description and f"``{field.name}``" not in sections[0].value
            ]
            assert untold == [], f"{name}: {untold}"


def test_each_function_and_method_says_what_it_does(package: griffe.Module) -> None:
    for page in PAGES:
        for name in members_of(page):
            member = package[module_of(page).removeprefix("asyncdemo.")][name]
            if member.is_class:
                methods = [one for one in member.functions.values() if not one.name.startswith("_")]
                assert [one.path for one in methods if not one.has_docstring] == []


def test_what_is_said_of_names_is_told_from_the_prose() -> None:
    text = cleandoc("""One use.

    start_ns, end_ns: when. track: of the handler;
    None if none was reached. Note: this is prose of it.
    kind: a word: "a", "b"

    More prose, and no name: that one is unknown. Raises ValueError for nothing.""")
    assert list(read(text, ["start_ns", "end_ns", "track", "kind"])) == [
        "One use.",
        {
            "start_ns": "When.",
            "end_ns": "When.",
            "track": "Of the handler; None if none was reached. Note: this is prose of it.",
            "kind": 'A word: "a", "b".',
        },
        "More prose, and no name: that one is unknown.",
        "Raises ValueError for nothing.",
    ]


def test_a_docstring_without_names_is_prose() -> None:
    assert list(read("Just this: words.", [])) == ["Just this: words."]


def test_members_of_an_enumeration_are_listed_with_their_values(package: griffe.Module) -> None:
    (text,) = package["model.Outcome"].docstring.parsed
    assert "- `OPEN` (`'open'`): Not over when the recording ended." in text.value


def fields_of(cls: griffe.Object | griffe.Alias) -> dict[str, str]:
    assert cls.docstring is not None
    return {
        field.name: str(field.annotation)
        for section in cls.docstring.parsed
        if isinstance(section, griffe.DocstringSectionAttributes)
        for field in section.value
    }


def test_what_is_kept_of_an_argument_has_its_type(package: griffe.Module) -> None:
    assert fields_of(package["testing.checks.Seen"])["run"] == "Run"


def test_a_class_has_the_fields_of_bases_that_no_page_has(package: griffe.Module) -> None:
    assert {"lanes", "values", "indices"} <= set(fields_of(package["testing.checks.Calls"]))  # those of Group
    assert list(fields_of(package["testing.observe.Observed"])) == ["result"]  # those of Seen are on its page
    assert fields_of(package["errors.UsageError"]) == {}

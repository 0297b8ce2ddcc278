"""The glossary has every word that the views use, and what it names exists."""

from __future__ import annotations

import re
from pathlib import Path

from asyncdemo.analysis.diagnose import FindingKind
from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.model import State

REFERENCE = Path(__file__).resolve().parents[3] / "docs" / "reference"
PAGE = (REFERENCE / "vocabulary.md").read_text(encoding="utf-8")
JSON = (REFERENCE / "json.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^(\S.*?) \{ #([\w-]+) \}\n:   ", PAGE, re.MULTILINE)


def test_every_definition_has_an_address_that_only_it_has() -> None:
    assert PAGE.count("\n:   ") == len(TERMS) == len({ident for _, ident in TERMS})


def test_every_state_of_a_lane_is_a_term() -> None:
    states = [state.name.lower() for state in State if state.name != "CLOSED"]
    assert [state for state in states if (state, state) not in TERMS] == []


def test_every_kind_of_finding_is_a_term_with_its_smallest_script() -> None:
    assert [kind for kind in FindingKind if (f"`{kind}`", str(kind)) not in TERMS] == []
    assert [kind for kind in FindingKind if f"(../explore/mistakes/{kind}.md)" not in PAGE] == []


def test_every_figure_under_a_picture_is_a_term() -> None:
    words = ["wall", "ideal", "peak", "open", "throughput", "latency", "memory"]
    assert [word for word in words if (word, word) not in TERMS] == []


def test_a_link_within_the_page_leads_to_a_term() -> None:
    assert set(re.findall(r"\]\(#([\w-]+)\)", PAGE)) <= {ident for _, ident in TERMS}


def test_a_field_that_is_named_is_one_of_the_json_contract() -> None:
    named = [
        names
        for sentence in re.findall(r"In JSON: ([^.]*)\.", PAGE)
        for names in re.findall(r"`(\w+)`", sentence)
    ]
    assert named
    assert [name for name in named if f"`{name}`" not in JSON] == []


def test_a_lesson_that_is_named_has_that_number() -> None:
    ids = {lesson.number: lesson.id for lesson in load_course(find_course()).lessons}
    named = re.findall(r"\[lesson\s+(\d+)\]\(\.\./lessons/([\w-]+)\.md\)", PAGE)
    assert named
    assert [(int(number), ident) for number, ident in named if ids[int(number)] != ident] == []

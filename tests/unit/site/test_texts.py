"""What the texts of the site say of the course, of Python and of its knobs is so, and says all there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from mkdocs.utils.yaml import yaml_load

from asyncdemo.analysis.metrics import PLAIN_FIGURES
from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.lab.results.published import ARTICLES, load_article
from asyncdemo.model import State

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
PAGES = sorted(page for folder in ("start", "teach", "about") for page in (DOCS / folder).glob("*.md"))
COURSE = load_course(find_course())
LESSONS = {lesson.id: load_lesson(lesson.folder) for lesson in COURSE.lessons}
SCHEDULES = (DOCS / "teach" / "schedules.md").read_text(encoding="utf-8")
TOTALS = {
    "90 minutes": 90,
    "Three hours": 180,
    "Half a day": 210,
    "Half a day on measuring": 210,
    "A day": 420,
}
GLOSSARY = (DOCS / "reference" / "vocabulary.md").read_text(encoding="utf-8")
JSON = (DOCS / "reference" / "json.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^(\S.*?) \{ #([\w-]+) \}\n:   ", GLOSSARY, re.MULTILINE)


def read(page: Path) -> str:
    return " ".join(page.read_text(encoding="utf-8").split())


def test_a_lesson_is_named_by_its_number_and_title() -> None:
    link = re.compile(r"\[(?:lesson )?(\d+)\s?([^\]]*)\]\(\.\./lessons/(?!index)([\w-]+)\.md")
    named = [(page.name, *match) for page in PAGES for match in link.findall(read(page))]
    assert named
    for page, number, title, ident in named:
        assert (page, int(number)) == (page, LESSONS[ident].number)
        assert (page, title) in ((page, ""), (page, LESSONS[ident].title))


def test_the_tour_says_how_many_lessons_there_are() -> None:
    assert f"[{len(LESSONS)} lessons](../lessons/index.md)" in read(DOCS / "start" / "tour.md")


def test_a_knob_that_a_command_turns_exists() -> None:
    turned = re.compile(r"asyncdemo run ([\w-]+)[^`]*? --set (\w+)=")
    named = [(page.name, *match) for page in PAGES for match in turned.findall(read(page))]
    assert named
    for page, name, knob in named:
        lesson = next(lesson for lesson in LESSONS.values() if name in (lesson.id, str(lesson.number)))
        assert knob in {known.name for known in lesson.knobs}, page


def test_article_has_title_author_and_lessons_of_its_figures() -> None:
    page = read(DOCS / "about" / "index.md")
    for name in ARTICLES:
        article = load_article(name)
        text = page.partition(f" ### {article.name} ")[2].partition(" ### ")[0]
        lessons = [f"../lessons/{one}.md" if one in LESSONS else f"`{one}`" for one in article.lessons]
        wanted = [f"../measure/{name}.md", article.title, article.author, *lessons]
        assert [(name, words) for words in wanted if words not in text] == []


# the navigation


def test_navigation_lists_every_lesson_in_order_below_its_module() -> None:
    with (ROOT / "mkdocs.yml").open(encoding="utf-8") as file:
        config: dict[str, Any] = yaml_load(file)
    [lessons] = [entry["Lessons"] for entry in config["nav"] if "Lessons" in entry]
    assert [entry for entry in lessons if isinstance(entry, dict)] == [
        {module.title: [f"lessons/{lesson.id}.md" for lesson in module.lessons]} for module in COURSE.modules
    ]
    assert config["theme"]["font"] is False  # else it would be fetched from elsewhere


# the glossary


def test_every_definition_has_an_address_that_only_it_has() -> None:
    assert GLOSSARY.count("\n:   ") == len(TERMS) == len({ident for _, ident in TERMS})


def test_every_state_of_a_lane_is_a_term() -> None:
    states = [state.name.lower() for state in State if state.name != "CLOSED"]
    assert [state for state in states if (state, state) not in TERMS] == []


def test_every_figure_under_a_picture_is_a_term() -> None:
    words = ["wall", "ideal", "peak", "open", "throughput", "latency", "memory"]
    assert [word for word in words if (word, word) not in TERMS] == []


def test_a_link_within_the_page_leads_to_a_term() -> None:
    assert set(re.findall(r"\]\(#([\w-]+)\)", GLOSSARY)) <= {ident for _, ident in TERMS}


def test_a_field_that_is_named_is_one_of_the_json_contract() -> None:
    named = [
        names
        for sentence in re.findall(r"In JSON: ([^.]*)\.", GLOSSARY)
        for names in re.findall(r"`(\w+)`", sentence)
    ]
    assert named
    plain = {figure.name for figure in PLAIN_FIGURES}
    assert [name for name in named if name not in plain and f"`{name}`" not in JSON] == []


def test_a_lesson_that_is_named_has_that_number() -> None:
    ids = {lesson.number: lesson.id for lesson in COURSE.lessons}
    named = re.findall(r"\[lesson\s+(\d+)\]\(\.\./lessons/([\w-]+)\.md\)", GLOSSARY)
    assert named
    assert [(int(number), ident) for number, ident in named if ids[int(number)] != ident] == []


# the schedules for teachers


class Row(NamedTuple):
    start: int
    minutes: int
    what: str


def schedule(heading: str) -> list[Row]:
    text = SCHEDULES.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    cells = [
        [cell.strip() for cell in line.split("|")[1:4]] for line in text.splitlines() if line.startswith("| ")
    ]
    return [
        Row(60 * int(hours) + int(minutes), int(length or 0), what)
        for begin, length, what in cells[1:]
        for hours, minutes in [begin.split(":")]
    ]


@pytest.mark.parametrize("heading", TOTALS)
def test_each_part_begins_when_the_one_before_it_ends(heading: str) -> None:
    rows = schedule(heading)
    now = 0
    for row in rows:
        assert row.start == now, row
        now += row.minutes
    assert now == TOTALS[heading]


@pytest.mark.parametrize("heading", TOTALS)
def test_a_lesson_gets_the_minutes_that_its_manifest_asks_for(heading: str) -> None:
    given = {
        match[1]: (match[0], row.minutes)
        for row in schedule(heading)
        for match in re.findall(r"\[([^\]]*)\]\(\.\./lessons/([\w-]+)\.md\)", row.what)
    }
    assert given
    for ident, (title, minutes) in given.items():
        assert (LESSONS[ident].title, minutes >= LESSONS[ident].minutes) == (title, True), ident


@pytest.mark.parametrize("heading", TOTALS)
def test_an_exercise_comes_after_the_lesson_that_it_belongs_to(heading: str) -> None:
    rows = [row.what for row in schedule(heading)]
    exercises = [
        (place, what.split("`")[1]) for place, what in enumerate(rows) if what.startswith("Exercise ")
    ]
    assert exercises
    for place, ident in exercises:
        assert LESSONS[ident].exercise is not None
        assert any(f"lessons/{ident}.md" in what for what in rows[:place])


def test_the_other_afternoon_costs_as_much_less_as_the_page_says() -> None:
    text = SCHEDULES.partition("**For a team that moves")[2].partition("\n## ")[0]
    instead = sum(LESSONS[ident].minutes for ident in re.findall(r"lessons/([\w-]+)\.md", text))
    usual = sum(LESSONS[ident].minutes for ident in ("flask-vs-sanic", "redis-pools"))
    assert f"They leave {usual - instead} minutes more" in " ".join(text.split())


def test_day_has_at_most_ten_lessons_and_is_half_practice() -> None:
    rows = schedule("A day")
    at_work = sum(row.minutes for row in rows if row.what not in ("Break", "Lunch"))
    doing = sum(row.minutes for row in rows if row.what.startswith(("Exercise ", "Scripts of theirs")))
    assert sum("/lessons/" in row.what for row in rows) <= 10
    assert doing >= at_work / 2

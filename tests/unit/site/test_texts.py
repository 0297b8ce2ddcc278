"""What the texts of the site say of the course, of Python and of its knobs is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.lab.published import ARTICLES, load_article

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = sorted(page for folder in ("start", "teach", "about") for page in (DOCS / folder).glob("*.md"))
COURSE = load_course(find_course())
LESSONS = {lesson.id: lesson for lesson in COURSE.lessons}


def read(page: Path) -> str:
    return " ".join(page.read_text(encoding="utf-8").split())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_a_lesson_is_named_by_its_number_and_title(page: Path) -> None:
    named = re.findall(r"\[(?:lesson )?(\d+)\s?([^\]]*)\]\(\.\./lessons/(?!index)([\w-]+)\.md", read(page))
    for number, title, ident in named:
        assert int(number) == LESSONS[ident].number
        assert title in ("", LESSONS[ident].title)


def test_the_tour_says_how_many_lessons_there_are() -> None:
    assert f"There are [{len(LESSONS)} lessons]" in read(DOCS / "start" / "tour.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_a_knob_that_a_command_turns_exists(page: Path) -> None:
    for name, knob in re.findall(r"asyncdemo run ([\w-]+)[^`]*? --set (\w+)=", read(page)):
        lesson = next(lesson for lesson in LESSONS.values() if name in (lesson.id, str(lesson.number)))
        assert knob in {known.name for known in load_lesson(lesson.folder).knobs}


@pytest.mark.parametrize("name", ARTICLES)
def test_an_article_has_the_title_the_author_and_the_lessons_that_its_figures_are_kept_with(
    name: str,
) -> None:
    article = load_article(name)
    text = read(DOCS / "about" / "index.md").partition(f" ### {article.name} ")[2].partition(" ### ")[0]
    assert f"../measure/{name}.md" in text
    assert article.title in text
    assert article.author in text
    for ident in article.lessons:
        assert (f"../lessons/{ident}.md" if ident in LESSONS else f"`{ident}`") in text

"""What the texts of the site say of the course, of Python and of its knobs is so."""

from __future__ import annotations

import re
from pathlib import Path

from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.lab.results.published import ARTICLES, load_article

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = sorted(page for folder in ("start", "teach", "about") for page in (DOCS / folder).glob("*.md"))
COURSE = load_course(find_course())
LESSONS = {lesson.id: lesson for lesson in COURSE.lessons}


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
        assert knob in {known.name for known in load_lesson(lesson.folder).knobs}, page


def test_an_article_has_the_title_the_author_and_the_lessons_that_its_figures_are_kept_with() -> None:
    page = read(DOCS / "about" / "index.md")
    for name in ARTICLES:
        article = load_article(name)
        text = page.partition(f" ### {article.name} ")[2].partition(" ### ")[0]
        lessons = [f"../lessons/{one}.md" if one in LESSONS else f"`{one}`" for one in article.lessons]
        wanted = [f"../measure/{name}.md", article.title, article.author, *lessons]
        assert [(name, words) for words in wanted if words not in text] == []

"""A lesson's page: the README, with programs, questions and recordings in their places."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from asyncdemo.course.content.catalog import Course, find_course, load_course
from asyncdemo.course.content.lesson import Lesson, load_lesson
from asyncdemo.course.content.lookup import find_lesson
from asyncdemo.course.content.text import sections
from asyncdemo.model import Run
from asyncdemo.site.catalogue import catalogue_page, notes_page, questions, questions_page
from asyncdemo.site.lessons import broken_claims, lesson_page, link_lessons, subject_of
from asyncdemo.site.recordings import Recordings


@pytest.fixture(scope="module")
def course() -> Course:
    return load_course(find_course())


@pytest.fixture(scope="module")
def lesson(course: Course) -> Lesson:
    return load_lesson(find_lesson(course, "nothing-ran").folder)


@pytest.fixture(scope="module")
def runs(lesson: Lesson, tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, ...]:
    return Recordings(tmp_path_factory.mktemp("runs")).record(subject_of(lesson))


@pytest.fixture(scope="module")
def page(course: Course, lesson: Lesson) -> str:
    return joined(lesson_page(course, lesson, ["a", "b", "c"], []))


def joined(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def headings(page: str) -> list[str]:
    return re.findall(r"^## (.+)$", re.sub(r"```.*?```", "", page, flags=re.DOTALL), re.MULTILINE)


def test_the_sections_are_those_of_the_readme_and_the_programs(page: str) -> None:
    assert headings(page) == [
        "The question", "The programs", "Predict", "Run", "What you saw", "Why", "Change it", "Exercise",
        "Where it bites", "Key points", "One more question",
    ]  # fmt: skip


def without_comments_for_mypy(code: str) -> str:
    """They would give an answer away."""
    return re.sub(r"  # type: ignore\[.*?\]", "", code)


def test_every_program_is_shown_without_its_docstring(page: str, lesson: Lesson) -> None:
    for variant in lesson.variants:
        assert f'=== "{variant.name}"' in page
        body = variant.path.read_text(encoding="utf-8").split('"""', 2)[2].strip()
        shown = without_comments_for_mypy(body).splitlines()
        assert all(line in page for line in shown if line.strip())
    assert "type: ignore" not in page
    assert "Question:" not in page


def test_the_lines_that_differ_are_marked(page: str, lesson: Lesson) -> None:
    blocks = re.findall(r'linenums="(\d+)" hl_lines="([\d ]+)"\n(.*?)```', page, re.DOTALL)
    assert len(blocks) == len(lesson.variants)
    for variant, (_, marked, code) in zip(lesson.variants, blocks, strict=True):
        lines, numbers = textwrap.dedent(code).splitlines(), set(map(int, marked.split()))
        others = [other.path.read_text(encoding="utf-8") for other in lesson.variants if other != variant]
        for number, line in enumerate(lines, start=1):
            in_all = all(line in without_comments_for_mypy(other).splitlines() for other in others)
            assert (number in numbers) != in_all or not line


def test_the_answer_to_the_last_question_is_there_but_closed(page: str, lesson: Lesson) -> None:
    answer = sections(lesson.readme)["For instructors"].partition("### Gives the answer away")[2]
    words = answer.replace('To "One more question":', "").split()[:6]
    assert '??? note "The answer"' in page
    assert " ".join(words) in " ".join(page.partition('??? note "The answer"')[2].split())


def test_the_three_hints_are_closed(page: str) -> None:
    assert [name for name in ("First", "Second", "Third") if f'??? note "{name} hint' in page] == [
        "First", "Second", "Third",
    ]  # fmt: skip


def test_a_class_has_its_notes_elsewhere(course: Course, page: str, lesson: Lesson) -> None:
    assert "For instructors" not in page
    assert f"instructors.md#{lesson.id}" in page
    notes = joined(notes_page(course))
    assert f"{{#{lesson.id}}}" in notes
    assert lesson.exercise is not None
    for wrong in lesson.exercise.wrong:
        said = wrong.read_text(encoding="utf-8").split('"""')[1].partition("\n\n")[0]
        assert f"    - {' '.join(said.split())}" in notes


def test_the_questions_to_print_are_all_there_without_answers(course: Course, lesson: Lesson) -> None:
    page = joined(questions_page(course))
    assert all(f"### {one.number}. {one.title} {{#quiz-{one.id}}}" in page for one in course.lessons)
    for prediction in lesson.predictions:
        assert prediction.question.partition("{")[0] in page
        assert all(f"| {choice.text} | |" in page for choice in prediction.choices)
        assert prediction.why not in page


def test_each_lesson_has_a_tick_box_for_its_sheets(course: Course) -> None:
    page = joined(questions_page(course))
    for one in course.lessons:
        assert f'<input type="checkbox" id="take-{one.id}"> {one.number}. ' in page
        assert f"body:has(#take-{one.id}:checked) .sheet-{one.id} " in page
        assert page.count(f'<section class="sheet sheet-{one.id}" markdown>') == 2  # to vote on, and the quiz


def test_the_list_has_every_lesson_with_its_question(course: Course) -> None:
    text = joined(catalogue_page(course))
    for heading in course.lessons:
        assert f"({heading.id}.md)" in text
        assert heading.question in text
    handed_out = re.sub("</?code>", "`", unescape(questions("")))
    lines = re.findall(r'<li value="(\d+)"><b>(.*?)</b> (.*?)</li>', handed_out)
    assert lines == [(str(lesson.number), lesson.title, lesson.question) for lesson in course.lessons]
    assert "`" not in questions("")


def test_the_list_says_which_run_in_the_page(course: Course) -> None:
    assert joined(catalogue_page(course)).count("runs in the page") == 0
    assert joined(catalogue_page(course, {"two-sleeps"})).count("runs in the page") == 1


def test_what_runs_in_the_page_comes_before_the_commands(course: Course, lesson: Lesson) -> None:
    page = joined(lesson_page(course, lesson, ["a", "b", "c"], [], live=True))
    assert headings(page).count("Change it") == 1
    change = page.partition("## Change it")[2]
    assert 0 < change.index('data-part="programs"') < change.index("`asyncdemo run")
    solve = page.index('data-part="exercise"')
    assert page.index("## Exercise") < solve < page.index("asyncdemo start")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("flask-vs-sanic", "These programs are real servers"),
        ("redis-pools", "These programs need Redis"),
        ("retry-storm", "These programs need sockets"),
        ("memory", "These programs need packages from PyPI"),
    ],
)
def test_what_does_not_run_in_the_page_says_why(course: Course, name: str, why: str) -> None:
    lesson = load_lesson(find_lesson(course, name).folder)
    page = joined(lesson_page(course, lesson, ["run"] * len(lesson.variants), []))
    assert f"{why}, so they run in a terminal only: `asyncdemo run {name}`" in page


def test_an_exercise_that_does_not_run_in_its_live_page_says_why(course: Course) -> None:
    lesson = load_lesson(find_lesson(course, "whose-request").folder)
    page = joined(lesson_page(course, lesson, ["run"] * len(lesson.variants), [], live=True))
    assert "The solution needs threads or processes, so solve it in a terminal" in page
    assert 'data-part="exercise"' not in page


def test_what_the_text_says_is_held_against_the_recordings(lesson: Lesson, runs: tuple[Run, ...]) -> None:
    # Counts, which are the same on a busy machine.
    lesson = replace(lesson, claims=tuple(claim for claim in lesson.claims if claim.condition.op == "=="))
    assert broken_claims(lesson, runs) == []
    swapped = [replace(run, name=other.name) for run, other in zip(runs, runs[::-1], strict=True)]
    broken = broken_claims(lesson, swapped)
    assert broken
    assert set(broken) <= {claim.text for claim in lesson.claims}


def test_a_page_says_where_its_recordings_differ_from_the_text(course: Course, lesson: Lesson) -> None:
    page = joined(lesson_page(course, lesson, ["a", "b", "c"], ["ten rows"]))
    assert "This recording differs from what the text says" in page
    assert "    - ten rows" in page


def test_recordings_name_no_folder_of_this_machine(runs: tuple[Run, ...]) -> None:
    files = {run.script for run in runs} | {
        site.file for run in runs for track in run.tracks if (site := track.site) is not None
    }
    assert files
    assert not [file for file in files if file.startswith(str(Path.home()))]
    assert not [file for file in files if file.startswith(str(Path(__file__).parents[3]))]


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        (
            "See python/cpython#112191.",
            "[python/cpython#112191](https://github.com/python/cpython/issues/112191)",
        ),
        (
            "(Kludex/starlette#1724)",
            "([Kludex/starlette#1724](https://github.com/Kludex/starlette/issues/1724))",
        ),
        ("as in `upload-gate`", "as in [`upload-gate`](upload-gate.md)"),
    ],
)
def test_threads_and_lessons_are_linked(text: str, becomes: str) -> None:
    assert becomes in link_lessons(text, ["upload-gate"])


@pytest.mark.parametrize(
    "text",
    [
        "`python/cpython#1` in code",
        "```\nasyncdemo run upload-gate # a/b#1\n```",
        "[a/b#1](https://example.org/a/b#1)",
        "`asyncdemo run upload-gate`",
        "`two-sleeps` is no page here",
    ],
)
def test_code_and_links_stay_as_they_are(text: str) -> None:
    assert link_lessons(text, ["upload-gate"]) == text

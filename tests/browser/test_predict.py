"""Predict, then reveal in the browser: answering by mouse and keyboard, the verdict, what is uncovered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from asyncdemo.analysis.metrics import measure
from asyncdemo.course.content.knobs import values
from asyncdemo.course.content.predictions import Answer, PredictionKind, actual_answer, compare, fill
from asyncdemo.site.predict import predict_html
from tests.browser.built import SITE
from tests.support.predicted import predicted_lesson, predicted_runs

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

    from tests.browser.conftest import OpenPage

pytestmark = pytest.mark.browser

ASSETS = Path(__file__).parents[2] / "docs" / "assets"
LESSON = predicted_lesson()
KNOBS = values(LESSON, {})
MEASURED = {run.name: measure(run) for run in predicted_runs()}
TIMELINES = """<script>
    revealed = [];
    for (const timeline of document.querySelectorAll("async-timeline"))
        timeline.reveal = (how) => {
            revealed.push([timeline.id, how]);
            if (!window.unseen) timeline.dispatchEvent(new Event("seen", { bubbles: true }));
        };
</script>"""


@pytest.fixture
def form(browser: Browser) -> Iterator[Page]:
    """The questions of a lesson between two covered timelines; the second is about it."""
    page = browser.new_page()
    page.set_content(
        "<main class='md-typeset'><async-timeline id='other' covered></async-timeline>"
        f"{predict_html(LESSON, predicted_runs())}"
        f"<async-timeline id='its' covered></async-timeline></main>{TIMELINES}"
    )
    page.add_style_tag(path=ASSETS / "predict.css")
    page.add_script_tag(path=ASSETS / "predict.js")
    yield page
    page.close()


def question(page: Page, place: int) -> Locator:
    return page.locator(".predict-question").nth(place)


def answer(asked: Locator, given: Answer) -> None:
    """As a reader does it."""
    if isinstance(given, float):
        asked.get_by_label("Your answer").fill(str(given))
    elif isinstance(given, str):
        asked.get_by_label(given, exact=True).check()
    else:
        for place, name in enumerate(given):
            while shown(asked)[place] != name:
                asked.get_by_role("button", name=f"Move {name} up").click()
        asked.get_by_label("This is my order").check()


def shown(asked: Locator) -> list[str]:
    return asked.locator(".predict-order code").all_inner_texts()


def possible(place: int) -> list[Answer]:
    asked = LESSON.predictions[place]
    if asked.kind is PredictionKind.CHOICE:
        return [fill(choice.text, KNOBS) for choice in asked.choices]
    if asked.kind is PredictionKind.ORDER:
        return list(permutations(variant.name for variant in LESSON.variants))
    return [0.0, 0.17, 0.1701, 0.2, 0.23, 0.2301, 4.0, 5.0, 6.0, 50.0]


@pytest.mark.parametrize("place", range(len(LESSON.predictions)))
def test_the_page_says_right_where_the_terminal_does(form: Page, place: int) -> None:
    asked = question(form, place)
    verdicts = set()
    for given in possible(place):
        expected = compare(LESSON.predictions[place], given, MEASURED, KNOBS)
        answer(asked, given)
        form.get_by_role("button", name="Show what happened").click()
        words = asked.locator(".predict-verdict").inner_text()
        assert words.startswith("Right. You said: " if expected.right else "No. You said: ")
        if not isinstance(given, float):
            assert words.endswith(f" {expected.predicted}.")
        verdicts.add(expected.right)
    assert verdicts == {True, False}


def test_nothing_is_revealed_before_an_answer(form: Page) -> None:
    assert form.locator(".predict-happened:visible").count() == 0
    assert form.locator(".predict-printed").is_hidden()
    form.get_by_role("button", name="Show what happened").click()
    results = form.locator(".predict-happened:visible")
    assert results.count() == len(LESSON.predictions)
    for place, prediction in enumerate(LESSON.predictions):
        words = results.nth(place).inner_text()
        assert actual_answer(prediction, MEASURED, KNOBS) in words
        assert fill(prediction.why, KNOBS) in words


def test_questions_may_be_left_out_and_the_result_is_announced(form: Page) -> None:
    answer(question(form, 0), "1")
    answer(question(form, 1), 4.0)
    form.get_by_role("button", name="Show what happened").click()
    status = form.get_by_role("status").inner_text()
    assert status == "1 of 2 right. 2 left out. What happened is now below each question."
    assert form.locator(".predict-verdict").count() == 2


def test_the_answers_follow_the_recording(form: Page) -> None:
    form.evaluate("unseen = true")
    form.get_by_role("button", name="Show what happened").click()
    assert form.evaluate("revealed") == [["its", {"play": True}]]
    assert form.locator(".predict-happened:visible").count() == 0
    assert "The answers follow" in form.get_by_role("status").inner_text()
    form.evaluate("document.querySelector('#its').dispatchEvent(new Event('seen'))")
    assert form.locator(".predict-happened:visible").count() == len(LESSON.predictions)


def test_score_is_above_the_recording_and_links_to_the_answers(page: OpenPage) -> None:
    lesson = page("lessons/two-sleeps.html", width=360, height=640)
    lesson.locator(".predict-choice").first.click()
    lesson.get_by_role("button", name="Show what happened").click()
    line = lesson.locator(".predict-score")
    assert in_sight(line)
    assert in_sight(lesson.locator("async-timeline .chooser"))  # the first rows follow
    lesson.evaluate("scrollBy({ top: 600, behavior: 'instant' })")  # a wheel would still turn meanwhile
    assert not in_sight(line)
    lesson.locator("async-timeline").evaluate("it => it.seek(it.end)")
    lesson.get_by_text("of 1 right. See each answer").wait_for()
    assert in_sight(line)
    line.get_by_role("link").click()
    assert in_sight(lesson.locator(".predict-question").first)


def in_sight(what: Locator) -> bool:
    return bool(
        what.evaluate(
            "it => { const { top } = it.getBoundingClientRect(); return top >= 0 && top < innerHeight; }"
        )
    )


def test_who_presses_again_gets_the_answers(form: Page) -> None:
    form.evaluate("unseen = true")
    show = form.get_by_role("button", name="Show what happened")
    show.click()
    form.evaluate("document.querySelector('#its').removeAttribute('covered')")
    show.click()
    assert form.locator(".predict-happened:visible").count() == len(LESSON.predictions)


def test_an_order_is_made_with_the_keyboard(form: Page) -> None:
    asked = question(form, 3)
    assert not asked.get_by_label("This is my order").is_checked()
    button = asked.get_by_role("button", name="Move awaited up")
    button.focus()
    form.keyboard.press("Enter")
    assert button.evaluate("button => button === document.activeElement")
    assert form.get_by_role("status").inner_text() == "awaited is number 2 of 3."
    form.keyboard.press("Space")
    form.keyboard.press("Space")  # it is the first already
    assert shown(asked) == ["awaited", "blocking", "threaded"]
    assert asked.get_by_label("This is my order").is_checked()


def test_enter_in_a_number_reveals_the_result_without_scrolling(form: Page) -> None:
    address = form.url
    field = question(form, 1).get_by_label("Your answer")
    field.fill("5")
    field.press("Enter")
    assert form.get_by_role("status").inner_text().startswith("1 of 1 right.")
    assert form.url == address


# -- on the built site -----------------------------------------------------------------------------


@pytest.mark.parametrize("from_disk", [False, True], ids=["server", "disk"])
def test_a_lesson_uncovers_its_timeline(page: OpenPage, from_disk: bool) -> None:
    address = f"{SITE.as_uri()}/" if from_disk else None
    lesson = page("lessons/upload-gate.html", still=True, address=address)
    timeline = lesson.locator("async-timeline").first
    assert timeline.evaluate("timeline => timeline.covered")
    lesson.get_by_role("button", name="Show what happened").click()
    assert not timeline.evaluate("timeline => timeline.covered")


def test_without_scripts_each_question_can_be_opened(page: OpenPage) -> None:
    lesson = page("lessons/upload-gate.html", js=False)
    assert lesson.get_by_role("button", name="Show what happened").count() == 0
    for asked in lesson.locator(".predict-question").all():
        assert asked.locator(".predict-happened").is_hidden()
        asked.locator("summary").click()
        assert asked.locator(".predict-happened").is_visible()


def test_the_printer_gets_the_questions_and_then_the_answers(page: OpenPage) -> None:
    lesson = page("lessons/upload-gate.html")
    lesson.emulate_media(media="print")
    assert lesson.locator(".predict-happened:visible").count() == 0
    assert lesson.locator(".predict-printed > ol > li:visible").count() == len(LESSON.predictions)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_answered_questions_are_accessible_and_fit_a_phone(
    page: OpenPage, violations: Callable[[Page], list[str]], scheme: str
) -> None:
    lesson = page("lessons/upload-gate.html", scheme=scheme, width=360, still=True)
    answer(question(lesson, 0), "1")
    answer(question(lesson, 1), 4.0)
    lesson.get_by_role("button", name="Show what happened").click()
    assert lesson.locator(".predict-verdict").count() == 2
    assert violations(lesson) == []
    assert lesson.locator("form.predict").evaluate("form => form.scrollWidth <= form.clientWidth")


def test_first_page_draws_bars_by_keys_and_plays_the_recording(page: OpenPage) -> None:
    shown = page("index.html", still=True)
    assert shown.locator("async-timeline").is_hidden()
    shown.get_by_role("slider", name="blocking").focus()
    for _ in range(15):
        shown.keyboard.press("ArrowRight")
    shown.get_by_role("button", name="Play the recording").press("Enter")
    shown.get_by_text("blocking took 3.0").wait_for()
    words = shown.locator(".draw-status").inner_text()
    assert "; you drew 1.5 s. threaded took 0.3" in words
    assert words.count("you drew") == 1  # nothing was drawn for the others
    assert shown.locator("async-timeline").is_visible()
    shown.get_by_role("heading", name="3.0 s one after another, 0.3 s at the same time").wait_for()
    assert shown.locator(".timeline-follow").count() == 0  # no program is there to follow
    blocking, threaded, _ = (bar.bounding_box() for bar in shown.locator(".draw-bar").all())
    assert blocking is not None
    assert threaded is not None
    assert blocking["width"] > 5 * threaded["width"]

"""Predict, then reveal: every question has an answer on the page, which judges as the terminal does."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymdownx.superfences import SuperFencesException

from asyncdemo.analysis.metrics import measure
from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.content.claims import Condition
from asyncdemo.course.content.knobs import values
from asyncdemo.course.content.lesson import Lesson, load_lesson
from asyncdemo.course.content.predictions import (
    Choice,
    Prediction,
    PredictionKind,
    actual_answer,
    compare,
    fill,
)
from asyncdemo.errors import CourseError
from asyncdemo.site import predict
from asyncdemo.site.predict import judging, predict_html
from tests.support.predicted import metrics, predicted_lesson, predicted_runs

LESSON = predicted_lesson()
RUNS = predicted_runs()
VARIANTS = ("blocking", "threaded", "awaited")
KNOBS = {"JOBS": 5}


@given(
    value=st.floats(0, 1e6),
    tolerance=st.sampled_from([0, 0.05, 0.1, 0.15, 0.25, 0.5, 1]),
    share=st.floats(0, 3),
)
def test_a_number_is_judged_as_in_the_terminal(value: float, tolerance: float, share: float) -> None:
    asked = Prediction(PredictionKind.NUMBER, "How long?", "So.", "wall_s", "awaited", "s", tolerance)
    measured = {"awaited": metrics(wall_s=value)}
    data = judging(asked, VARIANTS, measured, KNOBS)
    low, high = float(data["value"]) - float(data["within"]), float(data["value"]) + float(data["within"])
    near = [low, high, math.nextafter(low, -1), math.nextafter(high, math.inf), float(data["value"])]
    for answer in [value * share, *near]:
        # As docs/assets/predict.js has it.
        right = abs(answer - float(data["value"])) <= float(data["within"])
        assert right == compare(asked, answer, measured, KNOBS).right


def test_a_question_that_no_choice_answers_breaks_the_build() -> None:
    asked = Prediction(
        PredictionKind.CHOICE,
        "How many at the same time?",
        "So.",
        "peak",
        "awaited",
        choices=(Choice("one", Condition("awaited", "peak", "==", 1)),),
    )
    with pytest.raises(
        CourseError, match="It was 4, which is none of the choices of 'How many at the same time"
    ):
        judging(asked, VARIANTS, {"awaited": metrics(peak=4)}, KNOBS)


def test_question_about_a_variant_that_did_not_run_is_refused() -> None:
    with pytest.raises(CourseError, match=r"No run of awaited answers"):
        predict_html(LESSON, RUNS[:2])


def test_the_fence_lets_no_question_go_without_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predict, "recorded_lesson", lambda lesson_id: (LESSON, RUNS[:2]))
    with pytest.raises(SuperFencesException, match="lesson: upload-gate: CourseError: No run of awaited"):
        predict.fence("lesson: upload-gate")


class Form(HTMLParser):
    """All tags of a form in order; of its questions the fieldsets, and the inputs in each."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.questions: list[dict[str, str | None]] = []
        self.inputs: list[list[dict[str, str | None]]] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "fieldset":
            self.questions.append(dict(attrs))
            self.inputs.append([])
        elif tag == "input":
            self.inputs[-1].append(dict(attrs))


def test_each_kind_of_question_has_its_way_to_be_answered() -> None:
    form = Form(predict_html(LESSON, RUNS))
    assert [question["data-kind"] for question in form.questions] == ["choice", "number", "number", "order"]
    choice, number, _, order = form.inputs
    assert [(entry["type"], entry["value"]) for entry in choice] == [
        ("radio", "0"),
        ("radio", "1"),
        ("radio", "2"),
    ]
    assert len({entry["name"] for entry in choice}) == 1
    assert [entry["type"] for entry in number] == ["number"]
    assert [entry["type"] for entry in order] == ["checkbox"]
    labels = [tag[1].get("aria-label") for tag in form.tags if tag[0] == "button" and "data-by" in tag[1]]
    assert labels == [f"Move {name} {way}" for name in VARIANTS for way in ("up", "down")]


def test_result_and_reason_are_with_each_question_and_for_print() -> None:
    html = predict_html(LESSON, RUNS)
    knobs, measured = values(LESSON, {}), {run.name: measure(run) for run in RUNS}
    assert html.count("<details") == len(LESSON.predictions)
    for prediction in LESSON.predictions:
        answers = (
            f"<strong>{actual_answer(prediction, measured, knobs)}</strong>",
            f"<p>{fill(prediction.why, knobs)}</p>",
        )
        assert [html.count(words) for words in answers] == [2, 2]
    assert "(= is a tie)" in html


def test_answers_are_kept_out_of_the_search() -> None:
    tag, attributes = Form(predict_html(LESSON, RUNS)).tags[0]
    assert tag == "form"
    assert "data-search-exclude" in attributes
    assert attributes["method"] == "dialog"  # sends nothing


def test_what_is_code_in_a_question_is_code_on_the_page() -> None:
    asked = replace(LESSON.predictions[1], question="awaited: is `a < b` awaited, or <b>?", why="`x`.")
    html = predict_html(replace(LESSON, predictions=(asked,)), RUNS)
    assert "<legend>1. <code>awaited</code>: is <code>a &lt; b</code> awaited, or &lt;b&gt;?</legend>" in html
    assert "<p><code>x</code>.</p>" in html


def lessons() -> list[Lesson]:
    return [load_lesson(heading.folder) for heading in load_course(find_course()).lessons]


def test_every_lesson_has_questions_that_a_page_can_ask() -> None:
    """An order is written with spaces and commas between the names, so none may have one in it."""
    for lesson in lessons():
        assert lesson.predictions
        assert all(re.fullmatch(r"\w+", variant.name) for variant in lesson.variants)

"""Pages about all lessons, in lines of Markdown: their list, and for instructors notes and questions.

Also the fence ``questions``: each lesson in a line, with its question.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from html import escape

from asyncdemo.course.content.catalog import Course, Heading, Module, find_course, load_course
from asyncdemo.course.content.knobs import values
from asyncdemo.course.content.lesson import Lesson, load_lesson
from asyncdemo.course.content.overlay import read_overlay
from asyncdemo.course.content.predictions import Prediction, PredictionKind, fill, offered
from asyncdemo.course.content.text import sections
from asyncdemo.render.html.page import coded
from asyncdemo.site.fence import formatter, settings
from asyncdemo.site.lessons import link_lessons

_BLANK = "\\_" * 8


def catalogue_page(course: Course, live: Collection[str] = ()) -> Iterator[str]:
    """Yield the list of all lessons. ``live``: the ids of those whose programs run in the page."""
    hours, minutes = divmod(sum(lesson.minutes for lesson in course.lessons), 60)
    yield "---\ntitle: Lessons\nsearch:\n  boost: 0.5\n---\n\n# Lessons\n"
    yield (
        f"{len(course.lessons)} lessons, {hours} hours and {minutes} minutes in front of a class. "
        "Each is the same job done in two to four ways: predict, run, see what each way waits for, turn a "
        "knob, repair a program. Each builds on the ones before it, and can be read alone.\n"
    )
    for module in course.modules:
        yield f"## Module {module.number}: {module.title}\n"
        yield '<ol class="lesson-list" markdown>'
        yield from (_entry(lesson, lesson.id in live) for lesson in module.lessons)
        yield "</ol>\n"


def _entry(lesson: Heading, live: bool) -> str:
    tag = '<span class="lesson-live">runs in the page</span> ' if live else ""
    return (
        f'<li markdown="block">\n[<span class="lesson-number">{lesson.number}</span> {escape(lesson.title)}]'
        f"({lesson.id}.md){{.lesson-title}}\n"
        f'<span class="lesson-minutes">{tag}{lesson.minutes} minutes</span>\n\n'
        f"{lesson.question}\n{{.lesson-question}}\n</li>"
    )


@formatter
def questions(source: str) -> str:
    """It has no settings: the lessons are those of the course."""
    settings(source, ())
    lines = "".join(
        f'<li value="{lesson.number}"><b>{escape(lesson.title)}</b> {coded(lesson.question)}</li>'
        for lesson in load_course(find_course()).lessons
    )
    return f'<ol class="questions">{lines}</ol>'


def notes_page(course: Course) -> Iterator[str]:
    """Yield the notes: what the class should not see yet from each README, and mistakes in its exercise."""
    yield "---\ntitle: Instructor's notes\nsearch:\n  boost: 0.5\n---\n\n# Instructor's notes\n"
    yield (
        "For each lesson: how the minutes are divided, what learners get wrong, what to ask, and the answer "
        "to its last question. `asyncdemo notes LESSON` prints the same in a terminal that the class "
        "does not see. Below it, the ways in which its exercise goes wrong: the check knows each of them.\n"
    )
    ids = {lesson.id for lesson in course.lessons}
    for module in course.modules:
        yield f"## {_title(module)}\n"
        for heading in module.lessons:
            lesson = load_lesson(heading.folder)
            notes = sections(lesson.readme)["For instructors"]
            body = notes.replace("### Gives the answer away\n", "**Gives the answer away.**")
            yield f"### {lesson.number}. {lesson.title} {{#{lesson.id}}}\n"
            yield f"{lesson.point} [The lesson]({lesson.id}.md)\n"
            yield f"{link_lessons(body, ids - {lesson.id})}\n"
            yield from _wrong_turns(lesson)


def _wrong_turns(lesson: Lesson) -> Iterator[str]:
    if lesson.exercise is None:
        return
    yield '??? note "How the exercise goes wrong"\n'
    for wrong in lesson.exercise.wrong:
        yield f"    - {read_overlay(wrong).words}"
    yield ""


def _title(module: Module) -> str:
    minutes = sum(lesson.minutes for lesson in module.lessons)
    return f"Module {module.number}: {module.title} ({minutes} minutes)"


def questions_page(course: Course) -> Iterator[str]:
    """Yield vote sheets for the predictions, and a quiz of the last questions. No answers."""
    yield "---\ntitle: Questions to print\nsearch:\n  boost: 0.3\n---\n\n# Questions to print\n"
    yield (
        "**Vote sheets**, one for each lesson: what the class predicts before anything runs. Count the hands "
        "on paper, or let each participant mark an answer.\n\n"
        "**A quiz**, to be asked before the workshop and again after it: the last question of each lesson. "
        "A right answer with its reason is worth two points, one without a reason one; how much more the "
        "class has the second time is what it has learned. The answers are in the [instructor's "
        "notes](instructors.md).\n"
    )
    lessons = [load_lesson(heading.folder) for heading in course.lessons]
    yield from _choice(course)
    yield "## Vote sheets\n"
    for lesson in lessons:
        yield f"{_sheet(lesson)}\n\n### {lesson.number}. {lesson.title}\n"
        for prediction in lesson.predictions:
            yield from _vote(lesson, prediction)
        yield "</section>\n"
    yield "## Quiz\n"
    ids = {lesson.id for lesson in lessons}
    for lesson in lessons:
        yield f"{_sheet(lesson)}\n\n### {lesson.number}. {lesson.title} {{#quiz-{lesson.id}}}\n"
        yield f"{link_lessons(sections(lesson.readme)['One more question'], ids)}\n\n</section>\n"


def _choice(course: Course) -> Iterator[str]:
    """Yield a tick box for each lesson. While any is ticked, the page has the sheets of those only."""
    yield "<style>\nbody:has(.choice :checked) .sheet { display: none; }"
    for lesson in course.lessons:
        yield f"body:has(#take-{lesson.id}:checked) .sheet-{lesson.id} {{ display: block; }}"
    yield "fieldset.choice { columns: 17rem; }\n.choice label { display: block; }"
    yield "@media print { .choice { display: none; } }\n</style>\n"
    yield "Tick the lessons of your [schedule](../teach/schedules.md), and print the page. "
    yield "Without a tick, it has all lessons.\n{.choice}\n"
    yield '<fieldset class="choice" data-search-exclude>\n<legend>Lessons to print</legend>'
    for lesson in course.lessons:
        box = f'<input type="checkbox" id="take-{lesson.id}">'
        yield f"<label>{box} {lesson.number}. {escape(lesson.title)}</label>"
    yield "</fieldset>\n"


def _sheet(lesson: Lesson) -> str:
    return f'<section class="sheet sheet-{lesson.id}" markdown>'


def _vote(lesson: Lesson, prediction: Prediction) -> Iterator[str]:
    knobs = values(lesson, {})
    yield f"{fill(prediction.question, knobs)}\n"
    if prediction.kind is PredictionKind.CHOICE:
        answers = offered(prediction, knobs)
    elif prediction.kind is PredictionKind.ORDER:
        answers = [" < ".join(_BLANK for _ in lesson.variants)] * 2
    else:
        answers = [f"{_BLANK} {prediction.unit}".strip()] * 3
    yield "| answer | hands |\n|---|---|"
    yield from (f"| {answer} | |" for answer in answers)
    yield ""

"""A lesson's page: its README, with the programs, the questions and the recordings inserted."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from html import escape
from typing import Final

from asyncdemo.analysis.metrics import measure
from asyncdemo.course.content.catalog import Course, Module
from asyncdemo.course.content.claims import check
from asyncdemo.course.content.knobs import values
from asyncdemo.course.content.lesson import Lesson, Variant
from asyncdemo.course.content.listing import Listing, listings
from asyncdemo.course.content.text import sections
from asyncdemo.course.judging.lesson_jobs import make_run_context
from asyncdemo.in_page.needs import missing, runs_in_a_page
from asyncdemo.model import Run
from asyncdemo.recording.runner import Options, Target
from asyncdemo.services import NOUNS
from asyncdemo.site.recordings import Subject, Take

_TIMEOUT_S: Final = 60.0
_BEFORE: Final = ("The question", "Predict", "Run")
"""Sections of the README before the timeline."""
_AFTER: Final = ("What you saw", "Why", "Change it", "Exercise", "Where it bites", "Key points")
_TELLING: Final = ("What you saw", "Why")
"""Sections that give the predictions away."""
_COMMANDS: Final = "\n```\nasyncdemo start\n"
"""How the part of an exercise begins that says how to solve it in a terminal."""
_SOLVED: Final = "### Gives the answer away"
_HINTS: Final = ("First hint", "Second hint", "Third hint")
_PART: Final = re.compile(r"(```.*?```|`[^`\n]+`|\[[^\]]*\]\([^)]*\))", re.DOTALL)
"""Code, and existing links."""
_THREAD: Final = re.compile(r"\b([\w.-]+/[\w.-]+)#(\d+)")


def subject_of(lesson: Lesson) -> Subject:
    """Return what is recorded: a run of each variant, with the knobs as written."""
    knobs = values(lesson, {})
    return Subject(
        lesson.id,
        tuple(
            Take(
                Target(str(variant.path)),
                Options(name=variant.name, lanes=lesson.lanes, timeout_s=_TIMEOUT_S, memory=lesson.memory),
                lambda services: make_run_context(lesson.load, services, knobs),
                variant.expect,
            )
            for variant in lesson.variants
        ),
        (lesson.folder / "lesson.toml", *(variant.path for variant in lesson.variants)),
        lesson.services,
        partial(broken_claims, lesson),
    )


def broken_claims(lesson: Lesson, runs: Sequence[Run]) -> list[str]:
    """Return the text's claims that these runs break. Claims about other knobs need other runs."""
    measured = {run.name: measure(run) for run in runs}
    knobs = values(lesson, {})
    broken = [
        claim.text
        for claim in lesson.claims
        if not claim.knobs and not check(claim.condition, measured, knobs).holds
    ]
    return list(dict.fromkeys(broken))


def lesson_page(
    course: Course, lesson: Lesson, runs: Sequence[str], broken: Sequence[str], *, live: bool = False
) -> Iterator[str]:
    """Yield the page as Markdown. ``runs``: files relative to the page. ``broken``: claims that they break.

    ``live``: its programs can be changed and run in the page.
    """
    others = {other.id for other in course.lessons} - {lesson.id}
    text = {heading: link_lessons(body, others) for heading, body in sections(lesson.readme).items()}
    title = json.dumps(f"{lesson.number}. {lesson.title}")  # YAML reads it, too, whatever it contains
    yield f"---\ntitle: {title}\ndescription: >-\n  {lesson.question}\n"
    yield f"card: lessons/cards/{lesson.id}.png\nsearch:\n  boost: 1.5\n---\n"
    yield f"# {lesson.number}. {lesson.title}\n"
    spoiler = " .spoiler" if lesson.predictions else ""  # docs/assets/progress.js folds it until the reveal
    yield f"{lesson.point}\n{{.lesson-point{spoiler}}}\n"
    yield from _facts(_module(course, lesson), lesson)
    yield f"\n## The question\n\n{text['The question']}\n"
    yield '<div class="stage" markdown>\n<div class="stage-code" markdown>\n\n## The programs\n'
    shown = listings(lesson.variants).values()
    if any(each.marked for each in shown):
        yield "Lines with a bar on the left are those in which the programs differ.\n{.lesson-marks}\n"
    yield from map(_tab, lesson.variants, shown)
    yield '</div>\n<div class="stage-picture" markdown>\n'
    if lesson.predictions:
        yield f"## Predict\n\n```predict\nlesson: {lesson.id}\n```\n"
    yield f"## Run\n\n{text['Run']}\n"
    covered = "covered: yes" if lesson.predictions else ""
    yield f"```timeline\nlesson: {lesson.id}\nprograms: yes\n{covered}\n```\n"
    yield _downloads(lesson, runs)
    yield from _differing_here(broken)
    yield "</div>\n</div>\n"
    yield f"```figures\nlesson: {lesson.id}\n```\n"
    if live:
        text["Change it"] = (
            f"{_live(lesson, 'programs', 'Change and run the programs here')}\nOr in a terminal:\n\n"
            + text["Change it"]
        )
    elif not runs_in_a_page(lesson):  # else it's only this build that lacks Python for pages
        text["Change it"] = f"{_elsewhere(lesson)}\n\n{text['Change it']}"
    if live and lesson.exercise is not None:
        text["Exercise"] = _solved_here(lesson, text["Exercise"])
    for heading in _AFTER:
        section = f"## {heading}\n\n{text[heading]}\n"
        is_spoiler = lesson.predictions and heading in _TELLING
        yield f'<div class="spoiler" markdown>\n\n{section}\n</div>\n' if is_spoiler else section
        if heading == "Exercise" and lesson.exercise is not None:
            yield from _exercise(lesson)
    yield f"## One more question\n\n{text['One more question']}\n"
    yield _collapsed("The answer", link_lessons(_answer(lesson), others))
    yield (
        f"For a class: the [instructor's notes](instructors.md#{lesson.id}) say what learners get wrong "
        "here, and what to ask them.\n{.lesson-notes}\n"
    )


def _live(lesson: Lesson, part: str, words: str) -> str:
    """Return a placeholder in which ``docs/assets/live.js`` puts its part on request."""
    return (
        f'<div class="live" data-lesson="{lesson.id}" data-part="{part}" data-search-exclude>'
        f'<button type="button" class="md-button live-open" hidden>{words}</button>'
        f'<p class="live-status" role="status"></p></div>\n'
    )


def _elsewhere(lesson: Lesson) -> str:
    """Return why nothing of it runs in the page, and the command."""
    needs = [NOUNS[name] for name in lesson.services] or ["packages from PyPI"] * bool(lesson.packages)
    if not needs:
        needs = [missing(variant.path.read_text(encoding="utf-8")) for variant in lesson.variants]
    why = f"These programs need {' and '.join(dict.fromkeys(filter(None, needs)))}"
    if lesson.load is not None:
        why = "These programs are real servers"
    return f"{why}, so they run in a terminal only: `asyncdemo run {lesson.id}`.\n{{.lesson-elsewhere}}"


def _solved_here(lesson: Lesson, text: str) -> str:
    """Return the exercise with a place to solve it before the commands, or why there is none."""
    assert lesson.exercise is not None
    task, commands, rest = text.partition(_COMMANDS)
    needs = missing(lesson.exercise.solution.read_text(encoding="utf-8"))
    here = (
        f"The solution needs {needs}, so solve it in a terminal:\n{{.lesson-elsewhere}}"
        if needs
        else f"{_live(lesson, 'exercise', 'Solve it in this page')}\nOr in a terminal:"
    )
    return f"{task}\n{here}\n{commands}{rest}"


def _facts(module: Module, lesson: Lesson) -> Iterator[str]:
    yield '<ul class="lesson-facts" markdown data-search-exclude>'
    yield f"<li markdown>Module {module.number}: {escape(module.title)}</li>"
    yield f"<li markdown>{lesson.minutes} minutes</li>"
    needs = "[asyncdemo](../start/install.md)"
    if lesson.packages or lesson.services or lesson.load is not None:
        needs += " and [more packages](../start/install.md#the-packages-of-the-later-lessons)"
    yield f"<li markdown>Needs {needs}</li>"
    yield f"<li markdown>`asyncdemo run {lesson.id}`</li>\n</ul>\n"


def _tab(variant: Variant, shown: Listing) -> str:
    # The docstring differs, too, but is not shown.
    marked = sorted(number - shown.first + 1 for number in shown.marked if number >= shown.first)
    code = "\n".join(shown.lines)
    block = (
        f'{variant.title}\n{{.variant-title}}\n\n```python title="{variant.path.name}" '
        f'linenums="{shown.first}" hl_lines="{" ".join(map(str, marked))}"\n{code}\n```\n'
    )
    return f'=== "{variant.name}"\n\n{textwrap.indent(block, "    ")}'


def _differing_here(broken: Sequence[str]) -> Iterator[str]:
    """Yield a note about broken claims: a recording may have been made on a busy machine."""
    if broken:
        listed = "\n".join(f"    - {text}" for text in broken)
        yield '!!! warning "This recording differs from what the text says"\n'
        yield "    The machine was probably busy. The text is right; what these runs do not show is:"
        yield f"\n{listed}\n"


def _downloads(lesson: Lesson, runs: Sequence[str]) -> str:
    named = zip(lesson.variants, runs, strict=True)
    links = ", ".join(f"[{variant.name}]({run})" for variant, run in named)
    return (
        f"The recordings: {links}. [Open one](../explore/open.md) in the browser, or with "
        "`asyncdemo show FILE`.\n{.lesson-recordings}\n"
    )


def _exercise(lesson: Lesson) -> Iterator[str]:
    file = (lesson.folder / "exercise.py").read_text(encoding="utf-8").rstrip()
    yield _collapsed("The file of the exercise", f'```python title="exercise.py"\n{file}\n```')
    hints = sections(lesson.folder / "hints.md")
    for name, (heading, body) in zip(_HINTS, hints.items(), strict=False):
        yield _collapsed(f"{name}: {heading[0].lower()}{heading[1:]}", body)


def _collapsed(title: str, body: str) -> str:
    return f'??? note "{title}"\n\n{textwrap.indent(body, "    ")}\n'


def _answer(lesson: Lesson) -> str:
    """Return the answer to "One more question", which is at the end of the README, for instructors."""
    answer = lesson.readme.read_text(encoding="utf-8").partition(_SOLVED)[2].strip()
    return re.sub(r'^To "One more question":\s*', "", answer)


def _module(course: Course, lesson: Lesson) -> Module:
    return next(module for module in course.modules if lesson.id in {other.id for other in module.lessons})


def link_lessons(text: str, lessons: Collection[str]) -> str:
    """Link ids of ``lessons`` to their pages, and ``owner/repository#number`` to the thread."""
    return "".join(
        _id_linked(part, lessons)
        if place % 2
        else _THREAD.sub(r"[\g<0>](https://github.com/\1/issues/\2)", part)
        for place, part in enumerate(_PART.split(text))
    )


def _id_linked(code: str, lessons: Collection[str]) -> str:
    name = code.strip("`")
    return f"[{code}]({name}.md)" if name in lessons and not code.startswith("```") else code

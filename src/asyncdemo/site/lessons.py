"""A lesson's page: its README, with the programs, the questions and the recordings where they belong.

Not for: the recordings (``recordings``), or how the fences in the page become HTML.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Final

from asyncdemo.analysis.metrics import measure
from asyncdemo.browser.needs import missing
from asyncdemo.course.content.catalog import Course, Module
from asyncdemo.course.content.claims import check
from asyncdemo.course.content.knobs import values
from asyncdemo.course.content.lesson import Lesson, Variant
from asyncdemo.course.content.listing import Listing, listing
from asyncdemo.course.content.text import sections
from asyncdemo.course.judging.run_context import make_run_context
from asyncdemo.model import Run
from asyncdemo.recording.runner import Options, Target
from asyncdemo.site.links import linked
from asyncdemo.site.recordings import Take

_TIMEOUT_S: Final = 60.0
_BEFORE: Final = ("The question", "Predict", "Run")
"""Sections of the README that stand before the timeline."""
_AFTER: Final = ("What you saw", "Why", "Change it", "Exercise", "Where it bites", "Key points")
_TELLING: Final = ("What you saw", "Why")
"""Those that give the predictions away."""
_SOLVED: Final = "### Gives the answer away"
_HINTS: Final = ("First hint", "Second hint", "Third hint")


def takes(lesson: Lesson) -> list[Take]:
    """A run of each variant, with the knobs as they are written."""
    knobs = values(lesson, {})
    return [
        Take(
            Target(str(variant.path)),
            Options(name=variant.name, lanes=lesson.lanes, timeout_s=_TIMEOUT_S, memory=lesson.memory),
            lambda services: make_run_context(lesson.load, services, knobs),
            variant.expect,
        )
        for variant in lesson.variants
    ]


def sources(lesson: Lesson) -> list[Path]:
    """Files whose change makes other recordings."""
    return [lesson.folder / "lesson.toml", *(variant.path for variant in lesson.variants)]


def broken_claims(lesson: Lesson, runs: Sequence[Run]) -> list[str]:
    """What the text says of these runs, and is not so. Claims about other knobs need other runs."""
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
) -> str:
    """In Markdown. runs: files of the recordings, relative to the page. broken: claims that they break.

    live: its programs can be changed and run in the page.
    """
    return "\n".join(_parts(course, lesson, runs, broken, live))


def _parts(
    course: Course, lesson: Lesson, runs: Sequence[str], broken: Sequence[str], live: bool
) -> Iterator[str]:
    others = {other.id for other in course.lessons} - {lesson.id}
    text = {heading: linked(body, others) for heading, body in sections(lesson.readme).items()}
    title = json.dumps(f"{lesson.number}. {lesson.title}")  # which YAML reads too, whatever is in it
    yield f"---\ntitle: {title}\ndescription: >-\n  {lesson.question}\n"
    yield f"card: lessons/cards/{lesson.id}.png\nsearch:\n  boost: 1.5\n---\n"
    yield f"# {lesson.number}. {lesson.title}\n"
    spoiler = " .spoiler" if lesson.predictions else ""  # docs/assets/progress.js folds it until the reveal
    yield f"{lesson.point}\n{{.lesson-point{spoiler}}}\n"
    yield from _facts(_module(course, lesson), lesson)
    yield f"\n## The question\n\n{text['The question']}\n"
    yield '<div class="stage" markdown>\n<div class="stage-code" markdown>\n\n## The programs\n'
    for variant in lesson.variants:
        yield _tab(variant, listing(variant))
    yield '</div>\n<div class="stage-picture" markdown>\n'
    if lesson.predictions:
        yield f"## Predict\n\n```predict\nlesson: {lesson.id}\n```\n"
    yield f"## Run\n\n{text['Run']}\n"
    yield f"```timeline\nlesson: {lesson.id}\n{'covered: yes' if lesson.predictions else ''}\n```\n"
    yield _downloads(lesson, runs)
    yield from _differing_here(broken)
    yield "</div>\n</div>\n"
    yield f"```figures\nlesson: {lesson.id}\n```\n"
    if live:
        yield f"## Change it here\n\n{_live(lesson, 'programs', 'Change and run the programs here')}\n"
    for heading in _AFTER:
        section = f"## {heading}\n\n{text[heading]}\n"
        told = lesson.predictions and heading in _TELLING
        yield f'<div class="spoiler" markdown>\n\n{section}\n</div>\n' if told else section
        if heading == "Exercise" and lesson.exercise is not None:
            if live and not missing(lesson.exercise.solution.read_text(encoding="utf-8")):
                yield f"{_live(lesson, 'exercise', 'Solve it in this page')}\n"
            yield from _exercise(lesson)
    yield f"## One more question\n\n{text['One more question']}\n"
    yield _collapsed("The answer", linked(_answer(lesson), others))
    yield (
        f"For a class: the [instructor's notes](instructors.md#{lesson.id}) say what learners get wrong "
        "here, and what to ask them.\n{.lesson-notes}\n"
    )


def _live(lesson: Lesson, part: str, words: str) -> str:
    """Where ``docs/assets/live.js`` puts its part, once somebody asks for it."""
    return (
        f'<div class="live" data-lesson="{lesson.id}" data-part="{part}" data-search-exclude>'
        f'<button type="button" class="md-button live-open" hidden>{words}</button>'
        f'<p class="live-status" role="status"></p></div>\n'
    )


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
    # The docstring differs too, and is not shown.
    marked = sorted(number - shown.first + 1 for number in shown.marked if number >= shown.first)
    code = "\n".join(shown.lines)
    block = (
        f'{variant.title}\n{{.variant-title}}\n\n```python title="{variant.path.name}" '
        f'linenums="{shown.first}" hl_lines="{" ".join(map(str, marked))}"\n{code}\n```\n'
    )
    return f'=== "{variant.name}"\n\n{textwrap.indent(block, "    ")}'


def _differing_here(broken: Sequence[str]) -> Iterator[str]:
    """A recording may have been made on a busy machine; then the page says so."""
    if broken:
        told = "\n".join(f"    - {text}" for text in broken)
        yield '!!! warning "This recording differs from what the text says"\n'
        yield "    The machine was probably busy. The text is right; what these runs do not show is:"
        yield f"\n{told}\n"


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
    """To "One more question"; the README has it at its very end, for instructors."""
    answer = lesson.readme.read_text(encoding="utf-8").partition(_SOLVED)[2].strip()
    return re.sub(r'^To "One more question":\s*', "", answer)


def _module(course: Course, lesson: Lesson) -> Module:
    return next(module for module in course.modules if lesson.id in {other.id for other in module.lessons})

"""The gallery of mistakes: for each kind of finding a script, its recording, and the fixed script.

A page has one fence:

```mistake
kind: small-pool
script: small_pool.py
lanes: work
services: redis
lesson: redis-pools
```

The fence ``mistakes`` lists the pages.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import Final

from pymdownx.highlight import Highlight

from asyncdemo.analysis.diagnose import DETECTORS, Finding, diagnose
from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.content.lookup import find_lesson
from asyncdemo.model import Run, RunOutcome
from asyncdemo.recording.runner import Options, Target
from asyncdemo.render.facts.runs import account_for, finding_words
from asyncdemo.render.html.page import coded, element_html
from asyncdemo.render.timeline.chart import charts
from asyncdemo.site.fence import formatter, settings
from asyncdemo.site.recordings import Recordings, Subject, Take
from asyncdemo.site.reference import code, table

FOLDER: Final = Path("docs/explore/mistakes")
"""In the checkout, where the site is built."""
_TIMEOUT_S: Final = 20.0
_HANGS_FOR_S: Final = 1.0
"""How much of a hang is shown."""
_CONTEXT: Final = 2
"""Lines around a change."""


_FENCE: Final = re.compile(r"^```mistake\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SETTINGS: Final = ("kind", "script", "lanes", "services", "hangs", "lesson")


@dataclass(frozen=True, slots=True)
class Mistake:
    """What the fence of a page says. ``lanes``, ``services``: for recording the script.

    ``hangs``: it never ends, so its recording is stopped.
    """

    kind: str
    script: Path
    lesson: str
    lanes: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    hangs: bool = False

    @property
    def fixed(self) -> Path:
        return self.script.parent / "fixed" / self.script.name

    @property
    def command(self) -> str:
        """The command that shows it in a terminal."""
        lanes = f" --lane {','.join(self.lanes)}" if self.lanes else ""
        trace = f"asyncdemo trace {self.script.as_posix()}{lanes}"
        return f"asyncdemo services {' '.join(self.services)} -- {trace}" if self.services else trace


def mistakes(folder: Path = FOLDER) -> tuple[Mistake, ...]:
    """Return the mistakes, the most serious first. Raises ValueError for a page without a fence."""
    return tuple(map(_in_page, _pages(folder)))


def _in_page(page: Path) -> Mistake:
    fences = _FENCE.findall(page.read_text(encoding="utf-8"))
    if len(fences) != 1:
        raise ValueError(f"{page} has {len(fences)} fences `mistake`, not one")
    return _in_fence(fences[0], page.parent)


def _in_fence(source: str, folder: Path) -> Mistake:
    found = settings(source, _SETTINGS)
    if found["kind"] not in {detector.kind for detector in DETECTORS}:
        raise ValueError(f"there is no finding {found['kind']!r}")

    def several(name: str) -> tuple[str, ...]:
        return tuple(filter(None, map(str.strip, found.get(name, "").split(","))))

    return Mistake(
        found["kind"],
        folder / found["script"],
        found["lesson"],
        several("lanes"),
        several("services"),
        "hangs" in found,
    )


def title_and_effect(page: Path) -> tuple[str, str]:
    """Return the title of a page and what its description says of the mistake's effect."""
    text = page.read_text(encoding="utf-8")
    title = re.findall(r"^# (.+)$", text, re.MULTILINE)[0]
    effect = re.findall(rf'^description: "{re.escape(title)}: (.+?)\. ', text, re.MULTILINE)[0]
    return title, effect


def pages(folder: Path = FOLDER) -> list[tuple[str, Path]]:
    """Return (title, page) of each mistake, the most serious first, for the site's navigation."""
    return [(title_and_effect(page)[0], page) for page in _pages(folder)]


def _pages(folder: Path) -> list[Path]:
    return [folder / f"{detector.kind}.md" for detector in DETECTORS]


# -- recording ----------------------------------------------------------------------------------------


def subject_of(one: Mistake) -> Subject:
    """Return what is recorded: the script and its fixed version."""

    def take(name: str, file: Path, hangs: bool) -> Take:
        timeout_s = _HANGS_FOR_S if hangs else _TIMEOUT_S
        options = Options(name=name, lanes=one.lanes, timeout_s=timeout_s)
        return Take(Target(str(file)), options, ends=RunOutcome.TIMEOUT if hangs else RunOutcome.OK)

    return Subject(
        f"mistakes/{one.kind}",
        (take(one.script.stem, one.script, one.hangs), take("fixed", one.fixed, hangs=False)),
        (one.script, one.fixed),
        one.services,
        partial(faults, one),
    )


def faults(one: Mistake, runs: Sequence[Run]) -> list[str]:
    """Return what contradicts the entry: the first run must have the finding, and the second must not."""
    shown, fixed = runs
    return [
        *([] if _found(one, shown) else [f"{one.script.name} does not show {one.kind}"]),
        *([f"fixed/{one.fixed.name} still shows {one.kind}"] if _found(one, fixed) else []),
    ]


# -- display ------------------------------------------------------------------------------------------


@formatter
def overview(source: str) -> str:
    """Return the fence ``mistakes``: a table of all pages. It has no settings."""
    settings(source, ())
    rows = []
    for page in _pages(FOLDER):
        title, effect = title_and_effect(page)
        rows.append((f'<a href="{page.stem}.html">{escape(title)}</a>', code(page.stem), escape(effect)))
    return table(("Mistake", "Called", "What happens"), rows)


@formatter
def mistake(source: str) -> str:
    """Return the fence: the script and its picture, what was found, and what the fixed script changes."""
    one = _in_fence(source, FOLDER)
    runs = Recordings().get(subject_of(one).name)
    if wrong := faults(one, runs):
        raise ValueError("; ".join(wrong))
    style = '<link rel="stylesheet" href="../../assets/mistake.css">'
    return "\n".join([style, '<div class="mistake">', *_parts(one, runs), "</div>"])


def _parts(one: Mistake, runs: Sequence[Run]) -> Iterator[str]:
    script, fixed = _lines(one.script), _lines(one.fixed)
    (finding, *_) = _found(one, runs[0])
    yield '<div class="mistake-code">'
    faulty = differing_lines(script, fixed, finding)
    yield _highlighted("\n".join(script), "python", one.script.name, linestart=1, hl_lines=faulty)
    yield '</div>\n<div class="mistake-picture">'
    message, advice = map(coded, finding_words(finding))
    yield f'<p class="mistake-found">{message}</p>\n<p class="mistake-advice">{advice}</p>'
    picture = element_html(charts(account_for(runs)), one.kind)
    yield f'<div class="timeline" data-search-exclude>{picture}</div>'
    yield "</div>"
    yield '<div class="mistake-fixed">'
    yield _highlighted(_difference(script, fixed), "diff", f"fixed/{one.fixed.name}")
    yield "</div>"
    yield from _further(one, runs[0])


def _further(one: Mistake, run: Run) -> Iterator[str]:
    yield '<ul class="mistake-further">'
    others = dict.fromkeys(finding.kind for finding in diagnose(run) if finding.kind != one.kind)
    if others:
        links = ", ".join(f'<a href="{kind}.html">{kind}</a>' for kind in others)
        yield f"<li>Also found in this script: {links}</li>"
    lesson = find_lesson(load_course(find_course()), one.lesson)
    yield (
        f'<li>The lesson that teaches it: <a href="../../lessons/{lesson.id}.html">'
        f"{lesson.number}. {escape(lesson.title)}</a></li>"
    )
    yield f"<li>See it yourself: <code>{escape(one.command)}</code></li>"
    yield (
        f'<li>The files: <a href="{one.script.name}">{one.script.name}</a>, '
        f'<a href="fixed/{one.fixed.name}">fixed/{one.fixed.name}</a></li>'
    )
    yield "</ul>"


def differing_lines(script: Sequence[str], fixed: Sequence[str], finding: Finding) -> list[int]:
    """Return the lines at fault, from 1.

    That is the line in the finding, if the fixed version changes it or changes none; otherwise all lines that
    it changes, ignoring indentation.
    """
    matcher = difflib.SequenceMatcher(
        None, [line.strip() for line in script], [line.strip() for line in fixed]
    )
    changed = [
        line + 1
        for tag, start, end, *_ in matcher.get_opcodes()
        if tag in ("replace", "delete")
        for line in range(start, end)
    ]
    named = finding.called_from.line if finding.called_from else None
    return [named] if named is not None and (named in changed or not changed) else changed


def _difference(script: Sequence[str], fixed: Sequence[str]) -> str:
    """Return a unified diff without line numbers; dots stand for omitted lines between two changes."""
    diff = "\n".join(difflib.unified_diff(script, fixed, n=_CONTEXT, lineterm=""))
    _, *changes = re.split(r"\n@@ .* @@\n", diff)
    return "\n...\n".join(re.sub(r"\A( \n)+|(\n )+\Z", "", change) for change in changes)


def _highlighted(text: str, language: str, title: str, **layout: object) -> str:
    maker = Highlight(None, linenums_style="pymdownx-inline")  # as in mkdocs.yml
    return str(maker.highlight(f"{text}\n", language, title=title, **layout))


def _found(one: Mistake, run: Run) -> list[Finding]:
    return [finding for finding in diagnose(run) if finding.kind == one.kind]


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()

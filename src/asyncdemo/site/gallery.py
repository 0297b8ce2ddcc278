"""The fence ``mistake``: a script with one mistake, its recording, what was found, and the fixed version."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import Final

from pymdownx.highlight import Highlight

from asyncdemo.analysis.diagnose import Finding, FindingKind, diagnose
from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.content.lookup import find_lesson
from asyncdemo.model import Run, RunOutcome
from asyncdemo.recording.runner import Options, Target
from asyncdemo.render.facts.runs import account_for, finding_words
from asyncdemo.render.html.page import coded, element_html
from asyncdemo.render.timeline.chart import charts
from asyncdemo.site.fence import formatter, settings
from asyncdemo.site.recordings import Recordings, Subject, Take

FOLDER: Final = Path("docs/explore/mistakes")
"""In the checkout, where the site is built."""
_TIMEOUT_S: Final = 20.0
_HANGS_FOR_S: Final = 1.0
"""How much of a hang is shown."""
_CONTEXT: Final = 2
"""Lines around a change."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """An entry of ``mistakes.toml``. ``lanes``, ``services``: for recording the script.

    ``hangs``: it never ends, so its recording is stopped.
    """

    kind: FindingKind
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
    """Return the mistakes, the gravest first."""
    entries = tomllib.loads((folder / "mistakes.toml").read_text(encoding="utf-8"))["mistake"]
    return tuple(
        Mistake(
            FindingKind(entry["kind"]),
            folder / entry["script"],
            entry["lesson"],
            tuple(entry.get("lanes", ())),
            tuple(entry.get("services", ())),
            entry.get("hangs", False),
        )
        for entry in entries
    )


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
def mistake(source: str) -> str:
    """Settings: ``kind: blocks-the-loop``."""
    kind = FindingKind(settings(source, ("kind",))["kind"])
    one = {one.kind: one for one in mistakes()}[kind]
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
    picture = element_html(charts(account_for(runs)), str(one.kind))
    yield f'<div class="timeline" data-search-exclude>{picture}</div>'
    yield "</div>"
    yield '<div class="mistake-fixed">'
    yield _highlighted(_difference(script, fixed), "diff", f"fixed/{one.fixed.name}")
    yield "</div>"
    yield from _further(one, runs[0])


def _further(one: Mistake, run: Run) -> Iterator[str]:
    yield '<ul class="mistake-further">'
    others = dict.fromkeys(finding.kind for finding in diagnose(run) if finding.kind is not one.kind)
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
    return [finding for finding in diagnose(run) if finding.kind is one.kind]


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()

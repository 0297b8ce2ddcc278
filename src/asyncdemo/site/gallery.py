"""The fence ``mistake``: a script with one mistake, its recording, what was found, and the fixed version.

Not here: the text around it (see ``docs/explore/mistakes/``), or finding mistakes (see ``diagnose``).
"""

from __future__ import annotations

import difflib
import re
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
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
from asyncdemo.render.html.element import element_html
from asyncdemo.render.html.page import coded
from asyncdemo.serving import ServiceCache
from asyncdemo.site.fence import formatter, settings
from asyncdemo.site.recordings import Recordings, Take

FOLDER: Final = Path("docs/explore/mistakes")
"""In the checkout, where the site is built."""
_TRIES: Final = 3
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


def record(recordings: Recordings, kept: ServiceCache, tell: Callable[[str], None]) -> None:
    """Record each mistake whose scripts have changed, or that was not found last time, and ``tell`` so."""
    for one in mistakes():
        name = _name(one)
        fresh = recordings.is_fresh(name, takes(one), (one.script, one.fixed))
        if not fresh or faults(one, recordings.get(name)):
            record_one(one, recordings, kept, tell)


def record_one(
    one: Mistake, recordings: Recordings, kept: ServiceCache, tell: Callable[[str], None]
) -> tuple[Run, ...]:
    """Record until the mistake is found, up to a limit: a busy machine may hide a mistake, or add one."""
    services = kept.get(one.services) if one.services else None
    runs: tuple[Run, ...] = ()
    for _ in range(_TRIES):
        began = time.monotonic()
        runs = recordings.record(_name(one), takes(one), (one.script, one.fixed), services)
        tell(f"recorded {_name(one)} ({time.monotonic() - began:.1f} s)")
        if not (wrong := faults(one, runs)):
            break
        tell(f"  {'; '.join(wrong)}")
    return runs


def takes(one: Mistake) -> tuple[Take, ...]:
    """Return the takes of the script and its fixed version."""
    takes = (one.script.stem, one.script, one.hangs), ("fixed", one.fixed, False)
    return tuple(
        Take(
            Target(str(file)),
            Options(name=name, lanes=one.lanes, timeout_s=_HANGS_FOR_S if hangs else _TIMEOUT_S),
        )
        for name, file, hangs in takes
    )


def faults(one: Mistake, runs: Sequence[Run]) -> list[str]:
    """Return what contradicts the entry: the first run must have the finding, and the second must not."""
    shown, fixed = runs
    ended = [
        run.name
        for run, hangs in ((shown, one.hangs), (fixed, False))
        if run.outcome is not (RunOutcome.TIMEOUT if hangs else RunOutcome.OK)
    ]
    return [
        *(f"the run {name} did not end well" for name in ended),
        *([] if _found(one, shown) else [f"{one.script.name} does not show {one.kind}"]),
        *([f"fixed/{one.fixed.name} still shows {one.kind}"] if _found(one, fixed) else []),
    ]


# -- display ------------------------------------------------------------------------------------------


@formatter
def mistake(source: str) -> str:
    """Settings: ``kind: blocks-the-loop``."""
    kind = settings(source, ("kind",))["kind"]
    one = next((one for one in mistakes() if one.kind == kind), None)
    if one is None:
        raise ValueError(f"there is no mistake {kind!r}")
    runs = Recordings().get(_name(one))
    if wrong := faults(one, runs):
        raise ValueError("; ".join(wrong))
    style = '<link rel="stylesheet" href="../../assets/mistake.css">'
    return "\n".join([style, '<div class="mistake">', *_parts(one, runs), "</div>"])


def _parts(one: Mistake, runs: Sequence[Run]) -> Iterator[str]:
    script, fixed = _lines(one.script), _lines(one.fixed)
    (finding, *_) = _found(one, runs[0])
    yield '<div class="mistake-code">'
    faulty = marked(script, fixed, finding)
    yield _highlighted("\n".join(script), "python", one.script.name, linestart=1, hl_lines=faulty)
    yield '</div>\n<div class="mistake-picture">'
    yield from _in_words(finding)
    picture = element_html(account_for(runs), ident=str(one.kind))
    yield f'<div class="timeline" data-search-exclude>{picture}</div>'
    yield "</div>"
    yield '<div class="mistake-fixed">'
    yield _highlighted(_difference(script, fixed), "diff", f"fixed/{one.fixed.name}")
    yield "</div>"
    yield from _further(one, runs[0])


def _in_words(finding: Finding) -> Iterator[str]:
    message, advice = map(coded, finding_words(finding))
    yield f'<p class="mistake-found">{message}</p>\n<p class="mistake-advice">{advice}</p>'


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


def marked(script: Sequence[str], fixed: Sequence[str], finding: Finding) -> list[int]:
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


def _name(one: Mistake) -> str:
    return f"mistakes/{one.kind}"


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()

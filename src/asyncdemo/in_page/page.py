"""The page's requests to Python, and the answers: JSON in, JSON out, one request at a time."""

from __future__ import annotations

import json
import linecache
import os
import re
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any, Final

from asyncdemo import store
from asyncdemo.analysis.diagnose import where_they_wait
from asyncdemo.capture.script.inline import TICK
from asyncdemo.course.content.constants import constants
from asyncdemo.course.content.knobs import for_scripts, values
from asyncdemo.course.content.lesson import Lesson, load_lesson
from asyncdemo.errors import AsyncdemoError, RunFileError, UsageError
from asyncdemo.in_page.needs import missing
from asyncdemo.in_page.recording import judge, record
from asyncdemo.model import Run, RunOutcome, Uncaught
from asyncdemo.recording.conclusion import SYNTAX_ERROR
from asyncdemo.recording.options import Options, Target
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.render.facts.runs import account_for
from asyncdemo.render.html.page import element_html, recording_html, report_html
from asyncdemo.render.terminal.evidence import evidence_text
from asyncdemo.render.timeline.chart import charts
from asyncdemo.render.words import ending, place, settings_words, status, title

_TIMEOUT_S: Final = 20.0
_FOLDER: Final = Path("/home/learner")
"""The folder of a learner's files, in a file system that ends with the page."""


def start() -> int:
    """Call once. Returns the number of the signal to send about every 10 ms."""
    sys.dont_write_bytecode = True
    signal.signal(TICK, signal.SIG_IGN)
    return int(TICK)


def answer(request: str, lessons: str) -> str:
    """Answer a request, an object with "do" and its arguments.

    ``lessons`` is the folder of the lessons, each NUMBER-ID. Errors for the learner to fix are returned as
    "refused", in a sentence.
    """
    asked = json.loads(request)
    try:
        return json.dumps(_ANSWERS[asked["do"]](asked, Path(lessons)))
    except AsyncdemoError as error:
        return json.dumps({"refused": str(error)})


def _lesson(asked: Mapping[str, Any], lessons: Path) -> Lesson:
    folders = [one for one in lessons.iterdir() if one.name.partition("-")[2] == asked["lesson"]]
    return load_lesson(folders[0])


def _describe(asked: Mapping[str, Any], lessons: Path) -> dict[str, Any]:
    """Return what can be changed and run."""
    lesson = _lesson(asked, lessons)
    exercise = lesson.exercise
    written = constants(lesson.variants[0].path)
    sources = {variant: variant.path.read_text("utf-8") for variant in lesson.variants}
    return {
        "variants": [
            {"name": variant.name, "file": variant.path.name, "text": text, "needs": missing(text)}
            for variant, text in sources.items()
        ],
        "knobs": [
            {
                "name": knob.name,
                "value": written[knob.name],
                "low": knob.low,
                "high": knob.high,
                "unit": knob.unit,
                "meaning": knob.meaning,
            }
            for knob in lesson.knobs
        ],
        "exercise": None
        if exercise is None
        else {
            "task": exercise.task,
            "text": exercise.file.read_text("utf-8"),
            "limit_s": exercise.timeout_s,
            "needs": missing(exercise.solution.read_text("utf-8")),
        },
    }


def _run(asked: Mapping[str, Any], lessons: Path) -> dict[str, Any]:
    """Run variants. ``sources``: current text by name. ``knobs``: value as typed, by name."""
    lesson = _lesson(asked, lessons)
    settings: dict[str, str] = asked["knobs"]
    try:
        values(lesson, settings)
    except UsageError as error:  # there is no command line here
        raise UsageError(re.sub(r"^--set \S*: ", "", str(error))) from None
    virtual = lesson.exercise is None or lesson.exercise.virtual
    runs, outputs = [], []
    for variant in lesson.variants:
        text = asked["sources"].get(variant.name)
        if text is None:
            continue
        file, output = _written(variant.path.name, text), OutputBuffer()
        options = Options(
            name=variant.name,
            lanes=lesson.lanes,
            knobs=for_scripts(settings, lesson.load),
            virtual=virtual,
            timeout_s=_TIMEOUT_S,
        )
        run = record(Target(file), options, output)
        runs.append(run)
        outputs.append({"name": variant.name, "text": output.text, "ended": _ended(run, text)})
    return {**_pictures(runs, "run"), "outputs": outputs, "virtual": virtual}


def _ended(run: Run, text: str) -> str:
    """Return why a run did not finish, or shows nothing; "" if it is as it should be."""
    if run.outcome is RunOutcome.OK and run.lanes:
        return ""
    if needs := missing(text):
        return f"needs {needs}, which a page does not have."
    if run.outcome is RunOutcome.TIMEOUT:
        words = " ".join([*run.notes[:1], *where_they_wait(run)[:1]])
    elif run.uncaught:
        words = _error_words(run.uncaught[0])
    else:
        words = next(iter(run.notes), f"{ending(run)}.")
        words = words.partition(f"{SYNTAX_ERROR}: ")[2] or words
    return words.replace(f"{_FOLDER}/", "")


def _error_words(error: Uncaught) -> str:
    if error.text.startswith(error.error):  # a deadlock, which says where it is
        return error.text
    words = f"{error.error}: {error.text}" if error.text else error.error
    in_file = error.site is not None and Path(error.site.file).parent == _FOLDER
    return f"{words} ({place(error.site)})" if in_file else words


def _check(asked: Mapping[str, Any], lessons: Path) -> dict[str, Any]:
    """Check the exercise with the current ``text``."""
    lesson = _lesson(asked, lessons)
    exercise = lesson.exercise
    if exercise is None:
        raise UsageError(f"{lesson.id} has no exercise.")
    verdict = judge(exercise, Path(_written("exercise.py", asked["text"])), asked.get("seed"))
    data: dict[str, Any] = {
        "passed": verdict.passed,
        "held": verdict.held,
        "message": verdict.message or "",
        "evidence": [] if verdict.evidence is None else [*evidence_text(verdict.evidence)],
        "knobs": "" if verdict.passed else settings_words(verdict.knobs),
        "output": verdict.output,
        "solution": exercise.solution.read_text("utf-8") if verdict.passed else "",
    }
    return data if not verdict.runs else {**data, **_pictures(verdict.runs[-1:], "check")}


def _open(asked: Mapping[str, Any], _: Path) -> dict[str, Any]:
    """Open a visitor's files with recorded runs. Returns as ``problems`` why others are not."""
    runs, problems = [], []
    for file in map(Path, asked["files"]):
        try:
            with chdir(file.parent):  # the folder is ours, and would mean nothing in a message
                runs.append(store.load(file.name))
        except RunFileError as error:
            problems.append(str(error))
        except MemoryError:
            problems.append(f"{file.name} is too large for a page. In a terminal: asyncdemo show {file.name}")
    data: dict[str, Any] = {"problems": problems, "runs": [f"{title(run)} ({status(run)})" for run in runs]}
    return data if not runs else {**data, **_pictures(runs, "open"), "recording": recording_html(runs)}


def _pictures(runs: Sequence[Run], ident: str) -> dict[str, str]:
    """Return the picture and the report. ``ident`` begins the ids: a page may have several pictures."""
    accounts = account_for(runs)
    return {"element": element_html(charts(accounts), ident), "report": report_html(accounts)}


def _written(name: str, text: str) -> str:
    """Write the file into the folder, which then is the current one, and return its name."""
    _FOLDER.mkdir(parents=True, exist_ok=True)
    os.chdir(_FOLDER)
    (_FOLDER / name).write_text(text, encoding="utf-8")
    linecache.clearcache()  # it may have lines of an earlier text
    return name


_ANSWERS: Final[dict[str, Callable[[Mapping[str, Any], Path], dict[str, Any]]]] = {
    "describe": _describe,
    "run": _run,
    "check": _check,
    "open": _open,
}

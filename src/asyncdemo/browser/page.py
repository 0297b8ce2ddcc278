"""What a page asks of Python, and the answers: JSON in, JSON out, one request at a time.

Not for: the page's own script (``site``), or what is behind an answer (``recording``, ``judging``).
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any, Final

from asyncdemo import store
from asyncdemo.browser.judging import judge
from asyncdemo.browser.needs import missing
from asyncdemo.browser.recording import record
from asyncdemo.capture.script.inline import TICK
from asyncdemo.course.content.knobs import constants, for_scripts, values
from asyncdemo.course.content.lesson import Lesson, load_lesson
from asyncdemo.errors import AsyncdemoError, RunFileError, UsageError
from asyncdemo.model import Run, RunOutcome
from asyncdemo.recording.options import Options, Target
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.render.facts.runs import account_for
from asyncdemo.render.html.element import element_html
from asyncdemo.render.html.page import recording_html, report_html
from asyncdemo.render.terminal.evidence import evidence_text
from asyncdemo.render.words import ending, settings_words, status, title

_TIMEOUT_S: Final = 20.0
_FOLDER: Final = Path("/home/learner")
"""Where the files of a learner are, in a file system that ends with the page."""


def start() -> int:
    """To be called once; the number of the signal that has to come about every 10 ms."""
    sys.dont_write_bytecode = True
    signal.signal(TICK, signal.SIG_IGN)
    return int(TICK)


def answer(request: str, lessons: str) -> str:
    """request: an object with "do", and what that takes. lessons: the folder with theirs, each NUMBER-ID.

    What is the learner's to mend comes as "refused", in a sentence.
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
    """What there is to change and to run."""
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
            "needs": missing(exercise.solution.read_text("utf-8")),
            "hints": exercise.hints,
        },
    }


def _run(asked: Mapping[str, Any], lessons: Path) -> dict[str, Any]:
    """sources: name of a variant -> its text as it is now. knobs: name -> value as typed."""
    lesson = _lesson(asked, lessons)
    settings: dict[str, str] = asked["knobs"]
    values(lesson, settings)
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
    return {**_pictures(runs), "outputs": outputs}


def _ended(run: Run, text: str) -> str:
    """What a run came to that did not end well; "" of another."""
    if run.outcome is RunOutcome.OK:
        return ""
    needs = missing(text)
    return f"needs {needs}, which a page does not have" if needs else ending(run)


def _check(asked: Mapping[str, Any], lessons: Path) -> dict[str, Any]:
    """text: of the exercise as it is now."""
    lesson = _lesson(asked, lessons)
    exercise = lesson.exercise
    if exercise is None:
        raise UsageError(f"{lesson.id} has no exercise.")
    verdict = judge(exercise, Path(_written("exercise.py", asked["text"])), asked.get("seed"))
    failure = verdict.failure
    told: dict[str, Any] = {
        "passed": verdict.passed,
        "held": verdict.held,
        "message": "" if failure is None else failure.message,
        "evidence": [] if failure is None or failure.evidence is None else [*evidence_text(failure.evidence)],
        "knobs": settings_words(verdict.knobs) if failure is not None and verdict.knobs else "",
        "output": verdict.output,
        "solution": exercise.solution.read_text("utf-8") if verdict.passed else "",
    }
    return told if not verdict.runs else {**told, **_pictures(verdict.runs[-1:])}


def _open(asked: Mapping[str, Any], _: Path) -> dict[str, Any]:
    """files: recorded runs that a visitor has. problems: of each that is none, why."""
    runs, problems = [], []
    for file in map(Path, asked["files"]):
        try:
            with chdir(file.parent):  # its folder is ours, and would mean nothing in a message
                runs.append(store.load(file.name))
        except RunFileError as error:
            problems.append(str(error))
        except MemoryError:
            problems.append(f"{file.name} is too large for a page. In a terminal: asyncdemo show {file.name}")
    told: dict[str, Any] = {"problems": problems, "runs": [f"{title(run)} ({status(run)})" for run in runs]}
    return told if not runs else {**told, **_pictures(runs), "recording": recording_html(runs)}


def _pictures(runs: Sequence[Run]) -> dict[str, str]:
    accounts = account_for(runs)
    return {"element": element_html(accounts, ident="here"), "report": report_html(accounts)}


def _written(name: str, text: str) -> str:
    """Its name, in the folder that is then the current one."""
    _FOLDER.mkdir(parents=True, exist_ok=True)
    os.chdir(_FOLDER)
    (_FOLDER / name).write_text(text, encoding="utf-8")
    return name


_ANSWERS: Final[dict[str, Callable[[Mapping[str, Any], Path], dict[str, Any]]]] = {
    "describe": _describe,
    "run": _run,
    "check": _check,
    "open": _open,
}

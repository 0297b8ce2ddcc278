"""``python -m asyncdemo.site``: what has to be made before the site is built, and after it.

    prepare    record every lesson anew whose sources have changed, and write the generated pages
    pack       the policy of each page, llms.txt, and one file of the built site, to take along

Run in the checkout. Not for: building the site, which MkDocs does between the two.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Final

from asyncdemo.course.content.catalog import Course, load_course
from asyncdemo.course.content.lesson import Lesson, load_lesson
from asyncdemo.errors import EXIT_INTERRUPTED, EXIT_OK, AsyncdemoError, MissingError
from asyncdemo.in_page.needs import runs_in_a_page
from asyncdemo.render.html.element import script_js
from asyncdemo.render.lab.page import measure_css
from asyncdemo.serving import ServiceCache
from asyncdemo.site import gallery
from asyncdemo.site.cards import card_png
from asyncdemo.site.catalogue import catalogue_page
from asyncdemo.site.editor import editor_files
from asyncdemo.site.kept import kept
from asyncdemo.site.lessons import broken_claims, lesson_page, sources, takes
from asyncdemo.site.llms import write_llms
from asyncdemo.site.measure import RECORDS
from asyncdemo.site.npm import fetched, pinned
from asyncdemo.site.pack import SITE, pack
from asyncdemo.site.policy import write_policies
from asyncdemo.site.pyodide import packed_python, pyodide_files
from asyncdemo.site.recordings import Recordings
from asyncdemo.site.reports import write_reports
from asyncdemo.site.teaching import notes_page, questions_page

_LESSONS: Final = Path("lessons")
_PAGES: Final = Path("docs/lessons")
_TRIES: Final = 3
"""How often a lesson is recorded in one build if a claim of its text does not hold."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m asyncdemo.site", description=__doc__)
    parser.add_argument("step", choices=("prepare", "pack"))
    step = parser.parse_args().step
    try:
        if step == "pack":
            write_policies(SITE)
            write_llms(SITE)
            pack()
        else:
            _prepare()
    except AsyncdemoError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:  # what was recorded until then is kept
        return EXIT_INTERRUPTED
    return EXIT_OK


def _prepare() -> None:
    course = load_course(_LESSONS)
    lessons = [load_lesson(heading.folder) for heading in course.lessons]
    recordings = Recordings()
    _record_side_by_side(lessons, recordings)
    with ServiceCache() as kept:
        for lesson in lessons:  # those that the others disturbed
            _record(lesson, recordings, kept, _TRIES - 1)
        gallery.record(recordings, kept, print)
    _write_pages(course, lessons, recordings, _python(lessons))
    write_reports(RECORDS)


def _record_side_by_side(lessons: Iterable[Lesson], recordings: Recordings) -> None:
    """Record each once, as many at a time as there are processors: most of it is waiting."""
    waiting = deque(lessons)

    def next_one() -> Lesson | None:
        with suppress(IndexError):
            return waiting.popleft()
        return None

    def record() -> None:
        with ServiceCache() as kept:
            for lesson in iter(next_one, None):
                _record(lesson, recordings, kept, 1)

    at_once = os.cpu_count() or 1
    with ThreadPoolExecutor(at_once) as pool:
        try:
            for working in [pool.submit(record) for _ in range(at_once)]:
                working.result()
        finally:
            waiting.clear()  # on Ctrl-C, wait only for those in progress


def _record(lesson: Lesson, recordings: Recordings, kept: ServiceCache, tries: int) -> None:
    """Record the lesson if it is not fresh, or breaks claims of its text, as on a busy machine."""
    claims = partial(broken_claims, lesson)
    for _ in range(tries):
        fresh = recordings.is_fresh(lesson.id, takes(lesson), sources(lesson))
        if fresh and not recordings.remarks(lesson.id, claims):
            return
        services = kept.get(lesson.services) if lesson.services else None
        began = time.monotonic()
        recordings.record(lesson.id, takes(lesson), sources(lesson), services, claims)
        print(f"recorded {lesson.id} ({time.monotonic() - began:.1f} s)", flush=True)
        if broken := recordings.remarks(lesson.id, claims):
            print(f"  {lesson.id}: not as the text says: {'; '.join(broken)}", flush=True)


def _python(lessons: Iterable[Lesson]) -> dict[str, bytes]:
    """Return the files that let a page run Python; if unavailable, none, and print why."""
    try:
        packages = {name: fetched(name) for name in pinned()}
        files = pyodide_files(packages.pop("pyodide"))
        files |= editor_files(packages)  # all others are the editor's
    except MissingError as error:
        print(f"No page can run Python: {error}", file=sys.stderr)
        return {}
    files["worker.mjs"] = (resources.files("asyncdemo.in_page") / "worker.mjs").read_bytes()
    files["page.zip"] = packed_python(
        [lesson for lesson in lessons if runs_in_a_page(lesson)],
        lambda file: file.parent.name not in ("wrong", "right"),
    )
    return files


def _write_pages(
    course: Course, lessons: Sequence[Lesson], recordings: Recordings, python: Mapping[str, bytes]
) -> None:
    live = {lesson.id for lesson in lessons if python and runs_in_a_page(lesson)}
    pages = {
        "index.md": catalogue_page(course, live),
        "instructors.md": notes_page(course),
        "questions.md": questions_page(course),
    }
    for lesson in lessons:
        runs = [f"runs/{file.name}" for file in recordings.files(lesson.id)]
        broken = recordings.remarks(lesson.id, partial(broken_claims, lesson))
        pages[f"{lesson.id}.md"] = lesson_page(course, lesson, runs, broken, live=lesson.id in live)
    files: dict[str, bytes] = {name: text.encode() for name, text in pages.items()}
    files |= {f"assets/python/{name}": data for name, data in python.items()}
    files["assets/async_timeline.js"] = script_js().encode()
    files["assets/measure.css"] = measure_css().encode()
    for lesson in lessons:
        files[f"cards/{lesson.id}.png"] = _card(lesson, recordings)
        for file in recordings.files(lesson.id):
            files[f"runs/{file.name}"] = file.read_bytes()
    _write(_PAGES, files)


def _card(lesson: Lesson, recordings: Recordings) -> bytes:
    return kept(f"card {lesson.id}", lambda: card_png(recordings.get(lesson.id)))


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make these the only files in the folder; unchanged ones are not touched."""
    for old in [path for path in folder.rglob("*") if path.is_file()]:
        if old.relative_to(folder).as_posix() not in files:
            old.unlink()
    for name, data in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.is_file() or file.read_bytes() != data:
            file.write_bytes(data)


if __name__ == "__main__":
    sys.exit(main())

"""``python -m asyncdemo.site``: what has to be made before the site is built, and after it.

    prepare    record every lesson again whose sources have changed, and write the generated pages
    pack       the policy of each page, llms.txt, and one file of the built site, to take along

Run in the checkout.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final

from asyncdemo.course.content.catalog import Course, load_course
from asyncdemo.course.content.lesson import Lesson, load_lesson
from asyncdemo.errors import EXIT_INTERRUPTED, EXIT_OK, AsyncdemoError, MissingError
from asyncdemo.in_page.needs import runs_in_a_page
from asyncdemo.lab.pages.records import prepare as prepare_records
from asyncdemo.render.html.page import script_js
from asyncdemo.serving import ServiceCache
from asyncdemo.site import gallery
from asyncdemo.site.built import SITE, pack, write_llms, write_policies
from asyncdemo.site.cards import card_png
from asyncdemo.site.catalogue import catalogue_page, notes_page, questions_page
from asyncdemo.site.hooks import cached
from asyncdemo.site.lessons import lesson_page, subject_of
from asyncdemo.site.page_python import python_files
from asyncdemo.site.recordings import Recordings

_LESSONS: Final = Path("lessons")
_PAGES: Final = Path("docs/lessons")
_TRIES: Final = 3
"""How often something is recorded in one build if the runs do not show what its text says."""


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
    with ServiceCache() as service_cache:
        for lesson in lessons:  # those that the others disturbed
            recordings.update(subject_of(lesson), service_cache, _TRIES - 1)
        for mistake in gallery.mistakes():
            recordings.update(gallery.subject_of(mistake), service_cache, _TRIES)
    _write_pages(course, lessons, recordings, _python(lessons))


def _record_side_by_side(lessons: Iterable[Lesson], recordings: Recordings) -> None:
    """Record each once, as many at a time as there are processors: most of it is waiting."""
    waiting = deque(lessons)

    def next_one() -> Lesson | None:
        with suppress(IndexError):
            return waiting.popleft()
        return None

    def record() -> None:
        with ServiceCache() as service_cache:
            for lesson in iter(next_one, None):
                recordings.update(subject_of(lesson), service_cache, 1)

    at_once = os.cpu_count() or 1
    with ThreadPoolExecutor(at_once) as pool:
        try:
            for working in [pool.submit(record) for _ in range(at_once)]:
                working.result()
        finally:
            waiting.clear()  # on Ctrl-C, wait only for those in progress


def _python(lessons: Iterable[Lesson]) -> dict[str, bytes]:
    try:
        return python_files(lessons)
    except MissingError as error:
        print(f"No page can run Python: {error}", file=sys.stderr)
        return {}


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
        broken = recordings.remarks(subject_of(lesson))
        pages[f"{lesson.id}.md"] = lesson_page(course, lesson, runs, broken, live=lesson.id in live)
    files = {name: "\n".join(lines).encode() for name, lines in pages.items()}
    files |= {f"assets/python/{name}": data for name, data in python.items()}
    files["assets/async_timeline.js"] = script_js().encode()
    files |= prepare_records()
    for lesson in lessons:
        files[f"cards/{lesson.id}.png"] = _card(lesson, recordings)
        for file in recordings.files(lesson.id):
            files[f"runs/{file.name}"] = file.read_bytes()
    _write(_PAGES, files)


def _card(lesson: Lesson, recordings: Recordings) -> bytes:
    return cached(f"card {lesson.id}", lambda: card_png(recordings.get(lesson.id)))


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

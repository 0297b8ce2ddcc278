"""The mistakes gallery: every kind of finding has a page, and every page shows what it says."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pymdownx.superfences import SuperFencesException

from asyncdemo.analysis.diagnose import DETECTORS, Finding
from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.model import Run
from asyncdemo.serving import ServiceCache
from asyncdemo.site import gallery, reference
from asyncdemo.site.gallery import Mistake, differing_lines, faults, mistakes, subject_of
from asyncdemo.site.recordings import Recordings
from tests.support.runs import Story, at_line

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "docs" / "explore" / "mistakes"
MISTAKES = mistakes(FOLDER)
BY_KIND = {one.kind: one for one in MISTAKES}
FORGOTTEN = BY_KIND["never-awaited"]
FENCE = """
kind: never-awaited
script: forgotten_await.py
lanes: main, save
lesson: nothing-ran
"""
SCRIPTS = [path for one in MISTAKES for path in (one.script, one.fixed)]


# -- the entries --------------------------------------------------------------------------------------


def test_every_script_belongs_to_an_entry() -> None:
    assert sorted(FOLDER.rglob("*.py")) == sorted(SCRIPTS)


def test_page_without_its_fence_is_refused(tmp_path: Path) -> None:
    for page in FOLDER.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        (tmp_path / page.name).write_text(text.replace("```mistake", "```python", page.stem == "idle-limit"))
    with pytest.raises(ValueError, match=r"idle-limit\.md has 0 fences `mistake`, not one"):
        mistakes(tmp_path)


def test_overview_and_kinds_list_every_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for table in (gallery.overview(""), reference.finding_kinds("")):
        assert re.findall(r"([\w-]+)\.html", table) == [detector.kind for detector in DETECTORS]
    assert "<td>callers queue for a connection</td>" in gallery.overview("")
    assert "<td>callers queued for the connections of a pool</td>" in reference.finding_kinds("")


def test_the_lesson_that_teaches_it_is_there() -> None:
    lessons = {lesson.id for lesson in load_course(find_course()).lessons}
    assert [one.script.name for one in MISTAKES if one.lesson not in lessons] == []


def test_both_versions_do_the_same_job() -> None:
    """The same docstring, the same functions in the same order; only their bodies and arguments differ."""

    def job(path: Path) -> tuple[str | None, list[str]]:
        tree, functions = ast.parse(path.read_bytes()), (ast.FunctionDef, ast.AsyncFunctionDef)
        return ast.get_docstring(tree), [node.name for node in tree.body if isinstance(node, functions)]

    assert [one.script.name for one in MISTAKES if job(one.script) != job(one.fixed)] == []
    assert [one.script.name for one in MISTAKES if not set(one.lanes) <= set(job(one.script)[1])] == []


def test_a_script_is_short_and_stands_beside_its_picture() -> None:
    for script in SCRIPTS:
        lines = script.read_text(encoding="utf-8").splitlines()
        assert 8 <= len(lines) <= 30, script
        assert max(map(len, lines)) <= 66, script
        assert "asyncdemo" not in "".join(lines), script


def test_the_command_names_what_the_recording_is_made_with() -> None:
    for one in MISTAKES:
        services, _, trace = one.command.rpartition(" -- ")
        assert services == (f"asyncdemo services {' '.join(one.services)}" if one.services else "")
        assert trace.startswith(f"asyncdemo trace {one.script.as_posix()}")
        assert trace.endswith(f" --lane {','.join(one.lanes)}" if one.lanes else one.script.name)


# -- recording ----------------------------------------------------------------------------------------


def runs_of(*forgets: bool) -> tuple[Run, ...]:
    """A run for each: does it forget an await?"""
    runs = []
    for number, forgotten in enumerate(forgets):
        story = Story()
        story.task("main").sleeps(10).returns()
        if forgotten:
            story.never_awaited("save", site=at_line(12, "main"))
        runs.append(replace(story.run(), name=f"run-{number}"))
    return tuple(runs)


def test_the_mistake_must_be_seen_in_the_script_and_only_there() -> None:
    assert faults(FORGOTTEN, runs_of(True, False)) == []
    assert faults(FORGOTTEN, runs_of(False, True)) == [
        "forgotten_await.py does not show never-awaited",
        "fixed/forgotten_await.py still shows never-awaited",
    ]


# -- the fence ----------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recordings:
    """The quickest of them, for real."""
    recordings = Recordings(tmp_path_factory.mktemp("gallery"))
    recordings.record(subject_of(FORGOTTEN))
    return recordings


@pytest.fixture
def shown(recorded: Recordings, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(gallery, "Recordings", lambda: recorded)
    monkeypatch.chdir(ROOT)
    return gallery.mistake(FENCE)


def test_entry_has_the_finding_both_runs_and_further_links(shown: str, recorded: Recordings) -> None:
    assert [run.name for run in recorded.get("mistakes/never-awaited")] == ["forgotten_await", "fixed"]
    assert shown.count("<async-timeline") == 1
    for words in (
        "save() was called but never awaited at forgotten_await.py:12 in main(): nothing in it ran.",
        "Write <code>await save(...)</code>",
        "data-search-exclude",
        '<a href="../../lessons/nothing-ran.html">2. Nothing ran</a>',
        "--lane main,save</code>",
        '<a href="fixed/forgotten_await.py">',
    ):
        assert words in shown


def test_the_faulty_line_is_marked_and_the_change_is_shown(shown: str) -> None:
    (line,) = re.findall(r'<span class="hll">(.*)', shown)
    assert re.sub(r"<[^>]*>", "", line).strip() == "save(4711)"
    assert '<span class="gd">-    save(4711)</span>' in shown
    assert '<span class="gi">+    await save(4711)</span>' in shown


def test_a_recording_that_does_not_show_it_fails_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    class Nothing(Recordings):
        def get(self, name: str) -> tuple[Run, ...]:
            return runs_of(False, False)

    monkeypatch.setattr(gallery, "Recordings", Nothing)
    monkeypatch.chdir(ROOT)
    with pytest.raises(SuperFencesException, match=r"forgotten_await\.py does not show never-awaited"):
        gallery.mistake(FENCE)


def test_an_unknown_kind_fails_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(SuperFencesException, match="there is no finding 'slow'"):
        gallery.mistake(FENCE.replace("never-awaited", "slow"))


@pytest.mark.parametrize(
    ("fixed", "found_at", "lines"),
    [
        ("xbyd", 3, [3]),  # the line of the finding, if the fixed version changes it
        ("axc", 1, [2, 4]),  # else all lines that it changes
        (("a", "x", "    c", "    d"), None, [2]),  # but not those that are only moved in
        ("abcde", 2, [2]),  # the line of the finding, if something is missing
    ],
)
def test_the_lines_at_fault(fixed: Sequence[str], found_at: int | None, lines: list[int]) -> None:
    site = None if found_at is None else at_line(found_at)
    assert differing_lines("abcd", fixed, Finding("", "", site, site)) == lines


# -- all of them, for real ----------------------------------------------------------------------------


@pytest.mark.release  # on every Python; on one, the site is not built if this does not hold
@pytest.mark.parametrize("one", MISTAKES, ids=[one.kind for one in MISTAKES])
def test_it_is_seen_in_the_script_and_not_in_the_fixed_one(one: Mistake, tmp_path: Path) -> None:
    lines: list[str] = []
    recordings = Recordings(tmp_path)
    with ServiceCache() as service_cache:
        recordings.update(subject_of(one), service_cache, 3, lines.append)
    assert recordings.remarks(subject_of(one)) == (), "\n".join(lines)

"""The mistakes gallery: every kind of finding has an entry, and every entry shows what it says."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pymdownx.superfences import SuperFencesException

from asyncdemo.analysis.diagnose import Finding, FindingKind
from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.model import Run, RunOutcome
from asyncdemo.services import Services
from asyncdemo.serving import ServiceCache
from asyncdemo.site import gallery
from asyncdemo.site.gallery import Mistake, faults, marked, mistakes
from asyncdemo.site.recordings import Judge, Recordings, Take
from tests.support.runs import Story, at_line

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "docs" / "explore" / "mistakes"
MISTAKES = mistakes(FOLDER)
BY_KIND = {one.kind: one for one in MISTAKES}
FORGOTTEN = BY_KIND[FindingKind.NEVER_AWAITED]
SCRIPTS = [path for one in MISTAKES for path in (one.script, one.fixed)]


# -- the entries --------------------------------------------------------------------------------------


def test_every_kind_of_finding_has_one_entry_the_gravest_first() -> None:
    assert [one.kind for one in MISTAKES] == list(FindingKind)


def test_every_script_belongs_to_an_entry() -> None:
    assert sorted(FOLDER.rglob("*.py")) == sorted(SCRIPTS)


def test_each_has_a_page_a_row_in_the_overview_and_a_place_in_the_navigation_in_this_order() -> None:
    kinds = [str(kind) for kind in FindingKind]
    titles = []
    for kind in kinds:
        page = (FOLDER / f"{kind}.md").read_text(encoding="utf-8")
        titles += re.findall(r"^# (.+)$", page, re.M)
        assert re.findall(r"^```mistake\nkind: (.+)\n```$", page, re.M) == [kind]
    overview = (FOLDER / "index.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(.+)\]\(([\w-]+)\.md\) \| `([\w-]+)` \|", overview, re.M)
    assert rows == list(zip(titles, kinds, kinds, strict=True))
    listed = re.findall(
        r"- (.+): explore/mistakes/([\w-]+)\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    )
    assert listed == list(zip(titles, kinds, strict=True))


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


class Scripted(Recordings):
    """Recordings that are made from a list of results, one for each time."""

    def __init__(self, results: Sequence[tuple[Run, ...]]) -> None:
        super().__init__(Path("nowhere"))
        self.results = list(results)
        self.names: list[str] = []

    def record(
        self,
        name: str,
        takes: Sequence[Take],
        sources: object,
        services: Services | None = None,
        judge: Judge = lambda _: (),
    ) -> tuple[Run, ...]:
        self.names.append(name)
        return self.results.pop(0)


def test_the_mistake_must_be_seen_in_the_script_and_only_there() -> None:
    assert faults(FORGOTTEN, runs_of(True, False)) == []
    assert faults(FORGOTTEN, runs_of(False, True)) == [
        "forgotten_await.py does not show never-awaited",
        "fixed/forgotten_await.py still shows never-awaited",
    ]


def test_a_script_that_fails_shows_nothing() -> None:
    shown, fixed = runs_of(True, False)
    failed = replace(fixed, outcome=RunOutcome.FAILED)
    assert faults(FORGOTTEN, (shown, failed)) == ["the run run-1 did not end well"]


def test_what_a_busy_machine_hides_is_recorded_again() -> None:
    recordings, told = Scripted([runs_of(False, False), runs_of(True, False)]), list[str]()
    with ServiceCache() as kept:
        gallery.record_one(FORGOTTEN, recordings, kept, told.append)
    assert recordings.names == ["mistakes/never-awaited"] * 2
    assert told[1] == "  forgotten_await.py does not show never-awaited"


def test_not_for_ever() -> None:
    recordings = Scripted([runs_of(False, False)] * 5)
    with ServiceCache() as kept:
        gallery.record_one(FORGOTTEN, recordings, kept, list[str]().append)
    assert len(recordings.results) == 2


# -- the fence ----------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recordings:
    """The quickest of them, for real."""
    recordings = Recordings(tmp_path_factory.mktemp("gallery"))
    with ServiceCache() as kept:
        gallery.record_one(FORGOTTEN, recordings, kept, list[str]().append)
    return recordings


@pytest.fixture
def shown(recorded: Recordings, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(gallery, "Recordings", lambda: recorded)
    monkeypatch.setattr(gallery, "mistakes", lambda: MISTAKES)
    return gallery.mistake("kind: never-awaited")


def test_the_entry_says_what_was_found_in_the_words_of_the_finding(shown: str) -> None:
    assert (
        "save() was called but never awaited at forgotten_await.py:12 in main(): nothing in it ran." in shown
    )
    assert "Write <code>await save(...)</code>" in shown


def test_the_entry_has_both_runs_in_one_picture(shown: str, recorded: Recordings) -> None:
    assert [run.name for run in recorded.get("mistakes/never-awaited")] == ["forgotten_await", "fixed"]
    assert shown.count("<async-timeline") == 1
    assert "data-search-exclude" in shown


def test_the_faulty_line_is_marked_and_the_change_is_shown(shown: str) -> None:
    (line,) = re.findall(r'<span class="hll">(.*)', shown)
    assert re.sub(r"<[^>]*>", "", line).strip() == "save(4711)"
    assert '<span class="gd">-    save(4711)</span>' in shown
    assert '<span class="gi">+    await save(4711)</span>' in shown


def test_the_entry_leads_on(shown: str) -> None:
    assert '<a href="../../lessons/nothing-ran.html">2. Nothing ran</a>' in shown
    assert "--lane main,save</code>" in shown
    assert '<a href="fixed/forgotten_await.py">' in shown


def test_a_recording_that_does_not_show_it_fails_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    class Nothing(Recordings):
        def get(self, name: str) -> tuple[Run, ...]:
            return runs_of(False, False)

    monkeypatch.setattr(gallery, "Recordings", Nothing)
    monkeypatch.setattr(gallery, "mistakes", lambda: MISTAKES)
    with pytest.raises(SuperFencesException, match=r"forgotten_await\.py does not show never-awaited"):
        gallery.mistake("kind: never-awaited")


def test_an_unknown_kind_fails_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gallery, "mistakes", lambda: MISTAKES)
    with pytest.raises(SuperFencesException, match="there is no mistake 'slow'"):
        gallery.mistake("kind: slow")


class TestMarked:
    SCRIPT = ("a", "b", "c", "d")

    def finding(self, line: int | None) -> Finding:
        site = None if line is None else at_line(line)
        return Finding(FindingKind.IDLE_LIMIT, "", "", site, site)

    def test_the_line_of_the_finding_where_the_fixed_version_changes_it(self) -> None:
        assert marked(self.SCRIPT, ("x", "b", "y", "d"), self.finding(3)) == [3]

    def test_else_all_lines_that_it_changes(self) -> None:
        assert marked(self.SCRIPT, ("a", "x", "c"), self.finding(1)) == [2, 4]

    def test_a_line_that_is_only_moved_in_is_not_at_fault(self) -> None:
        assert marked(self.SCRIPT, ("a", "x", "    c", "    d"), self.finding(None)) == [2]

    def test_where_something_is_missing_the_line_of_the_finding(self) -> None:
        assert marked(self.SCRIPT, (*self.SCRIPT, "e"), self.finding(2)) == [2]


# -- all of them, for real ----------------------------------------------------------------------------


@pytest.mark.release  # on every Python; on one, the site is not built if this does not hold
@pytest.mark.parametrize("one", MISTAKES, ids=[str(one.kind) for one in MISTAKES])
def test_it_is_seen_in_the_script_and_not_in_the_fixed_one(one: Mistake, tmp_path: Path) -> None:
    told: list[str] = []
    with ServiceCache() as kept:
        runs = gallery.record_one(one, Recordings(tmp_path), kept, told.append)
    assert faults(one, runs) == [], "\n".join(told)

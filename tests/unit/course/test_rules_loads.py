"""Rules about what stands around scripts: loads, ports and services. Each catches what it is for."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.course.rules import RULES, Problem, fast_problems, survey
from asyncdemo.course.rules.plain import faults_of_server, plain_runs
from asyncdemo.course.rules.runs import knob_sets, problems_of_runs
from asyncdemo.errors import CourseError
from tests.support.served_course import SERVICE, write_served_course
from tests.support.tables import rows
from tests.unit.course.good_course import change
from tests.unit.course.test_rules import MISTAKES as OF_SCRIPTS
from tests.unit.course.test_rules import Mistake

LESSON = "lesson.toml"

MISTAKES = rows(
    Mistake,
    r"""
knobs | in_turn.py | PACKS_S =\x20 | CLIENTS = 4\nPACKS_S =\x20 | a constant of in-turn too
knobs | lesson.toml | clients = "CLIENTS" | workers = "W"\nclients = "CLIENTS" | W is not a constant of in
knobs | lesson.toml | low = 1, high = 100 | low = 5, high = 100 | CLIENTS is 4 in the load
knobs | lesson.toml | low = 1, high = 100 | low = 0, high = 100 | can be 0, but load: clients
scripts | in_turn.py | asyncdemo run shop --variant in-turn | it | run shop --variant in
figures | README.md | 4 clients | 5 clients | '5' in 'What you saw'
""",
)

SERVED = [
    ("in_turn.py", '    return {"left": 7}', "    return {}, 404", "GET /stock is answered with 404"),
    ("in_turn.py", '    return {"left": 7}', "    os._exit(1)", "GET /stock is not answered"),
    ("in_turn.py", 'Flask("shop")', "Tea()", "ends with 1: NameError: name 'Tea' is not defined"),
    ("at_once.py", "port=PORT", "port=0", "takes no connections within 3 s"),
]
"""(file, old, new, what is said of it under plain Python)"""


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    return write_served_course(tmp_path)


def found(lesson: Path) -> list[Problem]:
    surveyed = survey(lesson.parents[1])
    assert not surveyed.problems
    return [problem for source in surveyed.sources for problem in fast_problems(source)]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: f"{mistake.rule}: {mistake.says}")
def test_a_mistake_is_found_by_its_rule(lesson: Path, mistake: Mistake) -> None:
    change(lesson / mistake.file, mistake.old, mistake.new)
    matching = [p for p in found(lesson) if p.rule == mistake.rule and mistake.says in p.message]
    assert matching, found(lesson)


def test_every_rule_is_proven() -> None:
    assert {mistake.rule for mistake in [*OF_SCRIPTS, *MISTAKES]} == {rule.name for rule in RULES}


# -- the manifest ------------------------------------------------------------------------------------

OF_MANIFESTS = [
    ('clients = "CLIENTS"', 'pace = 3\nclients = "CLIENTS"', "load.pace: is not a field of this table"),
    ('clients = "CLIENTS"', "clients = true", "load.clients: must be a number or a name, not True"),
    ('json = { what = "tea" }', "json = 2026-01-01", "load.sends[1].json: cannot be written as JSON"),
    ("minutes = 10", 'minutes = 10\nservices = ["mysql"]', "services: must be of s3, redis, postgres"),
    ("minutes = 10", 'minutes = 10\nservices = ["redis", "redis"]', "services: names one of them twice"),
    ("timeout_s = 20\nruns", 'clock = "virtual"\nruns', "exercise.clock: must be real"),
    ("(/sell/3/)", "(/buy)", "is of '/buy', and not of /sell/3/ or /stock"),
]
"""(old, new, the error of the manifest)"""


@pytest.mark.parametrize(("old", "new", "says"), OF_MANIFESTS, ids=[says for *_, says in OF_MANIFESTS])
def test_a_mistake_in_the_manifest_names_the_field(lesson: Path, old: str, new: str, says: str) -> None:
    change(lesson / LESSON, old, new)
    with pytest.raises(CourseError) as error:
        load_lesson(lesson)
    assert str(error.value).startswith(f"{lesson / LESSON}: ")
    assert says in str(error.value)


# -- what runs ---------------------------------------------------------------------------------------


def faults_of(lesson: Path, file: str) -> list[str]:
    load = load_lesson(lesson).load
    assert load is not None
    return [fault.message for fault in faults_of_server(lesson / file, load, {})]


@pytest.mark.parametrize(("file", "old", "new", "says"), SERVED, ids=[says for *_, says in SERVED])
def test_server_that_plain_python_runs_wrongly_is_found(
    lesson: Path, monkeypatch: pytest.MonkeyPatch, file: str, old: str, new: str, says: str
) -> None:
    monkeypatch.setattr("asyncdemo.course.rules.plain._READY_S", 3.0 if "takes no" in says else 30.0)
    change(lesson / file, old, new)
    messages = faults_of(lesson, file)
    assert any(says in message for message in messages), messages


def test_a_server_that_does_as_meant_has_no_fault(lesson: Path) -> None:
    assert faults_of(lesson, "in_turn.py") == faults_of(lesson, "at_once.py") == []


def test_a_request_may_be_meant_to_be_refused(lesson: Path) -> None:
    change(lesson / "in_turn.py", '    return {"left": 7}', '    return {"left": 0}, 404')
    change(lesson / LESSON, 'path = "/stock"', 'path = "/stock"\nstatus = 404')
    assert faults_of(lesson, "in_turn.py") == []
    (message,) = faults_of(lesson, "at_once.py")
    assert message.startswith("under plain Python GET /stock is answered with 200, not with 404")


def test_claims_are_held_against_runs_under_load(lesson: Path) -> None:
    change(
        lesson / LESSON,
        "at-once.answered(/sell/3/) == 6",
        "at-once.failed == 1",
    )
    (source,) = survey(lesson.parents[1]).sources
    problems = [problem for knobs in knob_sets(source) for problem in problems_of_runs(source, knobs)]
    assert [problem.message for problem in problems] == [
        "'6 of them at the counter': at-once failed is 0, not == 1"
    ]


def test_scripts_find_their_service_in_every_rule_that_runs_them(
    lesson: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASYNCDEMO_REDIS", "embedded")
    manifest = lesson / LESSON
    text = manifest.read_text().partition("[exercise]")[0].partition("[[predictions]]")[0]
    text = text.replace('packages = ["flask", "sanic"]', 'packages = ["redis"]\nservices = ["redis"]')
    start, end = text.index("[load]"), text.index("[[variants]]")
    text = (text[:start] + text[end:]).replace('lanes = ["sell"]', 'lanes = ["ask"]')
    manifest.write_text(text[: text.index("[knobs]")] + '[claims]\n"x" = "in-turn.calls(ask) == 3"\n')
    for name in ("in_turn", "at_once"):
        (lesson / f"{name}.py").write_text(SERVICE.format(name=name))
    (source,) = survey(lesson.parents[1]).sources
    assert [fault.message for fault in plain_runs(source)] == []
    assert [problem.message for problem in problems_of_runs(source, ())] == []

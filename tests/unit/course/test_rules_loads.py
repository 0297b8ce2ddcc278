"""Rules about what stands around scripts: loads, ports and services. Each catches what it is for."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.course.rules import RULES, Problem, fast_problems, survey
from asyncdemo.course.rules.runs import knob_sets, problems_of_runs
from asyncdemo.course.rules.server_variants import faults_of_server
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
load-paths | in_turn.py | @app.get("/stock") | @app.get("/stocks") | serves no /stock
load-paths | at_once.py | /sell/<n:int>/ | /sell/<n:int> | serves no /sell/3/, to which
load-paths | solution.py | /sell/<int:n>/ | /buy/<int:n>/ | serves no /sell/3/
load-ports | at_once.py | os.environ.get("PORT", "8000") | "8000" | take its port from
load-ports | exercise.py | os.environ.get("PORT", "8000") | "8000" | take its port from
load-knobs | in_turn.py | PACKS_S =\x20 | CLIENTS = 4\nPACKS_S =\x20 | a constant of in_turn.py as well
load-knobs | lesson.toml | low = 1\nhigh = 100 | low = 5\nhigh = 100 | CLIENTS is 4 in the load
load-knobs | lesson.toml | low = 1\nhigh = 100 | low = 0\nhigh = 100 | can be 0, but load: clients
load-knobs | lesson.toml | { CLIENTS = 3, | { CLIENTS = 0, | requests is 0
load-knobs | lesson.toml | timeout_s = 20\n\n | timeout_s = 20\nworkers = "CREW"\n\n | names CREW
services | lesson.toml | minutes = 10 | minutes = 10\nservices = ["redis"] | redis is named, but
services | in_turn.py | PACKS_S =\x20 | X = "REDIS_URL"\nPACKS_S =\x20 | services does not name redis
services | lesson.toml | timeout_s = 20\nruns | timeout_s = 20\nservices = ["s3"]\nruns | s3 is named, but
services | exercise.py | PACKS_S =\x20 | X = "DATABASE_URL"\nPACKS_S =\x20 | not name postgres
docstring | in_turn.py | asyncdemo run shop --variant in-turn | it | run shop --variant in
figures | README.md | 4 clients | 5 clients | '5' in 'What you saw'
exercise-knobs | lesson.toml | { CLIENTS = 3, | { CLIENT = 3, | and no knob of the load
""",
)

SERVED = [
    ("in_turn.py", '    return {"left": 7}', "    return {}, 404", "GET /stock is answered with 404"),
    ("in_turn.py", '    return {"left": 7}', "    raise OSError", "GET /stock is answered with 500"),
    ("in_turn.py", '    return {"left": 7}', "    os._exit(1)", "GET /stock is not answered"),
    ("in_turn.py", 'Flask("shop")', "Tea()", "ends with 1: NameError: name 'Tea' is not defined"),
    ("in_turn.py", "threaded=False)", "threaded=False)\n    raise SystemExit(4)", "ends with 4 after Ctrl-C"),
    (
        "in_turn.py",
        "    app.run(",
        "    import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n    app.run(",
        "does not end within 1 s of Ctrl-C",
    ),
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


def test_a_lesson_that_keeps_the_rules_has_no_problem(lesson: Path) -> None:
    assert found(lesson) == []


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: f"{mistake.rule}: {mistake.says}")
def test_a_mistake_is_found_by_its_rule(lesson: Path, mistake: Mistake) -> None:
    change(lesson / mistake.file, mistake.old, mistake.new)
    matching = [p for p in found(lesson) if p.rule == mistake.rule and mistake.says in p.message]
    assert matching, found(lesson)


def test_every_rule_is_proven() -> None:
    assert {mistake.rule for mistake in [*OF_SCRIPTS, *MISTAKES]} == {rule.name for rule in RULES}


# -- the manifest ------------------------------------------------------------------------------------

OF_MANIFESTS = [
    ('clients = "CLIENTS"', 'clients = "CLIENT"', "load.clients: must be a number or a knob of the load"),
    ('clients = "CLIENTS"', "clients = 0", "load.clients: must be a whole number, 1 or more; 0 is not"),
    ('clients = "CLIENTS"', "clients = 2.5", "load.clients: must be a whole number, 1 or more; 2.5 is not"),
    ('clients = "CLIENTS"', 'rate = 0\nclients = "CLIENTS"', "load.rate: must be above 0; 0 is not"),
    (
        'clients = "CLIENTS"',
        'rate = 5\nclients = "CLIENTS"',
        "load.clients: give either clients (a closed loop) or",
    ),
    ('clients = "CLIENTS"', 'arrivals = "poisson"\nclients = "CLIENTS"', "load.arrivals: belong to a rate"),
    ('clients = "CLIENTS"', 'pace = 3\nclients = "CLIENTS"', "load.pace: is not a field of this table"),
    ('requests = "REQUESTS"', "", "load.requests: give either requests (how many in all) or duration_s"),
    ('requests = "REQUESTS"', "requests = 5", "load.knobs: REQUESTS is not used in the load"),
    ("CLIENTS = 4", 'CLIENTS = "four"', "load.knobs: CLIENTS = 'four' must be"),
    ("CLIENTS = 4", "CLIENTS = 0", "load.clients: must be a whole number, 1 or more; CLIENTS, which is 0,"),
    ('path = "/stock"', 'path = "stock"', "load.sends[2].path: must begin with /"),
    ('path = "/stock"', 'path = "/stock"\nmethod = "GRAB"', "load.sends[2].method: must be one of GET"),
    ('path = "/stock"', 'path = "/stock"\nstatus = 99', "load.sends[2].status: must be 200 to 599"),
    ('path = "/stock"', 'path = "/stock"\ntimes = -1', "load.sends[2].times: must be a whole number, 0"),
    (
        'path = "/stock"',
        'path = "/stock"\ntimes = "TWICE"',
        "load.sends[2].times: must be a number or a knob",
    ),
    ("times = 3\n", 'times = 3\nbody = "tea"\n', "load.sends[1].body: give one of json, body and file"),
    ('json = { what = "tea" }', "json = 2026-01-01", "load.sends[1].json: cannot be written as JSON"),
    (
        'json = { what = "tea" }',
        'file = { field = "image", name = "a.png", bytes = 0 }',
        "load.sends[1].file.bytes: must be 1 to",
    ),
    ("minutes = 10", 'minutes = 10\nservices = ["mysql"]', "services: must be of s3, redis, postgres"),
    ("minutes = 10", 'minutes = 10\nservices = ["s3", "s3"]', "services: name one twice"),
    ("minutes = 10", 'minutes = 10\nmemory = "yes"', "memory: must be true or false"),
    ("timeout_s = 20\nruns", 'clock = "virtual"\nruns', "exercise.clock: must be real"),
    (
        'metric = "answered(/sell/3/)"',
        'metric = "answered(/buy)"',
        "which is not one of the paths of the load",
    ),
    ('metric = "answered(/sell/3/)"', 'metric = "peak(/stock)"', "claims[3].metric: must be one of requests"),
]
"""(old, new, the error of the manifest)"""


@pytest.mark.parametrize(("old", "new", "says"), OF_MANIFESTS, ids=[says for *_, says in OF_MANIFESTS])
def test_a_mistake_in_the_manifest_names_the_field(lesson: Path, old: str, new: str, says: str) -> None:
    change(lesson / LESSON, old, new)
    with pytest.raises(CourseError) as error:
        load_lesson(lesson)
    assert str(error.value).startswith(f"{lesson / LESSON}: ")
    assert says in str(error.value)


def test_sends_that_have_no_turn_are_none(lesson: Path) -> None:
    change(lesson / LESSON, "times = 3", "times = 0")
    change(lesson / LESSON, 'path = "/stock"', 'path = "/stock"\ntimes = 0')
    with pytest.raises(CourseError, match=r"load\.sends: send nothing"):
        load_lesson(lesson)


# -- what runs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("file", "old", "new", "says"), SERVED, ids=[says for *_, says in SERVED])
def test_a_server_that_plain_python_does_not_run_as_meant_is_found(
    lesson: Path, monkeypatch: pytest.MonkeyPatch, file: str, old: str, new: str, says: str
) -> None:
    monkeypatch.setattr("asyncdemo.course.rules.server_variants._GRACE_S", 1.0)
    monkeypatch.setattr(
        "asyncdemo.course.rules.server_variants._READY_S", 3.0 if "takes no" in says else 30.0
    )
    change(lesson / file, old, new)
    load = load_lesson(lesson).load
    assert load is not None
    messages = [fault.message for fault in faults_of_server(lesson / file, load, {})]
    assert any(says in message for message in messages), messages


@pytest.mark.parametrize("file", ["in_turn.py", "at_once.py"])
def test_a_server_that_does_as_meant_has_no_fault(lesson: Path, file: str) -> None:
    load = load_lesson(lesson).load
    assert load is not None
    assert [fault.message for fault in faults_of_server(lesson / file, load, {})] == []


def test_a_server_ends_when_asked_also_where_ctrl_c_is_ignored(lesson: Path) -> None:
    """As a shell does that for what it starts in the background."""
    load = load_lesson(lesson).load
    assert load is not None
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert [fault.message for fault in faults_of_server(lesson / "in_turn.py", load, {})] == []
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_request_may_be_meant_to_be_refused(lesson: Path) -> None:
    change(lesson / "in_turn.py", '    return {"left": 7}', '    return {"left": 0}, 404')
    change(lesson / LESSON, 'path = "/stock"', 'path = "/stock"\nstatus = 404')
    load = load_lesson(lesson).load
    assert load is not None
    assert [fault.message for fault in faults_of_server(lesson / "in_turn.py", load, {})] == []
    assert [fault.message for fault in faults_of_server(lesson / "at_once.py", load, {})] == [
        "under plain Python GET /stock is answered with 200, not with 404"
    ]


def test_a_warning_is_not_told_as_the_reason(lesson: Path) -> None:
    """Sanic shows one of its own from Python 3.14 on."""
    warns = 'warnings.showwarning(DeprecationWarning("old"), DeprecationWarning, __file__, 1)'
    change(lesson / "at_once.py", "PACKS_S = ", f"import warnings\n{warns}\nPACKS_S = ")
    change(lesson / LESSON, 'path = "/stock"', 'path = "/stock"\nstatus = 404')
    load = load_lesson(lesson).load
    assert load is not None
    assert [fault.message for fault in faults_of_server(lesson / "at_once.py", load, {})] == [
        "under plain Python GET /stock is answered with 200, not with 404"
    ]


def test_claims_are_held_against_runs_under_load(lesson: Path) -> None:
    change(
        lesson / LESSON,
        'metric = "answered(/sell/3/)"\nop = "=="\nvalue = 6',
        'metric = "failed"\nop = "=="\nvalue = 1',
    )
    (source,) = survey(lesson.parents[1]).sources
    problems = [problem for knobs in knob_sets(source) for problem in problems_of_runs(source, knobs)]
    assert [problem.message for problem in problems] == [
        "'6 of them at the counter': at-once failed is 0, not == 1"
    ]


def test_scripts_with_a_service_find_it_in_every_rule_that_runs_them(
    lesson: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from asyncdemo.course.rules.runs import plain_runs

    monkeypatch.setenv("ASYNCDEMO_REDIS", "embedded")
    manifest = lesson / LESSON
    text = manifest.read_text().partition("[exercise]")[0].partition("[[predictions]]")[0]
    text = text.replace('packages = ["flask", "sanic"]', 'packages = ["redis"]\nservices = ["redis"]')
    start, end = text.index("[load]"), text.index("[[variants]]")
    text = (text[:start] + text[end:]).replace('lanes = ["sell"]', 'lanes = ["ask"]')
    manifest.write_text(
        text[: text.index("[[knobs]]")]
        + '[[claims]]\ntext = "x"\nvariant = "in-turn"\nmetric = "calls(ask)"\nop = "=="\nvalue = 3\n'
    )
    for name in ("in_turn", "at_once"):
        (lesson / f"{name}.py").write_text(SERVICE.format(name=name))
    (source,) = survey(lesson.parents[1]).sources
    assert [fault.message for fault in plain_runs(source)] == []
    assert [problem.message for problem in problems_of_runs(source, ())] == []

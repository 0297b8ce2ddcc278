"""What README and site say about commands, options and fields exists."""

from __future__ import annotations

import argparse
import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import click
from benchmarks.__main__ import parser as benchmarks_parser

from asyncdemo import errors
from asyncdemo.analysis.metrics import PLAIN_FIGURES
from asyncdemo.analysis.schedules import Attempt, Exploration, Group, ending_of
from asyncdemo.cli.app import COMMANDS, app
from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.lab.distributed.__main__ import parser as distributed_parser
from asyncdemo.load.command import parser as load_parser
from asyncdemo.model import Holding, Stuck
from asyncdemo.render.text.json_result import lesson_result, script_result
from asyncdemo.render.text.schedules import schedules_result
from tests.support.runs import Story, at_line

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]

# Options of other programs, and of the root command.
FOREIGN = {"--help", "--latency-correction", "--log_async", "--no-deps", "--no-index", "--version"}


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def options() -> set[str]:
    context = click.Context(app)
    commands = [command for name in COMMANDS if (command := app.get_command(context, name))]
    for group in [command for command in commands if isinstance(command, click.Group)]:
        commands += group.commands.values()
    ours = {option for command in commands for parameter in command.params for option in parameter.opts}
    return ours.union(*map(options_of, (load_parser(), distributed_parser(), benchmarks_parser())))


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    kinds = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    inner = [options_of(command) for kind in kinds for command in kind.choices.values()]
    return {option for action in parser._actions for option in action.option_strings}.union(*inner)


def code(text: str) -> str:
    return "\n".join(re.findall(r"```.*?```|`[^`\n]+`", text, re.DOTALL))


def in_code(pattern: str) -> Iterator[tuple[str, str]]:
    """(page, what is found) in the code of every page."""
    for page in PAGES:
        yield from ((str(page.relative_to(ROOT)), found) for found in re.findall(pattern, code(read(page))))


def test_an_option_that_a_page_names_exists() -> None:
    known = FOREIGN | options()
    assert [named for named in in_code(r"(?<![\w-])--[a-z][\w-]+") if named[1] not in known] == []


def test_every_command_is_in_the_readme() -> None:
    assert {name for name in COMMANDS if f"`asyncdemo {name}" not in read(ROOT / "README.md")} == set()


def test_a_command_that_a_page_names_exists() -> None:
    assert [named for named in in_code(r"(?<!from )\basyncdemo ([a-z]+)") if named[1] not in COMMANDS] == []


def test_every_lesson_is_in_the_readme_with_number_and_question() -> None:
    rows = read(ROOT / "README.md")
    for lesson in load_course(find_course()).lessons:
        assert f"| {lesson.number} | `{lesson.id}` | {lesson.question} |" in rows


def test_every_exit_code_is_documented() -> None:
    text = read(DOCS / "reference" / "json.md").partition("## Exit codes")[2]
    assert {int(code) for code in re.findall(r"(?:^\| |· |^)(\d+)\b", text, re.MULTILINE)} == set(
        errors.EXIT_CODES
    )


def test_the_json_reference_has_every_field_and_no_other() -> None:
    story = Story()
    gate = story.semaphore(limit=1, made=at_line(3))
    story.task("first").takes(gate).blocks(80, at=at_line(7)).gives_back(gate).returns()
    story.task("second").queues(gate, 80).takes(gate).sleeps(10).gives_back(gate).returns()
    pool = story.pool(1, name="redis")
    handler = story.task("handler").sleeps(10).returns()
    story.connection(pool, 0, 1, uses=[(handler, 0, 10)])
    story.request("GET / 1").is_handled_by(handler, 0).answered(200)
    story.has_memory(0, 40, 300)
    stuck, held = Stuck("second", "", None, track=1), Holding(1, 0)
    hung = dataclasses.replace(story.run(), stuck=(stuck,), holdings=(held,))
    shown = [script_result("app.py", hung), lesson_result("a-lesson", {}, [story.run()])]
    alone = Story()
    alone.task("first").sleeps(5).returns()
    groups = [Group(1, Attempt((), run, ending_of(run, "", ""))) for run in (hung, alone.run())]
    shown.append(schedules_result("app.py", Exploration(2, tuple(groups))))

    def fields(value: object) -> set[str]:
        if isinstance(value, dict):
            free = {
                "knobs",
                "reasons",
                "outcomes",
                "statuses",
                "errors",
                "paths",
            }  # their names are those of other things
            inner = (fields(item) for name, item in value.items() if name not in free)
            return set(value).union(*inner)
        return set().union(*map(fields, value)) if isinstance(value, list) else set()

    text = read(DOCS / "reference" / "json.md").partition("```finding-kinds")[0]
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    plain = {figure.name for figure in PLAIN_FIGURES}
    assert named | plain == fields(shown) - {"ms", "function"}

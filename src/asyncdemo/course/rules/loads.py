"""Rules about the load that a lesson's servers get, and about its services."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Final

from asyncdemo.course.content.knobs import constants
from asyncdemo.course.content.load import Load
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.rules.lesson_source import LessonSource, Script
from asyncdemo.course.rules.problem import SEEDS, Fault, Rule
from asyncdemo.errors import AsyncdemoError

_PORT: Final = 'PORT = int(os.environ.get("PORT", "8000"))'
_SIGNS: Final = {
    "s3": ("AWS_ENDPOINT_URL_S3", "aioboto3", "boto3", "botocore", "aiobotocore"),
    "redis": ("REDIS_URL", "redis"),
    "postgres": ("DATABASE_URL", "psycopg", "psycopg2", "psycopg_pool", "asyncpg"),
}
"""For each service: the environment variable with its address, and the modules that talk to it."""


def paths(source: LessonSource) -> Iterator[Fault]:
    """Check that servers serve the paths of the load."""
    for load, scripts in _served(source):
        for script in scripts:
            routes = [re.compile(_pattern(text)) for text in _texts(script) if text.startswith("/")]
            for path in load.paths:
                if not any(route.fullmatch(path) for route in routes):
                    yield Fault(f"serves no {path}, to which the load is sent", script.path)


def ports(source: LessonSource) -> Iterator[Fault]:
    """Check that a server takes its port from the environment."""
    for _, scripts in _served(source):
        for script in scripts:
            if "PORT" not in _texts(script):
                yield Fault(f"must take its port from the environment: {_PORT}", script.path)


def load_knobs(source: LessonSource) -> Iterator[Fault]:
    """Check that knobs of the load have one meaning, and that all their possible values are valid."""
    lesson = source.lesson
    if lesson.load is None:
        return
    for name in lesson.load.knobs:
        line = source.manifest_line(f"load.knobs.{name}")
        for script in source.variants.values():
            if script.tree is not None and name in constants(script.path):
                message = f"{name} is a knob of the load, and a constant of {script.path.name} as well"
                yield Fault(message, source.manifest, line)
    for load, scripts in _served(source):
        for script in scripts:
            if isinstance(load.workers, str) and load.workers not in constants(script.path):
                message = f"workers names {load.workers}, which is not a constant of {script.path.name}"
                yield Fault(message, source.manifest, source.manifest_line("load.workers"))
    for place, knob in enumerate(lesson.knobs, start=1):
        value = lesson.load.knobs.get(knob.name)
        if value is None:
            continue
        line = source.manifest_line(f"knobs[{place}].name")
        assert isinstance(value, int | float)
        if not knob.low <= value <= knob.high:
            message = f"the knob {knob.name} is {value} in the load, not {knob.low:g} to {knob.high:g}"
            yield Fault(message, source.manifest, line)
        for limit in (knob.low, knob.high):
            if wrong := _refused(lesson.load, {knob.name: type(value)(limit)}):
                yield Fault(f"the knob {knob.name} can be {limit:g}, but {wrong}", source.manifest, line)
    exercise = lesson.exercise
    for run in exercise.drawn_with(SEEDS).knobs(0) if exercise else ():
        if exercise and exercise.load and (wrong := _refused(exercise.load, run)):
            yield Fault(f"{run}: {wrong}", source.manifest, source.manifest_line("exercise.runs"))


def services(source: LessonSource) -> Iterator[Fault]:
    """Check that the services that are used are started, and the other way round."""
    lesson, exercise = source.lesson, source.lesson.exercise
    groups: list[tuple[str, Sequence[str], list[Script]]] = [
        ("services", lesson.services, list(source.variants.values()))
    ]
    if exercise is not None:
        given = [script for script in source.exercise_scripts.values() if script.path == exercise.file]
        groups.append(("exercise.services", exercise.services, given))
    for field, named, scripts in groups:
        line = source.manifest_line(field)
        for service, (variable, *modules) in _SIGNS.items():
            telling = [script for script in scripts if variable in _texts(script)]
            using = telling or [script for script in scripts if set(modules) & set(script.imports)]
            if service in named and scripts and not using:
                yield Fault(f"{service} is named, but nothing here uses it", source.manifest, line)
            if service not in named and telling:
                message = f"{telling[0].path.name} reads {variable}, but {field} does not name {service}"
                yield Fault(message, source.manifest, line)


def _served(source: LessonSource) -> Iterator[tuple[Load, list[Script]]]:
    """Yield (load, the scripts that it is sent to, as far as they can be parsed)."""
    lesson, exercise = source.lesson, source.lesson.exercise
    if lesson.load is not None:
        yield lesson.load, [script for script in source.variants.values() if script.tree is not None]
    if exercise is not None and exercise.load is not None:
        wrong = {wrong.path for wrong in exercise.wrong}
        scripts = source.exercise_scripts.values()
        yield exercise.load, [s for s in scripts if s.tree is not None and s.path not in wrong]


def _texts(script: Script) -> list[str]:
    """Return every string in the code, including docstrings."""
    return [
        node.value
        for node in (ast.walk(script.tree) if script.tree else ())
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def _pattern(route: str) -> str:
    """Return ``/films/<int:film_id>/`` as a regular expression."""
    parts = re.split(r"<[^<>]*>|\{[^{}]*\}", route)
    return "[^/]+".join(map(re.escape, parts))


def _refused(load: Load, knobs: Knobs) -> str:
    """Return why nothing can be sent with these knobs; "" if something can."""
    try:
        load.plan({name: value for name, value in knobs.items() if name in load.knobs})
    except AsyncdemoError as error:
        return str(error)
    return ""


RULES: Final = (
    Rule("load-paths", paths),
    Rule("load-ports", ports),
    Rule("load-knobs", load_knobs),
    Rule("services", services),
)

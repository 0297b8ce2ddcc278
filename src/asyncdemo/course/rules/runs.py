"""Rules that run the variants of a lesson: they end as intended, and the text's claims about them hold.

Slow, because the lessons take their time. Not here: exercises (see ``solutions``).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asyncdemo.analysis.metrics import Metrics, measure
from asyncdemo.course.content.claims import Claim, check
from asyncdemo.course.content.knobs import for_scripts, values
from asyncdemo.course.content.lesson import Variant
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.content.predictions import PredictionKind, happened
from asyncdemo.course.judging.run_context import make_run_context
from asyncdemo.course.rules.lesson_source import LessonSource
from asyncdemo.course.rules.problem import Fault, Problem, Rule
from asyncdemo.course.rules.questions_and_claims import Settings, settings_of
from asyncdemo.course.rules.server_variants import end_group, faults_of_server
from asyncdemo.errors import AsyncdemoError, MissingError, ServiceError
from asyncdemo.model import Run
from asyncdemo.packages import missing_packages
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Options, Stdout, Target
from asyncdemo.serving import Batch, Job

TIMEOUT_S: Final = 60.0
HANGS_S: Final = 10.0
"""For scripts that are meant to hang: longer than any other takes."""


Recorded = Mapping[str, tuple[Run, str]]
"""The run of each variant, and what it wrote."""


def knob_sets(source: LessonSource) -> list[Settings]:
    """Return the distinct sets of knobs: first no settings, then those of the claims."""
    return list(dict.fromkeys([(), *map(settings_of, source.lesson.claims)]))


def problems_of_runs(
    source: LessonSource, settings: Settings, recorded: Recorded | None = None, virtual: bool = False
) -> Iterator[Problem]:
    """Run the variants once with these knobs: rules ``ends``, ``claims-hold``, ``answerable``.

    ``recorded`` has the runs, if they already exist. With ``virtual``, time jumps in new runs.
    """
    lesson = source.lesson

    def problem(rule: str, message: str, field: str) -> Problem:
        line = source.manifest_line(field)
        with_knobs = f" (with {', '.join(f'{name}={value}' for name, value in settings)})" if settings else ""
        return Problem(lesson.id, rule, message + with_knobs, source.manifest, line)

    if missing := missing_packages(name.partition("[")[0] for name in lesson.packages):
        yield problem("ends", f"not run: {missing[0]} is not installed", "packages")
        return
    claims = {place: c for place, c in enumerate(lesson.claims, start=1) if settings_of(c) == settings}
    needed = _variants_of(list(claims.values()))
    variants = [variant for variant in lesson.variants if not settings or variant.name in needed]
    try:
        knobs = values(lesson, dict(settings))
        recorded = recorded or _recorded(source, variants, dict(settings), knobs, virtual)
    except AsyncdemoError as error:
        yield problem("ends", str(error).splitlines()[0], "variants[1]")
        return
    for place, variant in enumerate(lesson.variants, start=1):
        if variant in variants:
            run, output = recorded[variant.name]
            if run.outcome.value != variant.expect:
                words = output.strip().splitlines()
                last = ((run.notes or words) if lesson.load else (words or run.notes) or ("",))[-1]
                message = f"{variant.name} ends as {run.outcome.value!r}, not {variant.expect!r}: {last}"
                yield problem("ends", message.rstrip(": "), f"variants[{place}].expect")
    measured = {name: measure(run) for name, (run, _) in recorded.items()}
    for place, claim in claims.items():
        verdict = check(claim.condition, measured, knobs)
        if not verdict.holds:
            at, op = f"{claim.condition.variant} {claim.condition.metric}", claim.condition.op
            message = f"{claim.text!r}: {at} is {verdict.measured:g}, not {op} {verdict.expected:g}"
            yield problem("claims-hold", message, f"claims[{place}].text")
    if not settings:
        for place, message in _unanswered(source, measured, knobs):
            yield problem("answerable", message, f"predictions[{place}].question")


def plain_runs(source: LessonSource) -> Iterator[Fault]:
    """Check that each variant is plain Python: without asyncdemo, it ends and warns only as intended."""
    lesson = source.lesson
    if missing_packages(name.partition("[")[0] for name in lesson.packages):
        return  # `ends` reports it
    try:
        with source.services(lesson.services) as services:
            environment = {} if services is None else services.environment
            for variant in lesson.variants:
                if services is not None:
                    services.reset()
                if lesson.load is not None:
                    yield from faults_of_server(variant.path, lesson.load, environment)
                else:
                    yield from _faults_of_plain(variant, environment)
    except (MissingError, ServiceError) as error:
        yield Fault(f"not run: {error}", source.manifest, source.manifest_line("services"))


def _faults_of_plain(variant: Variant, environment: Mapping[str, str]) -> Iterator[Fault]:
    done = ending(variant.path, HANGS_S if variant.expect == "timeout" else TIMEOUT_S, environment)
    if done.outcome != variant.expect:
        message = f"under plain Python it ends as {done.outcome!r}, not {variant.expect!r}"
        yield Fault(f"{message}: {done.last_words}".rstrip(": "), variant.path)
        return
    if variant.warns and variant.warns not in done.stderr:
        yield Fault(f"does not warn about {variant.warns!r} on standard error", variant.path)
    if not variant.warns and variant.expect == "ok" and done.stderr:
        yield Fault(f"writes on standard error: {done.last_words}", variant.path)
    if variant.expect == "ok" and not done.stdout:
        yield Fault("prints nothing: a learner who runs it alone sees nothing", variant.path)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a script ended. ``outcome`` is "ok", "failed" or "timeout"."""

    outcome: str
    stdout: str
    stderr: str

    @property
    def last_words(self) -> str:
        return (self.stderr.strip().splitlines() or [""])[-1]


def ending(script: Path, timeout_s: float, environment: Mapping[str, str] | None = None) -> Ending:
    """Run a script under plain Python, with warnings as errors, and end all that it started.

    ``environment`` is added to ours.
    """
    process = subprocess.Popen(
        [sys.executable, "-I", "-W", "error", script.name],
        cwd=script.parent,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    with process:
        try:
            stdout, stderr = process.communicate(timeout=timeout_s)
            outcome = "failed" if process.returncode else "ok"
            end_group(process)
        except subprocess.TimeoutExpired:
            end_group(process)
            stdout, stderr = process.communicate()
            outcome = "timeout"
    return Ending(outcome, stdout, stderr)


def _recorded(
    source: LessonSource,
    variants: Sequence[Variant],
    settings: Mapping[str, str],
    knobs: Knobs,
    virtual: bool,
) -> Recorded:
    """Record the variants, side by side if the lesson allows it."""
    lesson = source.lesson
    found: dict[str, tuple[Run, str]] = {}
    for heat in [variants] if lesson.race else [[variant] for variant in variants]:
        with source.services(lesson.services) as services:
            run_context = make_run_context(lesson.load, services, knobs)
            jobs = [
                Job(
                    Target(str(variant.path)),
                    Options(
                        variant.name,
                        lesson.lanes,
                        for_scripts(settings, lesson.load),
                        timeout_s=HANGS_S if variant.expect == "timeout" else TIMEOUT_S,
                        stdout=Stdout.CAPTURE,
                        memory=lesson.memory,
                        virtual=virtual,
                    ),
                    run_context,
                )
                for variant in heat
            ]
            outputs = [OutputBuffer() for _ in heat]
            with Batch(jobs, outputs, race=True) as batch:
                batch.begin()
                while batch.poll(0.02):
                    pass
            found |= {run.name: (run, output.text) for run, output in zip(batch.runs, outputs, strict=True)}
    return found


def _variants_of(claims: Sequence[Claim]) -> set[str]:
    """Return the variants that must run for the claims to be checked."""
    values = [claim.condition.value for claim in claims]
    others = {value.partition(".")[0] for value in values if isinstance(value, str)}
    return {claim.condition.variant for claim in claims} | others


def _unanswered(
    source: LessonSource, measured: Mapping[str, Metrics], knobs: Knobs
) -> Iterator[tuple[int, str]]:
    """Yield (place, message) of each question that these runs don't answer."""
    for place, prediction in enumerate(source.lesson.predictions, start=1):
        answer = happened(prediction, measured, knobs)
        if prediction.kind is PredictionKind.CHOICE:
            if not any(check(choice.condition, measured, knobs).holds for choice in prediction.choices):
                yield place, f"the right answer is not among the choices: it is {answer}"
        elif not answer:
            yield place, "the runs do not answer this question"


RULES: Final = (Rule("plain", plain_runs),)
"""Plus ``problems_of_runs``, which takes knobs: its runs are expensive, so all its rules share each run."""

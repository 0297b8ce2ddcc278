"""Rules that record the variants of a lesson: they end as intended, and the text's claims about them hold.

Slow, because the lessons take their time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from asyncdemo.analysis.metrics import Metrics, measure
from asyncdemo.course.content.claims import check
from asyncdemo.course.content.knobs import values
from asyncdemo.course.content.lesson import Variant
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.content.predictions import PredictionKind, actual_answer
from asyncdemo.course.judging.lesson_jobs import make_job, make_run_context
from asyncdemo.course.rules.lesson_source import LessonSource, Problem
from asyncdemo.course.rules.manifests import Settings, settings_of
from asyncdemo.course.rules.plain import HANGS_S, TIMEOUT_S
from asyncdemo.errors import AsyncdemoError
from asyncdemo.model import Run
from asyncdemo.packages import missing_packages
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Stdout
from asyncdemo.serving import Batch

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
        with_knobs = f" (with {', '.join(f'{name}={value}' for name, value in settings)})" if settings else ""
        return Problem(lesson.id, rule, *source.in_manifest(message + with_knobs, field))

    if missing := missing_packages(name.partition("[")[0] for name in lesson.packages):
        yield problem("ends", f"not run: {missing[0]} is not installed", "packages")
        return
    claims = [claim for claim in lesson.claims if settings_of(claim) == settings]
    needed = {name for claim in claims for name in claim.condition.variants}
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
    for claim in claims:
        verdict = check(claim.condition, measured, knobs)
        if not verdict.holds:
            at, op = f"{claim.condition.variant} {claim.condition.metric}", claim.condition.op
            message = f"{claim.text!r}: {at} is {verdict.measured:g}, not {op} {verdict.expected:g}"
            yield problem("claims-hold", message, f"claims.{claim.text}")
    if not settings:
        for place, message in _unanswered(source, measured, knobs):
            yield problem("answerable", message, f"predictions[{place}].question")


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
            context = make_run_context(lesson.load, services, knobs)
            limits_s = [HANGS_S if variant.expect == "timeout" else TIMEOUT_S for variant in heat]
            jobs = [
                make_job(lesson, variant, settings, context, limit_s, Stdout.CAPTURE, virtual)
                for variant, limit_s in zip(heat, limits_s, strict=True)
            ]
            outputs = [OutputBuffer() for _ in heat]
            with Batch(jobs, outputs, race=True) as batch:
                batch.begin()
                while batch.poll(0.02):
                    pass
            found |= {run.name: (run, output.text) for run, output in zip(batch.runs, outputs, strict=True)}
    return found


def _unanswered(
    source: LessonSource, measured: Mapping[str, Metrics], knobs: Knobs
) -> Iterator[tuple[int, str]]:
    """Yield (place, message) of each question that has none of its choices as an answer."""
    for place, prediction in enumerate(source.lesson.predictions, start=1):
        if prediction.kind is PredictionKind.CHOICE and not any(
            check(choice.condition, measured, knobs).holds for choice in prediction.choices
        ):
            answer = actual_answer(prediction, measured, knobs)
            yield place, f"the right answer is not among the choices: it is {answer}"

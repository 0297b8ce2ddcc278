"""The jobs of a lesson: its variants with their settings, and the load and services around them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from asyncdemo.course.content import knobs
from asyncdemo.course.content.lesson import Lesson, Variant
from asyncdemo.course.content.load import Load
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.judging.readiness import need
from asyncdemo.model import Run
from asyncdemo.recording.runner import Options, Stdout, Target
from asyncdemo.services import Services
from asyncdemo.serving import Job, RunContext, ServiceCache


def make_run_context(
    load: Load | None, services: Services | None, knobs: Knobs, keep_answers: int = 0
) -> RunContext:
    """Return the context of a run of a lesson's or an exercise's script, with services that are running.

    ``knobs`` may include those of the scripts. ``keep_answers`` is how many bytes of each response's body to
    keep. Raises UsageError if nothing would be sent.
    """
    if load is None:
        return RunContext(services)
    values = {name: knobs.get(name, value) for name, value in load.knobs.items()}
    return RunContext(services, load.plan(values, keep_answers), values, load.workers)


def make_job(
    lesson: Lesson,
    variant: Variant,
    settings: Mapping[str, str],
    run_context: RunContext,
    timeout_s: float,
    stdout: Stdout,
    virtual: bool = False,
) -> Job:
    """Return the job of a variant with these settings, in the context that they have for the lesson."""
    options = Options(
        name=variant.name,
        lanes=lesson.lanes,
        knobs=knobs.for_scripts(settings, lesson.load),
        virtual=virtual,
        timeout_s=timeout_s,
        memory=lesson.memory,
        stdout=stdout,
    )
    return Job(Target(str(variant.path)), options, run_context)


class LessonJobs:
    """Makes the jobs of a lesson. ``close`` stops its services."""

    def __init__(self, lesson: Lesson, timeout_s: float) -> None:
        self._lesson, self._timeout_s = lesson, timeout_s
        self._services = ServiceCache()

    def close(self) -> None:
        self._services.__exit__(None, None, None)

    def values(self, settings: Mapping[str, str]) -> Knobs:
        """Return the value of every knob. Raises UsageError, also if nothing would be sent to a server."""
        values = knobs.values(self._lesson, settings)
        make_run_context(self._lesson.load, None, values)
        return values

    def begin(self) -> None:
        """Start the services, so that they are ready when the learner is. Raises MissingError."""
        need(self._lesson, self._lesson.load, self._lesson.services)
        if self._lesson.services:
            self._services.begin(self._lesson.services)

    def make(
        self,
        variants: Sequence[Variant],
        settings: Mapping[str, str],
        stdout: Stdout,
        wanted: Callable[[], bool] = lambda: True,
    ) -> list[Job]:
        """Return a job for each variant; none if ``wanted`` returns False while the services start.

        Raises AsyncdemoError.
        """
        lesson, values = self._lesson, self.values(settings)
        need(lesson, lesson.load, lesson.services)
        services = self._services.get(lesson.services, wanted) if lesson.services else None
        if not wanted():
            return []
        context = make_run_context(lesson.load, services, values)
        return [make_job(lesson, variant, settings, context, self._timeout_s, stdout) for variant in variants]


def unexpected_runs(variants: Sequence[Variant], runs: Sequence[Run]) -> list[str]:
    """Return the variants that did not end as the manifest expects. After Ctrl-C there are fewer runs."""
    return [
        variant.name for variant, run in zip(variants, runs, strict=False) if run.outcome != variant.expect
    ]

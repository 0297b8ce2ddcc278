"""The load and services of a lesson's or an exercise's scripts while they run.

Not here: what the manifest may say about them (see ``load``), or running them (see ``serving``).
"""

from __future__ import annotations

from asyncdemo.course.content.load import Load
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.services import Services
from asyncdemo.serving import RunContext


def make_run_context(
    load: Load | None,
    services: Services | None,
    knobs: Knobs,
    keep_answers: int = 0,
) -> RunContext:
    """Return the context of a run, with services that are running.

    ``knobs`` may include those of the scripts. ``keep_answers`` is how many bytes of each response's body to
    keep. Raises UsageError if nothing would be sent.
    """
    if load is None:
        return RunContext(services)
    values = {name: knobs.get(name, value) for name, value in load.knobs.items()}
    return RunContext(services, load.plan(values, keep_answers), values, load.workers)

"""What the scripts of a lesson or an exercise get around them while they run.

Not for: what the manifest may say of it (``load``), or running them (``serving``).
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
    """services: running. knobs: of the run, those of the scripts may be among them.

    keep_answers: bytes of each response's body. Raises UsageError if nothing would be sent.
    """
    if load is None:
        return RunContext(services)
    values = {name: knobs.get(name, value) for name, value in load.knobs.items()}
    return RunContext(services, load.plan(values, keep_answers), values, load.workers)

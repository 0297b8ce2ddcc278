"""What a lesson or an exercise needs beyond asyncdemo itself, looked for before anything starts.

Not for: which extras there are (``cli.extras``), or starting a service (``serving``).
"""

from __future__ import annotations

from collections.abc import Sequence

from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.content.load import Load
from asyncdemo.errors import MissingError
from asyncdemo.load.needed import check_installed
from asyncdemo.packages import install_command, missing_packages
from asyncdemo.services import choose


def need(lesson: Heading, load: Load | None, services: Sequence[str]) -> None:
    """Raises MissingError with the command that installs what is not there."""
    missing = missing_packages(name.partition("[")[0] for name in lesson.packages)
    if missing:
        mend = install_command("course")
        raise MissingError(f"{lesson.id} needs {', '.join(missing)}. Install what the lessons need: {mend}")
    if load is not None:
        check_installed()
    for name in services:
        choose(name)

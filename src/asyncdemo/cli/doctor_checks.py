"""What ``asyncdemo doctor`` looks at on this machine, by topic, with the exact command that fixes it."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from typing import Final

from asyncdemo.cli.docs import find_site
from asyncdemo.cli.doctor_result import DoctorCheck, Status
from asyncdemo.cli.rooms import find_room
from asyncdemo.cli.terminal import can_draw
from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.errors import AsyncdemoError
from asyncdemo.packages import WITHOUT_WHEEL, install_command, version_of
from asyncdemo.render.words import count
from asyncdemo.services import SERVICES, NotThereError, Services, Source

_VERSION: Final = "{}.{}".format(*sys.version_info)
_NARROW: Final = 80


def _python() -> Iterator[DoctorCheck]:
    version = f"{platform.python_implementation()} {platform.python_version()}"
    yield DoctorCheck("version", Status.OK, f"{version}, {sys.executable}")
    if platform.python_implementation() != "CPython":
        yield DoctorCheck("interpreter", Status.NOTE, "the tracer is tested on CPython only")
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        yield DoctorCheck(
            "GIL", Status.BROKEN, "off: asyncdemo cannot record without it", "export PYTHON_GIL=1"
        )
    try:
        course = load_course(find_course())
    except AsyncdemoError as error:
        yield DoctorCheck("lessons", Status.BROKEN, str(error), install_command())
    else:
        yield DoctorCheck("lessons", Status.OK, f"{len(course.lessons)} in {course.folder}")
    try:
        yield DoctorCheck("docs site", Status.OK, str(find_site()))
    except AsyncdemoError as error:
        yield DoctorCheck("docs site", Status.NOTE, str(error))


def _packages() -> Iterator[DoctorCheck]:
    uvloop = version_of("uvloop")
    words = f"{uvloop}: scripts that use it can be traced"
    yield DoctorCheck(
        "uvloop", Status.OK, words if uvloop else "not installed; only scripts that use it need it"
    )
    for extra, packages in packages_of_extras().items():
        yield from checks_of_extra(extra, packages)


def packages_of_extras() -> dict[str, list[str]]:
    """Return the packages of each extra; "" has those that asyncdemo always needs."""
    try:
        lines = metadata.requires("asyncdemo") or []
    except metadata.PackageNotFoundError:
        return {}
    packages: dict[str, set[str]] = {"": set()}
    for line in lines:
        extra = re.search(r"extra == ['\"]([^'\"]+)['\"]", line)
        name = re.split(r"[\s\[<>=!~;]", line, maxsplit=1)[0]
        packages.setdefault(extra[1] if extra else "", set()).add(name)
    packages.pop("all", None)
    return {extra: sorted(names) for extra, names in packages.items()}


def checks_of_extra(extra: str, packages: Sequence[str]) -> Iterator[DoctorCheck]:
    """Yield whether its packages are installed; one that can't be on this Python is not missing."""
    name = f"extra {extra}" if extra else "asyncdemo"
    versions = {package: version_of(package) for package in packages}
    absent = [package for package, version in versions.items() if version is None]
    missing = [package for package in absent if package not in WITHOUT_WHEEL]
    if missing:
        status = Status.MISSING if extra else Status.BROKEN
        yield DoctorCheck(name, status, f"missing: {', '.join(missing)}", install_command(extra))
    else:
        present = ", ".join(f"{package} {version}" for package, version in versions.items() if version)
        yield DoctorCheck(name, Status.OK, present or "needs nothing")
    not_built = [package for package in absent if package in WITHOUT_WHEEL]
    if not_built:
        words = f"{', '.join(not_built)}: left out, because there is no wheel for Python {_VERSION}"
        yield DoctorCheck(name, Status.NOTE, words)


def _services() -> Iterator[DoctorCheck]:
    """Yield the server to be used for each. One that is running is briefly used, to see whether it works."""
    for name, service in SERVICES.items():
        try:
            choice = service.choose()
            words = choice.words()
            if choice.source is Source.URL:
                with Services([name]) as services:
                    words = f"{words}: {services.words[name]}"
            yield DoctorCheck(name, Status.OK, words)
        except NotThereError as error:
            yield DoctorCheck(name, Status.MISSING, error.words, error.fix)
        except AsyncdemoError as error:
            yield DoctorCheck(name, Status.MISSING, str(error), f"unset {' '.join(service.settings())}")


def _terminal() -> Iterator[DoctorCheck]:
    if not can_draw():
        yield DoctorCheck("drawing", Status.NOTE, "stdout is not a terminal: output is plain text")
        return
    columns, lines = shutil.get_terminal_size()
    words = f"{columns} columns, {lines} lines"
    if columns < _NARROW:
        words += ": timelines are drawn one below the other"
        yield DoctorCheck("size", Status.NOTE, words, "a wider window (160 columns for three timelines)")
    else:
        yield DoctorCheck("size", Status.OK, words)
    encoding = (sys.stdout.encoding or "").lower()
    if encoding.replace("-", "") == "utf8":
        yield DoctorCheck("characters", Status.OK, encoding)
    else:
        words = f"{encoding or 'unknown'}: timelines use ASCII"
        yield DoctorCheck("characters", Status.NOTE, words, "export PYTHONUTF8=1")
    if os.environ.get("NO_COLOR"):
        yield DoctorCheck("colour", Status.NOTE, "off: NO_COLOR is set; textures tell the states apart")
    else:
        words = f"TERM={os.environ.get('TERM', '')} {os.environ.get('COLORTERM', '')}"
        yield DoctorCheck("colour", Status.OK, words.strip())


def _system() -> Iterator[DoctorCheck]:
    affinity = getattr(os, "sched_getaffinity", None)
    processors = count(len(affinity(0)) if affinity else os.cpu_count() or 1, "processor")
    yield DoctorCheck("platform", Status.OK, f"{platform.platform()}, {processors}")
    clock = time.get_clock_info("perf_counter")
    reads = [time.perf_counter_ns() for _ in range(200)]
    tick_ns = min(later - earlier for earlier, later in pairwise(reads) if later > earlier)
    words = (
        f"{clock.implementation}, resolution {clock.resolution * 1e9:.0f} ns, two reads {tick_ns} ns apart"
    )
    if clock.resolution <= 1e-6:
        yield DoctorCheck("clock", Status.OK, words)
    else:
        yield DoctorCheck("clock", Status.NOTE, f"{words}: shorter steps cannot be measured")
    words = "readable: CPU time and descheduling are distinguished"
    yield DoctorCheck("CPU time of threads", Status.OK, words)
    if Path("/proc/self/stat").is_file():
        yield DoctorCheck("/proc", Status.OK, "readable")
    else:
        words = "not readable: memory and time stolen by others are not known"
        yield DoctorCheck("/proc", Status.NOTE, words)


TOPICS: Final[Mapping[str, Callable[[], Iterator[DoctorCheck]]]] = {
    "Python": _python,
    "Packages": _packages,
    "Services": _services,
    "Lab": find_room("lab").doctor_checks,
    "Terminal": _terminal,
    "System": _system,
}

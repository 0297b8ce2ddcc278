"""A folder of handed-in workspaces: who passed what, as one table, in text, CSV, JUnit XML or JSON.

Nothing is written into them. Not here: a single workspace (see ``check``).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from asyncdemo.cli.check_many import Checked, Status, as_data
from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.workspace import workspace as workspaces
from asyncdemo.course.workspace.workspace import Workspace
from asyncdemo.errors import UsageError


@dataclass(frozen=True, slots=True)
class HandedIn:
    """A submission. ``name`` is that of its folder; ``checked`` has each exercise in the course's order."""

    name: str
    checked: Sequence[Checked]

    def having(self, status: Status) -> list[Checked]:
        return [item for item in self.checked if item.status is status]


def find_workspaces(folder: Path) -> dict[str, Workspace]:
    """Return the workspaces by name of the submission: the folder itself, or one within it.

    Raises UsageError if there is none, WorkspaceError if one can't be read.
    """
    found: dict[str, Workspace] = {}
    for place in sorted(one for one in folder.iterdir() if one.is_dir()):
        for candidate in (place, *sorted(one for one in place.iterdir() if one.is_dir())):
            if place.name not in found and Workspace(candidate).manifest.is_file():
                found[place.name] = workspaces.load(candidate)
    if not found:
        raise UsageError(
            f"{folder} has no workspace in it. Put the folders there that people handed in, as "
            "`asyncdemo start` made them, each with its .asyncdemo."
        )
    return found


def words_of(person: HandedIn) -> str:
    """Return "ada: 3 passed, 1 failed (upload-gate), 22 untouched"."""
    parts = []
    for status in Status:
        items = person.having(status)
        names = ", ".join(item.lesson.id for item in items)
        tells = bool(items) and status not in (Status.PASSED, Status.UNTOUCHED)
        if items or status is Status.PASSED:
            parts.append(f"{len(items)} {status}" + (f" ({names})" if tells else ""))
    return f"{person.name}: {', '.join(parts)}"


def table_as_csv(people: Sequence[HandedIn], lessons: Sequence[Heading]) -> str:
    """Return one line each: name, how many passed, and the status of each exercise."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["workspace", "passed", *(lesson.id for lesson in lessons)])
    for person in people:
        row = [item.status for item in person.checked]
        table.writerow([person.name, len(person.having(Status.PASSED)), *row])
    return text.getvalue()


def table_as_junit(people: Sequence[HandedIn]) -> str:
    """Return a test suite for each workspace, with a test for each exercise; untouched ones are skipped."""
    root = ElementTree.Element("testsuites")
    for person in people:
        counts = {
            "tests": str(len(person.checked)),
            "failures": str(len(person.having(Status.FAILED)) + len(person.having(Status.MISSING))),
            "errors": str(len(person.having(Status.UNCHECKED))),
            "skipped": str(len(person.having(Status.UNTOUCHED))),
        }
        suite = ElementTree.SubElement(root, "testsuite", {"name": person.name, **counts})
        for item in person.checked:
            case = ElementTree.SubElement(
                suite, "testcase", {"classname": person.name, "name": item.lesson.id}
            )
            if item.status is not Status.PASSED:
                ElementTree.SubElement(
                    case, _ELEMENTS[item.status], {"message": _valid(item.verdict.message or "")}
                )
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def table_as_data(people: Sequence[HandedIn]) -> list[dict[str, Any]]:
    return [
        {"name": person.name, "exercises": [as_data(item) for item in person.checked]} for person in people
    ]


_ELEMENTS = {
    Status.FAILED: "failure",
    Status.MISSING: "failure",
    Status.UNCHECKED: "error",
    Status.UNTOUCHED: "skipped",
}


def _valid(text: str) -> str:
    """Remove control characters, which XML does not allow, not even escaped."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "?" for letter in text)

"""What a program needs that a page does not have: read from its imports, before anything runs."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncdemo.course.content.lesson import Lesson

_MODULES = {
    "concurrent": "threads or processes",
    "faulthandler": "threads",
    "multiprocessing": "processes",
    "socket": "sockets",
    "subprocess": "processes",
    "threading": "threads",
}
_CALLS = {
    "to_thread": "threads",
    "run_in_executor": "threads",
    "open_connection": "sockets",
    "start_server": "sockets",
}


def missing(source: str) -> str:
    """Return the end of "needs ..."; "" if nothing is missing, or the source is not Python."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError):
        return ""
    for node in nodes:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            if isinstance(node, ast.Attribute) and node.attr in _CALLS:
                return _CALLS[node.attr]
            continue
        for name in names:
            top = name.partition(".")[0]
            if top in _MODULES:
                return _MODULES[top]
            if top not in sys.stdlib_module_names:
                return f"the package {top}"
    return ""


def runs_in_a_page(lesson: Lesson) -> bool:
    """Return whether any of its programs does."""
    if lesson.load is not None or lesson.services or lesson.packages:
        return False
    return any(not missing(variant.path.read_text("utf-8")) for variant in lesson.variants)

"""Which programs a page can run is read from their imports."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.in_page.needs import missing, runs_in_a_page

_LESSONS = Path(__file__).parents[3] / "lessons"


@pytest.mark.parametrize(
    ("source", "needed"),
    [
        ("import asyncio\nimport time", ""),
        ("from threading import Thread", "threads"),
        ("from concurrent.futures import ProcessPoolExecutor", "threads or processes"),
        ("import asyncio\nasync def main():\n    await asyncio.to_thread(print)", "threads"),
        ("import faulthandler", "threads"),
        ("import socket", "sockets"),
        ("import asyncio\nasync def main():\n    await asyncio.start_server(print)", "sockets"),
        ("import asyncio\nasync def main():\n    await asyncio.open_connection()", "sockets"),
        ("import aiohttp.web", "the package aiohttp"),
        ("def (:", ""),
    ],
)
def test_what_is_missing_is_named(source: str, needed: str) -> None:
    assert missing(source) == needed


@pytest.mark.parametrize(
    ("folder", "runs"),
    [
        ("01-loop/01-two-sleeps", True),
        ("01-loop/05-blocker-hunt", False),
        ("04-servers/12-flask-vs-sanic", False),
    ],
)
def test_a_lesson_runs_if_any_of_its_programs_does(folder: str, runs: bool) -> None:
    assert runs_in_a_page(load_lesson(_LESSONS / folder)) is runs

"""The load of a lesson: what its manifest says becomes a plan for the load client."""

from __future__ import annotations

import io
import json
import math
import struct
import zlib
from email.parser import BytesParser
from pathlib import Path

import pytest

from asyncdemo.course.content.knobs import for_scripts, values
from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.course.content.load import Load, file_body, png, read_load
from asyncdemo.course.content.manifest import Table
from asyncdemo.course.judging.lesson_jobs import make_run_context
from asyncdemo.errors import CourseError, UsageError
from tests.support.served_course import write_served_course

SENDS: dict[str, object] = {"sends": [{"path": "/"}]}


def load(**fields: object) -> Load:
    return read_load(Table({"clients": 2, "requests": 4, **SENDS, **fields}, Path("lesson.toml"), "load"))


def test_a_load_becomes_a_plan() -> None:
    plan = load(
        clients="CLIENTS",
        requests="REQUESTS",
        knobs={"CLIENTS": 5, "REQUESTS": 50},
        keep_alive=True,
        timeout_s=3,
        sends=[{"method": "POST", "path": "/upload?x=1", "body": "tea"}, {"path": "/"}],
    ).plan({"CLIENTS": 7}, keep_answers=10)
    assert (plan.clients, plan.requests) == (7, 50)
    assert (plan.keep_alive, plan.timeout_s, plan.report, plan.keep_answers) == (True, 3.0, True, 10)
    assert [(send.method, send.path) for send in plan.sends] == [("POST", "/upload?x=1"), ("GET", "/")]


def test_requests_come_in_rotation_each_so_often_in_a_row() -> None:
    mixed = load(
        knobs={"CALCS": 2},
        sends=[{"path": "/upload", "times": 3}, {"path": "/calc", "times": "CALCS"}, {"path": "/calc/1?n=2"}],
    )
    assert [send.path for send in mixed.plan({}).sends] == ["/upload"] * 3 + ["/calc"] * 2 + ["/calc/1?n=2"]
    assert [send.path for send in mixed.plan({"CALCS": 0}).sends] == ["/upload"] * 3 + ["/calc/1?n=2"]
    assert mixed.paths == ("/upload", "/calc", "/calc/1")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"sends": [{"path": "/", "times": 0}]}, "no request would be sent"),
        ({"sends": [{"path": "tea"}]}, "sends\\[1\\].path: must begin with /"),
        ({"sends": [{"path": "/", "status": 77}]}, "sends\\[1\\].status: must be 200 to 599"),
        ({"clients": "CLIENT"}, "'CLIENT' is neither a number nor a knob"),
        ({"clients": 0}, "clients is 0"),
        ({"timeout_s": 0}, "timeout_s is 0"),
        ({"requests": math.inf}, "requests: must be a finite number"),
        ({"clients": "CLIENTS", "knobs": {"CLIENTS": "many"}}, "knobs.CLIENTS: must be a number"),
        ({"knobs": {"PACE": 3}}, "knobs.PACE: is not used"),
        ({"workers": -2}, "workers: must be a whole number or a constant"),
        ({"workers": "some"}, "workers: must be a whole number or a constant"),
    ],
)
def test_a_load_that_makes_no_sense_is_an_error_of_the_manifest(
    fields: dict[str, object], words: str
) -> None:
    with pytest.raises(CourseError, match=f"^lesson.toml: load.*{words}"):
        load(**fields)


def test_knobs_with_which_nothing_would_be_sent_are_refused() -> None:
    with pytest.raises(UsageError, match="no request would be sent"):
        load(knobs={"TIMES": 1}, sends=[{"path": "/", "times": "TIMES"}]).plan({"TIMES": 0})


def test_bodies_have_a_content_type() -> None:
    bodies = [
        {"path": "/", "json": {"film": 3, "words": ["é"]}},
        {"path": "/", "json": []},
        {"path": "/", "body": "tea"},
        {"path": "/"},
    ]
    sends = load(sends=bodies).plan({}).sends
    assert json.loads(sends[0].body) == {"film": 3, "words": ["é"]}
    assert [send.body for send in sends[1:]] == [b"[]", b"tea", b""]
    types = ["application/json", "application/json", "text/plain; charset=utf-8"]
    assert [dict(send.headers) for send in sends] == [*({"Content-Type": one} for one in types), {}]


@pytest.mark.parametrize("name", ["photo.png", "photo.jpg", "data.bin"])
@pytest.mark.parametrize("size", [1, 79, 100, 65536])
def test_file_is_a_form_with_the_given_number_of_bytes(name: str, size: int) -> None:
    content_type, body = file_body("image", name, size)
    assert file_body("image", name, size) == (content_type, body), "the same every time"
    head = f"Content-Type: {content_type}\r\n\r\n".encode()
    _, part = BytesParser().parsebytes(head + body).walk()
    assert part.get_filename() == name
    assert part.get_param("name", header="content-disposition") == "image"
    start = body.index(b"\r\n\r\n") + 4
    assert len(body[start : body.rindex(b"\r\n--")]) == size


@pytest.mark.parametrize("size", [67, 70, 79, 80, 91, 1000, 65536])
def test_a_picture_is_one(size: int) -> None:
    data = io.BytesIO(png(size))
    assert data.read(8) == b"\x89PNG\r\n\x1a\n"
    kinds, pixels = [], b""
    while b"IEND" not in kinds:
        length, kind = struct.unpack(">I4s", data.read(8))
        content = data.read(length)
        assert struct.unpack(">I", data.read(4)) == (zlib.crc32(kind + content),)
        kinds.append(kind)
        pixels += content if kind == b"IDAT" else b""
    assert len(png(size)) == size
    assert kinds[0] == b"IHDR" and zlib.decompress(pixels) == b"\x00\x80"


# -- with a lesson -----------------------------------------------------------------------------------


def test_knobs_of_the_load_are_set_like_those_of_the_scripts(tmp_path: Path) -> None:
    lesson = load_lesson(write_served_course(tmp_path))
    assert values(lesson, {}) == {"CLIENTS": 4, "REQUESTS": 8, "PACKS_S": 0.03}
    settings = {"CLIENTS": "9", "PACKS_S": "0.5"}
    assert values(lesson, settings) == {"CLIENTS": 9, "REQUESTS": 8, "PACKS_S": 0.5}
    assert for_scripts(settings, lesson.load) == {"PACKS_S": "0.5"}
    assert for_scripts(settings, None) == settings


def test_what_is_around_a_script(tmp_path: Path) -> None:
    lesson = load_lesson(write_served_course(tmp_path))
    run_context = make_run_context(lesson.load, None, {"CLIENTS": 9, "PACKS_S": 0.5})
    assert run_context.plan is not None and run_context.plan.clients == 9
    assert run_context.knobs == {"CLIENTS": 9, "REQUESTS": 8}
    assert run_context and not make_run_context(None, None, {})

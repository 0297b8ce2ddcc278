"""Runs come back from files as they were; damaged files give what they hold, or say where they break."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo import store
from asyncdemo.analysis.metrics import measure
from asyncdemo.errors import RunFileError
from asyncdemo.model import Run, State, Stuck, Wait, Wake, Wakes
from asyncdemo.render.export import Export, render_bytes
from asyncdemo.render.text.plain import render_plain
from asyncdemo.store import dumps, limits, load, loads, resolve, save
from tests.support.runs import Story, at_line
from tests.support.strategies import runs


@pytest.fixture
def run() -> Run:
    story = Story()
    gate = story.semaphore(2, made=at_line(3))
    story.queue(5, levels=((1, 1), (2, 2)), made=at_line(4))
    main = story.task("main", created=at_line(30, "<module>"))
    for number in range(4):
        upload = story.task(f"upload({number})", parent=main, defined=at_line(7, "upload"))
        upload.enters(f"upload({number})").runs(1)
        if number >= 2:
            upload.queues(gate, 100)
        upload.takes(gate).waits(100, "net.write").gives_back(gate).leaves().returns()
    child = story.task("wait_for", parent=main).queues(gate, 200)
    main.enters("main").shows(child, 200, State.QUEUED, "semaphore").blocks(60, at=at_line(9)).leaves()
    story.awaits_in_sequence(main, 0, 200, (100, 100), (at_line(5), at_line(6)), None)
    story.never_awaited("fetch", 3, at_line(11))
    main.is_left_pending()
    pool = story.pool(2, made=at_line(5), name="redis")
    story.connection(pool, 0, 2, uses=[(main, 2, 10), (child, 12, 20)], closed=190, by=main)
    story.connection(pool, 5, None)
    story.refuses(pool, child, 20, 30)
    story.request("POST /upload 1").queues_for("accept", 1).is_handled_by(main).waits_for_response(
        2
    ).answered(200)
    story.request("POST /upload 2", at=1).is_late(1).queues_for("accept", 30).fails("timeout")
    story.has_memory(0, 45.5, 500, threads=3)
    story.has_memory(100, 61, 900, threads=53)
    return story.run(
        knobs={"UPLOADS": 4, "EACH_S": 0.1, "DRY": False, "HOST": "☕"},
        wakes=Wakes([Wake(5, 0, 1), Wake(4, 0, 2)]),
        notes=("The recording is cut off after 2.10 s.",),
        processes=2,
    )


def records(run: Run) -> list[dict[str, Any]]:
    return [json.loads(line) for line in dumps(run)]


def changed(run: Run, change: Callable[[dict[str, Any]], None], which: str) -> list[str]:
    """The lines of the run, with one change in the first record of a type."""
    lines = records(run)
    change(next(record for record in lines if record.get("type", "header") == which))
    return [json.dumps(record) for record in lines]


class TestRoundTrip:
    @given(runs())
    def test_any_run(self, run: Run) -> None:
        assert loads(dumps(run)) == run

    def test_more_than_fits_a_line(self, run: Run) -> None:
        gate, pool = run.resources[0], run.resources[-1]
        often = replace(pool.connections[0], uses=pool.connections[0].uses * 6000)
        shared = (
            replace(gate, slots=gate.slots * 6000),
            *run.resources[1:-1],
            replace(pool, connections=(often, pool.connections[1])),
        )
        many = replace(
            run,
            resources=shared,
            wakes=Wakes(Wake(at, 0, 1) for at in range(25_000)),
            memory=tuple(replace(run.memory[0], at_ns=at) for at in range(25_000)),
        )
        kinds = Counter(record.get("type") for record in records(many))
        assert (kinds["slots"], kinds["wakes"], kinds["uses"], kinds["memory"]) == (4, 3, 2, 3)
        assert loads(dumps(many)) == many

    def test_lanes_that_show_what_their_track_shows_cost_no_columns(self, run: Run) -> None:
        lanes = [record for record in records(run) if record.get("type") == "lane"]
        assert len(lanes) == 5
        assert not any("starts" in lane for lane in lanes)


class TestFormat:
    def test_the_header_comes_first_and_the_end_last_in_ascii(self, run: Run) -> None:
        lines = records(run)
        assert lines[0]["format"] == store.FORMAT == "asyncdemo.run/1"
        assert lines[-1] == {"type": "end", "records": len(lines) - 1}
        assert all(line.isascii() for line in dumps(run))

    def test_gzipped_by_the_name_and_recognised_by_the_content(self, run: Run, tmp_path: Path) -> None:
        save(run, tmp_path / "run.jsonl.gz")
        save(run, tmp_path / "run.jsonl")
        packed = (tmp_path / "run.jsonl.gz").read_bytes()
        assert gzip.decompress(packed) == (tmp_path / "run.jsonl").read_bytes()
        (tmp_path / "renamed").write_bytes(packed)
        assert load(tmp_path / "renamed") == load(tmp_path / "run.jsonl") == run

    def test_a_newer_version_is_named_with_what_to_do(self, run: Run) -> None:
        lines = changed(run, lambda header: header.update(format="asyncdemo.run/2"), "header")
        with pytest.raises(RunFileError, match=r"asyncdemo\.run/2.*Update asyncdemo"):
            loads(lines)

    def test_unknown_records_and_fields_are_skipped(self, run: Run) -> None:
        lines = [json.dumps({**record, "weather": {"sunny": [True]}}) for record in records(run)]
        lines.insert(3, json.dumps({"type": "mood", "index": "fine"}))
        lines[-1] = json.dumps({"type": "end", "records": len(lines) - 1})
        assert loads(lines) == run

    def test_records_may_come_in_any_order(self, run: Run) -> None:
        header, *others = dumps(run)
        assert loads([header, *reversed(others)]) == run


class TestSaving:
    def test_replaces_the_whole_file(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "run.jsonl"
        path.write_text("something else\n" * 10_000)
        save(run, path)
        assert load(path) == run
        assert list(tmp_path.iterdir()) == [path]

    def test_leaves_the_old_file_and_nothing_else_if_it_fails(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "run.jsonl"
        path.write_text("old")

        def full(source: object, target: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Path, "replace", full)
        with pytest.raises(RunFileError, match="No space left"):
            save(run, path)
        assert path.read_text() == "old"
        assert list(tmp_path.iterdir()) == [path]


def test_a_file_of_before_requests_pools_and_memory_is_read(run: Run) -> None:
    newer = ("request", "connection", "uses", "memory")
    lines = [record for record in records(run) if record.get("type") not in newer]
    del lines[0]["processes"]
    for line in lines:
        if line.get("kind") == "pool":
            del line["name"]
    lines[-1]["records"] = len(lines) - 1
    pools = tuple(replace(resource, name="", connections=()) for resource in run.resources)
    old = loads(map(json.dumps, lines))
    assert old == replace(run, requests=(), memory=(), processes=1, resources=pools)
    assert old.rows == run.lanes


class TestMissing:
    def test_a_file_that_ends_early_gives_what_it_holds(self, run: Run) -> None:
        lines = list(dumps(run))
        cut = next(i for i, line in enumerate(lines) if '"type":"track"' in line and '"index":3' in line)
        part = loads(lines[:cut])
        assert [track.name for track in part.tracks] == [track.name for track in run.tracks[:3]]
        assert part.tracks[1].spans == run.tracks[1].spans
        assert "The file ends early" in part.notes[-1]

    def test_a_cut_gzip_file_gives_what_it_holds(self, tmp_path: Path) -> None:
        story = Story()
        for number in range(500):
            story.task(f"upload({number * 7919 % 1009})", at=number * number % 997).sleeps(
                number + 1
            ).returns()
        save(story.run(), tmp_path / "run.jsonl.gz")
        data = (tmp_path / "run.jsonl.gz").read_bytes()
        (tmp_path / "run.jsonl.gz").write_bytes(data[: len(data) // 2])
        part = load(tmp_path / "run.jsonl.gz")
        assert 10 < len(part.tracks) < 500
        assert "The file ends early" in part.notes[-1]

    def test_missing_track_takes_its_lanes_and_all_references_along(self, run: Run) -> None:
        lines = [line for line in dumps(run) if not ('"type":"track"' in line and '"index":0' in line)]
        rest = loads(lines)
        assert [track.index for track in rest.tracks] == [0, 1, 2, 3, 4]
        assert [track.parent for track in rest.tracks] == [None] * 5
        assert [lane.name for lane in rest.lanes] == [f"upload({number})" for number in range(4)]
        assert {slot.track for slot in rest.resources[0].slots} == {0, 1, 2, 3}
        assert rest.left_pending == () and len(rest.wakes) == 0
        assert "1 of its records" in rest.notes[-1]

    def test_what_is_missing_of_a_server_run_costs_only_itself(self, run: Run) -> None:
        def without(record_type: str, index: int = 0) -> Run:
            found = [
                record
                for record in records(run)
                if (record.get("type"), record.get("index", index)) != (record_type, index)
            ]
            return loads(map(json.dumps, found))

        assert without("request").requests == run.requests[1:]
        assert without("memory").memory == ()
        (kept,) = without("connection").resources[-1].connections
        assert kept == run.resources[-1].connections[1]
        assert [bool(found.uses) for found in without("uses").resources[-1].connections] == [False, False]
        assert [request.track for request in without("track").requests] == [None, None]
        shown = [[span.state for span in what.requests[0].spans] for what in (without("track"), run)]
        assert shown[0] == shown[1]

    def test_a_cause_that_is_missing_is_unknown(self, run: Run) -> None:
        lines = [line for line in dumps(run) if '"reason":"net.write"' not in line]
        waits = [span.wait for span in loads(lines).tracks[1].spans if span.state is State.WAITING]
        assert waits == [Wait()]


class TestGarbage:
    def test_no_such_file(self, tmp_path: Path) -> None:
        with pytest.raises(RunFileError, match="Cannot read"):
            load(tmp_path / "nowhere.jsonl")

    @pytest.mark.parametrize("text", ["hello\n", "[1, 2]\n", '{"format": "other/1"}\n', "\0\xff\n"])
    def test_something_else(self, text: str) -> None:
        with pytest.raises(RunFileError, match="line 1: is not the header"):
            loads([text])
        with pytest.raises(RunFileError, match="is empty"):
            loads([])

    def test_a_damaged_gzip_file(self, run: Run, tmp_path: Path) -> None:
        save(run, tmp_path / "run.jsonl.gz")
        data = bytearray((tmp_path / "run.jsonl.gz").read_bytes())
        data[len(data) // 2] ^= 0xFF
        (tmp_path / "run.jsonl.gz").write_bytes(data)
        with pytest.raises(RunFileError):
            load(tmp_path / "run.jsonl.gz")

    @pytest.mark.parametrize("line", ["}{", "[" * 200_000], ids=["no JSON", "nesting without end"])
    def test_a_line_that_is_no_record_is_named(self, run: Run, line: str) -> None:
        lines = list(dumps(run))
        lines.insert(3, line)
        with pytest.raises(RunFileError, match="line 4: is not a record"):
            loads(lines)

    @pytest.mark.parametrize(
        ("which", "change", "message"),
        [
            ("header", {"threshold_ns": "50"}, '"threshold_ns" should be an integer'),
            ("header", {"clock": "wall"}, '"clock" should be one of real, virtual'),
            ("header", {"knobs": {"N": [1]}}, '"knobs.N" should be a number, text or truth value'),
            ("track", {"site": "app.py:1"}, '"site" should be an object'),
            ("track", {"site": {"file": "app.py"}}, '"site.line" is missing'),
            ("track", {"start_ns": 10**30}, '"start_ns" should be an integer'),
            ("track", {"end_ns": -(10**9)}, '"end_ns" should not be before'),
            ("track", {"states": "012345"}, '"states" should be digits'),
            ("track", {"causes": [0.5]}, '"causes" should be a list of integers'),
            ("track", {"starts": [0, -1], "states": "00", "causes": [0, 0]}, "go back in time"),
            ("track", {"starts": [2**62] * 3, "states": "000", "causes": [0, 0, 0]}, '"starts" should be'),
            ("slots", {"lengths": [-1] * 4}, "should not be negative"),
            ("wakes", {"wakers": [1]}, "its columns differ in length"),
            ("resource", {"levels": [[1, 2, 3]]}, r'"levels\[0\]" should be a list of 2'),
            ("unawaited", {"type": 5}, '"type" is missing'),
            ("connection", {"ready_ns": -1}, '"ready_ns" should not be before "opened_ns"'),
        ],
    )
    def test_a_record_with_a_wrong_field_is_named(
        self, run: Run, which: str, change: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(RunFileError, match=message) as caught:
            loads(changed(run, lambda record: record.update(change), which), "run.jsonl")
        assert str(caught.value).startswith("run.jsonl is not a recorded run: line ")

    @pytest.mark.parametrize("which", ["track", "slots", "connection", "wakes"])
    def test_a_record_that_comes_twice_is_named(self, run: Run, which: str) -> None:
        lines = list(dumps(run))
        lines.append(next(line for line in lines if f'"type":"{which}"' in line))
        with pytest.raises(RunFileError, match=f"line {len(lines)}: repeats {which}"):
            loads(lines)

    def test_parents_in_a_circle_are_an_error_and_no_hang(self, run: Run) -> None:
        lines = records(run)
        for record in lines:
            if record.get("type") == "track":
                record["parent"] = (record["index"] + 1) % 6
        with pytest.raises(RunFileError, match="its own ancestor"):
            loads(map(json.dumps, lines))

    @pytest.mark.parametrize("value", [10**400, [[[[[]]]]] * 9, "x" * 500], ids=["huge", "nested", "long"])
    def test_wrong_number_is_one_short_line(self, run: Run, value: object) -> None:
        run = replace(run, stuck=(Stuck("main", "f", None, "", State.WAITING, at_most_s=1.5),))
        with pytest.raises(RunFileError, match='"at_most_s" should be a number') as caught:
            loads(changed(run, lambda record: record.update(at_most_s=value), "stuck"))
        assert len(str(caught.value)) < 200

    @given(runs(), st.data())
    def test_any_damage_gives_a_run_or_the_one_error(self, run: Run, data: st.DataObject) -> None:
        lines = list(dumps(run))
        for _ in range(data.draw(st.integers(1, 3))):
            lines = _damaged(lines, data)
        try:
            survived = loads(lines)
        except RunFileError:
            return
        measure(survived)
        for kind in Export:
            assert render_bytes([survived], kind)
        assert render_plain([survived], details=True)
        assert loads(dumps(survived)) == survived

    @given(runs(), st.data())
    def test_any_cut_of_the_bytes_gives_a_run_or_the_one_error(self, run: Run, data: st.DataObject) -> None:
        text = "".join(f"{line}\n" for line in dumps(run)).encode()
        at = data.draw(st.integers(0, len(text) - 1))
        text = data.draw(st.sampled_from([text[:at], text[:at] + b"\xff" + text[at + 1 :], text[at:]]))
        try:
            measure(loads(text.splitlines()))
        except RunFileError:
            return


class TestBounds:
    """A small file must not take the machine's memory, and a name must not be waited for."""

    def test_line_that_unpacks_to_too_much_is_refused(self, run: Run, tmp_path: Path) -> None:
        with gzip.open(tmp_path / "bomb.gz", "wb", compresslevel=1) as file:
            file.write("".join(f"{line}\n" for line in dumps(run)).encode())
            file.write(b'{"type":"mood","x":"' + b" " * 65_000_000 + b'"}\n')
        assert (tmp_path / "bomb.gz").stat().st_size < 1_000_000
        with pytest.raises(RunFileError, match="is too large for a recorded run: line"):
            load(tmp_path / "bomb.gz")

    @pytest.mark.parametrize(
        ("limit", "words"),
        [
            ("MOST_BYTES", "more than 0 MB when unpacked"),
            ("MOST_VALUES", "more than 0 million values"),
            ("_VALUES_A_LINE", "line . alone"),
        ],
    )
    def test_too_many_are_neither_read_nor_written(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, words: str
    ) -> None:
        save(run, tmp_path / "run.jsonl")
        monkeypatch.setattr(limits, limit, 20)
        with pytest.raises(RunFileError, match=words):
            load(tmp_path / "run.jsonl")
        with pytest.raises(RunFileError, match=f"The recording is not saved.*{words}"):
            save(run, tmp_path / "other.jsonl")
        assert [path.name for path in tmp_path.iterdir()] == ["run.jsonl"]

    def test_blank_lines_count(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(limits, "MOST_VALUES", 2_000)
        loads(dumps(run))
        with pytest.raises(RunFileError, match="million values"):
            loads([*dumps(run), *[""] * 2_000])

    def test_lanes_that_show_one_track_too_often_are_refused(
        self, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert sum(len(lane.spans) for lane in run.lanes) > 5
        monkeypatch.setattr(resolve, "MOST_SHOWN", 5)
        with pytest.raises(RunFileError, match="its lanes show more than 0 million spans"):
            loads(dumps(run))

    def test_gzip_of_two_members_is_read_whole(self, run: Run, tmp_path: Path) -> None:
        text = "".join(f"{line}\n" for line in dumps(run)).encode()
        half = len(text) // 2
        (tmp_path / "run.gz").write_bytes(gzip.compress(text[:half]) + gzip.compress(text[half:]))
        assert load(tmp_path / "run.gz") == run

    def test_only_regular_files_are_opened(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "fifo")  # opening it would wait for a writer
        for path, words in (
            (tmp_path / "fifo", "Not a regular file"),
            (Path("/dev/zero"), "Not a regular file"),
            (tmp_path, "Is a directory"),
        ):
            with pytest.raises(RunFileError, match=words):
                load(path)


def _damaged(lines: list[str], data: st.DataObject) -> list[str]:
    if not lines:
        return lines
    at = data.draw(st.integers(0, len(lines) - 1))
    kind = data.draw(st.sampled_from(["cut", "delete", "shuffle", "twice", "number", "garbage"]))
    if kind == "cut":
        return lines[:at]
    if kind == "delete":
        return lines[:at] + lines[at + 1 :]
    if kind == "shuffle":
        return [lines[0], *data.draw(st.permutations(lines[1:]))]
    if kind == "twice":
        return [*lines, lines[at]]
    if kind == "garbage":
        return [*lines[:at], data.draw(st.text(max_size=20)), *lines[at:]]
    digits = [place for place, letter in enumerate(lines[at]) if letter.isdigit()]
    if not digits:
        return lines
    place = data.draw(st.sampled_from(digits))
    other = data.draw(
        st.sampled_from(["9", "0", "-1", str(2**62), "99999999999999999999", "null", '"x"', "[]", "{}"])
    )
    return [*lines[:at], lines[at][:place] + other + lines[at][place + 1 :], *lines[at + 1 :]]


class TestReference:
    """docs/reference/run-format.md describes every record and field that is written."""

    TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "run-format.md").read_text("utf-8")

    def test_names_every_type_and_field(self, run: Run) -> None:
        for record in records(run):
            for word in (record.get("type", "format"), *record):
                assert f"`{word}`" in self.TEXT or word == "type", f"{word} of {record}"

"""The verdict on an exercise, and the picture of its evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len
from rich.segment import Segment

from asyncdemo.model import Clock, Run
from asyncdemo.model.verdict import Verdict
from asyncdemo.render.terminal.evidence import evidence_lines, evidence_text
from asyncdemo.render.terminal.theme import ASCII, UNICODE, Theme
from asyncdemo.render.terminal.verdict import verdict_lines, verdict_text, verdict_to_fit
from asyncdemo.testing.checks import CheckFailed, Evidence, Seen
from tests.support.runs import Story, ns
from tests.support.server_runs import threaded


def brews(count: int, apart_ms: float, clock: Clock = Clock.VIRTUAL) -> Run:
    story = Story()
    for number in range(count):
        story.task(f"brew({number})", at=number * apart_ms).sleeps(100).returns()
    return replace(story.run(), clock=clock)


def evidence_of(sentence: Callable[[], object]) -> Evidence:
    with pytest.raises(CheckFailed) as failed:
        sentence()
    assert failed.value.evidence is not None
    return failed.value.evidence


def text(lines: Iterable[list[Segment]]) -> list[str]:
    return ["".join(segment.text for segment in line).rstrip() for line in lines]


ONE_BY_ONE = evidence_of(lambda: Seen(brews(3, 100)).calls("brew").peak_is(3))
GAP = Evidence(brews(3, 300), (0, 1, 2), 0, ns(375))  # the last begins after it


class TestEvidenceOfRequests:
    """The sentences about requests show these, and not the lanes that handled them."""

    RUN = threaded(6, limit=2)
    SHOWN = Evidence(RUN, (), 0, ns(250), requests=(2, 6))

    def test_those_that_matter_have_a_row_each(self) -> None:
        lines = text(evidence_lines(self.SHOWN, UNICODE, 120))
        rows = [line for line in lines if line.startswith("POST ")]
        assert [line[:15].strip() for line in rows] == ["POST /upload 3", "POST /upload 7"]
        assert "•" in rows[0] and "·" in rows[1]
        assert "not accepted" in " ".join(lines)

    def test_are_described_in_words(self) -> None:
        lines = list(evidence_text(self.SHOWN))
        assert [line.split(":")[0].strip() for line in lines[1:]] == ["POST /upload 3", "POST /upload 7"]
        assert "answered 200" in lines[1]
        assert "still open at the end" in lines[2]


class TestEvidence:
    def test_it_says_that_time_is_virtual(self) -> None:
        assert text(evidence_lines(ONE_BY_ONE, UNICODE, 80))[0] == "What was seen, in virtual time:"
        real = evidence_of(lambda: Seen(brews(3, 100, Clock.REAL)).calls("brew").peak_is(3))
        assert text(evidence_lines(real, UNICODE, 80))[0] == "What was seen:"
        assert next(evidence_text(real)) == "seen:"

    def test_the_axis_has_the_times_of_the_whole_run(self) -> None:
        run = brews(3, 300)
        late = Evidence(run, (2,), ns(590), ns(700))
        axis = text(evidence_lines(late, ASCII, 70))[1]
        assert "'600 ms" in axis
        assert "'0" not in axis.split()[0]
        assert list(evidence_text(late))[1].startswith("  brew(2): 600 ms to 700 ms, returned")

    def test_lane_that_outlives_the_stretch_has_not_ended_in_it(self) -> None:
        story = Story()
        story.task("brew(1)").sleeps(100).is_cancelled()
        cut = Evidence(story.run(), (0,), 0, ns(50))
        whole = Evidence(story.run(), (0,), 0, ns(100))
        assert not any("cancelled" in line for line in text(evidence_lines(cut, UNICODE, 80)))
        assert any("cancelled" in line for line in text(evidence_lines(whole, UNICODE, 80)))
        assert "still open" in list(evidence_text(cut))[1]
        assert "cancelled" in list(evidence_text(whole))[1]

    def test_a_few_lanes_more_are_not_worth_folding(self) -> None:
        few = evidence_of(lambda: Seen(brews(9, 100)).calls("brew").peak_is(3))
        assert not any("folded" in line for line in text(evidence_lines(few, UNICODE, 80, rows=6)))

    def test_many_lanes_are_folded_and_none_is_dropped(self) -> None:
        many = evidence_of(lambda: Seen(brews(50, 100)).calls("brew").peak_is(3))
        lines = text(evidence_lines(many, UNICODE, 80, rows=6))
        assert any("of all 50" in line for line in lines)
        assert list(evidence_text(many))[-1].startswith("  and 38 more lanes")

    @pytest.mark.parametrize("width", [30, 44, 80, 200])
    def test_no_line_is_wider_than_the_screen(self, width: int) -> None:
        for evidence in (ONE_BY_ONE, GAP):
            assert all(cell_len(line) <= width for line in text(evidence_lines(evidence, UNICODE, width)))


class TestVerdict:
    FAILED = Verdict(("It began.",), {}, "", "It did not end.")

    def lines(self, width: int = 60, theme: Theme = UNICODE, **changes: Any) -> list[str]:
        return text(verdict_lines(replace(self.FAILED, **changes), theme, width))

    def test_what_held_comes_before_what_did_not(self) -> None:
        assert self.lines() == ["✓ It began.", "✗ It did not end."]
        assert self.lines(theme=ASCII) == ["+ It began.", "x It did not end."]

    def test_who_passed_sees_what_held_and_nothing_else(self) -> None:
        assert self.lines(message=None, output="3 cups\n") == ["✓ It began."]

    def test_knobs_of_the_run_are_named_where_the_file_differs(self) -> None:
        assert "  In this run: UPLOADS = 20." in self.lines(knobs={"UPLOADS": 20})
        assert "    in this run: UPLOADS = 20" in verdict_text(replace(self.FAILED, knobs={"UPLOADS": 20}))

    def test_on_a_low_terminal_what_failed_stays_in_sight(self) -> None:
        many = evidence_of(lambda: Seen(brews(50, 100)).calls("brew").peak_is(3))
        output = "".join(f"line {number}\n" for number in range(9))
        verdict = replace(self.FAILED, held=("It began.",) * 9, evidence=many, output=output)
        assert len(text(verdict_to_fit(verdict, UNICODE, 80, 60))) > 30
        lines = text(verdict_to_fit(verdict, UNICODE, 80, 17))
        assert len(lines) <= 17
        assert lines[:2] == ["✓ 9 points of the check hold.", "✗ It did not end."]

    def test_how_to_get_the_same_values_again_comes_last(self) -> None:
        command = "asyncdemo check tea --seed 11"
        assert self.lines(repeat=command, output="3 cups\n")[-1] == f"To repeat this check: {command}"
        assert list(verdict_text(replace(self.FAILED, repeat=command)))[-1].endswith(command)

    def test_newest_lines_of_the_output_are_shown_beside_a_failure(self) -> None:
        output = "".join(f"line {number}\n" for number in range(100))
        lines = self.lines(output=output)
        assert "The program wrote:" in lines
        assert lines[-1] == "  line 99"
        assert "  line 1" not in lines

    def test_output_is_wrapped_without_folders_and_pythons_hint(self) -> None:
        warning = "/home/ada/my course/02.py:40: RuntimeWarning: coroutine 'brew' was never awaited"
        hint = "RuntimeWarning: Enable tracemalloc to get the object allocation traceback"
        folder = '  File "/home/ada/course/02.py", line 3, in main'
        lines = self.lines(50, output=f"{warning}\n{hint}\n{folder}\n")
        assert "was never awaited" in " ".join(lines)
        assert not any("tracemalloc" in line for line in lines)
        assert '    File "02.py", line 3, in main' in lines

    @pytest.mark.parametrize("width", [30, 80])
    def test_no_line_is_wider_than_the_screen(self, width: int) -> None:
        message = "At most 5 uploads may be at work at the same time; 50 were, from 0.00 s to 0.19 s."
        lines = self.lines(width, message=message, evidence=ONE_BY_ONE, output="x" * 300)
        assert all(cell_len(line) <= width for line in lines)

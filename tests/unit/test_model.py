"""Spans hold the states of a lane without gap or overlap, however they are built."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asyncdemo.analysis.metrics.steps import in_a_hub
from asyncdemo.model import (
    NO_WAIT,
    Run,
    Span,
    Spans,
    State,
    Wait,
    lineage,
)
from asyncdemo.recording.assembly.spans import SpansBuilder
from asyncdemo.render.facts.runs import account_for
from asyncdemo.render.html.page import render_html
from asyncdemo.render.text.json_result import variant_result
from tests.support.runs import Story
from tests.support.strategies import runs

SLEEP = Wait("sleep")
A_LANE = [
    Span(0, 10, State.READY),
    Span(10, 15, State.RUNNING),
    Span(15, 40, State.WAITING, SLEEP),
]
STATES = st.sampled_from(State)


class TestSpans:
    def test_are_a_sequence(self) -> None:
        spans = Spans.of(A_LANE)
        assert len(spans) == 3
        assert list(spans) == A_LANE
        assert (spans[0], spans[-1], spans[1:]) == (A_LANE[0], A_LANE[2], A_LANE[1:])
        for index in (3, -4):
            with pytest.raises(IndexError):
                spans[index]

    @pytest.mark.parametrize(
        "second", [Span(11, 20, State.READY), Span(9, 20, State.READY), Span(10, 9, State.READY)]
    )
    def test_a_gap_an_overlap_or_a_negative_length_is_refused(self, second: Span) -> None:
        with pytest.raises(ValueError, match="does not start where the one before it ends"):
            Spans.of([A_LANE[0], second])

    def test_are_equal_by_what_they_say_not_by_how_it_is_kept(self) -> None:
        spans = Spans.of(A_LANE)
        starts, states, _, end_ns = spans.columns
        other_table = Spans(starts, states, type(starts)("i", [2, 2, 1]), end_ns, (Wait("x"), SLEEP, NO_WAIT))
        assert spans == other_table
        assert spans != Spans.of(A_LANE[:2])
        assert spans != A_LANE

    def test_clip_to_times_that_they_do_not_meet_is_empty(self) -> None:
        for start, end in ((-5, 0), (40, 50), (20, 20), (30, 20)):
            assert len(Spans.of(A_LANE).clip(start, end)) == 0
            assert len(Spans.of([]).clip(start, end)) == 0

    @settings(max_examples=100, deadline=None)
    @given(
        st.lists(st.tuples(st.integers(1, 9), STATES), min_size=1, max_size=8),
        st.integers(-5, 60),
        st.integers(-5, 60),
    )
    def test_clip_keeps_every_instant_in_its_state(
        self, lengths: list[tuple[int, State]], start: int, end: int
    ) -> None:
        at, spans = 0, []
        for length, state in lengths:
            spans.append(Span(at, at + length, state))
            at += length
        clipped = Spans.of(spans).clip(start, end)
        assert Spans.of(clipped) == clipped
        assert _instants(clipped) == {t: s for t, s in _instants(spans).items() if start <= t < end}


class TestSpansBuilder:
    def test_keeps_reasons_apart_and_can_change_the_growing_spans(self) -> None:
        builder = SpansBuilder()
        builder.add(0, State.WAITING, 0)
        builder.add(5, State.WAITING, 1)
        assert len(builder.build(10, (NO_WAIT, SLEEP))) == 2
        builder.add(10, State.WAITING, 0)
        builder.recause(1)
        assert builder.build(15, (NO_WAIT, SLEEP))[-1].wait == SLEEP

    def test_late_state_moves_to_the_last_start_or_is_dropped(
        self,
    ) -> None:
        builder = SpansBuilder()
        builder.add(10, State.READY)
        builder.add(7, State.RUNNING)
        assert list(builder.build(20, (NO_WAIT,))) == [Span(10, 20, State.RUNNING)]
        builder.add(20, State.READY)  # building does not end it
        assert list(builder.build(20, (NO_WAIT,))) == [Span(10, 20, State.RUNNING)]
        assert list(builder.build(-5, (NO_WAIT,))) == [Span(10, 10, State.RUNNING)]

    @settings(max_examples=100, deadline=None)
    @given(st.lists(st.tuples(st.integers(0, 50), STATES), min_size=1), st.integers(0, 60))
    def test_any_events_cover_the_time_without_gap_or_overlap(
        self, events: list[tuple[int, State]], end: int
    ) -> None:
        builder = SpansBuilder()
        for at, state in events:
            builder.add(at, state)
        spans = builder.build(end, (NO_WAIT,))
        assert Spans.of(spans) == spans
        assert spans[0].start_ns == events[0][0]
        assert spans[-1].end_ns == max(end, events[0][0])
        assert all(span.duration_ns > 0 for span in spans) or len(spans) == 1


def _instants(spans: Spans | list[Span]) -> dict[int, State]:
    return {at: span.state for span in spans for at in range(span.start_ns, span.end_ns)}


class TestLineage:
    @staticmethod
    def family(*parents: int | None) -> Run:
        story = Story()
        for number in range(len(parents)):
            story.task(f"task {number}").runs(1)
        run = story.run()
        of = zip(run.tracks, parents, strict=True)
        return replace(run, tracks=tuple(replace(track, parent=parent) for track, parent in of))

    @pytest.mark.parametrize(
        ("parents", "found"),
        [
            ([None], [0]),
            ([2, None, 1], [0, 2, 1]),
            ([0], [0]),
            ([1, 0], [0, 1]),
            ([1, 2, 1], [0, 1, 2]),
            ([7], [0]),
        ],
    )
    def test_each_comes_once_whatever_the_parents_are(self, parents: list[int], found: list[int]) -> None:
        assert [track.index for track in lineage(self.family(*parents).tracks, 0)] == found


@given(runs(), st.data())
def test_views_of_a_run_end_though_its_parents_may_go_in_circles(run: Run, data: st.DataObject) -> None:
    anybody = st.none() | st.integers(0, len(run.tracks) - 1)
    run = replace(run, tracks=tuple(replace(track, parent=data.draw(anybody)) for track in run.tracks))
    account_for([run])
    variant_result(run)
    render_html([run])
    for index in range(len(run.tracks)):
        in_a_hub(run, index)

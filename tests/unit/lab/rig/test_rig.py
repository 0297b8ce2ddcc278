"""The rig's knobs, bounds and verdicts."""

from __future__ import annotations

import pytest

from asyncdemo.errors import UsageError
from asyncdemo.lab.results.configuration import CONFIGURATIONS
from asyncdemo.lab.results.ratio import Ratio
from asyncdemo.lab.results.rigging import (
    KNOBS,
    OURS,
    PRESETS,
    SIDES,
    Knob,
    Machine,
    Outcome,
    Rigging,
    with_settings,
)

CLIENTS = (OURS, "wrk", "httpx")
SYNC, ASYNC = SIDES
MINE = Rigging(PRESETS["1"].configuration)
POOLED, UNPOOLED = Machine(2), Machine(2, is_pooled=False)
KNOB = {knob.name: knob for knob in KNOBS}


def test_the_presets_are_those_of_the_article() -> None:
    names = ("mine", "better-async", "better-sync", "original")
    assert [one.configuration for one in PRESETS.values()] == [CONFIGURATIONS[name] for name in names]
    assert [one.published for one in PRESETS.values()] == [1.23, 4.36, 1.13, None]


@pytest.mark.parametrize(
    ("settings", "sync", "both"),
    [
        ((), ("workers",), ("sessions", "clients")),
        (("sessions=8",), ("sessions",), ("sessions",)),
        (("clients=4",), ("clients",), ("clients",)),
        (("workers=8", "clients=8"), ("workers", "clients"), ("clients",)),
    ],
)
def test_the_fewest_places_bind(
    settings: tuple[str, ...], sync: tuple[str, ...], both: tuple[str, ...]
) -> None:
    rigging = with_settings(MINE, settings, CLIENTS)
    assert rigging.binding(SYNC, POOLED) == sync
    assert rigging.binding(ASYNC, POOLED) == both


def test_without_a_pooler_sessions_bind_nobody() -> None:
    rigging = with_settings(MINE, ["sessions=2"], CLIENTS)
    assert rigging.binding(SYNC, UNPOOLED) == ("workers",)
    assert rigging.bound_ratio(POOLED) == 1
    assert rigging.bound_ratio(UNPOOLED) == pytest.approx(100 / 19)


def test_without_a_delay_there_is_no_bound_before_it_was_measured_what_a_request_costs() -> None:
    original = Rigging(PRESETS["4"].configuration)
    assert original.bound_ratio(POOLED) is None
    assert original.binding(SYNC, POOLED) == ()
    assert original.bound_ratio(Machine(2, cpu_ms={"sync": 1.0, "async": 0.5})) == 2


@pytest.mark.parametrize(
    ("settings", "per_s", "binds"),
    [((), 950, "workers"), (("delay=1",), 4000, "processors"), (("workers=1", "delay=0"), 2000, "workers")],
)
def test_what_the_processors_allow_is_part_of_the_bound(
    settings: tuple[str, ...], per_s: float, binds: str
) -> None:
    rigging = with_settings(MINE, settings, CLIENTS)
    machine = Machine(2, cpu_ms={"sync": 0.5})
    assert rigging.bound_per_s(SYNC, machine) == per_s
    assert rigging.binding(SYNC, machine) == (binds,)


def test_a_knob_without_effect_here_says_why() -> None:
    assert "pgbouncer" in MINE.idle(KNOB["sessions"], UNPOOLED, CLIENTS)
    assert "no other load client" in MINE.idle(KNOB["client"], POOLED, CLIENTS[:1])
    assert not any(MINE.idle(knob, POOLED, CLIENTS) for knob in KNOBS)


@pytest.mark.parametrize(
    ("setting", "by", "value"),
    [("workers=19", 1, "24"), ("workers=20", 1, "24"), ("workers=20", -1, "19"), ("delay=20", 1, "40")],
)
def test_a_key_goes_to_the_next_step_on_that_side(setting: str, by: int, value: str) -> None:
    knob = KNOB[setting.partition("=")[0]]
    assert with_settings(MINE, [setting], CLIENTS).stepped(knob, by, CLIENTS).value(knob) == value


@pytest.mark.parametrize("knob", [knob for knob in KNOBS if knob.steps], ids=lambda knob: knob.name)
def test_no_key_leads_out_of_the_bounds(knob: Knob) -> None:
    for by, last in ((1, -1), (-1, 0)):
        rigging = MINE
        for _ in range(20):
            rigging = rigging.stepped(knob, by, CLIENTS)
        assert rigging.value(knob) == str(knob.steps[last])
        assert knob.low <= knob.steps[last] <= knob.high


def test_the_load_client_is_a_knob_too() -> None:
    client = KNOB["client"]
    second = MINE.stepped(client, 1, CLIENTS)
    assert (MINE.value(client), second.value(client)) == ("ours", "wrk")
    assert second.stepped(client, 1, CLIENTS).stepped(client, 1, CLIENTS).value(client) == "httpx"
    assert MINE.stepped(client, -1, CLIENTS) == MINE
    assert with_settings(MINE, ["client=httpx"], CLIENTS).client == "httpx"
    assert with_settings(second, ["client=ours"], CLIENTS) == MINE


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("workers", "does not set a knob"),
        ("speed=3", "Its knobs are workers, async-workers, sessions, delay, clients, client"),
        ("workers=0", "from 1 to 64"),
        ("clients=-3", "from 1 to 1000"),
        ("delay=fast", "a whole number from 0 to 1000, not 'fast'"),
        ("clients=²", "not '²'"),
        ("client=curl", "There are: ours, wrk, httpx"),
    ],
)
def test_what_cannot_be_set_is_told(setting: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        with_settings(MINE, [setting], CLIENTS)


@pytest.mark.parametrize(
    ("pairs", "done", "winner"),
    [
        ((2.0,) * 7, 7, "async"),
        ((0.5,) * 7, 7, "sync"),
        ((0.9, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6), 7, "no ranking"),
        ((2.0,) * 6, 7, "no ranking"),
        ((), 7, "refused"),
        ((2.0,) * 3, 3, ""),
    ],
)
def test_only_rounds_that_all_agree_make_a_winner(pairs: tuple[float, ...], done: int, winner: str) -> None:
    outcome = Outcome(MINE, 7, {}, Ratio.of(pairs) if pairs else None, done=done)
    assert outcome.winner == winner
    assert Outcome(MINE, 7, {}, failed="It did not start.").winner == "failed"

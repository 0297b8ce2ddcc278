"""The pure parts of the protocol: order, warming up, search, journal, pinning, time left."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.errors import LabFileError
from asyncdemo.lab.harness.machine import choose_pinning, ranges
from asyncdemo.lab.harness.protocol.attempts import Search, settled, warm_up
from asyncdemo.lab.harness.protocol.journal import FORMAT, Journal
from asyncdemo.lab.harness.protocol.lineup import turns
from asyncdemo.lab.results.setup import Loop
from asyncdemo.lab.results.trial import Load

names = st.lists(st.text("abcdef", min_size=1, max_size=3), min_size=1, max_size=8, unique=True)

# -- order ---------------------------------------------------------------------------------------------


@given(st.integers(1, 9), names, names, st.integers())
def test_every_round_has_every_arm_once_under_every_setting(
    rounds: int, arms: list[str], settings: list[str], seed: int
) -> None:
    planned = list(turns(rounds, lambda _: [(setting, arms) for setting in settings], seed))
    assert Counter((turn.round, turn.arm, turn.setting) for turn in planned) == Counter(
        (number, arm, setting) for number in range(1, rounds + 1) for arm in arms for setting in settings
    )
    for number in range(1, rounds + 1):
        mine = [turn for turn in planned if turn.round == number]
        assert [turn.place for turn in mine] == list(range(1, len(mine) + 1))
        assert list(dict.fromkeys(turn.setting for turn in mine)) == settings


@given(names, st.integers())
def test_a_round_is_the_same_however_many_there_are(arms: list[str], seed: int) -> None:
    few = list(turns(2, lambda _: [("closed", arms)], seed))
    many = list(turns(7, lambda _: [("closed", arms)], seed))
    assert many[: len(few)] == few


def test_each_arm_comes_first_about_as_often() -> None:
    first = Counter(
        turn.arm for turn in turns(3000, lambda _: [("closed", ["a", "b", "c"])], seed=5) if turn.place == 1
    )
    # 1,000 ± 26 (binomial): beyond 5 of these never
    assert all(abs(count - 1000) < 130 for count in first.values()), first


# -- warming up ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("windows", "taken", "agreed"),
    [
        ([100, 100], 2, True),
        ([100, 96, 100], 2, True),
        ([10, 100, 120, 121], 4, True),
        ([10, 100, 10, 100, 10, 100], 5, False),
        ([0, 0, 0, 50, 50], 5, True),
        ([0, 0, 0, 0, 0, 0], 5, False),
    ],
)
def test_it_is_warm_when_two_windows_in_a_row_agree(windows: list[float], taken: int, agreed: bool) -> None:
    coming = iter(windows)
    warmed = warm_up(lambda: next(coming), most=5, near=0.05)
    assert warmed == {"warm_up_windows": taken, "warm_up_agreed": agreed}
    assert [*coming] == windows[taken:]


def test_a_closed_loop_settles_in_throughput_an_open_one_in_latency() -> None:
    load = Load(10, 10, 1.0, 1.0, 10, 10.0, latency_ms={"mean": 5.0, "50": 4.0})
    assert settled(load, Loop.CLOSED) == 10.0
    assert settled(load, Loop.OPEN) == 4.0
    assert settled(Load(10, 10, 1.0, 1.0, 10, 10.0, latency_ms={"mean": 5.0}), Loop.OPEN) == 5.0
    assert settled(Load(10, 0, 1.0, 1.0, 0, 0.0), Loop.OPEN) == 0.0


# -- search ----------------------------------------------------------------------------------------------


@given(st.floats(1, 1e6), st.floats(0.1, 10))
def test_a_search_finds_the_limit_and_what_passed_last_is_the_highest(limit: float, start: float) -> None:
    search = Search(limit * start, near=0.05, most=30)
    passed = []
    while (rate := search.next_rate()) is not None:
        if rate <= limit:
            passed.append(rate)
        search.tell(rate <= limit)
    assert passed == sorted(passed)
    assert search.best_per_s == passed[-1]
    assert limit / 1.0501 <= passed[-1] <= limit


@pytest.mark.parametrize(("always", "best"), [(True, 4.0), (False, None)])
def test_a_search_ends_also_without_a_limit(always: bool, best: float | None) -> None:
    search = Search(1.0, most=3)
    asked = []
    while (rate := search.next_rate()) is not None:
        asked.append(rate)
        search.tell(always)
    assert asked == ([1.0, 2.0, 4.0] if always else [1.0, 0.5, 0.25])
    assert search.best_per_s == best


# -- journal ---------------------------------------------------------------------------------------------

HEADER = {"experiment": "made-up", "seed": 3, "started": "then"}


def test_a_journal_is_taken_up_with_all_that_was_finished(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "journal"
    first = Journal(path, HEADER)
    first.add("visit", {"arm": "a"})
    first.add("attempt", [1, 2])
    first.add("visit", {"arm": "b"})
    second = Journal(path, HEADER | {"started": "now", "seed": None})
    assert list(second.entries("visit")) == [{"arm": "a"}, {"arm": "b"}]
    assert list(second.entries("attempt")) == [[1, 2]]
    assert second.header == HEADER


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_line_that_was_not_written_to_its_end_is_dropped(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "journal"
    first = Journal(path, HEADER)
    first.add("visit", "whole")
    first.add("visit", "half of it was written when the power went")
    path.write_text(path.read_text()[:-cut])
    second = Journal(path, HEADER)
    assert list(second.entries("visit")) == ["whole"]
    second.add("visit", "next")
    assert [json.loads(line) for line in path.read_text().splitlines()][1:] == [
        {"visit": "whole"},
        {"visit": "next"},
    ]


def test_a_line_that_was_cut_within_a_letter_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    first = Journal(path, HEADER)
    first.add("visit", "one line\u2028to JSON")
    whole = path.read_bytes()
    first.add("visit", "ü")
    path.write_bytes(path.read_bytes().partition("ü".encode())[0] + "ü".encode()[:1])
    assert list(Journal(path, HEADER).entries("visit")) == ["one line\u2028to JSON"]
    assert path.read_bytes() == whole


def test_a_journal_that_cannot_be_replaced_keeps_what_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The power goes when the rest is being cut off."""
    path = tmp_path / "journal"
    Journal(path, HEADER).add("visit", "whole")
    path.write_bytes(path.read_bytes() + b'{"vis')
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError("no power")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no power"):
        Journal(path, HEADER)
    assert path.read_bytes() == before


def test_a_journal_that_never_came_to_a_line_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_text('{"format": "asyncdemo.lab-jour')
    assert Journal(path, HEADER).header == HEADER
    assert json.loads(path.read_text()) == {"format": FORMAT, **HEADER}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"format": "asyncdemo.lab/1"}\n', "its format differs"),
        (json.dumps({"format": FORMAT, **HEADER, "seed": 4}) + "\n", "its seed differs"),
        (json.dumps({"format": FORMAT, **HEADER, "experiment": "x"}) + "\n", "its experiment differs"),
        ("no json\n", "not a journal of a measurement"),
        ("[]\n[]\n", "not a journal of a measurement"),
        (json.dumps({"format": FORMAT, **HEADER, "experiment": "x"}) + '\n{"vis', "its experiment differs"),
    ],
)
def test_what_is_no_journal_of_this_run_is_named(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "journal"
    path.write_text(text)
    with pytest.raises(LabFileError, match=words):
        Journal(path, HEADER)
    assert path.read_text() == text


def test_without_a_path_nothing_is_written_and_a_seed_is_drawn() -> None:
    journal = Journal(None, HEADER | {"seed": None})
    journal.add("visit", 1)
    assert list(journal.entries("visit")) == [1]
    assert isinstance(journal.header["seed"], int)


# -- the rest --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("allowed", "words"),
    [
        ([], {"client": "any", "server": "any"}),
        ([3], {"client": "any", "server": "any"}),
        ([0, 1], {"client": "1", "server": "0"}),
        ([0, 1, 2, 3, 6, 7], {"client": "7", "server": "0-3,6"}),
    ],
)
def test_the_client_is_pinned_away_from_the_servers(allowed: list[int], words: dict[str, str]) -> None:
    pinning = choose_pinning(allowed)
    assert pinning.words == words
    assert not {*pinning.client} & {*pinning.server}
    assert {*pinning.client, *pinning.server} == ({*allowed} if len(allowed) > 1 else set())


@given(st.sets(st.integers(0, 40), min_size=1))
def test_ranges_say_every_processor(processors: set[int]) -> None:
    said: set[int] = set()
    for part in ranges(sorted(processors)).split(","):
        low, _, high = part.partition("-")
        said |= set(range(int(low), int(high or low) + 1))
    assert said == processors

"""Percentile spectra: what goes into a curve, what is quoted of it, and where it is drawn."""

from __future__ import annotations

import base64
import re
import zlib
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from asyncdemo.errors import MissingError
from asyncdemo.lab.render import spectrum as module
from asyncdemo.lab.render.report_text import percentile_blocks
from asyncdemo.lab.render.spectrum import Spectrum, spectra, spectra_html
from asyncdemo.lab.results.record import Record
from asyncdemo.lab.results.trial import Histograms
from asyncdemo.load.histogram import Histogram
from tests.support.lab_records import a_record
from tests.support.open_loops import OPEN, with_open_loop

TWO_ROUNDS = {"sanic": [[1] * 600, [1] * 300 + [50] * 100], "flask": [[9] * 500, [9] * 500]}


def only(record: Record) -> Spectrum:
    (spectrum,), problem = spectra(record)
    assert not problem
    return spectrum


def near(ms: float) -> object:
    return pytest.approx(ms, rel=0.002)


def test_a_curve_has_the_answers_of_all_rounds_together() -> None:
    spectrum = only(with_open_loop(TWO_ROUNDS))
    flask, sanic = spectrum.curves
    assert (flask.title, sanic.title) == ("Flask", "Sanic")
    assert (sanic.answers, flask.answers) == (1000, 1000)
    assert sanic.most_ms == near(50)
    # A tenth of them took 50 ms, so up to the 90th percentile it is 1 ms.
    assert sanic.quoted == ((50.0, near(1)), (90.0, near(1)))
    assert [ms for share, ms in sanic.points if share < 0.09] == [
        near(50) for share, _ in sanic.points if share < 0.09
    ]


def test_a_percentile_with_too_few_answers_beyond_is_not_quoted() -> None:
    spectrum = only(with_open_loop({"sanic": [list(range(1, 9_991))], "flask": [list(range(1, 10_011))]}))
    flask, sanic = spectrum.curves
    assert [percent for percent, _ in sanic.quoted] == [50, 90]
    assert [percent for percent, _ in flask.quoted] == [50, 90, 99]


def test_overloaded_contestant_has_words_instead_of_percentiles() -> None:
    record = with_open_loop(TWO_ROUNDS, overloaded=frozenset({"flask"}))
    ((title, lines),) = percentile_blocks(record)
    assert title == "Percentiles of latency, 1,000 per s"
    assert "overloaded, so no percentile is quoted" in dict(lines)["Flask"]
    assert "50 % 1 ms" in dict(lines)["Sanic"]
    html = spectra_html(record)
    assert "Flask, overloaded" in html
    assert "Sanic, overloaded" not in html
    assert "none of its percentiles may be quoted" in html
    assert "none of its percentiles may be quoted" not in spectra_html(with_open_loop(TWO_ROUNDS))


def test_closed_loops_and_twins_have_no_curve() -> None:
    assert spectra_html(a_record()) == ""
    assert spectra(with_open_loop({"flask-again": [[1, 2]]})) == ([], "")


def test_of_a_search_the_last_step_of_each_round_counts() -> None:
    record = with_open_loop({"sanic": [[1] * 500]}, setting=replace(OPEN, rate_per_s=None, budget_ms=100))
    first = record.trials[-1]
    second = replace(first, step=2, histograms=with_open_loop({"sanic": [[7] * 400]}).trials[-1].histograms)
    steps = (*record.trials[:-1], replace(first, step=1), second)
    spectrum = only(replace(record, trials=steps))
    assert [(curve.answers, curve.most_ms) for curve in spectrum.curves] == [(400, near(7))]


def test_curves_over_nines_each_have_their_own_shape_and_line() -> None:
    html = spectra_html(with_open_loop({"sanic": [[1] * 9000 + [5] * 1000], "flask": [[9] * 10_000]}))
    figure = ElementTree.fromstring(
        re.findall(r"<figure.*?</figure>", html.replace(" data-search-exclude", ""))[0]
    )
    kinds = {path.get("class") for path in figure.iter("path") if "spectrum-line" in path.get("class", "")}
    assert kinds == {
        f"spectrum-line spectrum-{kind}"
        for kind in ("first", "second", "first spectrum-few", "second spectrum-few")
    }
    axis = re.findall(r'<text x="([\d.]+)%" y="13"[^>]*>([^<]+)', html)
    assert [words for _, words in axis] == ["0 %", "90 %", "99 %", "99.9 %", "99.99 %"]
    assert [float(place) for place, _ in axis] == [0, 25, 50, 75, 100]


def test_every_figure_of_the_picture_stands_in_a_table() -> None:
    html = spectra_html(with_open_loop(TWO_ROUNDS))
    rows = [re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", row) for row in re.findall(r"<tr.*?</tr>", html)]
    assert rows[0][:3] == ["contestant", "50 %", "90 %"]
    assert rows[2][0] == "Sanic"
    assert rows[2][3] == "not quoted"
    assert rows[2][-1] == "1,000"


def test_without_hdrhistogram_words_say_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise MissingError("it is not there")

    monkeypatch.setattr(module, "library", missing)
    record = with_open_loop(TWO_ROUNDS)
    assert "hdrhistogram is needed: pip install" in spectra_html(record)
    ((_, ((term, words),)),) = percentile_blocks(record)
    assert (term, "hdrhistogram is needed" in words) == ("", True)


def _with_more_counts_than_it_has_room_for() -> str:
    packed = base64.b64decode(Histogram.of([10**9]).encoded)
    body = bytearray(zlib.decompress(packed[8:]))
    body[24:32] = (1000).to_bytes(8, "big")  # the highest value that it says it holds
    again = zlib.compress(bytes(body))
    return base64.b64encode(packed[:4] + len(again).to_bytes(4, "big") + again).decode()


@pytest.mark.parametrize(
    "text",
    [
        "HISTFAAAAA",
        "AAAA",
        "HISTFAAAAEF42pNpmSzMwMDAxQABzFCaEUoz2X+AsAAAUAACrA==",
        _with_more_counts_than_it_has_room_for(),
    ],
    ids=["cut", "short", "other", "overrun"],
)
def test_what_is_no_histogram_is_named(text: str) -> None:
    record = with_open_loop(TWO_ROUNDS)
    trials = (*record.trials[:-1], replace(record.trials[-1], histograms=Histograms(latency=text)))
    assert "latencies of Flask are not a histogram" in spectra_html(replace(record, trials=trials))

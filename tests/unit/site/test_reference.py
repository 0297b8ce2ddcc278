"""The tables of the reference that are made from what they describe."""

from __future__ import annotations

from asyncdemo.site.reference import plain_figures


def test_each_number_of_a_run_has_its_unit_and_meaning() -> None:
    table = plain_figures("")
    assert "<td><code>wall_s</code></td><td>seconds</td><td>From the first lane" in table
    assert (
        "<td><code>peak</code></td><td>whole number</td><td>The most lanes at work at the same time.</td>"
        in table
    )
    assert "<td><code>throughput_per_s</code></td><td>1/second</td>" in table

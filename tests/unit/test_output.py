"""What is kept of a script's output: plain text, in the order in which it came, up to a bound."""

from __future__ import annotations

from asyncdemo.output import KeptOutput


def kept(*parts: tuple[str, str]) -> KeptOutput:
    output = KeptOutput()
    for stream, text in parts:
        output.output(stream, text)
    return output


def test_streams_are_kept_apart_and_in_order() -> None:
    output = kept(("stdout", "a\r\n"), ("stderr", "b\n"), ("stdout", "c"))
    assert (output.stdout, output.stderr, output.text) == ("a\nc", "b\n", "a\nb\nc")


def test_codes_of_a_terminal_are_left_out_however_they_arrive() -> None:
    assert kept(("stderr", "\x1b[1;35mValueError\x1b[0"), ("stderr", "m: no")).stderr == "ValueError: no"


def test_a_flood_is_cut() -> None:
    output = kept(*[("stdout", "x" * 1000)] * 100)
    assert len(output.stdout) == 20_000

"""What is kept of a script's output: plain text, in the order in which it came, up to a bound."""

from __future__ import annotations

from asyncdemo.recording.output_buffer import OutputBuffer


def kept(*parts: tuple[str, str]) -> OutputBuffer:
    output = OutputBuffer()
    for stream, text in parts:
        output.output(stream, text)
    return output


def test_streams_are_kept_apart_and_in_order() -> None:
    output = kept(("stdout", "a\r\n"), ("stderr", "b\n"), ("stdout", "c"))
    assert (output.stdout, output.stderr, output.text) == ("a\nc", "b\n", "a\nb\nc")


def test_codes_of_a_terminal_are_left_out_however_they_arrive() -> None:
    assert kept(("stderr", "\x1b[1;35mValueError\x1b[0"), ("stderr", "m: no")).stderr == "ValueError: no"


def test_no_code_reaches_the_screen_of_who_shows_it() -> None:
    wiped = "\x1bc" + "\x1b]0;title\x07" + "a\x08\x0eb\x9b"
    assert kept(("stdout", wiped)).text == "ab"


def test_flood_keeps_the_beginning_and_end_of_each_stream() -> None:
    flood = [("stdout", "first\n"), *[("stdout", "x" * 9_999 + "\n")] * 1_000, ("stdout", "last\n")]
    output = kept(*flood, ("stderr", "ValueError: no\n"))
    assert output.stderr == "ValueError: no\n"
    assert output.stdout.startswith("first\n") and output.stdout.endswith("\nlast\n")
    assert "characters left out" in output.stdout
    assert len(output.stdout) < 1_100_000


def test_nothing_is_left_out_below_the_bound() -> None:
    text = "".join(f"line {number}\n" for number in range(60_000))
    parts = [("stdout", text[start : start + 4_096]) for start in range(0, len(text), 4_096)]
    assert kept(*parts).stdout == text


def test_line_of_one_stream_does_not_continue_in_the_other() -> None:
    buffer = OutputBuffer()
    for stream, text in (("stdout", "one"), ("stderr", "odd\n"), ("stdout", "\n"), ("stdout", "two\n")):
        buffer.output(stream, text)
    assert buffer.text == "one\nodd\ntwo\n"
    assert buffer.stdout == "one\ntwo\n"

"""The reference of commands: nothing of the command line is missing from it, and nothing else is in it."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from asyncdemo import errors
from asyncdemo.load.command import parser as load_parser
from asyncdemo.site.commands import command, commands, describe_command, exit_codes, get

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")


def fenced() -> list[str]:
    return re.findall(r"^```command\nname: (.+)\n```$", PAGE, re.MULTILINE)


def test_the_page_has_every_command_once_and_no_other() -> None:
    assert sorted(fenced()) == sorted(commands())


def test_every_command_stands_under_a_heading_of_its_name() -> None:
    # the list of commands links there
    headed = re.findall(r"^## (.+)\n\n```command\nname: (.+)\n", PAGE, re.MULTILINE)
    assert [name for _, name in headed] == [name for name in fenced() if name != "asyncdemo"]
    assert all(heading == name for heading, name in headed)


def test_every_option_is_explained_and_can_be_linked_to() -> None:
    for name, shown in commands().items():
        html = command(f"name: {name}")
        for parameter in shown.params:
            if isinstance(parameter, click.Option):
                longest = max(parameter.opts, key=len)
                row = re.search(rf'<dt id="{name.replace(" ", "-")}{longest}">.*?</dt><dd>(.+?)</dd>', html)
                assert row is not None, f"{name} {longest}"
                assert all(opt in row[0] for opt in parameter.opts), f"{name} {longest}"


def test_every_argument_is_in_the_usage_and_described_below() -> None:
    for name, shown in commands().items():
        usage, _, words = command(f"name: {name}").partition("</pre>")
        for parameter in shown.params:
            if isinstance(parameter, click.Argument):
                noun = re.search(r"[A-Z]+|{.*}", parameter.make_metavar(click.Context(shown)))
                assert noun is not None, name
                assert noun[0] in usage
                assert parameter.name is not None
                assert noun[0] in words or parameter.name.upper() in words, name


def test_defaults_and_what_a_value_must_be_come_from_the_option() -> None:
    @click.option("--often", type=click.IntRange(min=1), default=3, show_default=True, help="How often.")
    @click.option(
        "--most", type=click.FloatRange(min=0, max=2, min_open=True), required=True, help="At most."
    )
    @click.command("try")
    def trial() -> None:
        """Tries `it` & ends."""

    html = describe_command("try", trial)
    assert '<pre class="command-usage"><code>asyncdemo try [OPTIONS]</code></pre>' in html
    assert "<p>Tries <code>it</code> &amp; ends.</p>" in html
    assert 'How often. <span class="command-facts">A whole number from 1. By default 3.</span>' in html
    assert 'At most. <span class="command-facts">A number above 0 to 2. Required.</span>' in html


def test_lines_that_click_leaves_as_they_are_stay_so() -> None:
    html = command("name: completion")
    assert "<pre><code>bash: echo &#x27;eval" in html
    assert "\b" not in html


def test_every_exit_code_is_listed_with_its_errors() -> None:
    codes = {
        value for name, value in vars(errors).items() if name.startswith("EXIT_") and isinstance(value, int)
    }
    assert set(errors.EXIT_CODES) == codes
    html = exit_codes("")
    rows = dict(re.findall(r"<tr><td><code>(\d+)</code></td>(.*?)</tr>", html))
    assert set(map(int, rows)) == codes
    assert "MissingError" in rows[str(errors.EXIT_MISSING)]
    assert "UsageError" in rows[str(errors.EXIT_USAGE)]
    assert "```exit-codes\n```" in PAGE


def test_every_option_of_the_load_client_is_on_the_page() -> None:
    words = PAGE.partition("## The load client")[2]
    options = [option for action in load_parser()._actions for option in action.option_strings]
    known = {"-h", "--help", "--method", "--header"}  # the long forms of -X and -H
    assert [option for option in options if option not in known and f"`{option}" not in words] == []


@pytest.mark.parametrize(
    ("address", "lines"),
    [
        (
            "https://example.org/one",
            "$ git clone https://example.org/one asyncdemo &amp;&amp; cd asyncdemo\n$ make tour\n",
        ),
        ("", "<code>$ make tour\n</code>"),
    ],
)
def test_repository_address_is_the_configured_one_or_a_checkout(
    address: str, lines: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPO_URL", address)
    assert lines in get("")

"""The fences ``command``, ``exit-codes`` and ``get``: the commands, and how to install them.

```command
name: run
```
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, Final

import click

from asyncdemo import errors
from asyncdemo.cli.app import COMMANDS, app
from asyncdemo.site.fence import formatter, settings

_ROOT: Final = "asyncdemo"
_COMMON: Final = ("--help",)
"""Every command has them, so only the root command shows them."""


def commands() -> dict[str, click.Command]:
    """Return every command by its words, including ``dev check``; the root command is ``asyncdemo``."""
    found: dict[str, click.Command] = {_ROOT: app}
    for name in COMMANDS:
        first = app.get_command(click.Context(app), name)
        if isinstance(first, click.Group):
            found |= {f"{name} {second}": inner for second, inner in first.commands.items()}
        elif first is not None:
            found[name] = first
    return found


@formatter
def command(source: str) -> str:
    """Return the fence: the command's usage, its description, and each of its options."""
    name = settings(source, {"name"})["name"]
    return describe_command(name, commands()[name])


def describe_command(name: str, shown: click.Command) -> str:
    """Return HTML for the command of ``asyncdemo`` with this name."""
    root = click.Context(app, info_name=_ROOT, help_option_names=["-h", "--help"])
    context = root if shown is app else click.Context(shown, parent=root, info_name=name)
    usage = " ".join([context.command_path, *shown.collect_usage_pieces(context)])
    parts = [f'<pre class="command-usage"><code>{escape(usage)}</code></pre>']
    parts += _paragraphs(inspect.cleandoc(shown.help or ""))
    if shown is app:
        parts.append(_list())
    parts += _options(name, shown, context)
    return f'<div class="command">{"".join(parts)}</div>'


@formatter
def exit_codes(source: str) -> str:
    """Return the fence: the table of ``asyncdemo.errors``, with the errors that end in each code."""
    settings(source, ())
    rows = [
        (f"<code>{code}</code>", _inline(words), ", ".join(_ending_in(code)))
        for code, words in errors.EXIT_CODES.items()
    ]
    return _table(("code", "when", "errors of the Python API"), rows)


@formatter
def get(source: str) -> str:
    """Return the fence: the lines that install asyncdemo, ready to paste. It has no settings.

    When building for publication, set the environment variable ``REPO_URL`` to the address of the repository.
    Without it, they begin in a checkout. (MkDocs' own ``repo_url`` would make the theme ask GitHub.)
    """
    settings(source, ())
    if repository := os.environ.get("REPO_URL", ""):
        words = "With git, make and Python 3.11 or newer:"
        lines = [f"git clone {repository} asyncdemo && cd asyncdemo", "make tour"]
    else:
        words = "With make and Python 3.11 or newer, in a checkout of asyncdemo:"
        lines = ["make tour"]
    code = "\n".join(f"$ {escape(line)}" for line in lines)
    return f'<p>{words}</p><div class="highlight"><pre><code>{code}\n</code></pre></div>'


def _options(name: str, shown: click.Command, context: click.Context) -> Iterator[str]:
    options = [
        option
        for option in shown.get_params(context)
        if isinstance(option, click.Option) and (shown is app or not set(_COMMON) & set(option.opts))
    ]
    if not options:
        return
    yield '<dl class="command-options">'
    for option in options:
        place = name.replace(" ", "-") + max(option.opts, key=len)  # for links: run--set, dev-check--fast
        words = " ".join(filter(None, [_inline(option.help or ""), *_facts(option)]))
        yield (
            f'<dt id="{place}"><code>{escape(_written(option, context))}</code>'
            f'<a class="headerlink" href="#{place}" title="Permanent link">¶</a></dt><dd>{words}</dd>'
        )
    yield "</dl>"


def _written(option: click.Option, context: click.Context) -> str:
    forms = ", ".join(sorted(option.opts, key=len))
    return forms if option.is_flag else f"{forms} {option.make_metavar(context)}"


def _facts(option: click.Option) -> Iterator[str]:
    facts = [
        _kind(option.type),
        "Required." if option.required else "",
        f"By default {option.default:g}." if option.show_default and option.default is not None else "",
    ]
    if any(facts):
        yield f'<span class="command-facts">{escape(" ".join(filter(None, facts)))}</span>'


def _kind(kind: click.ParamType[Any]) -> str:
    """Return the restrictions on a value, in words."""
    match kind:
        case click.Path(exists=True, file_okay=False):
            return "An existing folder."
        case click.Path(exists=True, dir_okay=False):
            return "An existing file."
        case click.IntRange() | click.FloatRange():
            noun = "whole number" if isinstance(kind, click.IntRange) else "number"
            low = "" if kind.min is None else f" {'above' if kind.min_open else 'from'} {kind.min:g}"
            high = "" if kind.max is None else f" {'below' if kind.max_open else 'to'} {kind.max:g}"
            return f"A {noun}{low}{high}."
    return ""


def _list() -> str:
    rows = [
        (
            f'<a href="#{name.replace(" ", "-")}"><code>{_ROOT} {name}</code></a>',
            _inline(COMMANDS[name].words if name in COMMANDS else listed.get_short_help_str(limit=200)),
        )
        for name, listed in commands().items()
        if listed is not app
    ]
    return _table(("command", "what it does"), rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def row(cells: Iterable[str], tag: str) -> str:
        return f"<tr>{''.join(f'<{tag}>{cell}</{tag}>' for cell in cells)}</tr>"

    body = "".join(row(cells, "td") for cells in rows)
    return f"<table><thead>{row(head, 'th')}</thead><tbody>{body}</tbody></table>"


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a help text; after click's mark for it, line breaks are kept."""
    for paragraph in re.split(r"\n\s*\n", text.partition("\f")[0].strip()):
        mark, _, lines = paragraph.partition("\b\n")
        if lines:
            yield f"<pre><code>{escape(lines)}</code></pre>"
        else:
            yield f"<p>{_inline(mark)}</p>"


def _inline(text: str) -> str:
    """Format as code what is between backticks, as in Markdown, and every option."""
    return re.sub(r"`([^`]+)`|(?<!\S)(--[a-z-]+)", r"<code>\1\2</code>", escape(text, quote=False))


def _ending_in(code: int) -> Iterator[str]:
    for name in errors.__all__:
        kind = getattr(errors, name)
        if not isinstance(kind, type) or kind is errors.AsyncdemoError:
            continue
        if issubclass(kind, errors.AsyncdemoError) and kind.exit_code == code:
            yield f'<a href="api/errors.html#asyncdemo.errors.{name}"><code>{name}</code></a>'

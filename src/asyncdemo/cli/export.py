"""``asyncdemo export``: recorded runs as a file for other programs."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from asyncdemo import store
from asyncdemo.cli.options import recordings_argument
from asyncdemo.cli.overwrite import check_export, explain_unwritable

_SUFFIXES: Final = {"svg": ".svg", "html": ".html", "perfetto": ".perfetto.json"}
_LARGE: Final = 4_000_000
"""Bytes from which a trace for Perfetto is compressed."""


@click.command("export")
@recordings_argument
@click.option(
    "--to",
    "kind",
    required=True,
    type=click.Choice(list(_SUFFIXES)),
    help="svg: a picture. html: an interactive page in one file. perfetto: for ui.perfetto.dev.",
)
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    help="Where to write; - is stdout. By default, the name of FILE with another ending, in this folder.",
)
def command(files: Sequence[Path], kind: str, output: str | None) -> None:
    """Write recorded runs in another format; several are shown on one scale.

    FILE is a recording, written by `trace --save` or `run --save`. An existing file is overwritten only if
    it has the ending of the format and is not a recording.
    """
    from asyncdemo.course.workspace.files import replace
    from asyncdemo.render.export import Export, render_bytes

    content = render_bytes([store.load(file) for file in files], Export(kind))
    if output == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    stem = files[0].name.removesuffix(".gz").removesuffix(".jsonl")
    target = Path(output or stem + _SUFFIXES[kind])
    check_export(target, kind, files, f"--output {target}")
    if kind == "perfetto" and (target.suffix == ".gz" or len(content) > _LARGE):
        # Without a time stamp, the same runs give the same file.
        content = gzip.compress(content, mtime=0)
        target = target if target.suffix == ".gz" else target.with_name(target.name + ".gz")
    with explain_unwritable(target):
        replace(target, content)
    click.echo(f"wrote {target}", err=True)

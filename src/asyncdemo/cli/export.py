"""``asyncdemo export``: a recorded run as a file for other programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

import click

from asyncdemo import store
from asyncdemo.errors import UsageError
from asyncdemo.model import Run

__all__ = ["command"]

_SUFFIXES: Final = {"svg": ".svg", "html": ".html", "perfetto": ".perfetto.json", "csv": ".csv"}
_GZIP_MAGIC = b"\x1f\x8b"


@click.command("export")
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option(
    "--to",
    "kind",
    required=True,
    type=click.Choice(list(_SUFFIXES)),
    help="svg: a picture. html: an interactive page in one file. perfetto: for ui.perfetto.dev. csv: spans.",
)
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    help="Where to write; - is stdout. The rule: the name of FILE with another ending, in this folder.",
)
def command(files: Sequence[Path], kind: str, output: str | None) -> None:
    """Write recorded runs in another format; several are shown on one scale.

    FILE is what `trace --save` and `run --save` wrote.
    """
    runs = [store.load(file) for file in files]
    render: Callable[[Sequence[Run]], str | bytes] = getattr(
        import_module(f"asyncdemo.render.{kind}"), f"render_{kind}"
    )
    rendered = render(runs)
    data = rendered if isinstance(rendered, bytes) else rendered.encode("utf-8")
    if output == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    out = Path(output) if output else Path(_name(files[0], kind, data))
    try:
        out.write_bytes(data)
    except OSError as error:
        raise UsageError(f"{out}: cannot be written: {error.strerror}.") from None
    click.echo(f"wrote {out}", err=True)


def _name(file: Path, kind: str, data: bytes) -> str:
    stem = file.name.removesuffix(".gz").removesuffix(".jsonl")
    return stem + _SUFFIXES[kind] + (".gz" if data.startswith(_GZIP_MAGIC) else "")

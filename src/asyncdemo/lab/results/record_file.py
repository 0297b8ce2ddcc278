"""Records as JSON files, read strictly: a field that is unknown, missing or of another kind is an error
that names it.

Not for: what the fields mean (``record``, ``trial``).
"""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path

from asyncdemo.errors import LabFileError
from asyncdemo.lab.results.record import FORMAT, Record
from asyncdemo.lab.results.strict import from_plain, to_plain

__all__ = ["dump_record", "load_record", "parse_record"]


def load_record(path: Path) -> Record:
    """path: ``NAME.json``, or ``NAME.json.gz`` as the repository keeps it. Raises LabFileError."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise LabFileError(f"{path.name} cannot be read: {error}") from error
    record = parse_record(text, path.name)
    if record.name != path.name.removesuffix(".gz").removesuffix(".json"):
        raise LabFileError(f"{path.name} holds a record of the name {record.name!r}; name the file after it")
    return record


def parse_record(text: str, where: str = "record") -> Record:
    """where: how messages name it. Raises LabFileError."""
    try:
        values = json.loads(text)
    except ValueError as error:
        raise LabFileError(f"{where} is no JSON: {error}") from error
    found = values.get("format") if isinstance(values, dict) else None
    if found != FORMAT:
        mend = (
            "A newer asyncdemo reads it." if str(found).startswith("asyncdemo.lab/") else "It is no record."
        )
        raise LabFileError(f"{where} has the format {found!r}, and this asyncdemo reads {FORMAT}. {mend}")
    return from_plain(Record, values, where)


def dump_record(record: Record) -> str:
    """JSON, with a line for each field of a trial, so that two records can be compared."""
    return json.dumps(to_plain(record), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

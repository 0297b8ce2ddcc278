"""Reads our docstrings for the API reference: prose in which a line may begin ``name: what it is``.

What is said of parameters becomes a list, what is said of fields a table with their types. An extension of
griffe, with which mkdocstrings reads the source. Not for: how that looks (mkdocstrings' templates and the
style sheets).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

import griffe

__all__ = ["HouseStyle", "read"]

_BEGINS: Final = r"(?:^|(?<=\n)|(?<=[.;] ))"
_RAISES: Final = re.compile(r"(?:(?<=\.)[ \n]|\n)(?=Raises [A-Z])")
_ENUMS: Final = ("Enum", "IntEnum", "StrEnum")

Part = str | dict[str, str]
"""A paragraph, or name -> what is said of it."""


def read(text: str, names: Collection[str]) -> Iterator[Part]:
    """The parts of a docstring in their order. Two names may share what is said: ``start_ns, end_ns: when.``

    Whatever follows a name, up to the next name, the end of the paragraph or a sentence "Raises ...", is
    said of it.
    """
    name = "|".join(sorted(map(re.escape, names), key=len, reverse=True)) or "(?!)"
    begins = re.compile(rf"{_BEGINS}((?:{name})(?:, (?:{name}))*): ")
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        for sentences in _RAISES.split(paragraph):
            prose, *found = begins.split(sentences)
            if prose.strip():
                yield prose.strip()
            said: dict[str, str] = {}
            for heads, words in zip(found[::2], found[1::2], strict=True):
                said |= dict.fromkeys(heads.split(", "), _as_sentence(words))
            if said:
                yield said


def _as_sentence(words: str) -> str:
    words = " ".join(words.split()).rstrip(";")
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", ":", '."')) else ".")


class HouseStyle(griffe.Extension):
    """Gives mkdocstrings what it would otherwise look for in a docstring in another style."""

    def on_package(self, *, pkg: griffe.Module, loader: griffe.GriffeLoader, **kwargs: Any) -> None:  # noqa: ARG002
        """All of it is loaded: what is inherited can be looked up."""
        fields = {cls.path: _Fields(cls) for cls in _classes(pkg)}
        for own in fields.values():
            bases = [base for base in own.cls.mro() if base.path in fields]
            own.describe(
                [fields[base.path] for base in bases if not _is_offered(base, pkg)],
                {name for base in bases for name in fields[base.path].names},
            )

    def on_function(self, *, func: griffe.Function, loader: griffe.GriffeLoader, **kwargs: Any) -> None:  # noqa: ARG002
        """A list of what is said of parameters; their types and defaults are in the signature above it."""
        if func.docstring is not None:
            parts = read(func.docstring.value, [one.name for one in func.parameters])
            _set(func, [part if isinstance(part, str) else _listed(part) for part in parts])


class _Fields:
    """What a class holds, and what is said of it: data, properties and what ``__init__`` sets."""

    def __init__(self, cls: griffe.Class) -> None:
        self.cls = cls
        self._fields = {
            name: member
            for name, member in cls.members.items()
            if isinstance(member, griffe.Attribute) and not name.startswith("_")
        }
        self._prose: list[str] = []
        self._said: dict[str, str] = {}
        made = cls.members.get("__init__")
        self._given = {
            one.name: one.annotation for one in (made.parameters if isinstance(made, griffe.Function) else ())
        }
        for part in read(cls.docstring.value if cls.docstring else "", [*self._fields, *self._given]):
            if isinstance(part, str):
                self._prose.append(part)
            else:
                self._said |= part
        for name, member in self._fields.items():
            if member.docstring is not None:
                self._said.setdefault(name, _as_sentence(member.docstring.value))

    @property
    def names(self) -> Collection[str]:
        """Of the fields."""
        return self._fields

    def describe(self, bases: Sequence[_Fields], inherited: Collection[str]) -> None:
        """A list of the members of an enumeration; of any other class a table.

        bases: whose fields are in it too, as no page has them. inherited: fields that some base describes.
        """
        prose = [*self._prose]
        table: list[griffe.DocstringAttribute] = []
        if any(str(base).rpartition(".")[2] in _ENUMS for base in self.cls.bases):
            prose.append(
                "\n".join(_member(one, self._said.get(name, "")) for name, one in self._fields.items())
            )
        else:
            own = [row for row in self._rows() if row.description or row.name not in inherited]
            table = [*own, *(row for base in bases for row in base._rows())]
            prose += filter(None, [_listed({k: v for k, v in self._said.items() if k not in self._fields})])
        for member in self._fields.values():
            member.docstring = None  # it has no heading of its own
        fields = griffe.DocstringSectionAttributes(table, title="Fields")
        _set(self.cls, prose, fields if table else None)

    def _rows(self) -> list[griffe.DocstringAttribute]:
        """What ``__init__`` keeps under the name of an argument has the argument's type."""
        return [
            griffe.DocstringAttribute(
                name, description=self._said.get(name, ""), annotation=one.annotation or self._given.get(name)
            )
            for name, one in self._fields.items()
        ]


def _is_offered(cls: griffe.Class, package: griffe.Module) -> bool:
    """By a package that it is in, so that a page of its own has it."""
    parts = cls.path.split(".")[1:]
    packages = (package[parts[:end]] for end in range(1, max(2, len(parts) - 1)))
    return any(cls.name in map(str, found.exports or ()) for found in packages)


def _classes(module: griffe.Module) -> Iterator[griffe.Class]:
    for member in module.members.values():
        if isinstance(member, griffe.Module):
            yield from _classes(member)
        elif isinstance(member, griffe.Class):
            yield member


def _set(obj: griffe.Object, paragraphs: list[str], table: griffe.DocstringSection | None = None) -> None:
    if obj.docstring is None:
        if table is None:
            return
        obj.docstring = griffe.Docstring("", parent=obj)
    text = griffe.DocstringSectionText("\n\n".join(paragraphs))
    obj.docstring.parsed = [section for section in (text, table) if section is not None and section.value]


def _listed(said: dict[str, str]) -> str:
    return "\n\n".join(
        f"`{name}`\n:   {textwrap.indent(words, '    ').strip()}" for name, words in said.items()
    )


def _member(member: griffe.Attribute, words: str) -> str:
    return f"- `{member.name}` (`{member.value}`){': ' if words else ''}{words}"

"""An experiment as defined by its TOML file: contestants, settings, sizes, and the rows of its report.

If a value of a row is a list, the row expands to one row for each item; with several lists, the first one
varies slowest. For ``arm``, "*" means all of ``[names]``. A row with ``rows`` expands to those, which inherit
what they omit; one with ``only`` applies to that setting alone. In texts, ``{arm}``, ``{base}`` and
``{setting}`` are replaced by their entries in ``[names]``, ``{figure}`` and ``{percent}`` by the figure's.
What ``arm_differs`` and ``base_differs`` have for the arm and the base of a row is part of its ``differs``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import product
from pathlib import Path
from typing import Any, Final

from asyncdemo.errors import LabFileError
from asyncdemo.lab.experiments.context import ExperimentContext
from asyncdemo.lab.harness import Unavailable
from asyncdemo.lab.harness.checks import COUNTS, Answer, send_of, standard_checks
from asyncdemo.lab.harness.protocol.description import (
    Check,
    Condition,
    Contestant,
    Count,
    Experiment,
    PlannedRow,
    Size,
)
from asyncdemo.lab.harness.served_app import ServedApp, shared_packages
from asyncdemo.lab.results.comparison import MEAN_LATENCY, THROUGHPUT, Figure, Published, latency
from asyncdemo.lab.results.flags import percent_of
from asyncdemo.lab.results.published import Article, load_article
from asyncdemo.lab.results.setup import Arm, Extent, Setting
from asyncdemo.lab.servers import PROGRAMS
from asyncdemo.load import Send
from asyncdemo.model.fields import read

_FOLDER: Final = Path(__file__).parent
_AXES: Final = ("figure", "arm", "base", "setting", "base_setting")
_FIGURES: Final = {"throughput": THROUGHPUT, "mean latency": MEAN_LATENCY}
_OF_SETTING: Final = {field.name for field in fields(Setting)} - {"sends", "knobs"}


@dataclass(frozen=True, slots=True)
class _Contestant:
    """``program`` is a key of ``PROGRAMS``, ``app`` a file in the folder of the lesson.

    ``notes`` precede the program's. ``server`` is its name in the report; the default is the program's title.
    ``command`` replaces the program's, and then ``notes`` replace its notes.
    """

    name: str
    title: str
    framework: str
    program: str
    app: str
    server: str = ""
    command: str = ""
    loop: str = ""
    notes: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    path: str = "/"
    rounds: int | None = None


@dataclass(frozen=True, slots=True)
class _Published:
    """``own`` and ``base`` are figures of the article, ``table.column@row``; ``words`` can use them and their
    texts. Without ``base``, the ratio itself is published.

    ``more`` are further figures, whose texts are {0}, {1}, ... in the words.
    """

    words: str
    own: str = ""
    base: str = ""
    more: tuple[str, ...] = ()
    ratio: float | None = None


@dataclass(frozen=True, slots=True)
class _File:
    title: str
    lesson: str
    sizes: Mapping[Extent, Size]
    contestants: tuple[_Contestant, ...] = ()
    article: str = ""
    twin_of: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    """Arm or setting -> its name in the names of rows."""
    answers: Mapping[str, Answer] = field(default_factory=dict)
    closing: tuple[str, ...] = ()
    """Contestants that close each connection after the answer."""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    """Figures specific to this experiment."""
    notes: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)


def load_experiment(
    name: str,
    context: ExperimentContext,
    checks: Mapping[str, Iterable[Check]] | None = None,
    counts: Iterable[Count] = (),
    sends: Mapping[str, Send] | None = None,
    names: Mapping[str, str] | None = None,
    gone: Mapping[str, Unavailable] | None = None,
    leave_out: tuple[str, ...] = (),
) -> Experiment:
    """``checks``, ``counts`` and ``sends`` supply names used in the file, besides the standard ones.

    ``names`` extends ``[names]``. ``gone`` are unavailable programs, with reasons. ``leave_out`` are
    contestants to skip, and their rows. Raises LabFileError with file and field.
    """
    path = _FOLDER / f"{name}.toml"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        every, settings, rows = (data.pop(part, {}) for part in ("every_setting", "settings", "rows"))
        file = read(_File, {**data, "names": {**data.get("names", {}), **(names or {})}}, strict=True)
        entries = [entry for entry in file.contestants if entry.name not in leave_out]
        keeping = tuple(entry.name for entry in entries if entry.name not in file.closing)
        own_checks = {name: [answer.check()] for name, answer in file.answers.items()} | dict(checks or {})
        known_counts = {count.name: count for count in (*COUNTS, *counts)}
        conditions = []
        for place, given in enumerate(settings):
            setting, rest = _setting({**every, **given}, f"settings[{place}]")
            standard = standard_checks(setting.clients or 0, file.closing, keeping)
            known_checks = {**standard, **own_checks}
            conditions.append(
                read(
                    Condition,
                    rest,
                    f"settings[{place}]",
                    strict=True,
                    setting=setting,
                    sends=tuple((sends or {}).get(name) or send_of(name) for name in rest.get("sends", ())),
                    knobs=rest.get("knobs", {}),
                    checks=tuple(check for name in rest.get("checks", ()) for check in known_checks[name]),
                    counts=tuple(known_counts[name] for name in rest.get("counts", ())),
                )
            )
        planned = tuple(_rows(rows, file))
    except (OSError, ValueError) as error:
        raise LabFileError(f"{path.name}: {error}") from error
    contestants = tuple(_contestant(entry, context, gone or {}) for entry in entries)
    return Experiment(
        name,
        file.title,
        contestants,
        tuple(conditions),
        tuple(row for row in planned if not {row.arm, row.base} & {*leave_out}),
        file.sizes,
        article=file.article,
        lesson=file.lesson,
        twin_of=file.twin_of,
        packages=shared_packages(item.served for item in contestants),
        missing=file.missing,
        notes=file.notes,
    )


def _contestant(
    entry: _Contestant, context: ExperimentContext, gone: Mapping[str, Unavailable]
) -> Contestant:
    program, why = PROGRAMS[entry.program], gone.get(entry.program)
    if entry.command:
        program = replace(program, command=entry.command, notes=())
    served = ServedApp(
        entry.name,
        program,
        context.apps / entry.app,
        entry.packages,
        path=entry.path,
        on_progress=context.on_progress,
    )
    arm = Arm(
        entry.name,
        entry.title,
        program.model,
        entry.framework,
        entry.server or program.title,
        versions={} if why else served.own_versions,
        unavailable=why.why if why else "",
        successor=why.successor if why else "",
        notes=(*entry.notes, *program.notes),
    )
    return Contestant(arm, served, {"loop": entry.loop} if entry.loop else {}, entry.rounds)


def _setting(given: Mapping[str, Any], where: str) -> tuple[Setting, dict[str, Any]]:
    """Also return what belongs to the condition."""
    rest = dict(given)
    own = {name: rest.pop(name) for name in _OF_SETTING & rest.keys()}
    return read(Setting, {"sends": [], **own}, where, strict=True), rest


def _rows(groups: Iterable[Mapping[str, Any]], file: _File) -> Iterator[PlannedRow]:
    article = load_article(file.article) if file.article else None
    for place, group in enumerate(groups):
        for row in _spread(group, {}, [*file.names]):
            yield _asked(row, file, article, f"rows[{place}]")


def _spread(
    group: Mapping[str, Any], outer: Mapping[str, Any], every_arm: list[str]
) -> Iterator[dict[str, Any]]:
    """Yield the rows that it expands to, except those that would compare an arm with itself."""
    whole = {**outer, **group}
    for name in outer.keys() & group.keys():
        if isinstance(outer[name], Mapping):
            whole[name] = {**outer[name], **group[name]}
    inner_rows = whole.pop("rows", None)
    if whole.get("arm") == "*":
        whole["arm"] = every_arm
    axes = {name: value for name, value in whole.items() if name in _AXES and isinstance(value, list)}
    for chosen in product(*axes.values()):
        row = {**whole, **dict(zip(axes, chosen, strict=True))}
        if inner_rows is not None:
            for inner in inner_rows:
                if inner.get("only", row.get("setting")) == row.get("setting"):
                    own = {key: value for key, value in inner.items() if key != "only"}
                    yield from _spread(own, row, every_arm)
        elif row["arm"] != row["base"] or row.keys() & {"base_setting", "base_value"}:
            yield row


def _asked(given: Mapping[str, Any], file: _File, article: Article | None, where: str) -> PlannedRow:
    rest = dict(given)
    arm, base, setting = (rest.get(name, "") for name in ("arm", "base", "setting"))
    own, of_base = rest.pop("arm_differs", {}).get(arm, ()), rest.pop("base_differs", {}).get(base, ())
    source = rest.pop("published", None)
    try:
        figure = _figure(rest.get("figure", ""), file)
        named = {"arm": arm, "base": base, "setting": setting}
        words = {name: file.names.get(value, value) for name, value in named.items()}
        words |= {"figure": figure.title.lower(), "percent": percent_of(figure.key)}
        rest["name"] = rest.get("name", "{arm} and {base}").format_map(words)
        published = source and _published(read(_Published, source, strict=True), article, words)
    except (KeyError, ValueError) as error:
        raise ValueError(f"{where}: {error} is not known") from error
    differs = (*own, *rest.get("differs", ()), *of_base)
    return read(PlannedRow, rest, where, strict=True, figure=figure, published=published, differs=differs)


def _figure(name: str, file: _File) -> Figure:
    known = {**_FIGURES, **file.figures}
    if name not in known:
        float(name)
    return known.get(name) or latency(name)


def _published(given: _Published, article: Article | None, words: Mapping[str, str]) -> Published:
    if article is None or not given.own:
        return Published(given.words, given.ratio)
    own = article.find(given.own.format_map(words))
    base = article.find(given.base.format_map(words)) if given.base else None
    of_base = 1.0 if base is None else base.value
    if own.value is None or of_base is None:
        raise ValueError(f"{given.own} over {given.base}, a ratio of two numbers,")
    texts = {"own_text": own.text, "base_text": base.text if base else ""}
    more = [article.find(reference.format_map(words)).text for reference in given.more]
    times = of_base / own.value
    shown = given.words.format(*more, own=own.value, base=of_base, times=times, **texts)
    return Published(shown, own.value / of_base)

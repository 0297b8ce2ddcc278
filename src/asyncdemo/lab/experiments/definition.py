"""An experiment as its TOML file has it: contestants, settings, sizes, and the rows of its report.

Where a value of a row is a list, the row stands for several, one for each; of several lists the first one
changes slowest, and for ``arm`` "*" is all of ``[names]``. A row with ``rows`` stands for these, which have
what they leave out from it; one with ``only`` is there in that setting alone. In texts ``{arm}``, ``{base}``
and ``{setting}`` are these in the words of ``[names]``, ``{figure}`` and ``{percent}`` the figure's.
Not for: what needs more than data (services, what only one experiment looks at): the modules beside this one
give it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import product
from pathlib import Path
from typing import Any, Final

from asyncdemo.errors import LabFileError
from asyncdemo.lab.experiments import Surroundings
from asyncdemo.lab.harness import Unavailable
from asyncdemo.lab.harness.checks import COUNTS, Answer, send_of, standard_checks
from asyncdemo.lab.harness.protocol.description import (
    Asked,
    Check,
    Condition,
    Contestant,
    Count,
    Experiment,
    Size,
)
from asyncdemo.lab.harness.served_app import ServedApp, shared_packages
from asyncdemo.lab.results.comparison import (
    MEAN_LATENCY,
    THROUGHPUT,
    Bound,
    Figure,
    Published,
    latency,
)
from asyncdemo.lab.results.flags import percent_of
from asyncdemo.lab.results.published import Article, load_article
from asyncdemo.lab.results.setup import Arm, Extent, Setting
from asyncdemo.lab.servers import PROGRAMS, App, Interface
from asyncdemo.load import Send
from asyncdemo.model.fields import read

_FOLDER: Final = Path(__file__).parent
_AXES: Final = ("figure", "arm", "base", "setting", "base_setting")
_FIGURES: Final = {"throughput": THROUGHPUT, "mean latency": MEAN_LATENCY}
_OF_SETTING: Final = {field.name for field in fields(Setting)} - {"sends", "knobs"}


@dataclass(frozen=True, slots=True)
class _Contestant:
    """program: of ``PROGRAMS``. app: its file, in the folder of the lesson. notes: before the program's.

    server: its name in the report, if it is not the program's title. command: in place of the program's, and
    then the notes are.
    """

    name: str
    title: str
    framework: str
    program: str
    app: str
    interface: Interface
    server: str = ""
    command: str = ""
    loop: str = ""
    notes: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    path: str = "/"
    rounds: int | None = None


@dataclass(frozen=True, slots=True)
class _Condition:
    """What a setting needs beside itself.

    sends: "GET /", or names of what the module gives. checks, counts: names of answers, of those that any
    experiment has, and of those that the module gives.
    """

    sends: tuple[str, ...]
    arms: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    capacity: str = ""
    rounds: int | None = None
    warm: bool = True


@dataclass(frozen=True, slots=True)
class _Published:
    """own, base: figures of the article, ``table.column@row``; words may have them, and their texts. Without
    base the ratio is published itself.

    more: others, whose texts are {0}, {1}, ... in the words.
    """

    words: str
    own: str = ""
    base: str = ""
    more: tuple[str, ...] = ()
    ratio: float | None = None


@dataclass(frozen=True, slots=True)
class _Row:
    figure: str
    arm: str
    base: str
    setting: str
    name: str = "{arm} and {base}"
    base_setting: str = ""
    base_value: float | None = None
    published: _Published | None = None
    bound: Bound | None = None
    differs: tuple[str, ...] = ()
    arm_differs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Arm -> what differs only in its rows; stands first."""
    base_differs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Base -> the same; stands last."""


@dataclass(frozen=True, slots=True)
class _File:
    title: str
    lesson: str
    sizes: Mapping[Extent, Size]
    contestants: tuple[_Contestant, ...] = ()
    article: str = ""
    twin_of: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    """Arm or setting -> how the names of rows call it."""
    answers: Mapping[str, Answer] = field(default_factory=dict)
    closing: tuple[str, ...] = ()
    """Contestants that close each connection after its answer."""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    """Those that only this experiment has."""
    notes: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Definition:
    name: str
    file: _File
    conditions: tuple[tuple[Setting, _Condition, Mapping[str, Any]], ...]
    """With their knobs."""
    rows: tuple[Asked, ...]

    def experiment(
        self,
        surroundings: Surroundings,
        checks: Mapping[str, Iterable[Check]] | None = None,
        counts: Iterable[Count] = (),
        sends: Mapping[str, Send] | None = None,
        gone: Mapping[str, Unavailable] | None = None,
        leave_out: tuple[str, ...] = (),
    ) -> Experiment:
        """checks, counts, sends: what names in the file stand for, beside those that always do.

        gone: programs that cannot be had, and why. leave_out: contestants that are not measured; nor are the
        rows about them.
        """
        contestants = tuple(
            _contestant(entry, surroundings, gone or {})
            for entry in self.file.contestants
            if entry.name not in leave_out
        )
        keeping = tuple(item.arm.name for item in contestants if item.arm.name not in self.file.closing)
        answers = {name: [answer.check()] for name, answer in self.file.answers.items()}
        known_counts = {count.name: count for count in (*COUNTS, *counts)}
        conditions = []
        for setting, entry, knobs in self.conditions:
            standard = standard_checks(setting.clients or 0, self.file.closing, keeping)
            known = {**standard, **answers, **(checks or {})}
            conditions.append(
                Condition(
                    setting,
                    tuple((sends or {}).get(name) or send_of(name) for name in entry.sends),
                    knobs,
                    entry.arms,
                    tuple(check for name in entry.checks for check in known[name]),
                    tuple(known_counts[name] for name in entry.counts),
                    entry.capacity,
                    entry.rounds,
                    entry.warm,
                )
            )
        return Experiment(
            self.name,
            self.file.title,
            contestants,
            tuple(conditions),
            tuple(row for row in self.rows if not {row.arm, row.base} & {*leave_out}),
            article=self.file.article,
            lesson=self.file.lesson,
            sizes=self.file.sizes,
            twin_of=self.file.twin_of,
            packages=shared_packages(item.served for item in contestants),
            missing=self.file.missing,
            notes=self.file.notes,
        )


def load_definition(name: str, names: Mapping[str, str] | None = None) -> Definition:
    """names: more of ``[names]``. Raises LabFileError with file and field."""
    path = _FOLDER / f"{name}.toml"
    try:
        return _read(name, tomllib.loads(path.read_text(encoding="utf-8")), names or {})
    except (OSError, ValueError) as error:
        raise LabFileError(f"{path.name}: {error}") from error


def _read(name: str, data: dict[str, Any], names: Mapping[str, str]) -> Definition:
    every, settings, rows = (data.pop(part, {}) for part in ("every_setting", "settings", "rows"))
    file = read(_File, {**data, "names": {**data.get("names", {}), **names}}, strict=True)
    conditions = tuple(
        _condition({**every, **setting}, f"settings[{place}]") for place, setting in enumerate(settings)
    )
    article = load_article(file.article) if file.article else None
    asked = [
        _asked(row, file, article, f"rows[{place}]")
        for place, group in enumerate(rows)
        for row in _spread({**group, "arm": [*file.names]} if group.get("arm") == "*" else group)
    ]
    return Definition(name, file, conditions, tuple(asked))


def _contestant(
    entry: _Contestant, surroundings: Surroundings, gone: Mapping[str, Unavailable]
) -> Contestant:
    program, why = PROGRAMS[entry.program], gone.get(entry.program)
    if entry.command:
        program = replace(program, command=entry.command, notes=())
    served = ServedApp(
        entry.name,
        program,
        App(surroundings.apps / entry.app, entry.interface),
        entry.packages,
        path=entry.path,
        tell=surroundings.tell,
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


def _condition(given: Mapping[str, Any], where: str) -> tuple[Setting, _Condition, Mapping[str, Any]]:
    rest = dict(given)
    knobs = rest.pop("knobs", {})
    own = {name: rest.pop(name) for name in _OF_SETTING & rest.keys()}
    setting = read(Setting, {"sends": [], **own}, where, strict=True)
    return setting, read(_Condition, rest, where, strict=True), knobs


def _spread(group: Mapping[str, Any], outer: Mapping[str, Any] | None = None) -> Iterator[dict[str, Any]]:
    """The rows that it stands for; none that would compare an arm with itself."""
    whole = _merged(outer or {}, {name: value for name, value in group.items() if name != "rows"})
    axes = {name: value for name, value in whole.items() if name in _AXES and isinstance(value, list)}
    for chosen in product(*axes.values()):
        row = {**whole, **dict(zip(axes, chosen, strict=True))}
        if "rows" in group:
            for inner in group["rows"]:
                if inner.get("only", row.get("setting")) == row.get("setting"):
                    yield from _spread({key: own for key, own in inner.items() if key != "only"}, row)
        elif row["arm"] != row["base"] or row.keys() & {"base_setting", "base_value"}:
            yield row


def _merged(outer: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Tables field by field."""
    found = {**outer, **own}
    for name in outer.keys() & own.keys():
        if isinstance(outer[name], Mapping) and isinstance(own[name], Mapping):
            found[name] = {**outer[name], **own[name]}
    return found


def _asked(given: Mapping[str, Any], file: _File, article: Article | None, where: str) -> Asked:
    row = read(_Row, given, where, strict=True)
    try:
        figure = _figure(row.figure, file)
        named = {"arm": row.arm, "base": row.base, "setting": row.setting}
        words = {name: file.names.get(value, value) for name, value in named.items()}
        words |= {"figure": figure.title.lower(), "percent": percent_of(figure.key)}
        name = row.name.format_map(words)
        published = None if row.published is None else _published(row.published, article, words)
    except (KeyError, ValueError) as error:
        raise ValueError(f"{where}: {error} is not known") from error
    own, of_base = row.arm_differs.get(row.arm, ()), row.base_differs.get(row.base, ())
    return Asked(
        name,
        figure,
        *(row.arm, row.base, row.setting, row.base_setting, row.base_value),
        published,
        row.bound,
        differs=(*own, *row.differs, *of_base),
    )


def _figure(name: str, file: _File) -> Figure:
    """Raises ValueError."""
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

"""``asyncdemo lab rig-it`` in a terminal: knobs as inputs, the bound immediately, the measurement later.

Not here: measuring (see ``lab.rig``), the knobs and bounds themselves (see ``lab.results.rigging``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Button, Input, Label, Select

from asyncdemo.errors import UsageError
from asyncdemo.lab.results.rigging import (
    BEWARE,
    KNOBS,
    PRESETS,
    Knob,
    Machine,
    Rigging,
    client_name,
    with_settings,
)
from asyncdemo.lab.rig.session import Session, State
from asyncdemo.render.terminal.draw import Line, text_line
from asyncdemo.render.terminal.rig import bound_lines, measured_lines, tried_lines
from asyncdemo.render.terminal.theme import DIM, EMPHASIS, WARNING
from asyncdemo.render.words import fit
from asyncdemo.tui.app import KeyFooter, LearnerScreen
from asyncdemo.tui.drawing import Drawing

_LOOK_S: Final = 0.1
_LETTERS: Final = "abcd"


class _KnobInput(Input):
    """A whole number. Other characters are keys of the screen here, too."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "app.focus_previous", "Knob", key_display="↑↓"),
        Binding("down", "app.focus_next", "Knob", show=False),
    ]

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return character is not None and character.isdecimal()

    async def _on_key(self, event: events.Key) -> None:
        if event.is_printable and not self.check_consume_key(event.key, event.character):
            event.prevent_default()  # Input would keep it from the screen


class RigScreen(LearnerScreen):
    DEFAULT_CSS = """
    RigScreen .presets, RigScreen .knob { height: 1; width: 1fr; padding: 0 1; }
    RigScreen .presets Button { margin: 0 2 0 0; }
    RigScreen .knob Label { width: 19; }
    RigScreen .knob Input, RigScreen .knob Select { width: 16; }
    RigScreen .knob .note { width: 1fr; padding: 0 2; }
    RigScreen .wrong { color: $warning; }
    RigScreen #figures { margin: 1 1 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("plus,equals_sign", "step(1)", "More", key_display="+"),
        Binding("minus", "step(-1)", "Less", key_display="-"),
        Binding("space,enter", "again", "Measure again", key_display="Space"),
        *(
            Binding(letter, f"preset('{key}')", preset.title, show=False)
            for letter, (key, preset) in zip(_LETTERS, PRESETS.items(), strict=True)
        ),
    ]

    def __init__(
        self, session: Session, rigging: Rigging, machine: Machine, clients: tuple[str, ...]
    ) -> None:
        """``session`` is entered and left by the caller. ``clients`` are the available load clients."""
        super().__init__()
        self._session, self._rigging, self._machine, self._clients = session, rigging, machine, clients
        self._state = State()

    def compose(self) -> ComposeResult:
        with Horizontal(classes="presets"):
            for letter, (key, preset) in zip(_LETTERS, PRESETS.items(), strict=True):
                button = Button(f"{letter} {preset.title}", id=f"preset-{key}", compact=True)
                button.can_focus = False  # it has a letter
                yield button
        for knob in KNOBS:
            idle = self._rigging.idle(knob, self._machine, self._clients)
            with Horizontal(classes="knob"):
                yield Label(knob.title)
                given: dict[str, Any] = {"compact": True, "id": knob.name, "disabled": bool(idle)}
                if knob.steps:
                    yield _KnobInput(self._rigging.value(knob), restrict=r"\d*", max_length=4, **given)
                else:
                    names = [(client_name(client),) * 2 for client in self._clients]
                    yield Select(names, value=self._rigging.value(knob), allow_blank=False, **given)
                yield Label(classes="note", id=f"note-{knob.name}", markup=False)
        yield Drawing(self._lines, id="figures")
        yield KeyFooter(compact=False)

    def on_mount(self) -> None:
        self.set_interval(_LOOK_S, self._look)
        self._show_notes()

    # knobs

    def on_input_changed(self, event: Input.Changed) -> None:
        self._set(event.input.id or "", event.value)

    def on_select_changed(self, event: Select.Changed) -> None:
        self._set(event.select.id or "", str(event.value))

    def action_step(self, by: int) -> None:
        chosen = self.focused.id if self.focused is not None else None
        for knob in KNOBS:
            if knob.name == chosen:
                self._fill(self._rigging.stepped(knob, by, self._clients))

    def action_preset(self, key: str) -> None:
        self._fill(Rigging(PRESETS[key].configuration, self._rigging.client))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.action_preset((event.button.id or "").removeprefix("preset-"))

    def action_again(self) -> None:
        self._session.want(self._rigging)

    def _set(self, name: str, value: str) -> None:
        knob = next(knob for knob in KNOBS if knob.name == name)
        if value == self._rigging.value(knob):
            self._show_notes()
            return
        try:
            self._change(with_settings(self._rigging, [f"{name}={value}"], self._clients))
        except UsageError:
            self._note(knob, f"{knob.low} to {knob.high}", wrong=True)

    def _fill(self, rigging: Rigging) -> None:
        self._change(rigging)
        values: dict[str | None, str] = {knob.name: rigging.value(knob) for knob in KNOBS}
        with self.prevent(Input.Changed, Select.Changed):
            for knob in self.query(Input):
                knob.value = values[knob.id]
            self.query_one(Select).value = values["client"]

    def _change(self, rigging: Rigging) -> None:
        if rigging != self._rigging:
            self._rigging = rigging
            self._session.want(rigging)
        self._show_notes()

    def _show_notes(self) -> None:
        for knob in KNOBS:
            self._note(knob, self._rigging.idle(knob, self._machine, self._clients) or self._words(knob))
        self.query_one("#figures", Drawing).redraw()

    def _words(self, knob: Knob) -> str:
        if not knob.steps:
            return "a client that can mislead" if self._rigging.client in BEWARE else ""
        words = " ".join(filter(None, (knob.unit, f"({knob.low} to {knob.high})")))
        per_worker = knob.name == "sessions" and self._rigging.configuration.per_worker
        return f"for each worker {words}" if per_worker else words

    def _note(self, knob: Knob, words: str, *, wrong: bool = False) -> None:
        note = self.query_one(f"#note-{knob.name}", Label)
        note.update(words)
        note.set_class(wrong, "wrong")

    # figures

    def _look(self) -> None:
        state = self._session.state
        if state == self._state:
            return
        self._state = state
        latest = state.now or (state.tried[-1] if state.tried else None)
        if latest is not None and latest.cpu_ms:
            self._machine = replace(self._machine, cpu_ms=latest.cpu_ms)
        self.query_one("#figures", Drawing).redraw()

    def _lines(self, width: int, height: int) -> list[Line]:
        state = self._state
        head = [*bound_lines(self._rigging, self._machine, width)]
        doing = state.doing or ("" if state.now is not None else "nothing yet; to measure, press Space")
        head.append(text_line(fit(f"Measured{f': {doing}' if doing else ''}", width), EMPHASIS))
        if state.trouble:
            head.append(text_line(fit(state.trouble, width), WARNING))
        elif state.now is not None:
            head += measured_lines(state.now, self._machine, width)
        head += [
            text_line(fit(f"  Without {name}: {words}", width), DIM) for name, words in state.missing.items()
        ]
        tried = [*tried_lines(state.tried, self._machine, width)] if state.tried else []
        room = height - len(head)
        if len(tried) > room:  # the oldest are removed first
            tried = [tried[0], *tried[len(tried) - room + 1 :]] if room > 1 else []
        return [*head, *tried]

    # the end

    def interrupt(self) -> bool:
        return self._session.stop()

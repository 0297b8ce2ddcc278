"""Inputs for answers: a number with its unit, a choice, an order.

Each sends ``Answered`` with the answer as text, which ``course.content.predictions.parse`` reads. Letters
that are not part of a number are left to the bindings of the screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input, Label

from asyncdemo.render.terminal.theme import Theme

_DIGITS: Final = frozenset("0123456789.,")


class Answered(Message):
    """An answer was given, changed or removed."""

    def __init__(self, field: AnswerField) -> None:
        super().__init__()
        self.field = field


class AnswerField(Widget):
    """An input for an answer."""

    @property
    def typed(self) -> str:
        """The answer as text, "" if there is none."""
        raise NotImplementedError

    @property
    def focused(self) -> Widget:
        """The part that takes the keys."""
        return self

    def confirm(self) -> None:
        """Accept the current value as the answer."""


class NumberInput(Input):
    """Takes digits, a point and a comma, which ``parse`` explains. Other letters are keys of the screen."""

    def __init__(self, value: str = "", placeholder: str = "", *, name: str | None = None) -> None:
        super().__init__(value, placeholder, name=name, compact=True, restrict=r"[0-9.,]*", max_length=12)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return character in _DIGITS

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """These are keys of the step."""
        return action not in ("submit", "page_up", "page_down", "scroll_up", "scroll_down")

    async def _on_key(self, event: events.Key) -> None:
        if event.is_printable and event.character not in _DIGITS:
            event.prevent_default()


class NumberField(AnswerField):
    """A number with its unit."""

    DEFAULT_CSS = """
    NumberField { height: 1; layout: horizontal; }
    NumberField NumberInput { width: 14; margin-right: 1; }
    NumberField Label { width: auto; }
    """

    def __init__(self, unit: str, typed: str) -> None:
        super().__init__()
        self._unit, self._given = unit, typed

    def compose(self) -> ComposeResult:
        yield NumberInput(self._given, "a number")
        yield Label(self._unit, markup=False)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(Answered(self))

    @property
    def typed(self) -> str:
        return self.query_one(NumberInput).value

    @property
    def focused(self) -> Widget:
        return self.query_one(NumberInput)


class AnswerList(AnswerField, can_focus=True):
    """Vertical items, one of them selected with the arrow keys."""

    DEFAULT_CSS = "AnswerList { height: auto; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("backspace,delete", "clear", "No answer", show=False),
    ]
    cursor = reactive(0)

    def __init__(self, items: Sequence[str], glyphs: Theme) -> None:
        super().__init__()
        self._items, self._glyphs = list(items), glyphs

    def _line(self, at: int, mark: str) -> Text:
        reached = at == self.cursor and self.has_focus
        return Text(f"{mark} {self._items[at]}", style="reverse" if reached else "")

    def _lines(self, marks: Sequence[str]) -> Text:
        return Text("\n").join(self._line(at, mark) for at, mark in enumerate(marks))

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        if event.y < len(self._items):
            self.clicked(event.y)

    def clicked(self, at: int) -> None:
        """Handle a click on an item."""
        raise NotImplementedError


class Choice(AnswerList):
    """One of several answers."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "take", "Choose", show=False)]

    def __init__(self, items: Sequence[str], typed: str, glyphs: Theme) -> None:
        super().__init__(items, glyphs)
        self._chosen = int(typed) - 1 if typed.isdecimal() else -1
        self.set_reactive(AnswerList.cursor, max(self._chosen, 0))

    @property
    def typed(self) -> str:
        return "" if self._chosen < 0 else str(self._chosen + 1)

    def render(self) -> Text:
        return self._lines(["(x)" if at == self._chosen else "( )" for at in range(len(self._items))])

    def action_move(self, by: int) -> None:
        self.clicked(min(max(self.cursor + by, 0), len(self._items) - 1))

    def clicked(self, at: int) -> None:
        self.cursor = at
        self.action_take()

    def confirm(self) -> None:
        if self._chosen < 0:
            self.action_take()

    def action_take(self) -> None:
        self._chosen = self.cursor
        self.refresh()
        self.post_message(Answered(self))

    def action_clear(self) -> None:
        self._chosen = -1
        self.refresh()
        self.post_message(Answered(self))


class Order(AnswerList):
    """All items in an order. Space picks one up or puts it down; meanwhile, the arrow keys move it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "take", "Pick up", show=False)]

    def __init__(self, items: Sequence[str], typed: str, glyphs: Theme) -> None:
        self._given = list(items)
        places = [int(word) - 1 for word in typed.split()]
        super().__init__([items[place] for place in places] or items, glyphs)
        self._answered = bool(places)
        self._held = False

    @property
    def typed(self) -> str:
        places = (str(self._given.index(item) + 1) for item in self._items)
        return " ".join(places) if self._answered else ""

    def render(self) -> Text:
        marks = [f"{at + 1}." if self._answered else " -" for at in range(len(self._items))]
        if self._held:
            marks[self.cursor] = " >"
        return self._lines(marks)

    def action_move(self, by: int) -> None:
        before, after = self.cursor, min(max(self.cursor + by, 0), len(self._items) - 1)
        if self._held:
            self._items[before], self._items[after] = self._items[after], self._items[before]
            self._tell()
        self.cursor = after

    def action_take(self) -> None:
        self._held = not self._held
        self._tell()
        self.refresh()

    def action_clear(self) -> None:
        self._items, self._answered, self._held = list(self._given), False, False
        self.refresh()
        self.post_message(Answered(self))

    def clicked(self, at: int) -> None:
        """Pick an item up with the first click, and put it down with the second."""
        while self._held and self.cursor != at:
            self.action_move(1 if at > self.cursor else -1)
        self.cursor = at
        self.action_take()

    def confirm(self) -> None:
        self._held = False
        self._tell()
        self.refresh()

    def on_blur(self) -> None:
        self._held = False

    def _tell(self) -> None:
        self._answered = True
        self.post_message(Answered(self))

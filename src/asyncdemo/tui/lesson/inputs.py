"""Inputs for answers: a number, a choice, an order.

The answer is a text, which ``course.content.predictions.parse`` reads. Letters that are not part of a number
are left to the bindings of the screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input

_DIGITS: Final = frozenset("0123456789.,")


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


class AnswerList(Widget, can_focus=True):
    """Vertical items, one of them selected with the arrow keys."""

    @dataclass
    class Answered(Message):
        """An answer was given, changed or removed."""

        field: AnswerList

    DEFAULT_CSS = "AnswerList { height: auto; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("space", "take", "Choose", show=False),
        Binding("backspace,delete", "clear", "No answer", show=False),
    ]
    cursor = reactive(0)

    def __init__(self, items: Sequence[str]) -> None:
        super().__init__()
        self._items = list(items)

    @property
    def typed(self) -> str:
        """The answer as text, "" if there is none."""
        raise NotImplementedError

    def confirm(self) -> None:
        """Accept what is selected as the answer."""
        raise NotImplementedError

    def _post_change(self) -> None:
        self.refresh()
        self.post_message(self.Answered(self))

    def _marks(self) -> list[str]:
        raise NotImplementedError

    def render(self) -> Text:
        reached = self.cursor if self.has_focus else -1
        lines = zip(self._marks(), self._items, strict=True)
        return Text("\n").join(
            Text(f"{mark} {item}", style="reverse" if at == reached else "")
            for at, (mark, item) in enumerate(lines)
        )

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        if event.y < len(self._items):
            self.clicked(event.y)

    def clicked(self, at: int) -> None:
        raise NotImplementedError

    def _moved(self, by: int) -> int:
        return min(max(self.cursor + by, 0), len(self._items) - 1)


class Choice(AnswerList):
    def __init__(self, items: Sequence[str], typed: str) -> None:
        super().__init__(items)
        self._chosen = int(typed) - 1 if typed.isdecimal() else -1
        self.set_reactive(AnswerList.cursor, max(self._chosen, 0))

    @property
    def typed(self) -> str:
        return "" if self._chosen < 0 else str(self._chosen + 1)

    def _marks(self) -> list[str]:
        return ["(x)" if at == self._chosen else "( )" for at in range(len(self._items))]

    def action_move(self, by: int) -> None:
        self.clicked(self._moved(by))

    def clicked(self, at: int) -> None:
        self.cursor = at
        self.action_take()

    def confirm(self) -> None:
        if self._chosen < 0:
            self.action_take()

    def action_take(self) -> None:
        self._chosen = self.cursor
        self._post_change()

    def action_clear(self) -> None:
        self._chosen = -1
        self._post_change()


class Order(AnswerList):
    """All items in an order. Space picks one up or puts it down; meanwhile, the arrow keys move it."""

    def __init__(self, items: Sequence[str], typed: str) -> None:
        self._given = list(items)
        places = [int(word) - 1 for word in typed.split()]
        super().__init__([items[place] for place in places] or items)
        self._answered = bool(places)
        self._held = False

    @property
    def typed(self) -> str:
        places = (str(self._given.index(item) + 1) for item in self._items)
        return " ".join(places) if self._answered else ""

    def _marks(self) -> list[str]:
        marks = [f"{at + 1}." if self._answered else " -" for at in range(len(self._items))]
        if self._held:
            marks[self.cursor] = " >"
        return marks

    def action_move(self, by: int) -> None:
        before, after = self.cursor, self._moved(by)
        if self._held:
            self._items[before], self._items[after] = self._items[after], self._items[before]
            self._post_order(held=True)
        self.cursor = after

    def action_take(self) -> None:
        self._post_order(held=not self._held)

    def action_clear(self) -> None:
        self._items, self._answered, self._held = list(self._given), False, False
        self._post_change()

    def clicked(self, at: int) -> None:
        """Pick an item up with the first click, and put it down with the second."""
        while self._held and self.cursor != at:
            self.action_move(1 if at > self.cursor else -1)
        self.cursor = at
        self.action_take()

    def confirm(self) -> None:
        self._post_order(held=False)

    def on_blur(self) -> None:
        self._held = False

    def _post_order(self, held: bool) -> None:
        self._answered, self._held = True, held
        self._post_change()

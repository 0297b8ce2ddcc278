"""Step 2, Predict: one question at a time, above the programs that it is about."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from asyncdemo.course.content.predictions import PredictionKind, offered
from asyncdemo.render.words import settings_words
from asyncdemo.tui.lesson.inputs import AnswerList, Choice, NumberInput, Order
from asyncdemo.tui.lesson.pane import Pane
from asyncdemo.tui.lesson.programs import Programs
from asyncdemo.tui.lesson.session import LessonSession

_KEYS = {
    PredictionKind.NUMBER: "Type a number. To continue, with or without an answer, press Enter.",
    PredictionKind.CHOICE: "Choose with Up and Down. Enter answers, Tab skips, Backspace clears.",
    PredictionKind.ORDER: "Space picks up or puts down, Up and Down move. Enter answers, Tab skips. "
    "Programs that take the same time may be in any order.",
}
_FINAL = "The programs have started, so you can't change this answer."


class PredictPane(Pane):
    """The current question, and the programs."""

    step = "predict"
    DEFAULT_CSS = """
    PredictPane #asked { height: auto; }
    PredictPane #answer { height: auto; margin: 0 0 0 3; }
    PredictPane NumberInput { width: 14; margin-right: 1; }
    PredictPane #unit { width: auto; }
    PredictPane Static { height: auto; }
    PredictPane Programs { margin-top: 1; }
    """
    can_focus = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "next", "Next", key_display="Enter"),
        Binding("shift+tab", "turn(-1)", "Previous", key_display="Shift+Tab"),
        Binding("tab", "turn(1)", "Next question", show=False),
        Binding("p", "program", "Program"),
        Binding("pagedown", "page(1)", "Program down", show=False),
        Binding("pageup", "page(-1)", "Program up", show=False),
    ]

    def __init__(self, session: LessonSession) -> None:
        super().__init__(session)
        self._place = 0
        self._inputs = [self._input(place) for place in range(len(session.predictions))]

    def compose(self) -> ComposeResult:
        with Vertical(id="asked"):
            yield Static(id="count", classes="dim", markup=False)
            yield Static(id="question", classes="heading", markup=False)
            with Horizontal(id="answer"):
                yield from self._inputs
                yield Static(id="unit", markup=False)
            yield Static(id="hint", classes="dim", markup=False)
        yield Programs(self.session.variants, self.glyphs)

    def shown(self) -> None:
        self._ask()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is no other program to turn to if all are visible."""
        return action != "program" or not self.query_one(Programs).side_by_side

    def action_program(self) -> None:
        self.query_one(Programs).turn()

    def action_page(self, by: int) -> None:
        self.query_one(Programs).page(by)

    def action_next(self) -> None:
        field = self._inputs[self._place]
        if isinstance(field, AnswerList):
            field.confirm()
        if self._answer(self._place):
            self.action_turn(1)

    def action_turn(self, by: int) -> None:
        """Go to another question; past the last one, to the run."""
        if self._place + by >= len(self.session.predictions):
            self.lesson_screen.go_to("run")
        elif self._place + by >= 0:
            self._place += by
            self._ask()

    def on_answer_list_answered(self, event: AnswerList.Answered) -> None:
        self._answer(self._inputs.index(event.field))

    def on_input_changed(self, event: Input.Changed) -> None:
        self._answer(next(place for place, field in enumerate(self._inputs) if field is event.input))

    def _answer(self, place: int) -> bool:
        """Store the current answer. Returns whether it is valid or empty."""
        session, typed = self.session, self._typed(place)
        try:
            session.answer(place, typed)
        except ValueError as error:
            session.answer(place, "")  # what was typed so far is not an answer either
            words, bad = f"Not understood: {error}.", True
        else:
            words, bad = session.note or _KEYS[session.predictions[place].kind], False
        if place == self._place and not session.answers_are_final:  # the last input may arrive late
            self._hint(words, bad=bad)
        self._count()
        return typed == session.typed(place)

    def _typed(self, place: int) -> str:
        field = self._inputs[place]
        return field.value if isinstance(field, NumberInput) else field.typed

    def _hint(self, words: str, bad: bool = False) -> None:
        hint = self.query_one("#hint", Static)
        hint.update(words)
        hint.set_class(bad, "bad").set_class(not bad, "dim")

    def _count(self) -> None:
        asked = len(self.session.predictions)
        answered = len(self.session.answers())
        settings = settings_words(self.session.settings)  # the programs below have their own values
        about = f"This time: {settings}." if settings else "The lines that differ are marked."
        self.query_one("#count", Static).update(
            f"Question {self._place + 1} of {asked}, {answered} answered. {about}"
        )

    def _ask(self) -> None:
        prediction = self.session.predictions[self._place]
        self._count()
        self.query_one("#question", Static).update(self.session.question(self._place).replace("`", ""))
        self.query_one("#unit", Static).update(prediction.unit)
        self.query_one(Programs).show(prediction.variant)
        final = self.session.answers_are_final
        for place, field in enumerate(self._inputs):
            field.display = place == self._place
            field.disabled = final
        self._hint(_FINAL if final else _KEYS[prediction.kind])
        self.take_focus(self if final else self._inputs[self._place])

    def _input(self, place: int) -> NumberInput | AnswerList:
        session = self.session
        prediction, typed = session.predictions[place], session.typed(place)
        if prediction.kind is PredictionKind.NUMBER:
            return NumberInput(typed, "a number")
        if prediction.kind is PredictionKind.CHOICE:
            return Choice(offered(prediction, session.values), typed)
        return Order(session.names, typed)

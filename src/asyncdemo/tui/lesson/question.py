"""Step 1, Question: the lesson's question.

Not here: the questions that are answered with a figure (see ``predict``).
"""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Markdown, Static

from asyncdemo.course.content.text import sections
from asyncdemo.tui.lesson.pane import Pane


class QuestionPane(Pane):
    """The text of the question, and what is missing if the lesson can't run here."""

    step = "question"
    DEFAULT_CSS = """
    QuestionPane Static { height: auto; }
    QuestionPane Markdown { margin: 0; padding: 0; max-width: 100; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "go_on", "Go on", key_display="Enter"),
    ]

    def compose(self) -> ComposeResult:
        yield Static(self.session.missing, classes="bad", markup=False)
        with VerticalScroll():
            yield Markdown(sections(self.session.lesson.readme).get("The question", ""), open_links=False)

    def shown(self) -> None:
        self.take_focus(self.query_one(VerticalScroll))

    def action_go_on(self) -> None:
        self.lesson_screen.step(1)

"""Step 4, Result, on one screen: predictions, what happened, one picture, one line of figures each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widget import Widget

from asyncdemo.course.content.text import ending, learner_text, sections
from asyncdemo.course.judging.answers import JudgedAnswer
from asyncdemo.render.terminal.draw import Line, text_line
from asyncdemo.render.terminal.picture import picture_of_runs, whole_height
from asyncdemo.render.terminal.report import report_lines
from asyncdemo.render.terminal.theme import DIM, EMPHASIS, WARNING
from asyncdemo.render.words import fit
from asyncdemo.render.wrapping import wrap
from asyncdemo.tui.app import ReadingScreen, markdown
from asyncdemo.tui.drawing import Drawing
from asyncdemo.tui.lesson.pane import Pane
from asyncdemo.tui.lesson.session import LessonRun
from asyncdemo.tui.viewer import ViewerScreen

_LEAST_QUESTION = 12
"""Minimum width for a useful part of a question."""
_WIDEST = 100
"""Maximum width of a line that is comfortable to read."""
_RIGHT = Style(color="green", bold=True)


class ResultPane(Pane):
    """The latest run with the first settings."""

    step = "result"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "change", "Change", key_display="Enter"),
        Binding("w", "why", "Why"),
        Binding("f", "figures", "Report"),
        Binding("v", "picture", "Picture"),
        Binding("t", "text", "Text"),
    ]
    can_focus = True

    def compose(self) -> ComposeResult:
        yield Drawing(self._lines)

    def shown(self) -> None:
        super().shown()
        self.query_one(Drawing).redraw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("why", "text"):
            return self.session.was_run
        return self.session.first is not None if action in ("figures", "picture") else True

    def action_change(self) -> None:
        self.lesson_screen.go_to("change")

    def action_picture(self) -> None:
        self.app.push_screen(ViewerScreen(self._run.runs))

    def action_figures(self) -> None:
        run, glyphs = self._run, self.glyphs
        report = Drawing(
            lambda width, _: list(
                report_lines(
                    run.runs, glyphs, width, expected=run.expected, details=True, findings_first=True
                )
            )
        )
        self._read("The report of this run: findings and figures", report)

    def action_why(self) -> None:
        answers = "\n".join(
            f"{answer.place}. {self.session.question(answer.place - 1)}  \n"
            f"   **{answer.sentence}** {answer.why}\n"
            for answer in self.session.judged()
        )
        lesson = self.session.lesson
        readme = sections(lesson.readme)
        parts = [answers, readme.get("What you saw", ""), readme.get("Why", "")]
        if lesson.exercise is None:  # else after it has passed
            parts.append(ending(lesson.readme, lesson.id))
        self._read("Why", markdown("\n\n".join(filter(None, parts))))

    def action_text(self) -> None:
        readme = self.session.lesson.readme
        self._read(str(readme), markdown(learner_text(readme)))

    @property
    def _run(self) -> LessonRun:
        assert self.session.first is not None  # ``check_action`` makes sure of it
        return self.session.first

    def _read(self, title: str, content: Widget) -> None:
        self.app.push_screen(ReadingScreen(title, content))

    def _lines(self, width: int, height: int) -> list[Line]:
        run = self.session.first
        if run is None:
            words = "Not run since you opened this lesson. To go to the run, press 3."
            if self.session.was_run:
                words += "\nTo read what you saw and why, press w; for the whole text, t."
            return [text_line(line, DIM) for line in words.splitlines()]
        answers = list(self._answers(run, width, height))
        room = height - len(answers) - 1
        picture = picture_of_runs(run.runs, self.glyphs, width, room, run.figures, "v unfolds")
        return [*answers, [], *picture]

    def _answers(self, run: LessonRun, width: int, height: int) -> Iterator[Line]:
        """Yield as much of each answer as there is room for: one line; with its question; with the reason."""
        room = height - whole_height(run.runs, width) - 1
        if run.no_verdict:
            words = f"{run.no_verdict} To run it again, press 3, then r."
            yield text_line(fit(words, width, self.glyphs.ellipsis), WARNING)
        judged = self.session.judged()
        for draw in (self._with_reason, self._with_question):
            lines = [line for answer in judged for line in draw(answer, width)]
            if len(lines) <= room:
                yield from lines
                return
        for answer in judged:
            yield from self._brief(answer, width)

    def _brief(self, answer: JudgedAnswer, width: int) -> Iterator[Line]:
        """Yield a line, with a part of the question if there is room; more if the answer is long."""
        mark, emphasis = self._mark(answer)
        first, *more = wrap(f"{answer.place}. {answer.sentence}", width - 2)
        left = 0 if more else width - 4 - len(first)
        question = fit(self._question(answer), left, self.glyphs.ellipsis)
        yield [
            mark,
            Segment(first, emphasis),
            Segment(f"  {question}" if left > _LEAST_QUESTION else "", DIM),
        ]
        yield from (text_line(f"     {part}", emphasis) for part in more)

    def _with_question(self, answer: JudgedAnswer, width: int) -> Iterator[Line]:
        mark, emphasis = self._mark(answer)
        width = min(width, _WIDEST)
        first, *more = wrap(f"{answer.place}. {self._question(answer)}", width - 2)
        yield [mark, Segment(first)]
        yield from (text_line(f"     {part}") for part in more)
        yield from (text_line(f"     {part}", emphasis) for part in wrap(answer.sentence, width - 5))

    def _with_reason(self, answer: JudgedAnswer, width: int) -> Iterator[Line]:
        yield from self._with_question(answer, width)
        why = wrap(answer.why.replace("`", ""), min(width, _WIDEST) - 5)
        yield from (text_line(f"     {part}", DIM) for part in why)

    def _mark(self, answer: JudgedAnswer) -> tuple[Segment, Style | None]:
        mark, style = {
            True: (self.glyphs.good, _RIGHT),
            False: (self.glyphs.bad, WARNING),
            None: (self.glyphs.dot, DIM),
        }[answer.right]
        return Segment(f"{mark} ", style), EMPHASIS if answer.said else None

    def _question(self, answer: JudgedAnswer) -> str:
        return self.session.question(answer.place - 1).replace("`", "")

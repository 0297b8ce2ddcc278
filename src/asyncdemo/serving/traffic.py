"""The load client of a session: its events go to the recording of the server that it loads."""

from __future__ import annotations

from typing import Final

from asyncdemo.load import Answered, Client, Connected, Plan, Sent
from asyncdemo.model import Answer
from asyncdemo.recording.runner import RequestMatcher

_BROKEN_OFF: Final = ("refused", "reset", "closed")


class Traffic:
    """Starts immediately. ``sent`` counts the requests so far, ``answered`` those with a whole response."""

    def __init__(self, plan: Plan, intake: RequestMatcher) -> None:
        self._plan = plan
        self._intake = intake
        self._answers: dict[int, Answer] = {}
        self.client = Client(plan)
        self.sent = 0
        self.answered = 0
        self.cut_off = False
        """From now on, connections that the server breaks off are our doing."""

    @property
    def answers(self) -> list[Answer]:
        """One for each request, in order, if the plan keeps them."""
        return [self._answers[number] for number in sorted(self._answers)]

    def receive(self, timeout_s: float = 0) -> None:
        for event in self.client.read(timeout_s):
            if isinstance(event, Sent):
                self.sent += 1
                self._keep(event.number, None, "", b"")
                name = f"{event.name} {event.number + 1}"
                self._intake.request_sent(
                    event.number, event.trace_id, name, event.intended_ns, event.sent_ns, event.port
                )
            elif isinstance(event, Connected):
                self._intake.request_connected(event.number, event.port)
            else:
                self._handle_answer(event)

    def _handle_answer(self, event: Answered) -> None:
        self.answered += event.error is None
        error = "interrupted" if self.cut_off and event.error in _BROKEN_OFF else event.error
        self._intake.request_answered(event.number, event.at_ns, event.status, error)
        self._keep(event.number, event.status, event.content_type, event.body)

    def _keep(self, number: int, status: int | None, content_type: str, body: bytes) -> None:
        if self._plan.keep_answers:
            send = self._plan.sends[number % len(self._plan.sends)]
            self._answers[number] = Answer(send.method, send.path, status, content_type, body)

"""The requests that a server got in a run, and the sentences about them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, NoReturn, Self

from asyncdemo.model import Answer, Evidence, Request
from asyncdemo.testing.checks.observation import CheckFailed, Observation, Sentences
from asyncdemo.testing.checks.words import count, join_names, was

__tracebackhide__ = True
"""pytest shows the line of the test that failed, not ours."""

_LONGEST_BODY = 120
"""How many characters of an answer a sentence shows."""


class Requests(Sentences):
    """Some requests of a run. Made by ``Seen.requests``.

    A method is a sentence: it returns the requests, or raises ``CheckFailed``.
    """

    def __init__(
        self, observation: Observation, nouns: str, indices: Sequence[int], answers: Sequence[Answer]
    ) -> None:
        """Made by ``Seen.requests``.

        Args:
            observation: The observed run.
            nouns: What sentences call them, in the plural.
            indices: Their indices in ``run.requests``.
            answers: The answers to all requests of the run, in that order.
        """
        self._observation = observation
        self._nouns = nouns
        self._indices = tuple(indices)
        self._answers = answers

    def __len__(self) -> int:
        return len(self._indices)

    @property
    def requests(self) -> list[Request]:
        """The requests themselves, in the order of sending."""
        return [self._observation.run.requests[index] for index in self._indices]

    @property
    def bodies(self) -> list[Any]:
        """The answers' bodies, in the order of sending, parsed as JSON; an invalid one fails the check."""
        return [self._body(index) for index in self._indices]

    def all_answered(self, number: int, status: int = 200) -> Self:
        """Assert that this many were sent, and each got a whole response with this status."""
        if len(self) != number:
            seen = f"{len(self) or 'none'} {was(len(self))} sent"
            self._fail(f"There should be {count(number, self._nouns)}; {seen}.", self._indices)
        wrong = [i for i in self._indices if _ending(self._request(i)) != _with_status(status)]
        if wrong:
            endings = Counter(_ending(self._request(index)) for index in wrong)
            words = join_names([f"{many} {ending}" for ending, many in endings.items()])
            self._fail(
                f"All of the {count(number, self._nouns)} should be answered with status {status}; {words}.",
                wrong,
            )
        all_were = f"All of the {number} {self._nouns} were" if number != 1 else f"The {self._nouns} was"
        return self._held(f"{all_were} answered with status {status}.")

    def all_answer(self, value: Any) -> Self:
        """Assert that the body of each answer is this value as JSON."""
        if not self._indices:
            self._fail(f"There should be {self._nouns}; none were sent.", ())
        for index in self._indices:
            said = self._body(index)
            if said != value:
                name = self._request(index).name
                self._fail(f"{name} should be answered with {_short(value)}; it was {_short(said)}.", [index])
        return self._held(f"Each of the {self._nouns} was answered with {_short(value)}.")

    # -- parts ----------------------------------------------------------------------------------

    def _body(self, index: int) -> Any:
        request = self._request(index)
        answer = self._answers[index]
        try:
            return json.loads(answer.body)
        except ValueError:
            said = _short(answer.body.decode("utf-8", "replace")) if answer.body else "nothing"
            self._fail(
                f"{request.name} should be answered with JSON; it was {said} ({_ending(request)}).", [index]
            )

    def _request(self, index: int) -> Request:
        return self._observation.run.requests[index]

    def _fail(self, message: str, indices: Sequence[int]) -> NoReturn:
        shown = tuple(indices)
        requests = [self._request(index) for index in shown]
        evidence = None
        if requests:
            evidence = Evidence(
                self._observation.run,
                (),
                min(request.start_ns for request in requests),
                max(request.end_ns for request in requests),
                requests=shown,
            )
        raise CheckFailed(message, evidence)


def _with_status(status: int) -> str:
    return f"got status {status}"


def _ending(request: Request) -> str:
    if request.error is not None:
        return f"failed ({request.error})"
    return "got no answer" if request.status is None else _with_status(request.status)


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=repr)
    return text if len(text) <= _LONGEST_BODY else f"{text[:_LONGEST_BODY]} ..."

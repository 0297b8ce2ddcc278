"""The answers of a class to one question, and the number of hands for each. Pure.

Not here: which is right (see ``course.content.predictions``), its look (``render.terminal.slide_blocks``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

MOST_ANSWERS: Final = 9
"""Each has a digit."""


class Poll:
    """A poll.

    Attributes:
        answers: In order, in words.
        hands: The number of hands for each.
        picked: The index of the answer counted last, if any.
    """

    def __init__(self, answers: Iterable[str] = ()) -> None:
        self.answers = list(answers)[:MOST_ANSWERS]
        self.hands = [0] * len(self.answers)
        self._given = len(self.answers)
        self.picked: int | None = None

    @property
    def voted(self) -> bool:
        return any(self.hands)

    def offer(self, answer: str) -> bool:
        """Add an answer from the class, and pick it; False if there are too many."""
        if answer not in self.answers:
            if len(self.answers) == MOST_ANSWERS:
                return False
            self.answers.append(answer)
            self.hands.append(0)
        self.picked = self.answers.index(answer)
        return True

    def raise_hand(self, place: int) -> bool:
        """Count one more hand for an answer, and pick it; False if there is no such answer."""
        if not 0 <= place < len(self.answers):
            return False
        self.picked = place
        self.hands[place] += 1
        return True

    def lower_hand(self, place: int | None = None) -> bool:
        """Count one hand fewer, by default for the picked answer. False if there is none to remove.

        An answer from the class without any hands is removed.
        """
        place = self.picked if place is None else place
        if place is None or not 0 <= place < len(self.answers):
            return False
        if not self.hands[place] and place >= self._given:
            del self.answers[place], self.hands[place]
            self.picked = None
            return True
        if not self.hands[place]:
            return False
        self.picked = place
        self.hands[place] -= 1
        return True

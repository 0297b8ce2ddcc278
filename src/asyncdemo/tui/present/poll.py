"""The answers of a class to one question, and how many hands went up for each. Pure.

Not for: what is right (``course.content.predictions``), or how it looks (``render.terminal.slide_blocks``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

MOST_ANSWERS: Final = 9
"""Each has a digit."""


class Poll:
    """Attributes:
    answers: In order, in words.
    hands: How many are up for each.
    picked: The place of the one that was counted last, if any.
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
        """Add an answer of the class, and pick it; False if there are too many."""
        if answer not in self.answers:
            if len(self.answers) == MOST_ANSWERS:
                return False
            self.answers.append(answer)
            self.hands.append(0)
        self.picked = self.answers.index(answer)
        return True

    def raise_hand(self, place: int) -> bool:
        """One more for the answer at that place, which is picked; False if there is none."""
        if not 0 <= place < len(self.answers):
            return False
        self.picked = place
        self.hands[place] += 1
        return True

    def lower_hand(self, place: int | None = None) -> bool:
        """One fewer; place: of the answer, by default the one picked. False if there is none to take.

        An answer of the class that nobody is for any more is taken back.
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

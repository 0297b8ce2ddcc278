"""Whether arrivals are what a Poisson process of a rate would give: two tests of recorded times. Pure.

Not for: making them (``asyncdemo.load.schedule``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

_SECOND_NS = 1e9
_TERMS = 100


def count_p(count: int, expected: float) -> float:
    """How probable a count so far from the expected one is, or further: normal approximation, two-sided.

    Good from some dozens on. expected: rate times duration, which is also the variance.
    """
    if not expected > 0:
        raise ValueError(f"expected is {expected}; it must be above 0")
    return math.erfc(abs(count - expected) / math.sqrt(2 * expected))


def gaps_p(arrivals_ns: Sequence[int], rate: float) -> float:
    """How probable gaps so far from exponential ones of this rate are, or further.

    arrivals_ns: in order. Kolmogorov-Smirnov, against a distribution that is given and not fitted; with the
    limit's series and Stephens' correction for a finite number (Journal of the Royal Statistical Society B
    32, 1970). Raises ValueError for fewer than two arrivals.
    """
    gaps_s = sorted((later - earlier) / _SECOND_NS for earlier, later in pairwise(arrivals_ns))
    if not gaps_s:
        raise ValueError("there is no gap between fewer than two arrivals")
    many = len(gaps_s)
    furthest = 0.0
    for place, gap_s in enumerate(gaps_s):
        share = -math.expm1(-rate * gap_s)
        furthest = max(furthest, share - place / many, (place + 1) / many - share)
    scaled = furthest * (math.sqrt(many) + 0.12 + 0.11 / math.sqrt(many))
    terms = ((-1) ** (term - 1) * math.exp(-2 * (term * scaled) ** 2) for term in range(1, _TERMS))
    return min(1.0, max(0.0, 2 * sum(terms))) if scaled > 0.2 else 1.0

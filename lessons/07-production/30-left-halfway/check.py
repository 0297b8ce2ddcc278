"""When the connections are back, in sentences."""

import random
from collections import Counter
from dataclasses import dataclass

from asyncdemo.analysis.metrics import most_at_once
from asyncdemo.testing.checks import Calls, Lane, Outcome, Seen

SLACK_NS = 1_000_000
"""Virtual time is exact, but each look at the clock takes a microsecond of it."""


@dataclass(frozen=True)
class Loan:
    """One connection, from borrow to borrow."""

    connection: int
    borrow: Lane
    fetches: tuple[Lane, ...]
    back: Lane | None


def check(seen: Seen) -> None:
    clients, questions = int(seen.knobs["CLIENTS"]), int(seen.knobs["QUESTIONS"])
    firsts = seen.calls("first", "questions").happen(clients * questions)
    the_functions_are_as_they_were(seen)
    each_is_given_back_once(seen)
    loans = loans_of(seen)
    what_is_fetched_is_borrowed(seen, loans)
    each_is_back_when_first_is_over(seen, firsts, loans)
    the_borrower_gives_it_back(seen, loans)
    no_row_is_fetched_for_nothing(seen, firsts)
    first_ends_as_it_should(seen, firsts)
    at_the_same_time(seen, loans)
    wanted = [answer(seen, n)[1] or "a row is damaged" for n in range(1, clients * questions + 1)]
    found = [None if one == "None" else one if one.startswith("a ") else int(one) for one in wanted]
    seen.calls("main").return_values([[found[n : n + questions] for n in range(0, len(found), questions)]])
    seen.no_warnings()
    seen.never_blocked()


def answer(seen: Seen, question: int) -> tuple[int, str]:
    """At which row the question stops, and what first returns there; "" if it raises."""
    rows, least = int(seen.knobs["ROWS"]), int(seen.knobs["LEAST"])
    for n in range(1, rows + 1):
        amount = amount_of(seen, question, n)
        if amount <= 0:
            return n, ""
        if amount >= least:
            return n, str(amount)
    return rows, "None"


def amount_of(seen: Seen, question: int, n: int) -> int:
    return random.Random(int(seen.knobs["SEED"]) + 1000 * question + n).randint(-5, 100)


def the_functions_are_as_they_were(seen: Seen) -> None:
    row_s, back_s = float(seen.knobs["ROW_S"]), float(seen.knobs["BACK_S"])
    for lane in seen.calls("fetch").lanes:
        _, question, n = numbers(lane)
        amount = amount_of(seen, question, n)
        row = repr(str(amount) if amount > 0 else "damaged")
        if lane.outcome is Outcome.RETURNED:
            the_same(seen, lane.result == row and took_s(lane) >= row_s - 1e-6, "fetch")
    for lane in seen.calls("give_back").lanes:
        if lane.outcome is Outcome.RETURNED:
            the_same(seen, took_s(lane) >= back_s - 1e-6, "give_back")


def each_is_given_back_once(seen: Seen) -> None:
    """A connection that is twice in the pool spoils the other loans, so this comes before them."""
    borrows, backs = seen.calls("borrow"), seen.calls("give_back")
    seen.expect(
        bool(len(borrows)),
        "",
        "Each question should borrow a connection; borrow was never called.",
        at=seen.calls("first"),
    )
    seen.held.pop()
    borrowed = Counter(int(lane.result) for lane in borrows.lanes if lane.outcome is Outcome.RETURNED)
    returned = Counter(numbers(lane)[0] for lane in backs.lanes)
    for connection in sorted({*borrowed, *returned}):
        seen.expect(
            borrowed[connection] == returned[connection],
            "",
            f"Each connection that is borrowed should be given back once; connection {connection} was "
            f"borrowed {times(borrowed[connection])} and given back {times(returned[connection])}.",
            at=backs if backs else borrows,
        )
        seen.held.pop()
    seen.held.append("Each connection that was borrowed was given back once.")


def loans_of(seen: Seen) -> list[Loan]:
    """A connection is somebody's from the end of borrow until somebody else borrows it."""
    by_connection: dict[int, list[Lane]] = {}
    for lane in seen.calls("borrow").lanes:
        if lane.outcome is Outcome.RETURNED:
            by_connection.setdefault(int(lane.result), []).append(lane)
    loans = []
    for connection, borrows in by_connection.items():
        borrows.sort(key=lambda lane: lane.end_ns)
        ends = [*(lane.end_ns for lane in borrows[1:]), float("inf")]
        for borrow, end_ns in zip(borrows, ends, strict=True):
            fetches, backs = (
                [
                    lane
                    for lane in seen.calls(name).lanes
                    if numbers(lane)[0] == connection and borrow.end_ns <= lane.start_ns < end_ns
                ]
                for name in ("fetch", "give_back")
            )
            loans.append(Loan(connection, borrow, tuple(fetches), backs[0] if backs else None))
    return loans


def what_is_fetched_is_borrowed(seen: Seen, loans: list[Loan]) -> None:
    fetches = seen.calls("fetch")
    fine = {
        lane
        for loan in loans
        for lane in loan.fetches
        if loan.back is not None and lane.end_ns <= loan.back.start_ns + SLACK_NS
    }
    bad = next((lane for lane in fetches.lanes if lane not in fine), None)
    seen.expect(
        bad is None,
        "Each row was fetched on a borrowed connection.",
        f"Rows should be fetched on a connection that is borrowed; {bad.name if bad else ''} used connection "
        f"{numbers(bad)[0] if bad else 0} before it was borrowed, or after it was given back.",
        at=fetches,
    )
    mixed = next((loan for loan in loans if len({numbers(lane)[1] for lane in loan.fetches}) != 1), None)
    asked = sorted({numbers(lane)[1] for lane in mixed.fetches}) if mixed else []
    seen.expect(
        mixed is None and len(loans) == len(seen.calls("first")),
        "Each question borrowed a connection.",
        "Each question should borrow a connection, once; "
        + (
            f"connection {mixed.connection} was borrowed for {len(asked)} questions at once."
            if mixed
            else f"for {len(seen.calls('first'))} questions, {len(loans)} were borrowed."
        ),
        at=seen.calls("borrow"),
    )


def each_is_back_when_first_is_over(seen: Seen, firsts: Calls, loans: list[Loan]) -> None:
    by_question = {numbers(loan.fetches[0])[1]: loan for loan in loans}
    late = []
    for lane in firsts.lanes:
        loan = by_question.get(numbers(lane)[0])
        late += [(lane, loan)] if loan and loan.back and loan.back.end_ns > lane.end_ns else []
    words = ""
    if late:
        # One that comes back at all says more than one that is cut off by the end of the program.
        lane, loan = min(late, key=lambda one: (came_back(one[1]) is None, one[0].end_ns))
        back, ended = came_back(loan), "raised" if lane.outcome is Outcome.RAISED else "returned"
        later = "it never came back" if back is None else f"it came back {(back - lane.end_ns) / 1e9:.2f} s later"
        who = "" if by_its_borrower(loan) else ", in another task"
        words = f"{lane.name} {ended}, and {later}{who}. What has been left halfway is still open."
    seen.expect(
        not late,
        "When first was over, the connection was back.",
        f"When first is over, the connection that it borrowed should be back; {words}",
        at=firsts,
    )


def came_back(loan: Loan) -> int | None:
    returned = loan.back is not None and loan.back.outcome is Outcome.RETURNED
    return loan.back.end_ns if loan.back is not None and returned else None


def by_its_borrower(loan: Loan) -> bool:
    return loan.back is not None and loan.back.track == loan.borrow.track


def the_borrower_gives_it_back(seen: Seen, loans: list[Loan]) -> None:
    other = next((loan for loan in loans if not by_its_borrower(loan)), None)
    seen.expect(
        other is None,
        "Each connection was given back by the task that borrowed it.",
        "A connection should be given back by the task that borrowed it; for question "
        f"{numbers(other.fetches[0])[1] if other else 0}, another task gave back connection "
        f"{other.connection if other else 0}. Who closes what has been left halfway?",
        at=seen.calls("give_back"),
    )
    seen.calls("give_back").all_return()


def no_row_is_fetched_for_nothing(seen: Seen, firsts: Calls) -> None:
    fetched: dict[int, list[int]] = {}
    for lane in seen.calls("fetch").lanes:
        fetched.setdefault(numbers(lane)[1], []).append(numbers(lane)[2])
    for question in range(1, len(firsts) + 1):
        last, got = answer(seen, question)[0], fetched.get(question, [])
        seen.expect(
            got == list(range(1, last + 1)),
            "",
            f"Question {question} should fetch its rows in order and stop at row {last}; it fetched "
            f"{', '.join(map(str, got)) or 'none'}.",
            at=seen.calls("fetch"),
        )
        seen.held.pop()
    seen.held.append("Each question fetched the rows that it needed, and no more.")


def first_ends_as_it_should(seen: Seen, firsts: Calls) -> None:
    for lane in firsts.lanes:
        last, wanted = answer(seen, numbers(lane)[0])
        raised = lane.outcome is Outcome.RAISED
        was = f"it raised {lane.error}" if raised else f"it returned {lane.result}"
        fine = raised and str(lane.error).startswith("ValueError") if not wanted else lane.result == wanted
        seen.expect(
            fine,
            "",
            f"Row {last} is {'damaged' if not wanted else 'the last that it needs'}, so {lane.name} should "
            f"{f'return {wanted}' if wanted else 'raise the ValueError of read'}; {was}.",
            at=firsts,
        )
        seen.held.pop()
    seen.held.append("Each question found what there was, or raised the ValueError.")


def at_the_same_time(seen: Seen, loans: list[Loan]) -> None:
    wanted = min(int(seen.knobs["CLIENTS"]), int(seen.knobs["CONNECTIONS"]))
    most = most_at_once((loan.borrow.end_ns, loan.back.end_ns) for loan in loans if loan.back)
    seen.expect(
        most == wanted,
        f"{wanted} questions were asked at the same time.",
        f"{wanted} questions should be asked at the same time, each on its own connection; it was {most}.",
        at=seen.calls("first"),
    )


def the_same(seen: Seen, holds: bool, functions: str) -> None:
    seen.expect(holds, "", f"Leave {functions} as the exercise has it.")
    seen.held.pop()


def numbers(lane: Lane) -> list[int]:
    """The arguments of the call: ``fetch(2, 5, 1)``."""
    return [int(one) for one in lane.name.partition("(")[2].rstrip(")").split(",")]


def times(number: int) -> str:
    return "never" if number == 0 else "once" if number == 1 else f"{number} times"


def took_s(lane: Lane) -> float:
    return (lane.end_ns - lane.start_ns) / 1e9

"""When the connections are back, in sentences."""

import random
from collections import Counter
from dataclasses import dataclass, field

from asyncdemo.analysis.metrics import most_at_once
from asyncdemo.testing.checks import Calls, Lane, Outcome, Seen

ASK = "Each generator has to be closed by the code that takes values from it: has each one?"


@dataclass
class Loan:
    """One connection, from the first row that is fetched on it until it's given back."""

    connection: int
    fetches: list[Lane] = field(default_factory=list)
    back: Lane | None = None

    @property
    def question(self) -> int:
        return numbers(self.fetches[0])[1]

    @property
    def by_another_task(self) -> bool:
        return self.back is not None and any(lane.track != self.back.track for lane in self.fetches)


def check(seen: Seen) -> None:
    questions = int(seen.knobs["QUESTIONS"])
    firsts = seen.calls("first", "questions").happen(questions).all_return()
    the_functions_are_as_they_were(seen)
    each_is_given_back_once(seen, questions)
    loans = loans_of(seen)
    nobody_else_uses_it(seen, loans)
    each_is_back_when_first_is_over(seen, firsts, loans)
    who_fetched_gives_it_back(seen, loans)
    no_row_is_fetched_for_nothing(seen, questions)
    first_returns_what_there_is(seen, firsts)
    at_the_same_time(seen, loans)
    seen.calls("main").return_values([[answer(seen, n)[1] for n in range(1, questions + 1)]])
    seen.no_warnings()
    seen.never_blocked()


def the_functions_are_as_they_were(seen: Seen) -> None:
    row_s, back_s = float(seen.knobs["ROW_S"]), float(seen.knobs["BACK_S"])
    for lane in done(seen, "fetch"):
        _, question, n = numbers(lane)
        the_same(seen, lane.result == repr(row(seen, question, n)) and took_s(lane) >= row_s - 1e-6, "fetch")
    for lane in done(seen, "give_back"):
        the_same(seen, took_s(lane) >= back_s - 1e-6, "give_back")


def each_is_given_back_once(seen: Seen, questions: int) -> None:
    """What is twice in the pool, or never again, spoils the other loans: so this comes before them."""
    fetches, backs = seen.calls("fetch"), seen.calls("give_back")
    users: dict[int, set[int]] = {}
    for lane in fetches.lanes:
        connection, question, _ = numbers(lane)
        users.setdefault(connection, set()).add(question)
    given = Counter(numbers(lane)[0] for lane in backs.lanes)
    for connection in sorted({*users, *given}):
        used = len(users.get(connection, ()))
        seen.expect(
            used == given[connection],
            "",
            "Each question should borrow a connection, and give it back once; connection "
            f"{connection} was used for {counted(used, 'question')}, and given back "
            f"{counted(given[connection], 'time')}.",
            at=backs if backs else fetches,
        )
    asked = {question for one in users.values() for question in one}
    missing = [n for n in range(1, questions + 1) if n not in asked]
    seen.expect(
        not missing,
        "Each question borrowed a connection, which was given back once.",
        f"Each question should fetch rows on a connection; question {missing[0] if missing else 0} did not.",
        at=fetches if fetches else seen.calls("first"),
    )


def loans_of(seen: Seen) -> list[Loan]:
    loans = list[Loan]()
    open_loans: dict[int, Loan] = {}
    both = [*seen.calls("fetch").lanes, *seen.calls("give_back").lanes]
    for lane in sorted(both, key=lambda one: one.start_ns):
        connection = numbers(lane)[0]
        if lane.name.startswith("fetch"):
            if connection not in open_loans:
                loans.append(open_loans.setdefault(connection, Loan(connection)))
            open_loans[connection].fetches.append(lane)
        elif connection in open_loans:
            open_loans.pop(connection).back = lane
    return loans


def each_is_back_when_first_is_over(seen: Seen, firsts: Calls, loans: list[Loan]) -> None:
    by_question = {loan.question: loan for loan in loans}
    late = [
        (lane, loan)
        for lane in firsts.lanes
        if (loan := by_question.get(numbers(lane)[0]))
        and (loan.back is None or loan.back.end_ns > lane.end_ns)
    ]
    # One that comes back late says more than one that the end of the program cuts off.
    late.sort(key=lambda one: (came_back_ns(one[1]) is None, one[0].end_ns))
    seen.expect(
        not late,
        "When first was over, its connection was back.",
        "When first is over, its connection should be back; " + (late_words(*late[0]) if late else ""),
        at=firsts,
    )


def late_words(first: Lane, loan: Loan) -> str:
    back_ns = came_back_ns(loan)
    when = f"came back {(back_ns - first.end_ns) / 1e9:.2f} s later" if back_ns else "never came back"
    who = ", in another task" if loan.by_another_task else ""
    return f"{first.name} returned, and connection {loan.connection} {when}{who}. {ASK}"


def came_back_ns(loan: Loan) -> int | None:
    back = loan.back
    return back.end_ns if back is not None and back.outcome is Outcome.RETURNED else None


def who_fetched_gives_it_back(seen: Seen, loans: list[Loan]) -> None:
    other = next((loan for loan in loans if loan.by_another_task), None)
    seen.expect(
        other is None,
        "Each connection was given back by the task that had fetched rows on it.",
        "A connection should be given back by the task that has fetched rows on it; "
        + (by_another_words(seen, other) if other else ""),
        at=seen.calls("give_back"),
    )
    seen.calls("give_back").all_return()


def by_another_words(seen: Seen, loan: Loan) -> str:
    fetched = sorted({seen.run.tracks[lane.track].name for lane in loan.fetches})
    back = seen.run.tracks[loan.back.track].name if loan.back else "nobody"
    several = len(fetched) > 1
    who = f"{len(fetched)} tasks" if several else fetched[0]
    why = "Why do others fetch them?" if several else ASK
    return f"for question {loan.question}, {who} fetched rows, and {back} gave it back. {why}"


def nobody_else_uses_it(seen: Seen, loans: list[Loan]) -> None:
    bad = [loan.connection for loan in loans if len({numbers(lane)[1] for lane in loan.fetches}) > 1]
    ends: dict[int, int] = {}
    for loan in loans:
        if loan.fetches[0].start_ns < ends.get(loan.connection, 0):
            bad.append(loan.connection)
        if loan.back is not None and loan.fetches[-1].end_ns > loan.back.end_ns:
            bad.append(loan.connection)
        ends[loan.connection] = loan.back.end_ns if loan.back else 0
    firsts = {loan.connection: loan.fetches[0].start_ns for loan in reversed(loans)}
    bad += [
        numbers(lane)[0]
        for lane in seen.calls("give_back").lanes
        if lane.start_ns < firsts.get(numbers(lane)[0], lane.start_ns)
    ]
    seen.expect(
        not bad,
        "Rows were fetched on borrowed connections only.",
        "A question should fetch its rows between borrowing a connection and giving it back; connection "
        f"{bad[0] if bad else 0} was used while it was in the pool, or somebody else's.",
        at=seen.calls("fetch"),
    )


def no_row_is_fetched_for_nothing(seen: Seen, questions: int) -> None:
    fetched: dict[int, list[int]] = {}
    for lane in seen.calls("fetch").lanes:
        fetched.setdefault(numbers(lane)[1], []).append(numbers(lane)[2])
    for question in range(1, questions + 1):
        last, got = answer(seen, question)[0], fetched[question]
        seen.expect(
            got == list(range(1, last + 1)),
            "",
            f"Question {question} should fetch its rows in order, and stop at row {last}; it fetched rows "
            f"{', '.join(map(str, got))}.",
            at=seen.calls("fetch"),
        )
    seen.held.append("Each question fetched its rows in order, and no row too many.")


def first_returns_what_there_is(seen: Seen, firsts: Calls) -> None:
    for lane, got in zip(firsts.lanes, firsts.values, strict=True):
        last, wanted = answer(seen, numbers(lane)[0])
        seen.expect(
            type(got) is type(wanted) and got == wanted,
            "",
            f"{lane.name} stops at row {last}, and should return {wanted!r}; it returned {got!r}.",
            at=firsts,
        )
    seen.held.append("Each question returned what it should.")


def at_the_same_time(seen: Seen, loans: list[Loan]) -> None:
    connections = int(seen.knobs["CONNECTIONS"])
    most = most_at_once((loan.fetches[0].start_ns, loan.fetches[-1].end_ns) for loan in loans)
    first_ns = min(loan.fetches[0].end_ns for loan in loans)
    begun = sum(loan.fetches[0].start_ns < first_ns for loan in loans)
    seen.expect(
        most == connections == begun,
        f"{connections} questions fetched their rows at the same time.",
        f"{connections} questions should fetch their rows at the same time, each on one of the {connections} "
        f"connections; {min(most, begun)} did{'' if most == begun else ' when the program began'}.",
        at=seen.calls("fetch"),
    )


def answer(seen: Seen, question: int) -> tuple[int, int | str | None]:
    """The row at which the question stops, and what it returns there."""
    rows, least = int(seen.knobs["ROWS"]), int(seen.knobs["LEAST"])
    for n in range(1, rows + 1):
        got = row(seen, question, n)
        if got == "damaged":
            return n, got
        if int(got) >= least:
            return n, int(got)
    return rows, None


def row(seen: Seen, question: int, n: int) -> str:
    """What fetch draws."""
    draws = random.Random(int(seen.knobs["SEED"]) + 1000 * question + n)
    return draws.choice(["damaged", *map(str, range(1, 20))])


def done(seen: Seen, function: str) -> list[Lane]:
    return [lane for lane in seen.calls(function).lanes if lane.outcome is Outcome.RETURNED]


def the_same(seen: Seen, holds: bool, functions: str) -> None:
    seen.expect(holds, "", f"Leave {functions} as the exercise has it.")


def numbers(lane: Lane) -> list[int]:
    """The arguments of the call: ``fetch(2, 5, 1)``."""
    return [int(one) for one in lane.name.partition("(")[2].rstrip(")").split(",")]


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def took_s(lane: Lane) -> float:
    return (lane.end_ns - lane.start_ns) / 1e9

"""What the pool and its borrowers must do, in sentences."""

from itertools import pairwise

from asyncdemo.testing.checks import Calls, Lane, Outcome, Seen


def check(seen: Seen) -> None:
    invoices, size = int(seen.knobs["INVOICES"]), int(seen.knobs["POOL_SIZE"])
    written = seen.calls("invoice", "invoices").happen(invoices)
    offers = seen.calls("newest_offer").happen(size - 1)
    lent_goes_around(seen, seen.calls("lent"))
    nobody_holds_two(seen, seen.calls("lent"))
    nobody_is_kept(seen, offers)
    replies_match(seen, seen.calls("ask"))
    all_are_written(seen, written)
    each_asks_its_own(seen, invoices)
    offers_were_asked_for(seen, size - 1)
    nobody_sleeps(seen, offers)
    errors_come_out(seen)
    written.return_values([expected(n) for n in range(1, invoices + 1)])
    seen.calls("main").return_values([[expected(n) for n in range(1, invoices + 1)]])
    uses_the_pool(seen, size)
    seen.no_warnings()


def expected(n: int) -> list[str]:
    return [f"customer-{n}", f"address-{n}"]


def lent_goes_around(seen: Seen, loans: Calls) -> None:
    """What happens after its end is not seen to be a loan. A question may be asked in its own task."""
    borrowers = {loan.track for loan in loans.lanes}
    outside = next(
        (
            lane.name
            for lane in seen.calls("ask").lanes
            if lane.track in borrowers
            and not any(overlap(loan, lane) and loan.start_ns <= lane.start_ns for loan in loans.lanes)
        ),
        "",
    )
    seen.expect(
        not outside,
        "",
        f"lent should stay an asynccontextmanager, around what its caller does; {outside} asked after lent "
        "had ended.",
        at=loans,
    )


def nobody_holds_two(seen: Seen, loans: Calls) -> None:
    """Two loans of one task that overlap: the second is asked for while the first is held."""
    lanes = sorted(loans.lanes, key=lambda lane: (lane.track, lane.start_ns))
    second = next((b for a, b in pairwise(lanes) if overlap(a, b)), None)
    who = "" if second is None else borrower(seen, second)
    seen.expect(
        second is None,
        "No task waited for a connection while it held another.",
        f"No task should wait for a connection while it holds another; {who} did. With as many such "
        "callers as connections, each of them holds one and waits for another, forever.",
        at=seen.calls("invoice"),
    )


def overlap(first: Lane, second: Lane) -> bool:
    return first.track == second.track and second.start_ns < first.end_ns


def borrower(seen: Seen, loan: Lane) -> str:
    """The call in which the loan was asked for."""
    callers = [*seen.calls("invoice").lanes, *seen.calls("newest_offer").lanes]
    around = (lane for lane in callers if lane.track == loan.track and lane.start_ns <= loan.start_ns)
    return next((lane.name for lane in around), "a task")


def nobody_is_kept(seen: Seen, offers: Calls) -> None:
    """A cancelled call ends immediately: it does not wait for the reply that nobody wants any more."""
    reply_s = float(seen.knobs["OFFER_S"])
    kept = [lane for lane in offers.lanes if lane.end_ns - lane.start_ns > 0.9e9 * reply_s]
    seen.expect(
        not kept,
        "Calls that gave up ended immediately.",
        "A call that gives up should end immediately; newest_offer was kept until the reply came, after "
        f"{reply_s:g} s.",
        at=offers,
    )


def nobody_sleeps(seen: Seen, offers: Calls) -> None:
    asleep = [lane for lane in offers.lanes if any(span.wait.reason == "sleep" for span in lane.spans)]
    seen.expect(
        not asleep,
        "",
        "A call that gives up should end immediately; newest_offer slept before that.",
        at=offers,
    )


def errors_come_out(seen: Seen) -> None:
    """Around a question that was given up, lent is cancelled too."""
    given_up = [lane for lane in seen.calls("ask").lanes if lane.outcome is Outcome.CANCELLED]
    kept = [
        loan
        for loan in seen.calls("lent").lanes
        for lane in given_up
        if loan.track == lane.track
        and loan.start_ns <= lane.start_ns
        and lane.end_ns <= loan.end_ns
        and loan.outcome is Outcome.RETURNED
    ]
    seen.expect(
        not kept,
        "lent let every error through.",
        "lent should let the error of a call through; newest_offer was cancelled while it had a connection, "
        "and lent ended as if nothing had happened. Does it raise what it catches?",
        at=seen.calls("newest_offer"),
    )


def replies_match(seen: Seen, questions: Calls) -> None:
    """ask('ECHO customer-3') returns 'customer-3'."""
    asked = {lane.name: lane.name.partition("ECHO ")[2].rstrip("')") for lane in questions.lanes}
    mixed_up = [
        (lane.name, got)
        for lane, got in zip(questions.lanes, questions.values, strict=True)
        if asked[lane.name] and lane.outcome is Outcome.RETURNED and got != asked[lane.name]
    ]
    name, got = mixed_up[0] if mixed_up else ("", "")
    given_up = [lane.name for lane in questions.lanes if lane.outcome is Outcome.CANCELLED]
    seen.expect(
        not mixed_up,
        "Each reply went to the call that asked.",
        f"Each reply should go to the call that asked; {name} was given {got!r}. That is the reply to an "
        "earlier question on the same connection, by a caller that did not wait for it.",
        at=questions.only(*given_up, name),
    )


def all_are_written(seen: Seen, invoices: Calls) -> None:
    hanging = [lane.name for lane in invoices.lanes if lane.outcome is Outcome.CANCELLED]
    names = ", ".join(hanging[:3]) + (", ..." if len(hanging) > 3 else "")
    seen.expect(
        not hanging,
        "All invoices were written.",
        f"All invoices should be written; {len(hanging)} were not when main gave up: {names}. Does every "
        "place that is taken out of the pool come back? Does an invoice hold one while "
        "another task waits for it?",
        at=invoices,
    )
    invoices.all_return()


def each_asks_its_own(seen: Seen, invoices: int) -> None:
    """A reply can be guessed here, so what counts is that Redis was asked."""
    asked = [lane.name for lane in seen.calls("ask").lanes]
    wanted = [f"ask('ECHO {what}-{n}')" for n in range(1, invoices + 1) for what in ("customer", "address")]
    wrong = next((name for name in wanted if asked.count(name) != 1), "")
    seen.expect(
        not wrong,
        "Each invoice asked its two questions, each once.",
        f"Each invoice should ask its two questions, each once; {wrong} was called "
        f"{asked.count(wrong)} times.",
        at=seen.calls("invoice"),
    )


def offers_were_asked_for(seen: Seen, most: int) -> None:
    given_up = [
        lane for lane in seen.calls("ask").lanes if "BLPOP" in lane.name and lane.outcome is Outcome.CANCELLED
    ]
    seen.expect(
        len(given_up) == most,
        "newest_offer asked, and gave up.",
        f"newest_offer should be left as it is: it asks for an offer and gives up, {most} times; "
        f"it did so {len(given_up)} times.",
        at=seen.calls("newest_offer"),
    )


def uses_the_pool(seen: Seen, size: int) -> None:
    """As many connections as allowed are in use at the same time; they are used again."""
    echoes = [lane.name for lane in seen.calls("ask").lanes if "ECHO" in lane.name]
    questions = seen.calls("ask", "questions").only(*echoes).peak_at_most(size)
    most_at_once = max(
        sum(a.start_ns <= b.start_ns < a.end_ns for a in questions.lanes) for b in questions.lanes
    )
    seen.expect(
        most_at_once == size,
        f"{size} connections were in use at the same time.",
        f"{size} questions should be asked at the same time, one for each place; there were never more than "
        f"{most_at_once}. Does every place come back? Does an invoice wait for another one?",
        at=questions,
    )
    opened, most = len(seen.calls("connect")), 2 * size - 1
    seen.expect(
        opened <= most,
        "Connections were used again.",
        f"A connection should stay open for its next caller; one was opened {opened} times. {most} times is "
        f"enough: {size} at first, and {size - 1} more in place of those that a caller gave up on.",
        at=seen.calls("connect"),
    )

"""Match the two sides of a server's requests: the client's reports, and the events of the server itself.

They arrive on different connections, in any order, and are matched by the trace id. Not here: composing
a request from them (see ``requests``).
"""

from __future__ import annotations

from collections.abc import Callable

from asyncdemo.recording.assembly.ledger import Ledger
from asyncdemo.recording.assembly.live_feed import LiveFeed
from asyncdemo.recording.assembly.records import Handling, RequestRecord


class RequestMatcher:
    """Stores both sides. ``on_answer`` is called after each response that the client reports."""

    def __init__(self, ledger: Ledger, feed: LiveFeed, on_answer: Callable[[], None]) -> None:
        self._ledger = ledger
        self._feed = feed
        self._on_answer = on_answer
        self._handlings: dict[int, tuple[str, Handling]] = {}
        """Those in progress, by number."""

    # -- the client -----------------------------------------------------------------------------

    def request_sent(
        self, number: int, trace_id: str, name: str, intended_ns: int, sent_ns: int, port: int
    ) -> None:
        """``port`` is the client's own; 0 if it is not known yet."""
        self._ledger.requests[number] = RequestRecord(name, trace_id, intended_ns, sent_ns, port)
        self._feed.request_sent(number, trace_id, name, intended_ns)

    def request_connected(self, number: int, port: int) -> None:
        self._ledger.requests[number].port = port

    def request_answered(self, number: int, at_ns: int, status: int | None, error: str | None) -> None:
        """``error`` says why there is no complete response."""
        request = self._ledger.requests[number]
        request.answered_ns, request.status, request.error = at_ns, status, error
        self._ledger.now_ns = max(self._ledger.now_ns, at_ns)
        self._feed.request_answered(request.trace_id, at_ns, request.outcome)
        self._on_answer()

    # -- the server -----------------------------------------------------------------------------

    def accepted(self, port: int, at_ns: int, process: int) -> None:
        self._ledger.accepted[port].append(at_ns)
        self._ledger.accepting.add(process)

    def handling(self, number: int, trace_id: str, track: int, at_ns: int) -> None:
        begun = Handling(track, at_ns)
        self._handlings[number] = trace_id, begun
        self._ledger.handlings[trace_id].append(begun)
        self._feed.handling(trace_id, track, at_ns)

    def handled(self, number: int, at_ns: int) -> None:
        """Note the end of a handling. Raise KeyError if it never began."""
        trace_id, over = self._handlings.pop(number)
        over.end_ns = at_ns
        self._feed.handled(trace_id, over.track, at_ns)

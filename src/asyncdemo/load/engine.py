"""The load itself: starts requests as planned, and follows each to its end."""

from __future__ import annotations

import asyncio
import gc
from collections import deque
from time import perf_counter_ns, process_time
from typing import Any

from asyncdemo.load.arrivals import Arrivals, arrivals_ns
from asyncdemo.load.connection import Connection, Connections, DetailedConnection, kind_of
from asyncdemo.load.events import Answered, Connected, Report, Sent
from asyncdemo.load.limits import waited_s
from asyncdemo.load.plan import Plan
from asyncdemo.load.request_bytes import RequestMaker
from asyncdemo.load.result import Result, Tally

_SECOND_NS = 1_000_000_000
_LEAD_NS = 5_000_000
"""The time from starting an open loop to its first request, which must not be late already."""
_RETURN_S = 0.01
"""The delay before a closed-loop client whose connection failed tries again, if only time ends the load: a
dead server would refuse 100,000 connections a second.
"""
_IDEMPOTENT = frozenset({"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"})


class Engine:
    """Runs one plan, once, in the running loop. ``address`` is plan.host's: looking it up is not measured.

    Raises UsageError for requests that cannot be encoded.
    """

    def __init__(self, plan: Plan, address: str, most_connections: int, report: Report | None = None) -> None:
        self.plan = plan
        self._report = report
        self._maker = RequestMaker(plan)
        self._tally = Tally()
        detailed = report is not None or "HEAD" in self._maker.methods
        kind = DetailedConnection if detailed else Connection
        self._connections = Connections(self, kind, address, plan.port, most_connections)
        self._make = self._maker.make
        self._is_closed_loop = plan.rate is None
        self._last = (plan.requests or 0) - 1 if self._is_closed_loop else -1
        """The number of a closed loop's last request; an open loop's schedule ends by itself."""
        self._keeps = plan.keep_alive
        self._timeout_ns = round(plan.timeout_s * _SECOND_NS)
        self._under_way: dict[int, Connection] = {}
        """Ordered by deadline, since dicts keep insertion order."""
        self._backlog: deque[tuple[int, int]] = deque()
        """Number and intended send of requests for which no connection is left."""
        self._arrivals: Arrivals | None = None
        self._expiry: asyncio.TimerHandle | None = None
        self._is_window_over = False
        """An open loop may still have to start requests that were due before."""
        self._is_closing = False
        """No more requests are started."""
        self._interrupted = False
        self._cpu_before_s, self._waited_before_s = process_time(), waited_s()
        self._loop = asyncio.get_running_loop()
        self._done: asyncio.Future[None] = self._loop.create_future()

    def method(self, number: int) -> str:
        return self._maker.methods[number % len(self._maker.methods)]

    async def run(self) -> Result:
        """Run until every started request is answered or has failed. An internal error is raised."""
        self._loop.set_exception_handler(self._broke)
        gc.collect()
        gc.freeze()
        gc.disable()
        cpu_s = self._cpu_before_s = process_time()
        self._waited_before_s = waited_s()
        try:
            if not self._interrupted:
                self._start()
            await self._done
        finally:
            cpu_s = process_time() - cpu_s
            gc.enable()
            gc.unfreeze()
            await self._let_go()
        engine = type(self._loop).__module__.partition(".")[0]
        if self._arrivals is not None:
            engine += f", {self._arrivals.pacing}"
        return self._tally.result(self._connections.opened, cpu_s, engine, self._interrupted)

    def interrupt(self) -> None:
        """Drop what is under way, or don't start at all; `run` then returns what there is."""
        self._interrupted = True
        self._stop_beginning()
        at_ns = perf_counter_ns()
        while self._backlog:
            self._backlog.popleft()
            self._tally.fail("interrupted", "it was never sent", at_ns)
        for connection in list(self._under_way.values()):
            self.failed(connection, "interrupted", at_ns, "it was under way")
        self._end_if_done()

    # --- starting requests -------------------------------------------------------------------------

    def _start(self) -> None:
        tally, plan = self._tally, self.plan
        if self._is_closed_loop:
            tally.start_ns = tally.end_ns = perf_counter_ns()
            for _ in range(plan.clients or 0):
                self._begin_next()
        else:
            tally.start_ns = tally.end_ns = perf_counter_ns() + _LEAD_NS
            schedule = arrivals_ns(plan)
            self._arrivals = Arrivals(self._loop, schedule, tally.start_ns, self._arrive, self._ran_out)
        if plan.duration_s is not None and not self._is_closing:
            lead_s = max(0, tally.start_ns - perf_counter_ns()) / _SECOND_NS
            self._loop.call_later(lead_s + plan.duration_s, self._reach_end)

    def _ran_out(self) -> None:
        """The schedule is used up."""
        is_last = self._tally.begun == self.plan.requests
        if self.plan.duration_s is None or is_last or self._is_window_over:
            self._stop_beginning()

    def _reach_end(self) -> None:
        """``duration_s`` is over. Requests due before are still started: leaving them out would hide the
        tail.
        """
        self._close_window()
        if self._arrivals is None or self._arrivals.is_over:
            self._stop_beginning()

    def _arrive(self, intended_ns: int) -> None:
        """Start an open-loop request, unless it has timed out: a client that is far behind must finish."""
        at_ns = perf_counter_ns()
        if intended_ns + self._timeout_ns > at_ns:
            self._begin(intended_ns)
        else:
            self._tally.begun += 1
            self._tally.fail("timeout", "it was never sent: the client got to it too late", at_ns)

    def _begin_next(self) -> None:
        if not self._is_closing:
            self._begin(perf_counter_ns())

    def _begin(self, intended_ns: int, connection: Connection | None = None) -> None:
        tally = self._tally
        number = tally.begun
        tally.begun = number + 1
        if connection is None and not self._backlog:
            connection = self._connections.take()
        if connection is None:
            tally.held_back += 1
            self._backlog.append((number, intended_ns))
        else:
            self._send(number, intended_ns, connection)
            if (at_once := len(self._under_way)) > tally.most_at_once:
                tally.most_at_once = at_once
        if number == self._last:
            self._stop_beginning()

    def _send(self, number: int, intended_ns: int, connection: Connection) -> None:
        self._under_way[number] = connection
        request = self._make(number)
        sent_ns = intended_ns
        if not self._is_closed_loop:
            sent_ns = perf_counter_ns()
            self._tally.late.append(sent_ns - intended_ns)
        connection.send(request, number, intended_ns)
        if connection.transport is None:
            self._connections.open(connection)
        if self._expiry is None:
            self._expire_at(intended_ns + self._timeout_ns)
        if self._report is not None:
            name = self._maker.names[number % len(self._maker.names)]
            trace_id = self._maker.last_trace_id
            self._report(Sent(number, trace_id, name, intended_ns, sent_ns, connection.port))

    def unreachable(self, connection: Connection, error: OSError) -> None:
        """The connection could not be opened. It may have a request."""
        self.closed(connection)
        if connection.number >= 0:
            self.failed(connection, kind_of(error), perf_counter_ns(), error.strerror or str(error))

    # --- outcomes -----------------------------------------------------------------------------------

    def connected(self, connection: Connection, at_ns: int) -> None:
        self._tally.connects.append(at_ns - connection.connect_ns)
        if self._report is not None and connection.transport is not None:
            connection.port = connection.transport.get_extra_info("sockname")[1]
            self._report(Connected(connection.number, connection.port, at_ns))

    def answered(self, connection: Connection, at_ns: int) -> None:
        """The response is whole. Send the next request immediately if the connection is kept."""
        tally = self._tally
        tally.latencies.append(at_ns - connection.intended_ns)
        tally.statuses[connection.status] += 1
        tally.end_ns = at_ns
        del self._under_way[connection.number]
        if self._report is not None and isinstance(connection, DetailedConnection):
            body, content_type = connection.body, connection.content_type
            self._report(Answered(connection.number, at_ns, connection.status, None, body, content_type))
        if not self._is_closing and connection.reusable and self._keeps:
            connection.served += 1
            if self._is_closed_loop:
                self._begin(perf_counter_ns(), connection)
                return
            connection.number = -1
            if self._backlog:
                self._send_backlog(connection)
            else:
                self._connections.keep(connection)
            return
        connection.drop()
        if self._is_closed_loop:
            self._begin_next()
        self._end_if_done()

    def failed(self, connection: Connection, kind: str, at_ns: int, text: str) -> None:
        del self._under_way[connection.number]
        self._tally.fail(kind, text, at_ns)
        if self._report is not None:
            self._report(Answered(connection.number, at_ns, None, kind))
        connection.drop()
        if self._is_closed_loop and not self._is_closing:
            if self.plan.requests is None and kind != "timeout":
                self._loop.call_later(_RETURN_S, self._begin_next)
            else:
                self._begin_next()
        self._end_if_done()

    def lost(self, connection: Connection, kind: str, at_ns: int, text: str) -> None:
        """The connection was lost with a request under way.

        A server may close a kept connection just as the next request is sent on it. Then that request is sent
        once more on a new connection, as in RFC 9112 (9.3.1), but only if that can do no harm.
        """
        number = connection.number
        if not (connection.served and connection.is_silent and self.method(number) in _IDEMPOTENT):
            self.failed(connection, kind, at_ns, text)
            return
        self._tally.retried += 1
        connection.number = -1
        again = self._connections.new()
        self._under_way[number] = again
        again.send(connection.request, number, connection.intended_ns)
        self._connections.open(again)

    def closed(self, connection: Connection) -> None:
        """The connection is no longer open. Called for each one, perhaps more than once."""
        if self._connections.closed(connection) and self._backlog and self._connections.has_room:
            self._send_backlog(self._connections.new())

    # --- backlog, timeouts and the end --------------------------------------------------------------

    def _send_backlog(self, connection: Connection) -> None:
        """Send the request that has waited longest for a connection; some may have timed out."""
        while self._backlog:
            number, intended_ns = self._backlog.popleft()
            at_ns = perf_counter_ns()
            if intended_ns + self._timeout_ns > at_ns:
                self._send(number, intended_ns, connection)
                return
            self._tally.fail("timeout", "it was never sent: the client cannot open more files", at_ns)
        if connection.transport is not None:
            self._connections.keep(connection)
        self._end_if_done()

    def _expire_at(self, deadline_ns: int) -> None:
        if self._expiry is not None:
            self._expiry.cancel()  # for a request started in place of one that has just expired
        left_s = max(0, deadline_ns - perf_counter_ns()) / _SECOND_NS
        self._expiry = self._loop.call_later(left_s, self._expire)

    def _expire(self) -> None:
        """Handle timeouts with one timer: they are all equal, so the oldest request expires next."""
        self._expiry = None
        while self._under_way:
            at_ns = perf_counter_ns()
            oldest = next(iter(self._under_way.values()))
            deadline_ns = oldest.intended_ns + self._timeout_ns
            if deadline_ns > at_ns:
                self._expire_at(deadline_ns)
                return
            self.failed(oldest, "timeout", at_ns, f"no whole response within {self.plan.timeout_s:g} s")

    def _stop_beginning(self) -> None:
        if not self._is_closing:
            self._is_closing = True
            self._close_window()
            if self._arrivals is not None:
                self._arrivals.close()
            self._end_if_done()

    def _close_window(self) -> None:
        if self._is_window_over:
            return
        self._is_window_over = True
        at_ns, duration_s = perf_counter_ns(), self.plan.duration_s
        if duration_s is not None and not self._is_closed_loop:
            # nothing is due later, so being late here does not give the server more time for requests
            at_ns = min(at_ns, self._tally.start_ns + round(duration_s * _SECOND_NS))
        waited, before_s = waited_s(), self._waited_before_s
        kept_s = None if waited is None or before_s is None else waited - before_s
        self._tally.close_window(at_ns, process_time() - self._cpu_before_s, kept_s)

    def _end_if_done(self) -> None:
        if self._is_closing and not self._under_way and not self._backlog:
            self._end(None)

    async def _let_go(self) -> None:
        if self._arrivals is not None:
            self._arrivals.close()
        if self._expiry is not None:
            self._expiry.cancel()
        for connection in self._under_way.values():
            connection.drop()
        await self._connections.close()

    def _broke(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle an error in a callback, which would otherwise leave the run waiting forever."""
        error = context.get("exception")
        if isinstance(error, OSError) and "transport" in context:
            return  # a connection's error; `connection_lost` reports it
        self._end(error or RuntimeError(context.get("message", "unknown")))

    def _end(self, error: BaseException | None) -> None:
        if self._done.done():
            return
        if error is None:
            self._done.set_result(None)
        else:
            self._done.set_exception(error)

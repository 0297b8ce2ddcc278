"""The load client: sends requests to a server as planned, and measures each from its intended send.

It runs in its own process (``python -m asyncdemo.load``), so that its CPU time is not the server's.
"""

from asyncdemo.load.client import Client
from asyncdemo.load.events import Answered, Connected, Event, Sent
from asyncdemo.load.plan import Plan, Send
from asyncdemo.load.result import Result

__all__ = ["Answered", "Client", "Connected", "Event", "Plan", "Result", "Send", "Sent"]

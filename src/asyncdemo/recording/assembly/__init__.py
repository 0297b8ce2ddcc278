"""From the events of a traced process to a ``Run``.

Not for starting or ending processes: ``runner`` does that and feeds the frames it reads.
"""

from asyncdemo.recording.assembly.assembly import Assembly
from asyncdemo.recording.assembly.live_feed import Listener

__all__ = ["Assembly", "Listener"]

"""From the events of a traced process to a ``Run``.

Not for starting or ending processes: ``runner`` does that and feeds the frames it reads.
"""

from asyncdemo.assembly.audience import Listener
from asyncdemo.assembly.intake import Assembly

__all__ = ["Assembly", "Listener"]

#!/bin/sh
# Brings up the loopback interface where it is down, as in a new network namespace (unshare -n): the servers that are
# recorded for the site are on it. Where it is up, which is nearly everywhere, nothing is done and nothing said.
#
# Usage: scripts/loopback.sh PYTHON
set -eu

works() {
    "$1" -c '
import socket
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname(), timeout=5).close()' 2>/dev/null
}

if works "$1"; then exit; fi
if { ip link set lo up || ifconfig lo up; } 2>/dev/null && works "$1"; then
    echo "The loopback interface was down, so it was brought up: the servers of the lessons are recorded there."
else
    echo "The loopback interface (127.0.0.1) is down, and the servers of the lessons are recorded there." \
        "As root: ip link set lo up" >&2
    exit 3
fi

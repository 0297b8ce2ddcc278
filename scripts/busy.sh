#!/bin/sh
# Runs a command while every processor is kept busy: what holds only on an idle machine shows itself.
#
# Usage: scripts/busy.sh COMMAND [ARGUMENT...]
#   scripts/busy.sh .venv/bin/python -m pytest tests/lessons/test_rules.py -k when_it_runs
set -u

if [ $# -eq 0 ]; then
    echo "Usage: scripts/busy.sh COMMAND [ARGUMENT...]" >&2
    exit 2
fi

busy=
trap 'kill $busy 2>/dev/null' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
processors=$(getconf _NPROCESSORS_ONLN)
while [ "$processors" -gt 0 ]; do
    # They end with this script, also if it is killed.
    while kill -0 $$ 2>/dev/null; do :; done &
    busy="$busy $!"
    processors=$((processors - 1))
done
"$@"

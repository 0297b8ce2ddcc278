#!/bin/sh
# Makes a virtual environment with the first Python that is new enough, or says what to install.
#
# Usage: scripts/venv.sh DIR [PYTHON]       PYTHON: that one and no other
#        scripts/venv.sh --list             every Python that is new enough, one for each version
set -eu

usable() { # PYTHON: is it new enough? (a pyenv shim may exist and still not run)
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

candidates() {
    printf '%s\n' python3 python3.14 python3.15 python3.13 python3.12 python3.11 python
    # pyenv's own Pythons, also when only its shims are on PATH and none is chosen.
    for root in "${PYENV_ROOT:-}" "${HOME:-}/.pyenv" "$(dirname "$(dirname "$(command -v python3)")")"; do
        for python in "$root"/versions/3.1[1-9]*/bin/python3; do
            if [ -n "$root" ] && [ -x "$python" ]; then printf '%s\n' "$python"; fi
        done
    done
}

if [ "$1" = --list ]; then
    with_gil='import ensurepip, sys, sysconfig; sys.exit(bool(sysconfig.get_config_var("Py_GIL_DISABLED")))'
    candidates | while read -r python; do
        if usable "$python" && "$python" -c "$with_gil" 2>/dev/null; then
            "$python" -c 'import sys; print("%d.%d" % sys.version_info[:2], sys.executable)'
        fi
    done | sort -t. -k2,2n -s -u -k1,1
    exit
fi

dir=$1
wanted=${2:-}
without_venv=
IFS='
'
for python in ${wanted:-$(candidates)}; do
    usable "$python" || continue
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        without_venv=${without_venv:-$python}
        continue
    fi
    trap 'rm -rf "$dir"; exit 130' INT TERM
    echo "Making $dir with $("$python" -V) ..."
    if "$python" -m venv --clear "$dir"; then exit 0; fi
    rm -rf "$dir"
    exit 3
done

{
    if [ -n "$without_venv" ]; then
        version=$("$without_venv" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        echo "$without_venv (Python $version) has no 'ensurepip', which virtual environments need."
        echo "On Debian and Ubuntu: apt install python3-venv    (or python$version-venv)"
    elif [ -n "$wanted" ]; then
        echo "asyncdemo needs Python 3.11 or newer; PYTHON=$wanted is $("$wanted" -V 2>/dev/null || echo 'not there')."
    else
        echo "asyncdemo needs Python 3.11 or newer; python3 is $(python3 -V 2>/dev/null || echo 'not there')."
        echo "Install a newer one, or name it: make tour PYTHON=/path/to/python3.11"
    fi
} >&2
exit 3

#!/bin/sh
# Writes requirements/*.txt from pyproject.toml: exact versions with hashes, for every system and Python at once.
#
# all.txt is resolved first; the others are subsets of it, in the same versions, so that the tour, the later
# lessons, the lab, the tests and those in a browser install only what they need. They are files of their own
# because pip can pick a subset of a file only by constraints (-c), and it takes no hashes from there.
# No address of a package index is written: the files work with whatever index pip is set up to use.
#
# Usage: scripts/lock.sh [uv's options, such as --upgrade]      (needs uv: part of the `dev` extra)
set -eu
cd "$(dirname "$0")/.."

compile() { # FILE, then the rest of the command line of uv
    file=$1
    shift
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
        --no-annotate --custom-compile-command "make lock" --output-file "requirements/$file" "$@" >/dev/null
}

mkdir -p requirements
compile all.txt pyproject.toml --extra all "$@"
compile dev.txt pyproject.toml --extra docs --extra dev --constraints requirements/all.txt
compile browser.txt pyproject.toml --extra browser --constraints requirements/all.txt
printf 'hatchling\neditables\n' |
    compile course.txt pyproject.toml - --extra course --constraints requirements/all.txt
printf 'hatchling\neditables\n' |
    compile lab.txt pyproject.toml - --extra lab --constraints requirements/all.txt
printf 'hatchling\neditables\n' |
    compile tour.txt pyproject.toml - --extra watch --constraints requirements/all.txt

# Servers that cannot live beside the others, and what builds those that come as source: each a lock of its own.
for file in src/asyncdemo/lab/harness/environments/*.in; do
    overrides=${file%.in}.overrides
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
        --custom-compile-command "make lock" --output-file "${file%.in}.txt" "$file" \
        $(test ! -e "$overrides" || echo "--overrides $overrides") $(test "${file##*/}" != build.in || echo --allow-unsafe) \
        "$@" >/dev/null
done

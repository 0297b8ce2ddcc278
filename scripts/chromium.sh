#!/bin/sh
# Finds the browser that the tests of the site drive, and installs Debian's Chromium where there is none.
#
# Playwright could download one of its own; the tests take the system's, so that nothing is fetched from elsewhere.
#
# Usage: scripts/chromium.sh          (CHROMIUM=/path/to/chrome: that one and no other)
set -eu

if [ -n "${CHROMIUM:-}" ]; then
    command -v "$CHROMIUM" >/dev/null || { echo "CHROMIUM=$CHROMIUM is not a program." >&2; exit 3; }
    exit
fi
for name in chromium-headless-shell chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then exit; fi
done

if ! command -v apt-get >/dev/null; then
    echo "The tests of the site need Chromium or Chrome: install it, or name it: CHROMIUM=/path/to/chrome" >&2
    exit 3
elif [ "$(id -u)" != 0 ]; then
    echo "The tests of the site need Chromium, and only root may install packages: sudo apt-get install chromium" >&2
    exit 3
fi

echo "Installing Chromium, for the tests of the site ..."
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
# The one without windows is smaller and quicker; not every distribution has it.
for name in chromium-headless-shell chromium; do
    if apt-get -qq install --yes --no-install-recommends "$name" fonts-dejavu-core >/dev/null; then exit; fi
done
echo "Neither could be installed: install Chromium or Chrome, or name it: CHROMIUM=/path/to/chrome" >&2
exit 3

#!/bin/sh
# Installs Redis, PostgreSQL, pgbouncer and nginx from Debian's archive: for the tests to run with them too, and for
# the lab's stack.
#
# Nothing is started: asyncdemo starts servers of its own, and stops them. Without these packages the tests do with
# the servers that Python packages bring along, and say which tests they skip; the lab does without, and says so.
#
# Usage: scripts/servers.sh
set -eu

wanted=
command -v redis-server >/dev/null || command -v valkey-server >/dev/null || wanted="redis-server"
command -v postgres >/dev/null || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || wanted="$wanted postgresql"
command -v pgbouncer >/dev/null || test -x /usr/sbin/pgbouncer || wanted="$wanted pgbouncer"
command -v nginx >/dev/null || test -x /usr/sbin/nginx || wanted="$wanted nginx-light"
wanted=$(echo $wanted)
if [ -z "$wanted" ]; then
    echo "Redis, PostgreSQL, pgbouncer and nginx are installed."
    exit
fi

if ! command -v apt-get >/dev/null; then
    echo "Install $wanted as this system does; on macOS: brew install redis postgresql pgbouncer nginx" >&2
    exit 3
elif [ "$(id -u)" != 0 ]; then
    echo "Only root may install packages: sudo apt-get install $wanted" >&2
    exit 3
fi

# Debian's packages start their servers as they are installed, unless this says no.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    trap 'exit 130' INT TERM
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
fi
echo "Installing $wanted ..."
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
apt-get -qq install --yes --no-install-recommends $wanted >/dev/null

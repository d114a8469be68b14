#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A server with its own cluster in DIR, reached over a socket there, and pgbench on it; `init` makes the cluster.
# usage: postgres.sh init DIR | run DIR TRANSACTIONS
set -eu
dir=$2
[ "$(id -u)" -ne 0 ] || { chown postgres "$dir"; exec runuser -u postgres -- "$0" "$@"; }
cd "$dir"
PATH=$PATH:$(pg_config --bindir 2>/dev/null || ls -d /usr/lib/postgresql/*/bin | tail -1)

start() {
	postgres -D "$dir/data" -k "$dir" -c listen_addresses= >"$dir/postgres.log" 2>&1 &
	server=$!
	trap 'kill -INT $server; wait $server || :' EXIT
	until pg_isready -q -h "$dir"; do
		kill -0 $server
		sleep 0.05
	done
}

case $1 in
init)
	rm -rf "$dir/data"
	initdb -D "$dir/data" -A trust -N >/dev/null
	start
	createdb -h "$dir" bench
	pgbench -h "$dir" -i -q -s 1 bench >/dev/null 2>&1 ;;
run)
	start
	pgbench -h "$dir" -n -c 2 -t "$3" bench >/dev/null 2>&1 ;;
esac

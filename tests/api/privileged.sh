#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# privileged.sh PROGRAM: as a program of the user nobody that root runs (set-user-id) it ignores switches that name
# files, and says so. Code 77: only root can make such a program, and the file system must know it.
set -u
[ "$(id -u)" -eq 0 ] || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp "$1" "$work/program"
chown 65534 "$work/program"
chmod 4755 "$work/program"
chmod 711 "$work"
mkdir -m 777 "$work/open"
said=$(cd / && OP2_TIMING="$work/open/table.txt" OP2_PLUGIN_DIR=/none OP2_CACHE_DIR="$work/open/cache" OP2_TOOLS=/none.so \
  OP2_JIT=require timeout 120 "$work/program" 2>&1)
code=$?
echo "$said"
case $said in *"cannot open shared object file: Permission denied"*) exit 77 ;; esac
[ "$code" -eq 0 ] || { echo "it ended with $code"; exit 1; }
echo "$said" | grep -q "ignored, since.*OP2_PLUGIN_DIR, OP2_CACHE_DIR, OP2_TIMING, OP2_TOOLS" ||
  { echo "it does not say what it ignores"; exit 1; }
[ -z "$(ls "$work/open")" ] || { echo "it has written files"; exit 1; }

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ranges.sh PROGRAM TOOL FOLDER: the ranges that a profiler gets by TOOL, from a stand-in for its library in
# FOLDER; and without that library the program runs as ever and says so.
set -eu
fail() {
  echo "$1:" >&2
  cat out >&2
  exit 1
}
folder=$3
cd "$(mktemp -d)"
trap 'rm -r "$PWD"' EXIT
export OP2_TOOLS="$2" OP2_TARGET=reference
LD_LIBRARY_PATH="$folder" "$1" >out 2>&1
grep -v -x -e "push op2 plans" -e "push op2 code" -e "push op2 declarations" out | grep push >ranges
printf 'push step\npush op2 loops\npush loop twice\npush op2 messages\n' | cmp - ranges || fail "other ranges"
[ "$(grep -c push out)" = "$(grep -c -x pop out)" ] || fail "ranges are not closed"
LD_LIBRARY_PATH=/missing "$1" >out 2>&1
{ [ "$(grep -c "is not found" out)" = 1 ] && [ "$(wc -l <out)" = 1 ]; } || fail "without the library"

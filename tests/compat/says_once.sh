#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# says_once.sh CODE TEXT COMMAND ...: the command ends by itself within 30 seconds, with that exit code,
# and exactly one line of what it prints matches the extended regular expression.
set -u
code=$1 text=$2
shift 2
said=$(timeout -k 5 30 "$@" 2>&1)
got=$?
lines=$(echo "$said" | grep -Ec "$text")
[ "$got" = "$code" ] && [ "$lines" = 1 ] && exit 0
echo "$said"
echo "ended with $got and not with $code, or said '$text' in $lines lines and not in one" >&2
exit 1

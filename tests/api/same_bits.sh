#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# same_bits.sh SESSIONS COMMAND ...: processes that run `COMMAND FILE SESSIONS` one after the other
# write the same files, byte by byte, and execute loops in tiles. What a process finds in fresh
# memory differs.
set -u
sessions=$1
shift
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
for process in 1 2 3; do
  MALLOC_PERTURB_=$((process * 60)) OP2_TRACE=$folder/trace.json \
    timeout -k 5 100 "$@" "$folder/$process" "$sessions" || exit 1
  tiles=$(grep -c '"name":"tiles"' "$folder/trace.json")
  if [ "$tiles" -eq 0 ]; then
    echo "no loops were executed in tiles" >&2
    exit 1
  fi
  for first in "$folder"/1.*; do
    cmp "$first" "$folder/$process.${first##*.}" || exit 1
  done
done
echo "the same bits in 3 processes of $sessions sessions; loops ran in tiles $tiles times in each"

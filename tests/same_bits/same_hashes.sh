#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# same_hashes.sh PROGRAM JITINSPECT: files of OP2_HASH are equal on 1 and 3 ranks with OP2_REPRODUCIBLE=on; without
# it a result differs, and with other numbers the declared mesh. MPIEXEC comes from the environment.
set -u
program=$1 inspect=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# hashes RANKS NUMBERING MODE: writes the file RANKS.NUMBERING.MODE.
hashes() {
  OP2_REPRODUCIBLE=$3 OP2_HASH="$folder/$1.$2.$3" timeout -k 5 60 "${MPIEXEC:-mpirun}" -np "$1" "$program" tetrahedra "$2" \
    "$folder/out" >"$folder/said" 2>&1 && return
  cat "$folder/said"
  exit 1
}
# compare CODE TEXT ONE OTHER: what op2-jitinspect diff says of two files.
compare() {
  code=$1 text=$2
  shift 2
  said=$("$inspect" diff "$folder/$1" "$folder/$2" 2>&1)
  got=$?
  [ $got -eq "$code" ] && echo "$said" | grep -q "$text" && return
  echo "$said"
  echo "ended with $got and not with $code, or did not say '$text'" >&2
  exit 1
}
hashes 1 given on
hashes 3 given on
hashes 1 shuffled on
hashes 1 given off
hashes 3 given off
compare 0 "the same bits: [1-9]" 1.given.on 3.given.on
compare 1 "do not declare the same mesh" 3.given.on 1.shuffled.on
compare 1 "a value is not the same" 1.given.off 3.given.off

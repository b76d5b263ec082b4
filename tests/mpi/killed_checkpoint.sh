#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# killed_checkpoint.sh RANKS STEP PROGRAM: kills one rank after the other at calls 1, 1 + STEP, ... of
# the system while RANKS ranks write a checkpoint, until the calls are used up. Afterwards the previous
# one or the new one is there. Other settings come from the environment.
set -u
ranks=$1
step=$2
program=$3
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
kills=0

fail() {
  echo "$1" >&2
  exit 1
}

# run RANK CALL: prints the step of the checkpoint that was found.
run() {
  timeout -k 5 60 "${MPIEXEC:-mpirun}" -np "$ranks" "$program" "$folder" "$1" "$2" 2> "$folder/said"
}

# MPICH tells the signal alone, and adds on standard output what it knows of the end.
killed=137
if "${MPIEXEC:-mpirun}" --version | grep -q HYDRA; then killed=9; fi

last=0
found=$(run 0 0) || fail "the first checkpoint was not written"
rank=0
while [ $rank -lt "$ranks" ]; do
  call=1
  while :; do
    found=$(run $rank $call)
    code=$?
    [ $killed -eq 137 ] || found=${found%%[!0-9]*}
    [ "$found" ] || fail "nothing was found before rank $rank was killed at call $call: $(cat "$folder/said")"
    { [ "$found" -gt 0 ] && [ "$found" -ge "$last" ]; } || fail "step $found was found after step $last"
    [ $code -eq 1 ] && fail "the checkpoint of step $found is wrong"
    last=$found
    [ $code -eq 0 ] && break
    [ $code -eq $killed ] || fail "rank $rank was to be killed at call $call, but the job ended with $code"
    kills=$((kills + 1))
    call=$((call + step))
  done
  rank=$((rank + 1))
done
echo "checked $kills kills, the last after step $last"
[ $kills -ge "$ranks" ]

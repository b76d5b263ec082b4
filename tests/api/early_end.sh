#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# early_end.sh RUNS PROGRAM: the program ends at other moments of loading the compiler, each time with code 3.
runs=$1 program=$2 failed=0 run=0
while [ "$run" -lt "$runs" ]; do
  run=$((run + 1))
  form=$([ $((run % 8)) -eq 0 ] && echo thread)
  timeout 120 "$program" $((run * 7919 % 40000)) $form
  code=$?
  [ "$code" -eq 3 ] || { failed=$((failed + 1)); echo "run $run: exit code $code"; }
done
echo "failed: $failed of $runs"
[ "$failed" -eq 0 ]

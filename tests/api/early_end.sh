#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# early_end.sh RUNS PROGRAM FORM...: the program ends in each form in turn, at other moments of loading the
# compiler, each time with code 3.
runs=$1 program=$2 failed=0 run=0
shift 2
while [ "$run" -lt "$runs" ]; do
  for form in "$@"; do
    run=$((run + 1))
    timeout 120 "$program" $((run * 7919 % 40000)) "$form"
    code=$?
    [ "$code" -eq 3 ] || { failed=$((failed + 1)); echo "run $run, $form: exit code $code"; }
  done
done
echo "failed: $failed of $run"
[ "$failed" -eq 0 ]

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mistakes.sh OP2_MODEL: wrong requests end with exit code 2, a message and no output file.
set -eu
tool=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# refuses WORDS ARG...: the message has the words.
refuses() {
  words=$1
  shift
  code=0
  "$tool" "$@" >"$work/out" 2>"$work/err" || code=$?
  if [ "$code" -ne 2 ] || ! cat "$work/out" "$work/err" | grep -F -- "$words"; then
    echo "op2-model $*: exit code $code, expected 2 and '$words':" >&2
    cat "$work/out" "$work/err" >&2
    exit 1
  fi
}

echo '{"form": "libop2 run record", "version": 99}' >"$work/future.json"
echo 'no JSON' >"$work/text.json"
echo '{"form": "libop2 machine", "version": 1}' >"$work/machine.json"

refuses 'A subcommand is required'
refuses "unknown command: 'ct'; use cut, predict, machine; did you mean 'cut'?" ct
refuses "No such file or directory; name a file that OP2_MODEL" cut "$work/none.json" -P 2
refuses 'has version 99' cut "$work/future.json" -P 2
refuses 'damaged' cut "$work/text.json" -P 2
refuses 'parts is required' cut "$work/future.json"
refuses 'op2-model: --parts: Value 0 not in range 1 to' cut "$work/future.json" -P 0
refuses 'op2-model: --scale: Value 0 not in range 0.000001 to 1000000' predict a b c --scale 0
refuses 'has version 99' predict "$work/future.json" "$work/text.json" "$work/machine.json"
refuses 'FILES' predict "$work/future.json" "$work/machine.json"
refuses 'figures across nodes are incomplete' machine --ranks-per-node 8 --out "$work/made.json"
refuses 'figures across nodes are incomplete' machine --latency-us 2 --out "$work/made.json"
refuses '--bandwidth-gbs: Value 1e9 not in range' machine --bandwidth-gbs 1e9 --out "$work/made.json"
refuses "--csv: there is no folder '$work/none'" predict a b c --csv "$work/none/out.csv"
refuses "--out: there is no folder '$work/none'" machine --out "$work/none/made.json"
refuses "--folder: Directory does not exist: $work/none" cut "$work/text.json" -P 2 --folder "$work/none"
refuses 'two ranks' machine --out "$work/made.json"
for wrong in '--bandwidth-gbs 1e9' '--latency-us 2'; do
  code=0
  # shellcheck disable=SC2086 # an option and its value
  OMPI_COMM_WORLD_RANK=1 "$tool" machine $wrong >"$work/out" 2>&1 || code=$?
  if [ "$code" -ne 2 ] || [ -s "$work/out" ]; then
    echo "$wrong is reported by other ranks than the first:" >&2
    cat "$work/out" >&2
    exit 1
  fi
done
test ! -e "$work/made.json"
"$tool" --help | grep predict

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# plot_mistakes.sh PYTHON OP2_PLOT_PREDICTION VERSION: help, version, and files that are not predictions.
set -eu
python=$1 tool=$2 version=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# refuses WORDS FILE: exit code 2, and one line that has the words.
refuses() {
  code=0
  "$python" -B "$tool" "$2" "$work/out.png" 2>"$work/err" || code=$?
  if [ "$code" -ne 2 ] || [ "$(wc -l <"$work/err")" -ne 1 ] || ! grep -F -- "$1" "$work/err"; then
    echo "exit code $code, expected 2 and '$1':" >&2
    cat "$work/err" >&2
    exit 1
  fi
}

"$python" -B "$tool" --version | grep -x "op2-plot-prediction $version"
"$python" -B "$tool" --help | grep '^usage: op2-plot-prediction .* CSV PICTURE$'
refuses "No such file or directory; write it with op2-model predict --csv" "$work/none.csv"
echo 'ranks,seconds' >"$work/other.csv"
refuses "has no totals; write it with op2-model predict --csv" "$work/other.csv"
header=ranks,chain,kind,name,times,seconds,redundant
{ echo $header; echo 4,off,total; } >"$work/short.csv"
refuses "is not a prediction; write it with" "$work/short.csv"
{ echo $header; echo 4,off,total,run,1,1,0; echo 4,on,total,run,1,1,0; echo 4,auto,total,run,1,1,0; } >"$work/whole.csv"
refuses "lacks the start, or one of off, on and auto" "$work/whole.csv"
{ cat "$work/whole.csv"; echo 4,off,total,run,1,1,0; } >"$work/twice.csv"
refuses "has several cuts into 4 parts" "$work/twice.csv"
echo 4,,start,plans,1,1,0 >>"$work/whole.csv"
if "$python" -B "$tool" "$work/whole.csv" "$work/none/out.png" 2>"$work/err"; then exit 1; fi
grep -F "op2-plot-prediction: cannot write '$work/none/out.png'" "$work/err"
echo '1,x' >>"$work/other.csv"
refuses "is not a prediction; write it with" "$work/other.csv"

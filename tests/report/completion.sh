#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# completion.sh SCRIPT OP2_REPORT OP2_MODEL: what bash proposes after the words of a command line.
set -eu
# shellcheck source=/dev/null
source "$1"
report=$2 model=$3
cd "$(mktemp -d)"
trap 'rm -r "$PWD"' EXIT
touch timing.json
mkdir parts

# proposes "EXPECTED" FUNCTION PROGRAM WORD...: the last word is the one to complete.
proposes() {
  local expected=$1 function=$2 program=$3
  shift 3
  COMP_WORDS=("$program" "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  "$function" "$program" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
  [ "${COMPREPLY[*]}" = "$expected" ] && return
  echo "after '$*': '${COMPREPLY[*]}' instead of '$expected'" >&2
  exit 1
}

proposes "timing.json" _op2_report "$report" t
proposes "--bandwidth --help --output --peak --png --version" _op2_report "$report" --
proposes "measure" _op2_report "$report" timing.json --bandwidth m
proposes "" _op2_report "$report" timing.json --peak ""
[ -n "$model" ] || exit 0
proposes "predict" _op2_model "$model" p
proposes "--costs --csv" _op2_model "$model" predict --c
proposes "timing.json" _op2_model "$model" predict t
proposes "parts" _op2_model "$model" cut --folder ""

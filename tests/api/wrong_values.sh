#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# wrong_values.sh COMPILER PROGRAM INCLUDES: calls with values of a wrong kind do not compile, with one error
# that says in words what to pass.
set -eu
compiler=$1 program=$2 includes=$3

compile() {
  "$compiler" -std=c++20 -fsyntax-only -I"$includes" "$@" "$program" 2>&1
}

compile

# expect WORDS NUMBER ...: the messages of these calls
expect() {
  words=$1
  shift
  for number in "$@"; do
    if messages=$(compile "-DWRONG=$number"); then
      echo "call $number of $program compiles" >&2
      exit 1
    fi
    errors=$(echo "$messages" | grep -c 'error:')
    if [ "$errors" -ne 1 ] || ! echo "$messages" | grep 'error:' | grep -qF "op2: $words"; then
      echo "call $number of $program: not one error '$words', but:" >&2
      echo "$messages" >&2
      exit 1
    fi
  done
}

expect 'values must be a pointer, or a std::vector' 1 2 3 4
expect 'nullptr has no type: for zeros name it' 5 6
expect 'the values of a map must be int' 7
expect 'a kernel is not a function or lambda' 12 13 14
expect 'the name of a constant comes last' 15 16
expect 'define OP2_KERNEL_HEADER as the name of a file in quotes' 17
expect 'results are copied to a pointer, or to a variable' 8 9 10 11

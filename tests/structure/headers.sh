#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# headers.sh INCLUDE MPI_INCLUDE: every public header compiles alone with g++ and with Debian's clang++, without a
# warning; those for OP2's programs in the oldest and the newest C++ that such programs use. With a C++ that is too old the first
# error of each of the others says what is needed.
set -eu
cd "$1"
mpi=$2
failed=0

# compile COMPILER STANDARD HEADER [OPTION]
compile() {
  echo "#include <$3>" |
    "$1" "-std=$2" -fsyntax-only -Wall -Wextra -Werror "${4:--Wfatal-errors}" -I. -Iop2/compat -isystem "$mpi" -x c++ - 2>&1
}

# accepts COMPILER STANDARD HEADER
accepts() {
  if ! compile "$@"; then
    echo "$3 does not compile with $1 -std=$2" >&2
    failed=1
  fi
}

# refuses COMPILER STANDARD HEADER
refuses() {
  errors=$(compile "$@" -Wno-fatal-errors | grep 'error:') || true
  first=$(echo "$errors" | head -1)
  count=$(echo "$errors" | wc -l)
  if [ "$count" -gt 2 ]; then
    echo "$3 has $count errors with $1 -std=$2, not that it needs C++20 alone" >&2
    failed=1
  fi
  case $first in
    *"libop2 needs C++20: add -std=c++20"*) ;;
    *)
      echo "$3 does not say that it needs C++20 with $1 -std=$2: ${first:-it compiles}" >&2
      failed=1
      ;;
  esac
}

for compiler in g++ clang++; do
  for header in op2/*.hpp; do
    refuses $compiler c++14 "$header"
    refuses $compiler c++17 "$header"
    accepts $compiler c++20 "$header"
  done
  for header in op2/*.h op2/compat/*.h; do
    accepts $compiler c++11 "$header"
    accepts $compiler c++20 "$header"
  done
done
exit $failed

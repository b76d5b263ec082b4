#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# old_standard.sh INCLUDE: with C++17 the first error of the headers says what is needed.
set -eu
for compiler in g++ clang++; do
  if echo '#include <op2/op2.hpp>' | $compiler -std=c++17 -fsyntax-only -I"$1" -x c++ - 2>"$2"; then
    echo "$compiler -std=c++17 accepts the headers" >&2
    exit 1
  fi
  grep error "$2" | head -1
  grep error "$2" | head -1 | grep -qF 'libop2 needs C++20: add -std=c++20'
done

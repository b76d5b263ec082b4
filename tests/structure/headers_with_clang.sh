#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# headers_with_clang.sh INCLUDE MPI_INCLUDE: every public header compiles alone with Debian's clang++, without a
# warning; those for OP2's programs in the oldest and the newest C++ that such programs use.
set -eu
cd "$1"
mpi=$2
failed=0

# check STANDARD HEADER
check() {
  if ! echo "#include <$2>" |
    clang++ "-std=$1" -fsyntax-only -Wall -Wextra -Werror -I. -Iop2/compat -isystem "$mpi" -x c++ -; then
    echo "$2 does not compile with clang++ -std=$1" >&2
    failed=1
  fi
}

for header in op2/*.hpp op2/*.h; do
  check c++20 "$header"
done
for header in op2/compat/*.h; do
  for standard in c++11 c++20; do
    check $standard "$header"
  done
done
exit $failed

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Lesson 8: step 1 is right by the compiler alone, op2-cxx and the checks find its mistakes, steps 2 and 3
# have none, step 3 also on two ranks.
#
#     from_op2.sh MPIEXEC NUMPROC_FLAG STEP_3 PYTHON SOURCE_FOLDER STEP_2 OP2_CXX COMPILER LIBRARY_FOLDER
set -eu
mpiexec=$1 flag=$2 step3=$3 python=$4 source=$5 step2=$6 op2_cxx=$7 compiler=$8 library=$9
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$source"/examples/08_from_op2/* "$folder"
cd "$folder"
flags="-O1 -std=c++11 -I$source/include/op2/compat -L$library -lop2 -Wl,-rpath,$library"

fail() {
  echo "$1" >&2
  exit 1
}
# is_right FILE: it has what step 1 prints with functions
is_right() { diff right "$1"; }

# shellcheck disable=SC2086 # several flags
{
  "$compiler" 1_as_it_was.cpp $flags -o functions
  ./functions > right
  "$op2_cxx" "$compiler" 1_as_it_was.cpp $flags -o compiled 2> built
}
grep -q "OP_READ.*writes it .-Wop2-access" built || fail "the build does not warn"
! OP2_CHECK=access ./compiled > out 2> said || fail "the access mode is not found"
grep -q "OP2-E107 loop 'fall'" said

sed 's/\(p_f, -1, .*\)OP_READ/\1OP_RW/' 1_as_it_was.cpp > half.cpp
# shellcheck disable=SC2086
"$op2_cxx" "$compiler" -Werror=op2-access half.cpp $flags -o half
./half > out
! is_right out || fail "the pointer is not read too early"
OP2_CHECK=pointers ./half > out
is_right out

OP2_JIT=require OP2_CHECK=access,finite,pointers "$step2" > out
is_right out
OP2_JIT=require OP2_TIMING=- "$step2" > out
grep "^step" out > steps
is_right steps
grep -q "^pull .*jit" out || fail "the kernels are not compiled"
"$step3" > out
is_right out
"$mpiexec" "$flag" 2 "$step3" > out
is_right out
cat out
"$python" "$source/examples/airfoil/plot_mach.py" net.pvtu net.png --field v --label speed --look -40 20
[ -s net.png ]
echo "the lesson has a picture"

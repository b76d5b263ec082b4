#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hdf5_mistakes.sh PROGRAM: every mistake is an error on all of 1, 2 and 3 ranks, and none hangs. MPIEXEC
# comes from the environment.
set -u
for ranks in 1 2 3; do
  folder=$(mktemp -d) || exit 1
  timeout -k 5 30 "${MPIEXEC:-mpirun}" -np $ranks "$1" fail "$folder" >"$folder/said" 2>&1 &&
    grep -q "done: fail" "$folder/said" && ! grep -q "HDF5-DIAG" "$folder/said"
  good=$?
  [ $good -eq 0 ] || cat "$folder/said"
  rm -rf "$folder"
  [ $good -eq 0 ] || exit 1
done

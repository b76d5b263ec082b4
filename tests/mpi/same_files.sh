#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# same_files.sh PROGRAM: files written by 3 ranks are those of 1 rank, byte by byte. MPIEXEC comes from
# the environment.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
for ranks in 1 3; do
  timeout -k 5 30 "${MPIEXEC:-mpirun}" -np $ranks "$1" files "$folder/$ranks" || exit 1
done
for when in declared distributed again; do
  for kind in txt bin vtu; do
    cmp "$folder/1.$when.$kind" "$folder/3.$when.$kind" || exit 1
  done
done

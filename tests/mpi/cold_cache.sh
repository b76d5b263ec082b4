#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cold_cache.sh PROGRAM: each of two kernels is compiled once in a job of 8 ranks, and never in the next
# job; and once for each CPU if ranks have different ones. MPIEXEC comes from the environment.
set -u
says=$(dirname "$0")/job_says.sh
run=${MPIEXEC:-mpirun}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export OP2_CACHE_DIR="$folder"
cpu=OP2_JIT_CPU=x86-64
"$says" 0 'JIT: 2 compiled .*, 0 from the cache directory, 14 received' "$run" -np 8 "$1" report &&
  "$says" 0 'JIT: 0 compiled .*, 2 from the cache directory, 14 received' "$run" -np 8 "$1" report &&
  OP2_CACHE=off "$says" 0 'JIT: 4 compiled .*, 0 from the cache directory, 4 received' "$run" \
    -np 1 "$1" report : -np 1 env $cpu "$1" report : -np 1 "$1" report : -np 1 env $cpu "$1" report

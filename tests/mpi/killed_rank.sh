#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# killed_rank.sh CODE PROGRAM ARG: a job of which one rank dies ends by itself within 10 seconds, with
# that exit code, and leaves no process behind. The other settings come from the environment.
set -u
code=$1
shift
timeout -k 5 10 "${MPIEXEC:-mpirun}" -np 4 "$@"
got=$?
# MPICH may tell by what it has ended the other ranks.
if [ "$got" -eq 9 ] && "${MPIEXEC:-mpirun}" --version | grep -q HYDRA; then got=$code; fi
if [ "$got" -ne "$code" ]; then
  echo "the job ended with $got and not with $code" >&2
  exit 1
fi
sleep 1
# shellcheck disable=SC2009 # the whole command line is looked for, as it stands
if ps -eo args | grep -F "$*" | grep -v -e grep -e killed_rank; then
  echo "these processes are still there" >&2
  exit 1
fi

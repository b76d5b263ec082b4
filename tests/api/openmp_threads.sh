#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# openmp_threads.sh PROGRAM: it has as many threads of the library where OpenMP binds its main thread to one place as elsewhere.
set -eu
unset OP2_THREADS OMP_PROC_BIND OMP_PLACES || true
threads() {
  env OP2_LOG=info "$@" 2>&1 | sed -n 's/.*: \([0-9]*\) threads* on processor.*/\1/p'
}
free=$(threads "$1")
bound=$(threads env OMP_PROC_BIND=true OMP_PLACES=cores "$1")
if [ -z "$free" ] || [ "$free" != "$bound" ]; then
  echo "threads: $free, with OMP_PROC_BIND: $bound"
  exit 1
fi

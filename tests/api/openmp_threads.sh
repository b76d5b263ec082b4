#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# openmp_threads.sh PROGRAM: it has as many threads of the library where OpenMP binds its main thread to one place as elsewhere,
# and one where somebody else binds that thread to one processor. Exit code 77: there is one core only.
set -eu
unset OP2_THREADS OMP_PROC_BIND OMP_PLACES || true
program=$1

# says WORDS...: "PROCESSORS LAST THREADS" of the main thread and of the library.
says() {
  env OP2_LOG=info "$@" 2>&1 | sed -n 's/^may use \([0-9]*\), the last is \([0-9]*\)$/\1 \2/p
    s/.*: \([0-9]*\) threads* on .*/\1/p' | tr '\n' ' '
}

expect() {
  [ "$2" = "$3" ] && return
  echo "$1: $2, and not $3"
  exit 1
}

# learn WORDS...: sets `processors`, `last` and `threads`.
learn() {
  read -r processors last threads <<END
$(says "$@")
END
}

learn "$program"
all=$processors most=$threads
[ "$most" -gt 1 ] || exit 77
learn OMP_PROC_BIND=true OMP_PLACES=cores "$program"
[ "$processors" -lt "$all" ] || expect "processors of the main thread that OpenMP is to bind" "$processors" "less than $all"
expect "threads where OpenMP has bound the main thread" "$threads" "$most"
learn "$program"
learn OMP_PROC_BIND=true OMP_PLACES=cores "$program" "$last"
expect "threads where another has bound it" "$threads" 1

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# same_hdf5_files.sh PROGRAM LAYOUT: datasets written by several ranks are those of 1 rank, byte by
# byte, whoever reads them; the layout is that of the file LAYOUT. MPIEXEC comes from the environment.
set -u
program=$1 layout=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
run() {
  ranks=$1
  shift
  timeout -k 5 60 "${MPIEXEC:-mpirun}" -np "$ranks" "$program" "$@" >"$folder/said" 2>&1 && return
  cat "$folder/said"
  echo "failed on $ranks ranks: $*" >&2
  exit 1
}
# Everything that h5dump shows, apart from the name of the file.
content() { h5dump "$1" | sed 1d; }
same() {
  content "$1" >"$folder/one" && content "$2" >"$folder/other" || exit 1
  cmp "$folder/one" "$folder/other" || exit 1
  [ "$(wc -l <"$folder/one")" -gt 100 ] || exit 1
}
for ranks in 1 2 3 8; do
  run $ranks write "$folder/$ranks"
  for file in declared distributed added; do
    same "$folder/1.$file.h5" "$folder/$ranks.$file.h5"
  done
done
for dataset in ends state more/float more/bool; do
  for ranks in 1 3; do
    h5dump -d $dataset -b LE -o "$folder/$ranks.bytes" "$folder/$ranks.distributed.h5" >/dev/null || exit 1
  done
  cmp "$folder/1.bytes" "$folder/3.bytes" || exit 1
done
for ranks in 1 2 3 8; do
  run $ranks read "$folder/3.declared.h5" "$folder/read_by_$ranks.h5"
  same "$folder/1.distributed.h5" "$folder/read_by_$ranks.h5"
done
h5dump -H "$folder/3.distributed.h5" | sed 1d | diff "$layout" - || exit 1
# No temporary file is left.
[ "$(find "$folder" -name '*.tmp' | wc -l)" -eq 0 ]

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# abi.sh LIBRARY TYPES FOLDER SOVERSION [--write]: compares the interface of the library, and the layout of the types that
# programs share with it, with what FOLDER has recorded of the last release with this SOVERSION. Whatever would break a
# program that was built with that release is a fault: give the library a new minor version (before 1.0) and write a new
# description. Additions are none.
set -eu
library=$1 types=$2 folder=$3 version=$4
command -v abidiff >/dev/null || { echo "skipped: abidiff is missing"; exit 77; }

if [ "${5:-}" = --write ]; then
  abidw --no-corpus-path --no-comp-dir-path --no-show-locs --exported-interfaces-only "$library" | sed '/<elf-needed>/,/<\/elf-needed>/d' >"$folder/library-$version.abi"
  abidw --no-corpus-path --no-comp-dir-path --no-show-locs --exported-interfaces-only "$types" | sed '/<elf-needed>/,/<\/elf-needed>/d' >"$folder/types-$version.abi"
fi
for file in library types; do
  if [ ! -f "$folder/$file-$version.abi" ]; then
    echo "nothing is recorded of interface $version; after its first release run this with --write" >&2
    exit 1
  fi
done

faults=0
status=0
abidiff --no-added-syms "$folder/library-$version.abi" "$library" || status=$?
[ $((status & 9)) -eq 0 ] || faults=1    # 1: it does not work, 8: incompatible
status=0
abidiff --no-added-syms "$folder/types-$version.abi" "$types" || status=$?
[ $status -eq 0 ] || faults=1            # 4: another layout
exit $faults

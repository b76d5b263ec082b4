#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# abi.sh LIBRARY FUNCTIONS TYPES HEADERS FOLDER SOVERSION [--write]: compares the functions that the library exports, with their
# types, and the layout of the types that programs share with it, with what FOLDER has recorded of the last release with this
# SOVERSION. FUNCTIONS has the exported functions of the library, and TYPES those types, both with debug information.
# Whatever would break a program that was built with that release is a fault: give the library a new minor version (before
# 1.0) and write a new description. Additions are none.
set -eu
library=$1 functions=$2 types=$3 headers=$4 folder=$5 version=$6
command -v abidiff >/dev/null || { echo "skipped: abidiff is missing"; exit 77; }

# The symbols of a library, but those of GDB's interface.
exported() { nm -D --defined-only "$1" | cut -d' ' -f3 | grep -v '^__jit_debug_'; }

missing=$({ exported "$functions"; exported "$functions"; exported "$library"; } | sort | uniq -u)
if [ -n "$missing" ]; then
  echo "is exported by the library, but no unit of $functions defines it:" "$missing" >&2
  exit 1
fi
for file in "$functions" "$types"; do
  readelf -S "$file" | grep -q debug_info || { echo "$file has no debug information" >&2; exit 1; }
done

# What a file of debug information says, compressed; without types that no public header defines, if "$1" is functions.
only_public() { [ "$1" != functions ] || echo "--drop-private-types $2 $headers"; }
# shellcheck disable=SC2046 # none or two words
describe() {
  abidw --no-corpus-path --no-comp-dir-path --no-show-locs --exported-interfaces-only $(only_public "$1" --headers-dir) "$2" |
    sed '/<elf-needed>/,/<\/elf-needed>/d' | xz -9 >"$folder/$1-$version.abi.xz"
}
if [ "${7:-}" = --write ]; then
  describe functions "$functions"
  describe types "$types"
fi

recorded=$(mktemp -d)
trap 'rm -rf "$recorded"' EXIT
for file in functions types; do
  if [ ! -f "$folder/$file-$version.abi.xz" ]; then
    echo "nothing is recorded of interface $version; after its first release run this with --write" >&2
    exit 1
  fi
  xz -dc "$folder/$file-$version.abi.xz" >"$recorded/$file.abi"
done
faults=0
# shellcheck disable=SC2046 # none or two words
compare() { abidiff --no-added-syms $(only_public "$1" --headers-dir2) "$recorded/$1.abi" "$2" || faults=1; }
compare functions "$functions"
compare types "$types"
exit $faults

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# exports.sh LIBRARY HEADERS TYPES_SOURCE: the library shows nothing of the libraries that it is built from, does not link
# spdlog, and every type of the public headers is among those whose layout is compared. (Types of the headers compat/op_*.h
# are those of the program alone.)
set -eu
if nm -DC --defined-only --without-symbol-versions "$1" | cut -d' ' -f3- | grep -vx "OP2_[0-9.]*" |
  grep -vE '^(op_|op2_|op2::(compat|detail|embedded|Error)|(typeinfo|typeinfo name|vtable) for op2::Error$|__jit_debug|compare_sets$|deviceSync$|getSetSizeFromOpArg$|search_dat$)'; then
  echo "is shown by the library, but not part of its interface" >&2
  exit 1
fi
if nm -D --defined-only "$1" | grep -v '@@OP2_[0-9.]*$' | grep -v ' A OP2_[0-9.]*$'; then
  echo "has no version: programs that were built with another interface would call it" >&2
  exit 1
fi
if readelf -d "$1" | grep NEEDED | grep spdlog; then
  echo "the library links spdlog" >&2
  exit 1
fi
types=$(sed -nE 's/^(struct|class|union|enum|enum class) (OP2_[A-Z_]+ )?(\w+) (:[^{;]*)?\{.*/\3/p' "$2"/*.hpp "$2"/*.h "$2"/compat/op2_*.h)
[ "$(echo "$types" | wc -l)" -ge 30 ] || { echo "few types are found in $2: $types" >&2; exit 1; }
for type in $types; do
  grep -qE "^SHARED\([a-z_]+, ([a-z0-9_]+::)*$type(<.*>)?\)$" "$3" || { echo "$type is not in $3" >&2; exit 1; }
done

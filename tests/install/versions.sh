#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# versions.sh WORK PREFIX LIBDIR NEXT CONSUMER: two versions side by side in one prefix.
# NEXT: folder of the next minor version, with lib/ and libexec/; CONSUMER: a program that was built with the first.
set -eu
work=$1 prefix=$2 libdir=$3 next=$4 consumer=$5
rm -rf "$work"
mkdir -p "$work"
cp -r "$prefix" "$work/both"
both=$work/both/$libdir
export OP2_CACHE_DIR="$work/cache" OP2_CACHE=off LD_LIBRARY_PATH="$both"
unset OP2_PLUGIN_DIR
first=$(basename "$both"/libop2.so.0.? | sed 's/libop2.so.//')
second=0.$((${first#0.} + 1))

# Beside what is installed, under the names that the rules of installation give.
cp -P "$next"/lib/libop2.so.0.* "$both"
cp -r "$both/op2-$first" "$both/op2-$second"
mkdir "$work/both/libexec/op2-$second"
cp "$next/libexec/op2-compile" "$work/both/libexec/op2-$second/op2-compile"

# The same program, built with the second version: only the name of the library differs. Neither has its run path any more.
sed 's|/moved/|/other/|g' "$consumer" >"$work/older"
sed "s/libop2\.so\.$first/libop2.so.$second/" "$work/older" >"$work/newer"
chmod +x "$work/older" "$work/newer"

# expect TEXT PROGRAM ARGUMENT...
expect() {
  text=$1
  shift
  if ! "$@" >"$work/out" 2>&1; then
    echo "fails: $*" >&2
    cat "$work/out" >&2
    exit 1
  fi
  if ! grep -qF "$text" "$work/out" || grep -qF 'op2-compile' "$work/out"; then
    echo "expected '$text': $*" >&2
    cat "$work/out" >&2
    exit 1
  fi
}

expect "libop2 $first." "$work/older" --op2-version
expect "libop2 $second." "$work/newer" --op2-version
expect "sums 1 11 110 100" "$work/older"
expect "sums 1 11 110 100" "$work/newer"

# Each has its own plug-in: without it, only its own programs fail, and say why.
rm -r "$both/op2-$second"
expect "sums 1 11 110 100" "$work/older"
if "$work/newer" >"$work/out" 2>&1; then
  echo "the second version uses the plug-in of the first" >&2
  exit 1
fi
grep -F "OP2-E504" "$work/out"
grep -F "op2-$second/libop2_llvm.so" "$work/out"

# Without the version that it was built with, a program is not started.
rm "$both/libop2.so.$first"*
status=0
"$work/older" >"$work/out" 2>&1 || status=$?
cat "$work/out"
grep -F "libop2.so.$first: cannot open shared object file" "$work/out"
test "$status" -eq 127

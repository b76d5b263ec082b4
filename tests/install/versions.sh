#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# versions.sh SOURCE WORK PREFIX LIBDIR NEXT CONSUMER FIRST SECOND COMPILER: two versions side by side in one prefix.
# NEXT: folder of the next version, with include/ and lib/; CONSUMER: a program that was built with the first;
# FIRST and SECOND: their interfaces, e.g. 0.1 and 0.2.
set -eu
source=$1 work=$2 prefix=$3 libdir=$4 next=$5 consumer=$6 first=$7 second=$8 compiler=$9
rm -rf "$work"
mkdir -p "$work"
cp -r "$prefix" "$work/both"
both=$work/both/$libdir
export OP2_CACHE_DIR="$work/cache" OP2_CACHE=off LD_LIBRARY_PATH="$both"
unset OP2_PLUGIN_DIR

# Beside what is installed, under the names that the rules of installation give.
cp -P "$next/lib/libop2.so.$second"* "$both"
cp -r "$next/lib/op2-$second" "$both"

fail() {
  echo "$1" >&2
  cat "$work/out" >&2
  exit 1
}

# expect TEXT PROGRAM ARGUMENT...: it succeeds, says TEXT, and nothing of a helper that is not used.
expect() {
  text=$1
  shift
  timeout 60 "$@" >"$work/out" 2>&1 || fail "fails: $*"
  if ! grep -qF "$text" "$work/out" || grep -qF 'op2-compile' "$work/out"; then
    fail "expected '$text': $*"
  fi
}

# The same program, built with each. The first does not have its run path any more.
sed 's|/moved/|/other/|g' "$consumer" >"$work/older"
chmod +x "$work/older"
"$compiler" -std=c++20 -I"$next/include" -I"$work/both/include" "$source/tests/install/consumer/main.cpp" \
  -o "$work/newer" -L"$next/lib" -lop2
expect "libop2 $first." "$work/older" --op2-version
expect "libop2 $second." "$work/newer" --op2-version
expect "sums 1 11 110 100" "$work/older"
expect "sums 1 11 110 100" "$work/newer"

# A program with parts of both: each calls its own version, and the one without a session says why.
cat >"$work/part.cpp" <<'END'
#include <op2/op2.hpp>
#include <cstdio>
void use(op_set set) {
  std::printf("part: headers %s, library %s\n", OP2_VERSION_STRING, op2_version());
  try {
    op_get_size(set);
  } catch (const op2::Error& error) {
    std::printf("%s\n", error.what());
  }
}
END
cat >"$work/main.cpp" <<'END'
#include <op2/op2.hpp>
#include <cstdio>
void use(op_set);
int main(int argc, char** argv) {
  op_init(argc, argv);
  std::printf("main: headers %s, library %s\n", OP2_VERSION_STRING, op2_version());
  use(op_decl_set(1, "cells"));
  op_exit();
}
END
"$compiler" -std=c++20 -shared -fPIC -I"$work/both/include" "$work/part.cpp" -o "$work/libpart.so" -L"$both" -lop2
"$compiler" -std=c++20 -I"$next/include" -I"$work/both/include" "$work/main.cpp" -o "$work/parts" -L"$work" -lpart \
  -L"$next/lib" -lop2 -Wl,-rpath,"$work"
expect "main: headers $second.0, library $second.0" "$work/parts"
grep -q "part: headers ${first}[.0-9]*, library ${first}[.]" "$work/out" || fail "a part calls another version"
grep -q "not running: op_get_size, but the program has loaded another version, too: .*libop2.so.$second" "$work/out" ||
  fail "a handle of another version is not refused as such"

# Neither takes the plug-ins or the helper of the other, wherever they are.
for program in older newer; do
  [ $program = older ] && other=$second || other=$first
  if OP2_PLUGIN_DIR="$both/op2-$other" "$work/$program" >"$work/out" 2>&1; then
    fail "$program uses the plug-in of $other"
  fi
  grep -q "OP2-E504 .*op2-$other/libop2_llvm.so, it is of libop2 ${other}[.]" "$work/out" || fail "the message is another"
done
mv "$both/op2-$second/libop2_clang.so" "$work"
cp "$both/op2-$first/libop2_clang.so" "$both/op2-$second"
"$work/newer" >"$work/out" 2>&1 && fail "the compiler of $first is used with the plug-in of $second"
grep -q "libop2_clang.so': it is of libop2 ${first}[.]" "$work/out" || fail "the message is another"
mv "$work/libop2_clang.so" "$both/op2-$second"

# Without its plug-in, only its own programs fail, and say why.
rm -r "$both/op2-$second"
expect "sums 1 11 110 100" "$work/older"
"$work/newer" >"$work/out" 2>&1 && fail "the second version uses the plug-in of the first"
grep -F "OP2-E504" "$work/out"
grep -F "op2-$second/libop2_llvm.so" "$work/out"

# Without the version that it was built with, a program is not started.
rm "$both/libop2.so.$first"*
status=0
"$work/older" >"$work/out" 2>&1 || status=$?
cat "$work/out"
grep -F "libop2.so.$first: cannot open shared object file" "$work/out"
test "$status" -eq 127

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# consumer.sh SOURCE WORK COMPILER GENERATOR [TOOL]: builds tests/embed/consumer with the tool, or without.
# TOOL is its path, or package=PREFIX for the one of an installed package.
set -eu
source=$1 work=$2 compiler=$3 generator=$4 tool=${5-}

fail() {
  echo "$1" >&2
  exit 1
}

case $tool in
  package=*) found="-DPACKAGE=ON -DCMAKE_PREFIX_PATH=${tool#package=}" ;;
  *) found=-DTOOL=$tool ;;
esac
rm -rf "$work"
mkdir -p "$work"
cp -r "$source/tests/embed/consumer" "$work/project"
# shellcheck disable=SC2086 # several options
cmake -S "$work/project" -B "$work/build" -G "$generator" -DCMAKE_CXX_COMPILER="$compiler" \
  -DOP2_SOURCE="$source" $found | tee "$work/configured"
cmake --build "$work/build"

if [ -z "$tool" ]; then
  [ "$(grep -c "kernels will run as function pointers" "$work/configured")" = 1 ] || fail "no message"
  [ -z "$("$work/build/program")" ] || fail "there are sources"
  exit 0
fi
"$work/build/program" | grep -F "y[0] = 2.5 * x[0] + 3 + 7;" || fail "the source is not in the program"
cmake --build "$work/build" | tee "$work/again"
! grep "Extracting kernels" "$work/again" || fail "parsed again without need"
sleep 1.1
echo "#define SHIFT 8" >"$work/project/shift.h"
cmake --build "$work/build" >/dev/null
"$work/build/program" | grep -F "3 + 8;" || fail "a changed header was not noticed"

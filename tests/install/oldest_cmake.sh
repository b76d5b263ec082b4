#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# oldest_cmake.sh SOURCE WORK PREFIX: the oldest CMake that is supported, from Python's package index, reads the presets,
# configures the library with its tests, examples and packages, compiles a file of it, and a program for what is installed.
set -eu
source=$1 work=$2 prefix=$3
version=$(grep -o "^cmake_minimum_required(VERSION [0-9]*[.][0-9]*" "$source/CMakeLists.txt" | grep -o "[0-9.]*$")
rm -rf "$work/build" "$work/consumer"
mkdir -p "$work"
[ -x "$work/python/bin/cmake" ] ||
  { python3 -m venv "$work/python" && "$work/python/bin/pip" install -q "cmake==$version.*"; } >"$work/pip.txt" 2>&1 || {
  echo "skipped: CMake $version cannot be installed: $(tail -n 1 "$work/pip.txt")"
  exit 77
}
PATH=$work/python/bin:$PATH
cmake --version | grep -F "cmake version $version."
cd "$source"
for preset in dev release debian; do
  cmake --list-presets | grep -F "\"$preset\""
done
cmake --preset dev -B "$work/build"
cmake --build "$work/build" --target src/CMakeFiles/op2_objects.dir/core/log.cpp.o
(cd "$work/build" && ctest -N | tail -n 1 && cpack --help >/dev/null)
cmake -S "$source/tests/install/consumer" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
cmake --build "$work/consumer"

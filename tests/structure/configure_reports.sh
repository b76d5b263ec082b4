#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# configure_reports.sh SOURCE BUILD: what CMake says of settings that are not followed, and of none.
set -eu
rm -rf "$2"
mkdir -p "$2"

configure() {
  cmake -S "$1" -B "$2" -G Ninja -DOP2_BUILD_TESTS=OFF -DOP2_WITH_LLVM=OFF "$3" >"$2.txt" 2>&1
}

expect() {
  if ! tr -s '\n ' ' ' <"$2.txt" | grep -qF "$1"; then
    echo "expected, but not said: $1" >&2
    cat "$2.txt" >&2
    exit 1
  fi
}

configure "$1" "$2/static" -DBUILD_SHARED_LIBS=OFF
expect "BUILD_SHARED_LIBS=OFF: libop2 is a shared library all the same" "$2/static"
expect "CMAKE_BUILD_TYPE is not set: Release is built" "$2/static"
grep -q 'CMAKE_BUILD_TYPE:STRING=Release' "$2/static/CMakeCache.txt"

configure "$1" "$2/off" -DOP2_WITH_MPI=OFF
expect "MPI no switched off" "$2/off"

if configure "$1" "$2/sanitize" "-DOP2_SANITIZE=adress;undefined"; then
  echo "configured with OP2_SANITIZE=adress" >&2
  exit 1
fi
expect "'adress' is none of address, undefined, thread" "$2/sanitize"

configure "$1" "$2/unity" -DCMAKE_UNITY_BUILD=ON
expect "CMAKE_UNITY_BUILD=ON: the files of libop2 are compiled one by one all the same" "$2/unity"
if grep -q 'unity_0' "$2/unity/build.ninja"; then
  echo "files are merged" >&2
  exit 1
fi

mkdir "$2/parent"
cat >"$2/parent/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(parent LANGUAGES CXX)
add_subdirectory($1 op2)
END
configure "$2/parent" "$2/below" -DOP2_WITH_HDF5=OFF
expect "CMAKE_BUILD_TYPE is not set: libop2 is built without optimisation" "$2/below"

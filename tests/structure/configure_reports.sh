#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# configure_reports.sh SOURCE BUILD: what CMake says of settings that are not followed, and of none; what is then installed.
set -eu
rm -rf "$2"
mkdir -p "$2"

# configure SOURCE BUILD OPTION...
configure() {
  from=$1 to=$2
  shift 2
  cmake -S "$from" -B "$to" -G Ninja -DOP2_BUILD_TESTS=OFF -DOP2_WITH_LLVM=OFF "$@" >"$to.txt" 2>&1
}

expect() {
  if ! tr -s '\n ' ' ' <"$2.txt" | grep -qF "$1"; then
    echo "expected, but not said: $1" >&2
    cat "$2.txt" >&2
    exit 1
  fi
}

fail() {
  echo "$1" >&2
  exit 1
}

# A copy, with what editors and builds leave behind.
copy=$2/copy
mkdir "$copy"
(cd "$1" && cp -r bench CMakeLists.txt CHANGELOG.md LICENSE README.md cmake docs examples include packaging src tools "$copy")
mkdir "$copy/examples/01_hello_mesh/build"
touch "$copy/docs/files.md~" "$copy/docs/.files.md.swp" "$copy/examples/core" "$copy/examples/01_hello_mesh/build/left.cpp"

configure "$copy" "$2/static" -DBUILD_SHARED_LIBS=OFF -DOP2_BUILD_TOOLS=OFF "-DCMAKE_INSTALL_LIBDIR=$2/elsewhere/lib"
expect "BUILD_SHARED_LIBS=OFF: libop2 is a shared library all the same" "$2/static"
expect "CMAKE_BUILD_TYPE is not set: Release is built" "$2/static"
grep -q 'CMAKE_BUILD_TYPE:STRING=Release' "$2/static/CMakeCache.txt"

configure "$1" "$2/off" -DOP2_WITH_MPI=OFF
expect "MPI no switched off" "$2/off"

if configure "$1" "$2/sanitize" "-DOP2_SANITIZE=adress;undefined"; then
  fail "configured with OP2_SANITIZE=adress"
fi
expect "'adress' is none of address, undefined, thread" "$2/sanitize"

# Nothing else is installed beside the pages, no tool that is not built, and folders may be absolute paths.
cmake --install "$2/static" --component doc --prefix "$2/prefix" >"$2/install.txt"
test -f "$2/prefix/share/doc/op2/examples/01_hello_mesh/main.cpp"
test -f "$2/prefix/share/doc/op2/examples/05_mesh_to_picture/cylinder.msh"
! find "$2/prefix" -name '*~' -o -name '*.swp' -o -name core -o -name left.cpp | grep . || fail "is installed"
cmake --install "$2/static" --component tools --prefix "$2/prefix" >>"$2/install.txt"
! ls "$2/prefix/bin" 2>/dev/null || fail "tools are installed that were switched off"
! grep 'op2-cxx' "$2/static/cmake_install.cmake" || fail "op2-cxx is installed without op2-embed-kernels"
grep -qx "libdir=$2/elsewhere/lib" "$2/static/op2.pc" || fail "the folder of the library is wrong: $(grep libdir= "$2/static/op2.pc")"

# Another version of the headers is another version of all.
sed -i 's/\(VERSION_MAJOR\) [0-9]*/\1 12/; s/\(VERSION_STRING "\)[0-9]*/\112/' "$copy/include/op2/version.hpp"
cmake --build "$2/static" --target build.ninja >"$2/again.txt"
grep -q '^Version: 12[.]' "$2/static/op2.pc" || fail "version.hpp has changed, but not what is built"
grep -q '^OP2_12 {' "$2/static/src/exports.map" || fail "version.hpp has changed, but not the interface"

mkdir "$2/parent"
cat >"$2/parent/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(parent LANGUAGES CXX)
add_subdirectory($1 op2)
END
configure "$2/parent" "$2/below" -DOP2_WITH_HDF5=OFF
expect "CMAKE_BUILD_TYPE is not set: libop2 is built without optimisation" "$2/below"

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# library_with_clang.sh SOURCE BUILD: Debian's clang++ compiles the library without a warning, and an example runs with it.
set -eu
cmake -S "$1" -B "$2" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS=-Werror -DCMAKE_BUILD_TYPE=Debug \
  -DOP2_BUILD_TESTS=OFF -DOP2_BUILD_EMBED=OFF
cmake --build "$2" -j 2 --target op2 01_hello_mesh
OP2_CACHE_DIR="$2/cache" "$2/examples/01_hello_mesh/01_hello_mesh"

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One install test: run.sh STEP SOURCE BUILD LIBDIR [cmake option ...]
# `stage` installs BUILD and moves the result; the other steps use libop2 from there, as users do.
set -eu
step=$1 source=$2 build=$3 libdir=$4
shift 4
consumer=$source/tests/install/consumer
work=$build/install-test
prefix=$work/moved
export OP2_CACHE_DIR="$work/cache-$step"
unset OP2_PLUGIN_DIR

build_and_run() {
  rm -rf "${work:?}/$step" "$OP2_CACHE_DIR"
  cmake -S "$consumer" -B "$work/$step" -G Ninja "$@"
  cmake --build "$work/$step" -j 2
  "$work/$step/consumer"
}

case $step in
  stage)
    rm -rf "$work"
    cmake --install "$build" --prefix "$work/first"
    mv "$work/first" "$prefix"
    ;;
  package)
    build_and_run -DCMAKE_PREFIX_PATH="$prefix" "$@"
    if grep -rE 'fmt|spdlog|sodium|json|hwloc|LLVM' "$prefix/$libdir/cmake/op2"; then
      echo "the package asks its users for libraries that only libop2 needs" >&2
      exit 1
    fi
    ;;
  pkg_config)
    rm -rf "${work:?}/$step" "$OP2_CACHE_DIR"
    mkdir -p "$work/$step"
    export PKG_CONFIG_PATH="$prefix/$libdir/pkgconfig"
    # shellcheck disable=SC2046 # several flags
    g++ -std=c++20 "$consumer/main.cpp" $(pkg-config --cflags --libs op2) \
      -Wl,-rpath,"$(pkg-config --variable=libdir op2)" -o "$work/$step/consumer"
    "$work/$step/consumer"
    ;;
  tool)
    OP2_CACHE_DIR=$work/cache-package "$prefix/bin/op2-jitinspect" list | grep add
    ;;
  subdirectory)
    build_and_run -DOP2_SOURCE="$source" "$@"
    ;;
esac

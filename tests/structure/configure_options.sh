#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# configure_options.sh SOURCE BUILD [each]: what docs/installing.md offers to leave out can be left out together or, with
# `each`, each part alone, with all that is left and its tests.
set -eu
rm -rf "$2"
mkdir -p "$2"
failed=0

# configure NAME SETTING ...
configure() {
  name=$1
  shift
  if ! cmake -S "$source" -B "$build/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@" >"$build/$name.txt" 2>&1; then
    echo "cannot be configured: $*" >&2
    cat "$build/$name.txt" >&2
    failed=1
  fi
  rm -rf "${build:?}/$name"
}

source=$1
build=$2
for setting in OP2_WITH_LLVM OP2_WITH_MPI OP2_WITH_HDF5 OP2_WITH_SCOTCH OP2_WITH_PTSCOTCH OP2_WITH_HWLOC OP2_BUILD_TOOLS \
               OP2_BUILD_EMBED OP2_BUILD_EXAMPLES; do
  grep -qF "\`$setting\`" "$source/docs/installing.md"
  [ -z "${3:-}" ] || configure "$setting" "-D$setting=OFF"
done
configure least -DOP2_WITH_LLVM=OFF -DOP2_WITH_MPI=OFF -DOP2_WITH_HDF5=OFF -DOP2_WITH_SCOTCH=OFF -DOP2_WITH_HWLOC=OFF \
  -DOP2_BUILD_TOOLS=OFF -DOP2_BUILD_EMBED=OFF -DOP2_BUILD_EXAMPLES=OFF
exit "$failed"

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# parts.sh SOURCE WORK PREFIX LIBDIR VERSION HDF5: what the packages of CMake and pkg-config say about parts and versions.
# HDF5: ON or OFF, as the installed library was built.
set -eu
source=$1 work=$2 prefix=$3 libdir=$4 version=$5 hdf5=$6
interface=${version%.*}
next=${interface%.*}.$((${interface#*.} + 1))
rm -rf "$work"
mkdir -p "$work"

# ask PARTS TEXT: configures with find_package(op2 PARTS), which must say TEXT.
ask() {
  rm -rf "$work/build"
  cmake -S "$source/tests/install/parts" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DWANTED="$1" \
    >"$work.txt" 2>&1 || true
  if ! tr -s '\n ' ' ' <"$work.txt" | grep -qF "$2"; then
    echo "find_package(op2 $1): expected, but not said: $2" >&2
    cat "$work.txt" >&2
    exit 1
  fi
}

ask "$interface" "found libop2 $version"
ask "$interface OPTIONAL_COMPONENTS HDF5 PONIES" "HDF5 is $hdf5"
ask "REQUIRED COMPONENTS PONIES" "libop2 has no component PONIES; components are LLVM HWLOC MPI HDF5"
ask "0.0 REQUIRED" 'compatible with requested version "0.0"'
ask "$next REQUIRED" "compatible with requested version \"$next\""
if [ "$hdf5" = ON ]; then
  ask "REQUIRED COMPONENTS hdf5" "HDF5 is ON"
fi

# The same package, of a library without HDF5 and Clang.
cp -r "$prefix" "$work/less"
sed -i 's/^set(op2_\(HDF5\|EMBED\)_VERSION .*/set(op2_\1_VERSION no)/' "$work/less/$libdir/cmake/op2/op2Config.cmake"
prefix=$work/less
ask "REQUIRED COMPONENTS HDF5" "this libop2 was built without HDF5; it has LLVM"
ask "REQUIRED COMPONENTS embed" "this libop2 was built without op2-embed-kernels"
ask "COMPONENTS MPI" "HDF5 is OFF"

export PKG_CONFIG_PATH="$prefix/$libdir/pkgconfig"
for name in llvm hwloc mpi hdf5 scotch ptscotch embed plugindir docdir; do
  if [ -z "$(pkg-config --variable=$name op2)" ]; then
    echo "pkg-config --variable=$name op2 is empty" >&2
    exit 1
  fi
done
test -f "$(pkg-config --variable=docdir op2)/README.md"
# The version of hwloc's own package, and the name of the library that implements MPI.
if pkg-config --exists hwloc && [ "$(pkg-config --variable=hwloc op2)" != no ]; then
  test "$(pkg-config --variable=hwloc op2)" = "$(pkg-config --modversion hwloc)"
fi
if [ "$(pkg-config --variable=mpi op2)" != no ]; then
  pkg-config --variable=mpi_library op2 | grep "MPI.* [0-9]"
fi
# Programs include OP2's own names with either package.
pkg-config --cflags op2 | grep "op2/compat"
pkg-config --exists "op2 = $version"

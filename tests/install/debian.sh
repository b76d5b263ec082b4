#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# debian.sh RELEASE SOURCE WORK README_PROGRAM PRINTED NEXT FIRST SECOND: in a clean root of a release of Debian, installs
# what tools/setup.sh says, builds the packages without a warning, and compiles the library with the release's Clang. In another
# one it installs the packages, and builds and runs the program of README.md, with pkg-config and with CMake, a program for OP2's
# headers, and others on ranks. NEXT: folder of the next version (versions.sh), built on this machine: if its release is the same,
# that becomes a package beside the first. FIRST and SECOND: the interfaces, e.g. 0.1 and 0.2.
set -eu
unset OP2_PLUGIN_DIR OP2_CACHE_DIR  # of the machine, not of the root
release=$1 source=$2 work=$3 program=$4 printed=$5 next=$6 first=$7 second=$8
. "$source/tests/install/roots.sh"
need_root
rm -rf "${work:?}"
mkdir -p "$work/debs" "$work/program"
pack_tree "$source" "$work/source.tar"

cat >"$work/build.sh" <<'END'
set -eux
cd /source
tools/setup.sh
tools/setup.sh >/said
cat /said
[ "$(cat /said)" = "setup: all packages are installed" ]
CXXFLAGS=-Werror make packages SETUP=true JOBS=2
g++ --version
clang++ --version
tests/structure/library_with_clang.sh /source /by_clang
END
# shellcheck disable=SC2016 # $1 is mmdebstrap's
in_root "$release" ca-certificates \
  'mkdir "$1/source"' \
  "tar-in $work/source.tar /source" \
  "copy-in $work/build.sh /" \
  'chroot "$1" sh /build.sh' \
  "copy-out /source/build/debian/packages $work"
mv "$work"/packages/*.deb "$work/debs"

# The next version as a package: its library, plug-ins and helper, which need what those of this version need.
if grep -qx "VERSION_CODENAME=$release" /etc/os-release; then
  package=$work/next
  mkdir -p "$package/DEBIAN" "$package/usr/lib"
  cp -P "$next/lib/libop2.so.$second"* "$package/usr/lib"
  cp -r "$next/lib/op2-$second" "$package/usr/lib"
  cat >"$package/DEBIAN/control" <<END
Package: libop2-$second
Version: $second.0
Architecture: $(dpkg --print-architecture)
Maintainer: nobody <nobody@op2.invalid>
Depends: $(dpkg-deb --field "$work/debs/libop2-${first}_"*.deb Depends)
Description: the next version of libop2, for a test
END
  echo "activate-noawait ldconfig" >"$package/DEBIAN/triggers"
  dpkg-deb --root-owner-group --build "$package" "$work/debs"
  cp -r "$next/include" "$work/program/next"
fi
cp -r "$source/tests/install/existing" "$source/tests/install/saved_mesh.cpp" "$source/tests/compat/ring.cpp" "$work/program"

for package in "$work"/debs/*.deb; do
  echo "--- $(basename "$package")"
  dpkg-deb --field "$package" Package Version Depends Recommends Installed-Size
  dpkg-deb --contents "$package" | awk '$6 !~ "/$" && ++count <= 40 {print $3, $6}'
done

cp "$program" "$work/program/main.cpp"
cat >"$work/program/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(readme LANGUAGES CXX)
find_package(op2 CONFIG REQUIRED COMPONENTS MPI LLVM)
add_executable(program main.cpp)
target_link_libraries(program PRIVATE op2::op2)
END
cat >"$work/program/test.sh" <<'END'
set -eux
cd /program
first=$2 second=$3
folder=$(gcc -print-multiarch)
dpkg --list 'libop2*' 'op2*'
if [ -e /usr/bin/clang ] || ls -d /usr/lib/llvm-*/include; then
  echo "this root is not clean"
  exit 1
fi
g++ -std=c++20 main.cpp $(pkg-config --cflags --libs op2) -o by_pkg_config
./by_pkg_config
./by_pkg_config --op2-version | grep "libop2 $first[.]"
test -e /usr/lib/$folder/op2-$first/libop2_llvm.so
mkdir debian && printf 'Source: program\n\nPackage: program\nArchitecture: any\n' >debian/control
dpkg-shlibdeps -O ./by_pkg_config | grep "libop2-$first (>= $first"
if [ -d next ]; then
  g++ -std=c++20 -Inext main.cpp /usr/lib/libop2.so.$second -o of_next
  ./of_next --op2-version | grep "libop2 $second[.]"
  OP2_JIT=require OP2_CACHE=off ./of_next | grep -xF "$1"
fi
make CXX="op2-cxx g++" OP2=/usr LIBDIR=lib/$folder -f existing/Makefile
OP2_TIMING=table.txt ./ring
grep 'spread .* jit' table.txt
cmake -S . -B build -DCMAKE_BUILD_TYPE=Release
cmake --build build
OP2_JIT=require OP2_CACHE=off build/program | tee printed
grep -xF "$1" printed
op2-jitinspect list
op2-jitinspect --version
op2-model --version
op2-mesh --help
op2-report --help
cmake -S /usr/share/doc/op2/examples -B examples -DCMAKE_BUILD_TYPE=Release
cmake --build examples --target 01_hello_mesh --target 04_ranks
examples/01_hello_mesh/01_hello_mesh
on_ranks="timeout 300 mpirun --allow-run-as-root --oversubscribe -np"
$on_ranks 2 examples/04_ranks/04_ranks
g++ -std=c++20 saved_mesh.cpp $(pkg-config --cflags --libs op2) -o saved_mesh
$on_ranks 2 ./saved_mesh write
$on_ranks 3 ./saved_mesh read | grep -x "the sum is 18"
for package in libop2-$first libop2-dev op2-tools op2-doc; do
  grep -q "LLVM Exceptions" /usr/share/doc/$package/copyright
  ls /usr/share/doc/$package/changelog.gz
done
apt-get install -y --no-install-recommends lintian
lintian --allow-root --fail-on error /debs/*_$first.*.deb
ls /usr/share/doc/op2/html/index.html /usr/share/man/man1/op2-mesh.1.gz
apt-get purge -y 'libop2*' 'op2*'
if ls -d /usr/lib/*op2* /usr/lib/*/*op2* /usr/include/op2 /usr/share/op2; then
  echo "something is left after removal"
  exit 1
fi
END

# shellcheck disable=SC2016 # $1 is mmdebstrap's
in_root "$release" ca-certificates,g++,cmake,make,pkg-config,dpkg-dev,openmpi-bin \
  "copy-in $work/debs $work/program /" \
  'chroot "$1" sh -c "apt-get install -y --no-install-recommends /debs/*.deb"' \
  "chroot \"\$1\" sh /program/test.sh '$printed' $first $second"
echo "the packages are built, and work, in clean roots of $release"

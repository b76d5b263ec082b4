#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# debian.sh BUILD WORK README_PROGRAM PRINTED: builds the Debian packages, installs them into a clean Debian 12, and there
# builds and runs the program of README.md, with pkg-config and with CMake. Packages come from the sources of this machine.
set -eu
build=$1 work=$2 program=$3 printed=$4
skip() {
  echo "skipped: $1"
  exit 77
}
[ "$(id -u)" -eq 0 ] || skip "a root folder needs root"
for tool in mmdebstrap dpkg-shlibdeps; do
  command -v $tool >/dev/null || skip "$tool is missing"
done
sources=$(ls /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null) || true
[ -n "$sources" ] || skip "the machine has no sources of packages"

rm -rf "${work:?}" "$build/packages"
mkdir -p "$work/debs" "$work/program"
(cd "$build" && cpack -G DEB)
cp "$build"/packages/*.deb "$work/debs"
for package in "$work"/debs/*.deb; do
  echo "--- $(basename "$package")"
  dpkg-deb --field "$package" Package Version Depends Recommends Installed-Size
  dpkg-deb --contents "$package" | awk '$6 !~ "/$" && ++count <= 40 {print $3, $6}'
done

cp "$program" "$work/program/main.cpp"
cat >"$work/program/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(readme LANGUAGES CXX)
find_package(op2 CONFIG REQUIRED COMPONENTS MPI LLVM)
add_executable(program main.cpp)
target_link_libraries(program PRIVATE op2::op2)
END
cat >"$work/program/test.sh" <<'END'
set -eux
cd /program
dpkg --list 'libop2*' 'op2*'
if [ -e /usr/bin/clang ] || ls -d /usr/lib/llvm-19/include; then
  echo "this root is not clean"
  exit 1
fi
g++ -std=c++20 main.cpp $(pkg-config --cflags --libs op2) -o by_pkg_config
./by_pkg_config
./by_pkg_config --op2-version
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
cmake --build examples --target 01_hello_mesh
examples/01_hello_mesh/01_hello_mesh
ls /usr/share/doc/op2/html/index.html /usr/share/man/man1/op2-mesh.1.gz
apt-get purge -y 'libop2*' 'op2*'
if ls -d /usr/lib/*op2* /usr/lib/op2* /usr/libexec/op2* /usr/include/op2 /usr/share/op2; then
  echo "something is left after removal"
  exit 1
fi
END

exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-  # apt would get a file number above 9, which sh cannot use
# shellcheck disable=SC2016,SC2086 # $1 is mmdebstrap's; sources are several words
mmdebstrap --variant=apt --include=ca-certificates,g++,cmake,make,pkg-config \
  --customize-hook="copy-in $work/debs $work/program /" \
  --customize-hook='chroot "$1" sh -c "apt-get install -y --no-install-recommends /debs/*.deb"' \
  --customize-hook="chroot \"\$1\" sh /program/test.sh '$printed'" \
  bookworm /dev/null $sources
echo "the packages work in a clean Debian 12"

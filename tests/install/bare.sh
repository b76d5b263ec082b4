#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bare.sh SOURCE WORK README_PROGRAM PRINTED: in a root of Debian 12 with compilers, CMake and make, and nothing else, a user
# without the internet bootstraps from Debian's archives, builds and installs the library, and runs the program of README.md on
# host functions.
set -eu
source=$1 work=$2 program=$3 printed=$4
. "$source/tests/install/roots.sh"
need_root
rm -rf "${work:?}"
mkdir -p "$work/archives" "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
pack_tree "$source" "$work/source.tar"

# fetch RELEASE PACKAGE...: archives of sources, whatever release this machine has. Other files of a source package may be missing.
fetch() {
  echo "deb-src $mirror $1 main" >"$work/apt/sources.list"
  shift
  set -- source --download-only "$@"
  for command in update "$*"; do
    # shellcheck disable=SC2086 # words
    (cd "$work/archives" && apt-get -q -o Dir::Etc::SourceList="$work/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
      -o Dir::State::Lists="$work/apt/lists" -o Dir::Cache="$work/apt/cache" -o APT::Sandbox::User=root $command) || true
  done
}
fetch trixie fmtlib spdlog nlohmann-json3 cli11 libsodium
fetch bookworm hwloc

mkdir "$work/user"
cp "$program" "$work/user/main.cpp"
cat >"$work/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(readme LANGUAGES CXX)
find_package(op2 CONFIG REQUIRED)
add_executable(program main.cpp)
target_link_libraries(program PRIVATE op2::op2)
END
cat >"$work/user/test.sh" <<'END'
set -eux
cd /user
if ls -d /usr/include/fmt /usr/include/sodium.h /usr/bin/ninja; then
  echo "this root is not bare"
  exit 1
fi
echo "this is no archive" >archives/fmt.tar.gz
source/tools/bootstrap.sh --prefix deps --sources archives --with-hwloc
times
test -z "$(find deps -name '*.so*')"
source/tools/bootstrap.sh --prefix deps --sources /nonexistent >said 2>&1 && exit 1
source/tools/bootstrap.sh --prefix deps --with-hwloc >said
test "$(wc -l <said)" = 1
cmake -S source -B build -DOP2_DEPS_DIR=/user/deps -DOP2_BUILD_TESTS=OFF -DOP2_BUILD_EXAMPLES=OFF -DOP2_WITH_HWLOC=ON \
  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-g0  # compiled as fast as possible
cmake --build build -j 2 --target op2_package
cmake --install build --prefix /user/op2
mv deps no_longer_there
cmake -S . -B program -DCMAKE_PREFIX_PATH=/user/op2
cmake --build program
program/program | tee printed
grep -xF "$1" printed
program/program --op2-version
op2/bin/op2-jitinspect --version
END
# shellcheck disable=SC2016 # $1 is mmdebstrap's
in_root bookworm g++,cmake,make \
  "copy-in $work/user $work/archives /" \
  'mkdir "$1/user/source" && mv "$1/archives" "$1/user"' \
  "tar-in $work/source.tar /user/source" \
  'chroot "$1" chown -R nobody: /user' \
  "unshare --net chroot \"\$1\" setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME=/user sh /user/test.sh '$printed'"
echo "bootstrapped and built in a bare root"

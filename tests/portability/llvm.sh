#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# llvm.sh compile|test VERSION FOLDER: libop2 with a version of LLVM that this machine need not have, in packages of a release of
# Debian that offers it. Nothing is installed on this machine: the packages go to FOLDER, which later calls use again.
#   compile  src/jit/llvm and op2-embed-kernels, with the compiler of this machine
#   test     the library, and the tests of what compiles kernels, in a root folder of that release; needs root
# The exit status is 77 if that is not possible here.
set -eu
[ $# -eq 3 ] || {
  sed -n '3,7s/^# //p' "$0" >&2
  exit 2
}
what=$1 version=$2
case $version in
  17 | 18 | 22) release=trixie ;;
  19) release=bookworm ;;
  *)
    echo "llvm: no release of Debian offers LLVM $version; there are 17, 18, 19 and 22" >&2
    exit 2
    ;;
esac
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/install/roots.sh"
security=$(source_of '-security$')
mkdir -p "$3"
folder=$(cd "$3" && pwd)
root=$folder/$release-$what
build=$folder/$what
llvm=llvm-$version-dev,libclang-$version-dev,libclang-cpp$version-dev,libclang-common-$version-dev,libpolly-$version-dev

# unpack VARIANT PACKAGES: makes the root folder, once.
unpack() {
  [ ! -e "$folder/$release-$what.done" ] || return 0
  rm -rf "${root:?}"
  mmdebstrap --quiet --variant="$1" --include="$2" "$release" "$root" "deb $mirror $release main" \
    ${security:+"deb $security $release-security main"}
  touch "$folder/$release-$what.done"
}

# configure LLVM_DIR OPTION...
configure() {
  llvm_dir=$1
  shift
  set -- cmake -S "$source" -B "$build" -G Ninja -DOP2_WITH_LLVM=ON "-DLLVM_DIR=$llvm_dir" -DOP2_WITH_MPI=OFF -DOP2_WITH_HDF5=OFF "$@"
  $inside "$@" >"$build.txt" 2>&1 || {
    cat "$build.txt" >&2
    exit 1
  }
  grep "^--   LLVM      yes  ${version}[.]" "$build.txt"
}

case $what in
  compile)
    inside="env"
    unpack extract "$llvm"
    configure "$root/usr/lib/llvm-$version/lib/cmake/llvm" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-fsyntax-only -Werror" \
      -DOP2_BUILD_TESTS=OFF -DOP2_BUILD_EXAMPLES=OFF -DOP2_BUILD_TOOLS=OFF -DCMAKE_CXX_COMPILER_LAUNCHER=
    objects=$(ninja -C "$build" -t inputs op2_llvm op2_clang op2-embed-kernels | grep '[.]o$')
    # shellcheck disable=SC2086 # a list of files
    ninja -C "$build" $objects
    echo "src/jit/llvm and op2-embed-kernels compile with LLVM $version"
    ;;
  test)
    need_root
    clean="env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 CCACHE_DIR=$folder/ccache"
    [ -n "${inside:=}" ] || exec unshare --mount env inside="chroot $root $clean" "$0" "$@"
    unpack apt "$llvm,g++,make,cmake,ninja-build,ccache,python3,libhwloc-dev,libfmt-dev,libspdlog-dev,libsodium-dev,libsleef3,\
nlohmann-json3-dev,libcli11-dev,libgtest-dev,libgmock-dev"
    mkdir -p "$root$source" "$root$folder"
    mount --bind "$source" "$root$source"
    mount --bind "$folder" "$root$folder"
    mount --bind /proc "$root/proc"
    configure "/usr/lib/llvm-$version/lib/cmake/llvm" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DOP2_QUICK_LIBRARY=ON \
      "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -D_GLIBCXX_ASSERTIONS"
    $inside cmake --build "$build" -j "$(nproc)" --target op2_package jit_backend_test jit_generated_code_test jit_remote_test \
      jit_plugin_test equivalence_test embed_sources_test airfoil
    $inside ctest --test-dir "$build" --output-on-failure --no-tests=error \
      -R '^(jit_(backend|generated_code|remote|plugin)_test|equivalence_test|embed[._].*|example.airfoil)$'
    echo "kernels are compiled with LLVM $version"
    ;;
esac

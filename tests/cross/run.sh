#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh SOURCE WORK ARCHITECTURE [--sample]: builds the library and some tests for arm64 or ppc64el with a cross-compiler, and
# runs the tests in emulated processors. For arm64 these are one with NEON alone, and two with SVE of 256 and 512 bits; for
# ppc64el there is no compiler of kernels, and host functions run. All of it happens in a Debian 12 below WORK, which is made
# once, as root. The kernel learns of qemu, which executes programs of the other architecture, in a user namespace of its own
# (Linux 6.7 or newer), so that the machine stays as it is.
# --sample: a few of the tests. JOBS: compilers at a time. TEST_ROOTS: a folder that keeps the root for other builds.
# The exit status is 77 if that is not possible here.
set -eu
source=$(realpath "$1") work=$(realpath -m "$2") architecture=$3 sample=${4:-}
here=$source/tests/cross root=${TEST_ROOTS:-$work}/$architecture-root
export JOBS=${JOBS:-$(nproc)}

fail() {
  echo "test-$architecture: $1" >&2
  exit 1
}
mirror=""
. "$source/tests/install/roots.sh"

# Packages of this machine's architecture, and of the other one. Those of the last list need others that would replace
# those of this machine (the other's python3, gcc), so that only their files are taken.
tools="ca-certificates ccache cmake libcli11-dev ninja-build nlohmann-json3-dev python3 qemu-user-static"
libraries="libfmt-dev libgmock-dev libgtest-dev libhwloc-dev libopenmpi3 libptscotch-7.0 libscotch-7.0 libsodium-dev
  libspdlog-dev openmpi-bin"
files="libopenmpi-dev libptscotch-dev libscotch-dev"
case $architecture in
  arm64)
    triplet=aarch64-linux-gnu emulator=qemu-aarch64 usual=neon
    libraries="$libraries libclang-cpp19 libllvm19 libsleef3 libz3-dev libzstd-dev zlib1g-dev"
    files="$files libclang-19-dev libclang-common-19-dev libclang-cpp19-dev libpolly-19-dev llvm-19 llvm-19-dev llvm-19-linker-tools
      llvm-19-runtime llvm-19-tools"
    ;;
  ppc64el) triplet=powerpc64le-linux-gnu emulator=qemu-ppc64le usual=power9 ;;
  *) fail "this is known for arm64 and ppc64el" ;;
esac
tools="$tools g++-$triplet"

# fill_root SOURCE: with this source of packages beside Debian's.
fill_root() {
  rm -rf "${root:?}" && mkdir -p "$(dirname "$root")"
  # shellcheck disable=SC2016,SC2086 # $1 is mmdebstrap's; lists are several words
  mmdebstrap --variant=apt --architectures=amd64,"$architecture" --include="${include%,}" \
    --customize-hook="chroot \"\$1\" sh -c 'cd /tmp && apt-get download $(printf "%s:$architecture " $files)'" \
    --customize-hook='for file in "$1"/tmp/*.deb; do dpkg-deb --extract "$file" "$1" || exit 1; done; rm "$1"/tmp/*.deb' \
    --customize-hook='mkdir -p "$1/op2" "$1/build" "$1/ccache"' \
    bookworm "$root" "deb $mirror bookworm main" ${1:+"$1"}
}

make_root() {
  need_root
  [ "$(dpkg --print-architecture)" = amd64 ] || skip "the machine that compiles must be x86-64; on others 'make test' runs all"
  security=$(source_of '-security$')
  # shellcheck disable=SC2086 # lists are several words
  include=$(printf '%s,' $tools)$(printf "%s:$architecture," $libraries)
  fill_root "${security:+deb $security bookworm-security main}" || fill_root "" || # the first may be changing on the mirror
    { rm -rf "${root:?}" && fail "the root folder cannot be made: see mmdebstrap's messages"; }
  echo "$tools $libraries $files" >"$root/packages"
}

# inside PROCESSOR COMMAND: runs a command of bash in the root, where /proc/cpuinfo is PROCESSOR's. The shell stays: signals
# that end programs do not end the first process. The emulator has no process_vm_readv for Open MPI.
inside() {
  # shellcheck disable=SC2016 # what is expanded by the shell inside
  unshare --user --map-root-user --mount --pid --fork --kill-child bash -c '
    set -eu
    root=$1 emulator=$6
    mount --make-rprivate /
    mount -t proc proc "$root/proc" || mount --rbind /proc "$root/proc"
    for folder in dev sys; do mount --rbind /$folder "$root/$folder"; done
    mount -t tmpfs tmpfs "$root/tmp"
    mount --bind "$2" "$root/op2"
    mount -o remount,bind,ro "$root/op2"
    mount --bind "$3" "$root/build"
    mount --bind "$4" "$root/ccache"
    [ ! -e "$5" ] || mount --bind "$5" "$root/proc/cpuinfo"
    mount -t binfmt_misc binfmt_misc "$root/proc/sys/fs/binfmt_misc" || exit 99
    # The helper that compiles kernels gets no environment of the program, but must emulate the same processor. A script
    # cannot be opened beforehand (O and F of the flags).
    of_debian=$(cat "$root/usr/lib/binfmt.d/$emulator"*.conf)
    interpreter=$(echo "$of_debian" | cut -d : -f 7)
    printf "#!/bin/sh\nQEMU_CPU=%s exec %s \"\$@\"\n" "$7" "$interpreter" >"$root/tmp/emulator"
    chmod +x "$root/tmp/emulator"
    chroot "$root" sh -c "printf %s \"\$1\" >/proc/sys/fs/binfmt_misc/register" - \
      "$(echo "$of_debian" | sed "s|$interpreter:.*|/tmp/emulator:P|")" || exit 99
    exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LANG=C.UTF-8 CCACHE_DIR=/ccache \
      CCACHE_BASEDIR=/ JOBS="$JOBS" OMPI_MCA_btl_vader_single_copy_mechanism=none bash -euc "$8; exit"' \
    - "$root" "$source" "$work/build" "$ccache" "$here/cpu/$1" "$emulator" "$(model_of "$1")" "$2"
}

# What qemu calls it.
model_of() {
  case $1 in
    neon) echo neoverse-n1 ;;
    sve256) echo max,sve-max-vq=2,sve-default-vector-length=32 ;;
    sve512) echo a64fx,sve-default-vector-length=64 ;;
    *) echo "$1" ;;
  esac
}

wanted="$tools $libraries $files"
if [ ! -f "$root/packages" ] || [ "$(cat "$root/packages")" != "$wanted" ]; then make_root; fi
ccache=$(ccache --get-config cache_dir 2>/dev/null) || ccache=$work/ccache
mkdir -p "$work/build" "$ccache"

code=0
inside $usual "/usr/bin/mpirun.openmpi --version >/dev/null" || code=$?
[ $code -ne 99 ] || skip "qemu cannot be made known to a user namespace; that needs Linux 6.7 or newer, this is $(uname -r)"
[ $code -eq 0 ] || fail "programs of the other architecture do not start (exit code $code)"

# Programs, and the tests of them. Of SVE with 256 bits those that depend on what vectors do.
programs="op2 session_test lengths_test misuse_test order_test vector_args_test public_api_mpi_test"
tests='session_test|lengths_test|misuse_test|order_test|vector_args_test|public_api_mpi_test_np2'
# Without a compiler there are no kernels from sources.
no_tests_of_sources='Session.TheCauseIsSaid*:Session.AnErrorInOpKernel*:Session.AFailedFlush*:Session.WhatPlansOf*:VectorArgsOfText*'
if [ "$architecture" = arm64 ]; then
  programs="$programs airfoil readme_program equivalence_test reproducible_api_test reproducible_math_test float_traps_test
    reproducible_test jit_backend_test jit_generated_code_test jit_cache_test same_bits_program equivalence_mpi_test reproducible_mpi_test"
  no_tests_of_sources=""
  tests="$tests|equivalence_test|structure.readme_program|reproducible_(api_|math_|)test|float_traps_test"
  tests="$tests|jit_(backend|generated_code|cache)_test|equivalence_mpi_test_np2|reproducible_mpi_test_np2"
  [ -z "$sample" ] || programs="readme_program public_api_mpi_test same_bits_program"
  vector_tests='structure.readme_program|reproducible_math_test|reproducible_test|equivalence_test|jit_generated_code_test'
fi

echo "test-$architecture: configuring and compiling"
inside $usual "
  [ -f /build/build.ninja ] || cmake -S /op2 -B /build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    '-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -D_GLIBCXX_ASSERTIONS' -DOP2_QUICK_LIBRARY=ON -DOP2_WITH_HDF5=OFF -DOP2_TEST_PATIENCE=5 \
    -DCMAKE_C_COMPILER=$triplet-gcc -DCMAKE_CXX_COMPILER=$triplet-g++ -DCMAKE_LIBRARY_ARCHITECTURE=$triplet \
    -DMPI_C_COMPILER=/usr/bin/mpicc.openmpi -DMPIEXEC_EXECUTABLE=/usr/bin/mpirun.openmpi
  ninja -C /build -j \$JOBS ${programs//$'\n'/ }"

# Not those of what no processor decides: users, of which there is one here, what sources of kernels say, orders of loops, and
# that bits differ without the reproducible mode.
no_tests='-Equivalence.LoopsOfRows*:*OfAnotherUser*:ReadOnlyDirectory.*:SharedCaches.ServeUsers*:Access*:GeneratedCode.*:NestCode.*:Limits.*:ExecutedProof.*:*OtherwiseBitsDepend:'"$no_tests_of_sources"

# run_tests PROCESSOR TESTS: those of ctest whose names match.
run_tests() {
  echo "test-$architecture: tests on $1"
  inside "$1" "cd /build && TEST_CHAINS=${TEST_CHAINS:-6} GTEST_FILTER='$no_tests' ctest --output-on-failure -j \$JOBS --no-tests=error -R '^($2)\$'"
}

# same_bits PROCESSOR: programs on one rank and on two have the hashes that they have on x86-64.
same_bits() {
  echo "test-$architecture: the same bits on $1"
  inside "$1" "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
    OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 OP2_CACHE_DIR=/build/test-cache
    python3 -B /op2/tests/same_bits/same_bits.py --count 0 --jobs \$JOBS /build/tests/same_bits/same_bits_program \
      /usr/bin/mpirun.openmpi"
}

# compiled PROCESSOR NUMBER: so many kernels of the program of README.md are compiled, and the others found in the cache.
compiled() {
  said=$(inside "$1" "OP2_CACHE_DIR=/build/cache-of-processors OP2_TIMING=- /build/tests/structure/readme_program" | grep JIT:)
  echo "$1: $said"
  echo "$said" | grep -q "JIT: $2 compiled" || fail "$2 kernels should have been compiled on $1"
}

if [ "$architecture" != arm64 ]; then
  run_tests $usual "$tests"
elif [ -n "$sample" ]; then
  run_tests neon 'structure.readme_program|public_api_mpi_test_np2'
  run_tests sve256 'structure.readme_program'
  same_bits sve512
else
  run_tests neon "$tests"
  run_tests sve256 "$vector_tests"
  for processor in neon sve256 sve512; do same_bits $processor; done
  rm -rf "$work/build/cache-of-processors"
  for processor in neon sve256 sve512; do compiled $processor 2; done
  for processor in neon sve256 sve512; do compiled $processor 0; done
fi
echo "test-$architecture: passed"

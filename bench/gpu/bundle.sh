#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Collects in one folder what testing and measuring on a machine with a GPU needs. That machine needs
# NVIDIA's driver and NVRTC, and a C library as new as this one's; nothing else. See bench/gpu/README.md.
set -euo pipefail
called_in=$PWD
cd "$(dirname "$0")/../.."

limit_mb=40
programs="examples/airfoil/airfoil bench/cg_bench bench/device_bench
  bench/host_time_bench tests/equivalence/equivalence_test
  tests/unit/gpu_kernels/gpu_kernels_test tests/unit/gpu_loader/program_on_device_test tools/op2-jitinspect"
programs_on_ranks="examples/airfoil/airfoil tests/mpi/equivalence_mpi_test"
# Parts of Open MPI that ranks of one machine do not use: networks, ssh, batch systems, files, OpenSHMEM.
parts_left_out='_(ucx|ofi|openib|psm2?|rsh|slurm|flux|jsm|gridengine|simulator|monitoring|romio[0-9]*|tool)\.so$'
parts_left_out="$parts_left_out|/mca_(atomic|crs|fbtl|fcoll|fs|io|memheap|scoll|sharedfp|spml|sshmem|vprotocol)_"

usage() {
  cat <<'END'
usage: bench/gpu/bundle.sh [--from BUILD] [FOLDER]

Builds a release without MPI, HDF5 and Scotch in build/gpu and, where Open MPI 4 is, one with MPI in build/gpu-mpi, whose
programs run with the parts of Open MPI that go along. Fills FOLDER (.gpu in the source tree) with their
programs, the libraries that they need, and check.sh, which is to be run on the other machine. Where LLVM is, with its
static libraries, the compiler for CPUs goes along in an archive (18 MB, a minute to pack), for the figures of CPUs; and
it proves here what kernels do to their arguments, so that plans there are those of an installation with LLVM.
  --from BUILD  take the programs of this build folder; nothing is built. What links LLVM's shared libraries stays there:
                figures of CPUs only on this machine
  JOBS=n        number of parallel compilations
  CPU=name      of the other machine, as for -march of the compiler: x86-64-v2
END
}

fail() {
  echo "bundle: $1" >&2
  exit 1
}

# A mistake on the command line.
wrong() {
  echo "bundle: $1" >&2
  usage >&2
  exit 2
}

# A path of the command line, whose folder is that of the caller.
here() { case $1 in /*) echo "$1" ;; *) echo "$called_in/$1" ;; esac; }

# Where libraries are found on the other machine: beside the programs, those that libraries need, too. Tests
# are listed by running them while they are built, so that the library's folder must be known then.
# build FOLDER ON|OFF PROGRAM ...: with MPI or without
build() {
  local into=$1 parts="-DOP2_WITH_MPI=$2 -DOP2_WITH_HDF5=OFF -DOP2_WITH_SCOTCH=OFF -DOP2_WITH_PTSCOTCH=OFF" targets=""
  shift 2
  [ "$into" = build/gpu-mpi ] || parts="$parts -DOP2_STATIC_CLANG=ON"
  # shellcheck disable=SC2016,SC2086 # $ORIGIN is for the loader; the list is split into words
  cmake -S . -B "$into" -G Ninja -DCMAKE_BUILD_TYPE=Release $parts -DOP2_BENCH_CPU="${CPU:-x86-64-v2}" \
    -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON '-DCMAKE_INSTALL_RPATH=$ORIGIN' \
    -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags >"$into.log"
  for program in "$@"; do targets="$targets ${program##*/}"; done
  # shellcheck disable=SC2086 # a list of targets
  LD_LIBRARY_PATH=$PWD/$into/lib cmake --build "$into" -j "${JOBS:-$(nproc)}" --target $targets
}

# Whether programs with MPI can be built here, and can take Open MPI along.
has_open_mpi() {
  command -v mpicc >/dev/null && command -v orterun >/dev/null && command -v ompi_info >/dev/null
}

# The files of all shared libraries that a program loads at its start, but those of the C library.
libraries_of() {
  LD_LIBRARY_PATH=$from/lib ldd "$1" |
    awk '/not found/ { print "missing " $1 } $2 == "=>" && $3 ~ /^\// { print $3 }' |
    grep -v -E '/(libc|libm|libdl|librt|libpthread|ld-linux[^/]*)\.so'
}

# Runs a program of the build here, with the compiler of LLVM and a separate cache.
run_here() {
  env OP2_TARGET=cpu OP2_CACHE_DIR="$cache" OP2_PLUGIN_DIR="$from/lib" LD_LIBRARY_PATH="$from/lib" "$@" >/dev/null
}

# Entries of a cache, with what the sources of kernels prove: they are of no processor.
prove() {
  local cache key
  rm -rf "$folder/facts" && mkdir "$folder/facts"
  [ -e "$from/lib/libop2_llvm.so" ] || return 0
  cache=$(mktemp -d)
  run_here "$from/examples/airfoil/airfoil" --size 6 4 --iterations 2 --no-check
  run_here "$from/bench/cg_bench" --threads 1 --width 12 --iterations 2 --rounds 1
  for key in $("$from/tools/op2-jitinspect" list --dir "$cache" --target facts | awk 'NR > 1 { print $1 }'); do
    install -m 600 "$cache/$key"*.op2 "$folder/facts/"
  done
  rm -rf "$cache"
}

# take FILE [WHERE]: without what debuggers need
take() {
  install -m 755 "$1" "${2:-$folder}/${1##*/}"
  strip --strip-unneeded "${2:-$folder}/${1##*/}"
}

# The files of the compiler for CPUs, with all that it loads and the bundle does not have.
files_of_llvm() {
  local part
  for part in "$from"/lib/libop2_llvm.so "$from"/lib/libop2_clang.so "$from"/lib/op2-compile; do
    [ ! -e "$part" ] || { echo "$part" && libraries_of "$part"; }
  done | sort -u | while read -r part; do [ -e "$folder/${part##*/}" ] || echo "$part"; done
}

# pack FOLDER ARCHIVE: the best that xz can do with code
pack() { tar -C "$1" --sort=name --owner=0 --group=0 -c . | xz --x86 --lzma2=preset=9e,dict=96MiB >"$2"; }

# pack_llvm FILE ...: takes a minute, so the archive is kept in the build folder.
pack_llvm() {
  local packed=$from/llvm.tar.xz files
  if [ -n "$(find "$@" -newer "$packed" 2>&1)" ]; then
    files=$(mktemp -d)
    for part in "$@"; do take "$part" "$files"; done
    pack "$files" "$packed.part"
    mv "$packed.part" "$packed"
    rm -rf "$files"
  fi
  install -m 644 "$packed" "$folder/llvm.tar.xz"
}

# The compiler for CPUs. With Clang and LLVM in it (OP2_STATIC_CLANG) it can be carried; otherwise the bundle, if it
# stays here, finds the one of the build folder. Says what there is.
add_llvm() {
  local files
  files=$(files_of_llvm)
  rm -rf "$folder/llvm" "$folder/llvm.tar.xz"
  # shellcheck disable=SC2086 # a list of files
  if [ -z "$files" ]; then
    echo "none"
  elif echo "$files" | grep -q -E '/lib(LLVM|clang-cpp)[.-]'; then
    mkdir "$folder/llvm"
    ln -s "$from"/lib/libop2_llvm.so "$from"/lib/libop2_clang.so "$from"/lib/op2-compile "$folder/llvm/"
    echo "not in the bundle, $(du -Lck $files | awk 'END { printf "%.0f MB", $1 / 1024 }')"
  else
    pack_llvm $files
    echo "in llvm.tar.xz, $(du -Lck $files | awk 'END { printf "%.0f MB", $1 / 1024 }')"
  fi
}

path_of_mpi() { ompi_info --path "$1" --parsable | sed "s/^path:$1://"; }

# take_open_mpi FOLDER: what starts and connects ranks of one machine, as below the prefix of its installation, which
# OPAL_PREFIX replaces.
take_open_mpi() {
  local prefix parts words part
  prefix=$(path_of_mpi prefix) parts=$(path_of_mpi pkglibdir) words=$(path_of_mpi pkgdatadir)
  mkdir -p "$1/bin" "$1/${parts#"$prefix"/}" "$1/${words#"$prefix"/}"
  take "$(command -v orterun)" "$1/bin"
  take "$(command -v orted)" "$1/bin"
  for part in $(printf '%s\n' "$parts"/mca_*.so | grep -v -E "$parts_left_out"); do
    take "$part" "$1/${parts#"$prefix"/}"
  done
  install -m 644 "$words"/help-*.txt "$1/${words#"$prefix"/}/"
}

# add_ranks BUILD: its programs with MPI, Open MPI, and their libraries but those of the others, in $folder/ranks. Says
# what there is.
add_ranks() {
  local from=$1 to=$folder/ranks part
  rm -rf "$to" "$to.tar.xz"
  if ! has_open_mpi || ! [ -x "$from/tests/mpi/equivalence_mpi_test" ]; then
    echo "none"
    return
  fi
  mkdir "$to"
  for part in $programs_on_ranks; do take "$from/$part" "$to"; done
  take_open_mpi "$to"
  for part in $(find "$to" -type f -perm -u+x | while read -r file; do libraries_of "$file"; done | sort -u); do
    [ "$part" != missing ] || fail "a library of Open MPI is missing: see ldd"
    [[ -e $folder/${part##*/} && $part != */libop2.so* ]] || take "$part" "$to"
  done
  ompi_info --version | head -n 1
}

from="" from_mpi="" folder=.gpu
while [ $# -gt 0 ]; do
  case "$1" in
    --from)
      [ -n "${2:-}" ] || wrong "--from needs a build folder"
      from=$(here "$2") && shift
      ;;
    --help) usage && exit ;;
    -*) wrong "there is no option $1" ;;
    *) folder=$(here "$1") ;;
  esac
  shift
done
if [ -n "$from" ]; then
  limit_mb=1000 # with libraries that a release for other machines does without
else
  mkdir -p build
  # shellcheck disable=SC2086 # lists of programs
  {
    build build/gpu OFF $programs
    ! has_open_mpi || build build/gpu-mpi ON $programs_on_ranks
  }
  from=build/gpu from_mpi=$PWD/build/gpu-mpi
fi
[ -d "$from" ] || fail "there is no folder $from"
from=$(cd "$from" && pwd)
mkdir -p "$folder"
for program in $programs; do
  [ -x "$from/$program" ] || fail "there is no program $from/$program; build it first"
  take "$from/$program"
done
for library in $(for program in $programs; do libraries_of "$from/$program"; done | sort -u); do
  [ "$library" != missing ] || fail "a library of the programs is missing: see ldd"
  take "$library"
done
install -m 755 bench/gpu/check.sh "$folder/check.sh"
install -m 644 bench/gpu/cpu_steps.sh bench/gpu/rank_steps.sh "$folder/"
prove
llvm=$(add_llvm)
mpi=$(add_ranks "${from_mpi:-$from}")
[ -z "$from_mpi" ] || [ "$mpi" = none ] || { pack "$folder/ranks" "$folder/ranks.tar.xz" && rm -r "$folder/ranks"; }
{
  echo "commit: $(git describe --always --dirty 2>/dev/null || echo unknown)"
  grep -E '^(OP2_WITH_[A-Z0-9]+|CMAKE_BUILD_TYPE):' "$from/CMakeCache.txt" | sed -E 's/:[A-Z]+=/: /'
  echo "C library: $(getconf GNU_LIBC_VERSION)"
  echo "LLVM: $llvm"
  echo "MPI for ranks: $mpi"
} >"$folder/contents.txt"

size_mb=$(($(du -sk "$folder" | cut -f 1) / 1024 + 1))
[ "$size_mb" -le "$limit_mb" ] || fail "$folder has $size_mb MB, more than $limit_mb"
echo "bundle: $folder has $(find "$folder" -type f | wc -l) files, $size_mb MB; on the other machine:" \
  "$folder/check.sh RESULTS"

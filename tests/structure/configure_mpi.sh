#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# configure_mpi.sh SOURCE BUILD MPICC MPICXX: MPI is found by its compiler wrappers where these are the compilers, and libraries
# for another MPI than that of programs are left out.
set -eu
rm -rf "$2"
mkdir -p "$2"

# configure NAME OPTION...; then the lines of what was found, one blank between words
configure() {
  to=$build/$1
  shift
  cmake -S "$source" -B "$to" -G Ninja -DCMAKE_BUILD_TYPE=Release -DOP2_BUILD_TESTS=OFF -DOP2_BUILD_EXAMPLES=OFF -DOP2_WITH_LLVM=OFF \
    "$@" >"$to.txt" 2>&1 || { cat "$to.txt" >&2; exit 1; }
  tr -s ' ' <"$to.txt" >"$to.found"
}

expect() {
  if ! grep -qE "$2" "$build/$1.found"; then
    echo "expected, but not said: $2" >&2
    cat "$build/$1.found" >&2
    exit 1
  fi
}

source=$1
build=$2
configure wrappers "-DCMAKE_C_COMPILER=$3" "-DCMAKE_CXX_COMPILER=$4"
expect wrappers "MPI yes [0-9.]+ [A-Z].*, by .*$(basename "$3")"
expect wrappers "PTSCOTCH yes"

# A library that says it is MPICH, and its wrapper.
other=$build/other
mkdir "$other"
cat >"$other/mpi.h" <<'END'
#define MPI_VERSION 3
#define MPI_SUBVERSION 1
#define MPICH_VERSION "4.0.2"
int MPI_Init(int*, char***);
int MPI_Finalize(void);
END
echo 'int MPI_Init(int* count, char*** words) { return !count - !words; } int MPI_Finalize(void) { return 0; }' >"$other/mpi.c"
cc -shared -fPIC -Wl,-soname,libmpich.so.12 -o "$other/libmpich.so" "$other/mpi.c"
cat >"$other/mpicc" <<END
#!/bin/sh
case "\$1" in
  -show) echo cc -I$other -L$other -lmpich ;;
  -*) exit 1 ;;
  *) exec cc -I$other "\$@" -L$other -lmpich ;;
esac
END
chmod +x "$other/mpicc"
configure mpich "-DMPI_C_COMPILER=$other/mpicc"
expect mpich "MPI yes 3.1 MPICH 4.0.2, $other"
expect mpich "PTSCOTCH no needs PT-Scotch for this MPI; .*libptscotch.* is for libmpi"
if grep -q "HDF5 yes .*parallel" "$build/wrappers.found"; then
  expect mpich "HDF5 no needs HDF5 for this MPI .* is for libmpi"
fi
if cmake -S "$source" -B "$build/mpich" -DOP2_WITH_PTSCOTCH=ON >"$build/mpich.txt" 2>&1; then
  echo "configured with PT-Scotch of another MPI" >&2
  exit 1
fi
grep -q "OP2_WITH_PTSCOTCH=ON is not possible" "$build/mpich.txt"

# A folder keeps its MPI.
if cmake -S "$source" -B "$build/mpich" "-DMPI_C_COMPILER=$3" >"$build/mpich.txt" 2>&1; then
  echo "configured for another MPI than before" >&2
  exit 1
fi
tr -s '\n ' ' ' <"$build/mpich.txt" >"$build/mpich.found"
expect mpich "This folder was configured with $other/mpicc; for .*$(basename "$3") take another one"

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One install test: run.sh STEP SOURCE BUILD LIBDIR [cmake option ...]
# `stage` installs BUILD and moves the result; package, pkg_config, tool, example, embed and existing use libop2
# from there, as users do; subdirectory builds it with the program, of which subdirectory_configures is the beginning;
# deps_dir and deps_shared take libraries from a folder.
set -eu
step=$1 source=$2 build=$3 libdir=$4
shift 4
consumer=$source/tests/install/consumer
work=$build/install-test
prefix=$work/moved
export OP2_CACHE_DIR="$work/cache-$step"
unset OP2_PLUGIN_DIR

configure() {
  rm -rf "${work:?}/$step" "$OP2_CACHE_DIR"
  cmake -S "$consumer" -B "$work/$step" -G Ninja "$@"
}

# Compiled as fast as possible; all files of the user's program and of the library in one build.
configure_with_library() {
  configure -DOP2_SOURCE="$source" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-g0 -DCMAKE_UNITY_BUILD=ON "$@"
}

build_and_run_it() {
  cmake --build "$work/$step" -j 2
  "$work/$step/consumer" 2>"$work/$step.log"
  cat "$work/$step.log" >&2
  if grep -F 'op2-compile' "$work/$step.log"; then
    echo "the helper that compiles kernels is not used" >&2
    exit 1
  fi
}

build_and_run() {
  configure "$@"
  build_and_run_it
}

case $step in
  stage)
    rm -rf "${work:?}/first" "$prefix"
    mkdir -p "$work"
    cmake --install "$build" --prefix "$work/first"
    # LLVM may be where the system does not look.
    find "$work/first" -type f -name '*op2*' | while read -r file; do
      dynamic=$(readelf -d "$file" 2>/dev/null) || continue
      folders=$(echo "$dynamic" | sed -n 's/.*RUNPATH.*\[\(.*\)\]/\1/p')
      for library in $(echo "$dynamic" | sed -n 's/.*NEEDED.*\[\(lib\(LLVM\|clang-cpp\).*\)\]/\1/p'); do
        found=$(IFS=:; for folder in $folders; do ls "$folder/$library" 2>/dev/null; done || true)
        [ -n "$found" ] || {
          echo "$file does not find $library in $folders" >&2
          exit 1
        }
      done
    done
    mv "$work/first" "$prefix"
    ;;
  package)
    build_and_run -DCMAKE_PREFIX_PATH="$prefix" "$@"
    if grep -rhE 'find_(dependency|package)\(|(fmt|spdlog|sodium|json|hwloc|hdf5|LLVM)(::|[.]so)' "$prefix/$libdir/cmake/op2" |
      grep -v '^ *#'; then
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
    # A program for OP2's own headers: the flags of op2-compat alone.
    # shellcheck disable=SC2046
    g++ -std=c++11 "$source/tests/compat/ring.cpp" $(pkg-config --cflags --libs op2-compat) \
      -Wl,-rpath,"$(pkg-config --variable=libdir op2-compat)" -o "$work/$step/ring"
    "$work/$step/ring"
    ;;
  tool)
    OP2_CACHE_DIR=$work/cache-package "$prefix/bin/op2-jitinspect" list | grep add
    bash -c ". '$prefix/share/bash-completion/completions/op2-jitinspect'; complete -p op2-jitinspect"
    bash -c ". '$prefix/share/bash-completion/completions/op2-model'; complete -p op2-model op2-report"
    "$prefix/bin/op2-model" --help | grep predict
    test -x "$prefix/bin/op2-plot-prediction"
    for tool in op2-mesh op2-report op2-model op2-jitinspect op2-plot-prediction; do
      "$prefix/bin/$tool" --version | grep -x "$tool $(cat "$prefix/share/op2/version")"
    done
    /usr/bin/python3 "$prefix/bin/op2-mesh" check "$prefix/share/doc/op2/examples/05_mesh_to_picture/cylinder.msh" |
      grep "677 triangle"
    for tool in op2-jitinspect op2-model op2-mesh op2-cxx; do  # where help2man is installed
      [ -e "$build/manuals" ] || continue
      zgrep -q "$tool" "$prefix/share/man/man1/$tool.1.gz"
      zgrep -q 'share/doc/op2/docs/[a-z]*.md' "$prefix/share/man/man1/$tool.1.gz"
      if zgrep -i '^\.SH .*option group' "$prefix/share/man/man1/$tool.1.gz"; then exit 1; fi
    done
    test -f "$prefix/share/doc/op2/LICENSE"
    for part in LLVM spdlog nlohmann-json CLI11 jQuery; do  # what the installation contains of others
      grep -q "$part" "$prefix/share/doc/op2/copyright"
    done
    [ "$(ls "$prefix/share/doc")" = op2 ]  # what only Debian packages have is not here
    if strings "$prefix"/bin/op2-* "$prefix/$libdir"/*.so "$prefix/$libdir"/op2-*/*.so | grep -F "$source/include"; then
      echo "a path of the source tree is in what is installed" >&2
      exit 1
    fi
    test -f "$prefix/share/doc/op2/examples/01_hello_mesh/main.cpp"
    "$prefix/share/doc/op2/examples/07_implicit/pipe_mesh.py" 4 "$work/pipe.msh"
    "$prefix/share/doc/op2/examples/06_chains/refine_mesh.py" --help | grep -- --round
    "$prefix/share/doc/op2/examples/airfoil/plot_mach.py" --help | grep -- --field
    "$prefix/bin/op2-report" "$source/tests/report/timing.json" -o "$work/report.html"
    ;;
  example)
    rm -rf "${work:?}/$step" "$OP2_CACHE_DIR"
    cmake -S "$source/examples/01_hello_mesh" -B "$work/$step" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" "$@"
    cmake --build "$work/$step"
    "$work/$step/01_hello_mesh"
    ;;
  embed)
    "$source/tests/embed/consumer.sh" "$source" "$work/$step" g++ Ninja "package=$prefix"
    "$prefix/bin/op2-cxx" g++ -c -I"$source/include/op2/compat" "$source/tests/embed/samples/first_unit.cpp" \
      -o "$work/$step/first_unit.o"
    strings "$work/$step/first_unit.o" | grep -F 'y[0] = factor * x[0];'
    ;;
  existing)
    # A program for OP2's own headers: by the compiler alone, by op2-cxx, and by CMake.
    rm -rf "${work:?}/$step" "$OP2_CACHE_DIR"
    mkdir -p "$work/$step"
    cp -r "$source/tests/install/existing" "$source/tests/compat/ring.cpp" "$work/$step"
    cd "$work/$step"
    for compiler in g++ "$prefix/bin/op2-cxx g++"; do
      make -B CXX="$compiler" OP2="$prefix" LIBDIR="$libdir" -f existing/Makefile
      OP2_TIMING=table.txt ./ring
      mv table.txt "$(basename "${compiler% g++}").txt"
    done
    grep 'spread .* host' g++.txt
    grep 'spread .* jit' op2-cxx.txt
    cmake -S existing -B build -G Ninja -DCMAKE_PREFIX_PATH="$prefix" "$@"
    cmake --build build
    OP2_TIMING=table.txt build/ring
    grep 'spread .* jit' table.txt
    ;;
  subdirectory)
    configure_with_library "$@"
    build_and_run_it
    ;;
  subdirectory_configures)
    configure_with_library "$@"
    cmake --build "$work/$step" --target op2/src/CMakeFiles/op2_objects.dir/core/log.cpp.o
    cmake --build "$work/$step" -- -n | grep -F 'libop2.so'
    ;;
  deps_dir)
    rm -rf "${work:?}/$step" "$work/deps"
    mkdir -p "$work/deps/include" "$work/deps/lib"
    ln -s /usr/include/fmt /usr/include/spdlog /usr/include/nlohmann /usr/include/CLI \
      /usr/include/sodium /usr/include/sodium.h "$work/deps/include"
    ln -s "$(g++ -print-file-name=libsodium.so)" "$work/deps/lib"
    cmake -S "$source" -B "$work/$step" -G Ninja -DOP2_DEPS_DIR="$work/deps" -DOP2_BUILD_TESTS=OFF "$@"
    cmake --build "$work/$step" --target src/CMakeFiles/op2_objects.dir/core/log.cpp.o
    grep -q "$work/deps/include" "$work/$step/compile_commands.json"
    ;;
  deps_shared)
    # All that is installed and linked with a shared library in OP2_DEPS_DIR finds it there.
    rm -rf "${work:?}/$step"
    mkdir -p "$work/$step/deps/lib/cmake/fmt"
    cat >"$work/$step/deps/lib/cmake/fmt/fmtConfig.cmake" <<END
if(TARGET fmt::fmt)
  return()
endif()
add_library(fmt::fmt SHARED IMPORTED)
set_target_properties(fmt::fmt PROPERTIES IMPORTED_LOCATION $work/$step/deps/lib/libfmt.so
                                          INTERFACE_INCLUDE_DIRECTORIES /usr/include)
END
    cmake -S "$source" -B "$work/$step/build" -G Ninja -DOP2_DEPS_DIR="$work/$step/deps" -DOP2_BUILD_TESTS=OFF "$@"
    sed -n '/RPATH_CHANGE/,/)$/p; /RPATH_REMOVE/,/)$/p' "$work/$step/build/cmake_install.cmake" |
      tr '\n' ' ' | sed 's/file(/\n&/g' >"$work/$step/rpaths"
    grep -c "NEW_RPATH" "$work/$step/rpaths"
    if grep "FILE" "$work/$step/rpaths" | grep -v "NEW_RPATH \"[^\"]*$work/$step/deps/lib"; then
      echo "a library or program is installed that does not find those in OP2_DEPS_DIR" >&2
      exit 1
    fi
    ;;
esac

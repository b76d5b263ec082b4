#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# configure_llvm.sh SOURCE BUILD: which LLVM is taken, and what is said of those that cannot be. The packages are made up.
set -eu
source=$1 build=$2
rm -rf "$build"
mkdir -p "$build"

# package FOLDER VERSION LIBRARY...: a package of LLVM with these libraries: libLLVM.so, libclang-cpp.so, static.
package() {
  prefix=$build/$1 version=$2
  shift 2
  config=$prefix/lib/cmake/llvm
  mkdir -p "$config"
  cat >"$config/LLVMConfigVersion.cmake" <<END
set(PACKAGE_VERSION $version)
if(PACKAGE_FIND_VERSION AND PACKAGE_VERSION MATCHES "^\${PACKAGE_FIND_VERSION}[.]")
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
END
  cat >"$config/LLVMConfig.cmake" <<END
set(LLVM_PACKAGE_VERSION $version)
set(LLVM_VERSION_MAJOR ${version%%.*})
set(LLVM_INSTALL_PREFIX $prefix)
set(LLVM_LIBRARY_DIRS $prefix/lib)
set(LLVM_INCLUDE_DIRS $prefix/include)
set(LLVM_NATIVE_ARCH X86)
function(llvm_map_components_to_libnames variable)
  set(\${variable} LLVMSupport PARENT_SCOPE)
endfunction()
END
  for library in "$@"; do
    case $library in
      libLLVM.so) target=LLVM kind=SHARED ;;
      static) target=LLVMSupport kind=STATIC library=libLLVMSupport.a ;;
      *) target="" ;;
    esac
    touch "$prefix/lib/$library"
    [ -z "$target" ] || cat >>"$config/LLVMConfig.cmake" <<END
add_library($target $kind IMPORTED)
set_target_properties($target PROPERTIES IMPORTED_LOCATION $prefix/lib/$library)
END
    [ "$library" != libLLVMSupport.a ] || (cd "$prefix/lib" && touch libclangCodeGen.a libclangToolingSyntax.a)
  done
}

# configure NAME OPTION...: always the same folder, so that what an earlier run has found must not stay.
configure() {
  name=$1
  shift
  cmake -S "$source" -B "$build/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DOP2_BUILD_TESTS=OFF -DOP2_BUILD_EXAMPLES=OFF \
    -DOP2_BUILD_TOOLS=OFF -DOP2_WITH_MPI=OFF -DOP2_WITH_HDF5=OFF -DOP2_WITH_LLVM=AUTO -ULLVM_DIR -DCMAKE_PREFIX_PATH= \
    -DCMAKE_IGNORE_PATH= "$@" >"$build/$name.txt" 2>&1
}

refuse() {
  if configure "$@"; then
    echo "configured: $*" >&2
    exit 1
  fi
}

# expect NAME TEXT: it is said, wherever CMake breaks the lines.
expect() {
  if ! tr -s '\n ' ' ' <"$build/$1.txt" | grep -qF "$2"; then
    echo "expected, but not said: $2" >&2
    cat "$build/$1.txt" >&2
    exit 1
  fi
}

for version in 16.0.6 17.0.6 18.1.8 19.1.7 20.1.8 21.1.8 22.1.8 23.1.0; do
  package "$version" "$version" libLLVM.so libclang-cpp.so
done
package no_libllvm 20.1.8 libclang-cpp.so static
package no_shared 18.1.8 static
package no_libraries 21.1.8 libclang-cpp.so

# That of LLVM_DIR, whatever else there is.
configure given "-DLLVM_DIR=$build/18.1.8/lib/cmake/llvm"
expect given "LLVM yes 18.1.8 in $build/18.1.8"
configure given "-DLLVM_DIR=$build/20.1.8/lib/cmake/llvm"
expect given "LLVM yes 20.1.8 in $build/20.1.8"
grep -q "$build/20.1.8/lib/clang/20" "$build/build/build.ninja"
if grep "18[.]1[.]8" "$build/build/build.ninja"; then exit 1; fi

# Refused, and again in the next run.
for version in 16.0.6 23.1.0; do
  refuse refused "-DLLVM_DIR=$build/$version/lib/cmake/llvm"
  expect refused "LLVM_DIR=$build/$version/lib/cmake/llvm has LLVM $version, but libop2 works with 17 to 22; give the folder"
done
if cmake -S "$source" -B "$build/build" >"$build/again.txt" 2>&1; then
  echo "configured with another LLVM than that of LLVM_DIR" >&2
  exit 1
fi
expect again "has LLVM 23.1.0, but libop2 works with 17 to 22"
refuse nothing "-DLLVM_DIR=$build"
expect nothing "LLVM_DIR=$build has no LLVM; give the folder of LLVMConfig.cmake"
configure without "-DLLVM_DIR=$build" -DOP2_WITH_LLVM=OFF

# So are LLVM_ROOT, and both in the environment.
refuse root "-DLLVM_ROOT=$build/16.0.6"
expect root "LLVM_ROOT=$build/16.0.6 has LLVM 16.0.6, but libop2 works with 17 to 22"
configure root -ULLVM_ROOT "-DLLVM_ROOT=$build/18.1.8"
expect root "LLVM yes 18.1.8 in $build/18.1.8"
LLVM_ROOT=$build refuse environment -ULLVM_ROOT
expect environment "the environment's LLVM_ROOT=$build has no LLVM"
expect without "LLVM no switched off"

# Without LLVM_DIR: what the user names before the system; 19.1, then newer, then older ones.
configure older "-DCMAKE_PREFIX_PATH=$build/16.0.6;$build/17.0.6;$build/18.1.8"
expect older "LLVM yes 18.1.8 in $build/18.1.8"
configure newer "-DCMAKE_PREFIX_PATH=$build/18.1.8;$build/22.1.8;$build/21.1.8"
expect newer "LLVM yes 21.1.8 in $build/21.1.8"
configure best "-DCMAKE_PREFIX_PATH=$build/18.1.8;$build/22.1.8;$build/19.1.7"
expect best "LLVM yes 19.1.7 in $build/19.1.7"
installed=$(find /usr/lib/llvm-*/cmake /usr/lib/llvm-*/lib/cmake/llvm /lib/llvm-*/cmake /lib/llvm-*/lib/cmake/llvm -maxdepth 0 2>/dev/null | tr "\n" ";") || true
configure none "-DCMAKE_PREFIX_PATH=$build/16.0.6" "-DCMAKE_IGNORE_PATH=$installed"
expect none "LLVM no needs LLVM 17 to 22 (there is 16.0.6) with the libraries of Clang; only host functions run"

# Where a shared library is missing, the static ones are taken; without these the compiler is left out.
for name in no_libllvm no_shared; do
  configure "$name" "-DLLVM_DIR=$build/$name/lib/cmake/llvm" -DOP2_WITH_LLVM=ON
  expect "$name" "in $build/$name, which the compiler contains"
  grep -q "$build/$name/lib/libclangCodeGen.a" "$build/build/build.ninja"
  if grep "libclang-cpp" "$build/build/build.ninja"; then exit 1; fi
done
configure no_libraries "-DLLVM_DIR=$build/no_libraries/lib/cmake/llvm"
expect no_libraries "LLVM no LLVM 21.1.8 in $build/no_libraries lacks libclang-cpp.so or libLLVM.so, and the static libraries of both"
refuse required "-DLLVM_DIR=$build/no_libraries/lib/cmake/llvm" -DOP2_WITH_LLVM=ON
expect required "OP2_WITH_LLVM=ON is not possible: LLVM 21.1.8"

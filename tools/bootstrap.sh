#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
set -eu

usage() {
  cat <<'END'
usage: tools/bootstrap.sh --prefix DIR [--sources FOLDER] [--all] [--with-hwloc]
       tools/bootstrap.sh --list

Builds in DIR, without root, what libop2 needs and the compiler does not find: headers of fmt, spdlog, nlohmann-json
and CLI11, and a static libsodium. Then:

    cmake -S . -B build/site -DOP2_DEPS_DIR=DIR -DOP2_BUILD_TESTS=OFF

It needs CMake, make, and compilers of C and C++ (CC and CXX name them). DIR is needed to build libop2, and not afterwards.

--sources     takes the archives from FOLDER and not from the internet; their names do not matter
--all         builds also what the compiler finds elsewhere, for instance in an old version
--with-hwloc  builds hwloc, too, which knows the sizes of caches and which cores share them
--list        prints library, version, SHA-256 and address of each archive: only what has this sum is unpacked. Archives of
              Debian, which `apt-get source --download-only` fetches, have a name in place of the address: --sources takes
              either
END
}

archives() {
  grep -v '^#' "$(dirname "$0")/bootstrap.list"
}

say() {
  echo "bootstrap: $1"
}

fail() {
  say "$1" >&2
  exit 1
}

# missing HEADER... [-lLIBRARY]: whether the compiler lacks one, in the system and in DIR, or all are to be built. CMake does
# not know what environment variables add to a compiler's folders.
missing() {
  [ -z "$all" ] || return 0
  echo "int main() {}" >"$work/probe.cpp"
  for part in "$@"; do
    case $part in
      -l*) ;;
      *)
        printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$part" >>"$work/probe.cpp"
        shift
        ;;
    esac
  done
  ! env -u CPATH -u CPLUS_INCLUDE_PATH -u LIBRARY_PATH "$cxx" -std=c++20 -I"$prefix/include" -L"$prefix/lib" "$work/probe.cpp" -o "$work/probe" "$@" >/dev/null 2>&1
}

sum_of() {
  cmake -E sha256sum "$1" | cut -d ' ' -f 1
}

# The archive with one of these sums in `sources`.
find_archive() {
  for file in "$sources"/*; do
    [ -f "$file" ] || continue
    case " $1 " in
      *" $(sum_of "$file") "*)
        echo "$file"
        return
        ;;
    esac
  done
}

# download ADDRESS SUM FILE
download() {
  cat >"$work/download.cmake" <<END
file(DOWNLOAD "$1" "$3" TLS_VERIFY ON INACTIVITY_TIMEOUT 60 STATUS status)
if(NOT status MATCHES "^0;")
  file(REMOVE "$3")
  message(NOTICE "\${status}")
endif()
END
  cmake -P "$work/download.cmake"
  [ -f "$3" ] || fail "$1 cannot be fetched; fetch what --list names elsewhere, and give its folder: --sources FOLDER"
  [ "$(sum_of "$3")" = "$2" ] || fail "$1 has the SHA-256 $(sum_of "$3") and not $2: it is not used"
}

# unpack LIBRARY: sets `version`, and `tree` to the folder that its archive contains.
unpack() {
  library=$1
  rows=$(archives | grep "^$library ")
  version=$(echo "$rows" | head -n 1 | cut -d ' ' -f 2)
  address=$(echo "$rows" | head -n 1 | cut -d ' ' -f 4)
  sums=$(echo "$rows" | cut -d ' ' -f 3 | tr '\n' ' ')
  if [ -n "$sources" ]; then
    archive=$(find_archive "$sums")
    if [ -z "$archive" ]; then
      echo "$rows" >&2
      fail "$sources has no archive of $library $version: no file there has the SHA-256 of a line above"
    fi
  else
    archive=$work/archive
    download "$address" "${sums%% *}" "$archive"
  fi
  rm -rf "$work/tree"
  mkdir "$work/tree"
  (cd "$work/tree" && cmake -E tar xf "$archive") || fail "$archive cannot be unpacked"
  tree=$(echo "$work"/tree/*)
}

# headers LIBRARY FOLDER: copies the folder of headers.
headers() {
  unpack "$1"
  mkdir -p "$prefix/include"
  rm -rf "${prefix:?}/include/$2"
  cp -R "$tree/include/$2" "$prefix/include"
  say "$1 $version: headers in $prefix/include/$2"
}

# Compiles all files of libsodium without its own configuration, which takes minutes, and which archives of Debian lack: code
# for every processor alone, with the same hashes.
sodium() {
  unpack libsodium
  cat >"$tree/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(libsodium LANGUAGES C)
set(headers ${PROJECT_SOURCE_DIR}/src/libsodium/include)
configure_file(builds/msvc/version.h ${headers}/sodium/version.h COPYONLY)
file(GLOB_RECURSE sources src/libsodium/*.c)
add_library(sodium STATIC ${sources})
set_target_properties(sodium PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(sodium PRIVATE ${headers} ${headers}/sodium)
target_compile_definitions(sodium PRIVATE CONFIGURED=1 HAVE_PTHREAD=1)
install(TARGETS sodium ARCHIVE DESTINATION lib)
install(DIRECTORY ${headers}/ DESTINATION include FILES_MATCHING PATTERN "*.h")
END
  build "cmake -S '$tree' -B '$tree/build' -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX='$prefix' &&
    cmake --build '$tree/build' -j $(nproc) && cmake --install '$tree/build'"
}

hwloc() {
  unpack hwloc
  build "cd '$tree' && ./configure --prefix='$prefix' --libdir='$prefix/lib' --disable-shared --enable-static --with-pic \
    --disable-libxml2 --disable-pci --disable-opencl --disable-cuda --disable-nvml --disable-rsmi --disable-levelzero \
    --disable-libudev --disable-cairo && make -j $(nproc) install"
}

# build COMMANDS
build() {
  say "$library $version: compiling"
  if ! sh -c "$1" >"$work/log" 2>&1; then
    tail -n 20 "$work/log" >&2
    fail "$library $version cannot be compiled"
  fi
  say "$library $version: headers and a static library in $prefix"
}

prefix="" sources="" all="" with_hwloc=""
while [ $# -gt 0 ]; do
  case $1 in
    --prefix | --sources)
      [ $# -gt 1 ] || fail "$1 needs a folder"
      [ "$1" = --prefix ] && prefix=$2 || sources=$2
      shift
      ;;
    --all) all=yes ;;
    --with-hwloc) with_hwloc=yes ;;
    --list)
      archives
      exit
      ;;
    --help | -h)
      usage
      exit
      ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
  shift
done
[ -n "$prefix" ] || {
  usage >&2
  exit 2
}
cxx=${CXX:-c++}
for program in cmake make "${CC:-cc}" "$cxx"; do
  command -v "$program" >/dev/null || fail "$program is missing; load its module, or name compilers by CC and CXX"
done
mkdir -p "$prefix" || fail "$prefix cannot be made"
prefix=$(cd "$prefix" && pwd)
if [ -n "$sources" ]; then
  [ -d "$sources" ] || fail "there is no folder $sources"
  sources=$(cd "$sources" && pwd)
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if missing fmt/core.h spdlog/spdlog.h; then # those of a system fit each other
  headers fmt fmt
  headers spdlog spdlog
fi
if missing nlohmann/json.hpp; then headers nlohmann-json nlohmann; fi
if missing CLI/CLI.hpp; then headers CLI11 CLI; fi
if missing sodium.h -lsodium; then sodium; fi
if [ -n "$with_hwloc" ] && missing hwloc.h -lhwloc; then hwloc; fi
say "nothing is missing; now: cmake -S . -B build/site -DOP2_DEPS_DIR=$prefix -DOP2_BUILD_TESTS=OFF"

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bootstrap.sh TOOLS WORK: what tools/bootstrap.sh does with archives, with small ones and a list of its own; bare.sh builds
# what it makes.
set -eu
tools=$1 work=$2
rm -rf "$work"
mkdir -p "$work/archives" "$work/tools" "$work/elsewhere"
cp "$tools/bootstrap.sh" "$work/tools"
cd "$work"

fail() {
  echo "$1" >&2
  cat out >&2
  exit 1
}

# archive LIBRARY HEADER: in the list by its address and, with other contents, by a name.
: >tools/bootstrap.list
archive() {
  mkdir -p "$1/include/$(dirname "$2")"
  echo "/* of upstream */" >"$1/include/$2"
  cmake -E tar czf "elsewhere/$1.tar.gz" "$1"
  echo "/* of Debian */" >>"$1/include/$2"
  cmake -E tar cJf "archives/$1" "$1"
  for file in "elsewhere/$1.tar.gz file://$work/elsewhere/$1.tar.gz" "archives/$1 of Debian"; do
    echo "$1 1.2 $(cmake -E sha256sum "${file%% *}" | cut -d ' ' -f 1) ${file#* }" >>tools/bootstrap.list
  done
}
mkdir -p libsodium/src/libsodium/include/sodium libsodium/builds/msvc hwloc
touch libsodium/builds/msvc/version.h
echo 'int sodium_init(void) { return 0; }' >libsodium/src/libsodium/core.c
cat >hwloc/configure <<'END'
#!/bin/sh
echo "configured with $*"
printf 'install:\n\tcp Makefile %s/lib/libhwloc.a\n' "${1#--prefix=}" >Makefile
END
chmod +x hwloc/configure
archive fmt fmt/core.h
archive spdlog spdlog/spdlog.h
archive nlohmann-json nlohmann/json.hpp
archive CLI11 CLI/CLI.hpp
archive libsodium sodium.h
archive hwloc hwloc.h

bootstrap() {
  tools/bootstrap.sh --prefix prefix --all "$@" >out 2>&1
}

# refused TEXT ARGUMENT...
refused() {
  text=$1
  shift
  rm -rf prefix
  ! bootstrap "$@" || fail "succeeds: $*"
  grep -qF "$text" out || fail "not said: $text"
}

bootstrap --sources archives || fail "fails with a folder"
grep -q Debian prefix/include/fmt/core.h || fail "another archive is unpacked"
for header in spdlog/spdlog.h nlohmann/json.hpp CLI/CLI.hpp; do
  test -f "prefix/include/$header" || fail "no $header"
done
nm prefix/lib/libsodium.a | grep -q "T sodium_init" || fail "libsodium is not compiled"
test -f prefix/include/sodium/version.h || fail "its headers are not installed"
test ! -e prefix/lib/libhwloc.a || fail "hwloc is compiled, and nobody asked for it"
bootstrap --sources archives --with-hwloc || fail "hwloc is not compiled"
test -f prefix/lib/libhwloc.a
rm -r prefix
bootstrap || fail "fails with addresses"
! grep -q Debian prefix/include/fmt/core.h || fail "another archive is unpacked"

# Nothing else is unpacked than what the list has.
echo changed >>elsewhere/CLI11.tar.gz
refused "CLI11.tar.gz has the SHA-256 $(cmake -E sha256sum elsewhere/CLI11.tar.gz | cut -d ' ' -f 1) and not"
rm elsewhere/CLI11.tar.gz
refused "CLI11.tar.gz cannot be fetched; fetch what --list names elsewhere"
echo changed >>archives/spdlog
refused "$work/archives has no archive of spdlog 1.2: no file there has the SHA-256" --sources archives
grep -q "^spdlog 1.2 .* of Debian" out || fail "the archive is not named"
refused "there is no folder nowhere" --sources nowhere

# A library that cannot be compiled, and a machine without compilers.
echo '#error "no such processor"' >libsodium/src/libsodium/core.c
archive libsodium sodium.h
archive spdlog spdlog/spdlog.h
refused "libsodium 1.2 cannot be compiled" --sources archives
grep -q "no such processor" out || fail "the reason is not said"
if CXX=no-such-compiler bootstrap; then fail "succeeds without a compiler"; fi
grep -q "no-such-compiler is missing" out || fail "the compiler is not named"

# The list that is delivered.
"$tools/bootstrap.sh" --list >out
for library in fmt spdlog nlohmann-json CLI11 libsodium hwloc; do
  grep -qE "^$library [0-9.]+ [0-9a-f]{64} https://" out || fail "no address of $library"
done

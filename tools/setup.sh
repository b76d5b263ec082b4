#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs missing Debian packages for building, testing and plotting.
# shellcheck disable=SC2086 # the lists are split into words on purpose
set -eu

packages="g++ cmake ninja-build make ccache pkg-config
  llvm-19-dev libclang-19-dev libclang-cpp19-dev libclang-common-19-dev libpolly-19-dev
  libclang-rt-19-dev libhwloc-dev
  libopenmpi-dev openmpi-bin libptscotch-dev libhdf5-openmpi-dev hdf5-tools
  libfmt-dev libspdlog-dev libsodium-dev nlohmann-json3-dev libcli11-dev
  libgtest-dev libgmock-dev strace
  python3 python3-matplotlib python3-numpy"

fail() {
  echo "setup: $1" >&2
  echo "setup: these Debian 12 packages, or their equivalents, are needed:" $packages >&2
  echo "setup: if they are installed under other names, add SETUP=true to the make command" >&2
  exit 1
}

is_installed() {
  case "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" in
    installed*) true ;;
    *) false ;;
  esac
}

for program in apt-get dpkg-query; do
  command -v $program >/dev/null || fail "$program is missing, so this is not a Debian system"
done

missing=""
for package in $packages; do
  is_installed "$package" || missing="$missing $package"
done
if [ -z "$missing" ]; then
  echo "setup: all packages are installed"
  exit 0
fi

if [ "$(id -u)" -eq 0 ]; then
  as_root="env"
elif command -v sudo >/dev/null; then
  as_root="sudo env"
else
  fail "installing packages needs root or sudo; missing:$missing"
fi

echo "setup: installing$missing"
apt_get="$as_root DEBIAN_FRONTEND=noninteractive apt-get -q"
$apt_get update || fail "apt-get update failed; missing:$missing"
$apt_get install -y --no-install-recommends $missing ||
  fail "apt-get install failed; missing:$missing"

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2046,SC2086 # the lists are split into words on purpose
set -eu

llvm_versions="19 20 21 22 18 17" # what the library is compiled with; the best tested one comes first
packages="g++ clang cmake ninja-build make ccache pkg-config libzstd-dev zlib1g-dev libhwloc-dev
  libopenmpi-dev openmpi-bin libptscotch-dev libhdf5-openmpi-dev hdf5-tools
  libfmt-dev libspdlog-dev libsodium-dev libsleef3 nlohmann-json3-dev libcli11-dev
  libgtest-dev libgmock-dev strace
  doxygen help2man abigail-tools dpkg-dev file mmdebstrap
  python3 python3-venv python3-matplotlib python3-numpy
  python3-meshio python3-h5py python3-netcdf4"

usage() {
  cat <<'END'
usage: tools/setup.sh [--style|--cuda|--mpich]

Installs missing packages of Debian or Ubuntu for building, testing and plotting; as root or with sudo. Of LLVM it takes
19 or, where that is not offered, another version. What the system does not offer is named and left out.
Without root, and on other systems: tools/bootstrap.sh, and docs/installing.md.

--style installs also those that look at the style of changes (.ci/style): clang-format, clang-tidy, shellcheck, codespell.

--mpich installs also MPICH and its HDF5, beside Open MPI, which is the MPI of mpicc and mpirun then (make test-mpich).

--cuda  installs instead what OP2_TARGET=cuda needs besides NVIDIA's driver: its compiler library NVRTC, from
        Python's package index, into a virtual environment in ~/.local/share/op2/cuda, where the
        library looks for it. It takes 120 to 250 MB. The version follows the driver and its devices: 13 for a
        driver of CUDA 13 or newer; 12.9, which every later driver accepts, for one of CUDA 12, without a driver,
        and for devices of compute capability below 7.5, which 13 does not compile for.
        Neither root nor a toolkit is needed. OP2_CUDA_DRIVER names the driver where neither the loader finds
        libcuda.so.1 nor it is in /usr/lib/wsl/lib, /usr/local/nvidia/lib64 or /usr/local/nvidia/lib.
END
}

fail() {
  echo "setup: $1" >&2
  exit 1
}

fail_on_packages() {
  echo "setup: $1" >&2
  echo "setup: these packages of Debian, or their equivalents, are needed:" $packages $(llvm_packages) >&2
  echo "setup: if they are installed under other names, add SETUP=true to the make command" >&2
  echo "setup: without root tools/bootstrap.sh builds what is needed; docs/installing.md has other systems" >&2
  exit 1
}

is_installed() {
  case "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" in
    installed*) true ;;
    *) false ;;
  esac
}

is_offered() {
  apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'
}

# Whether the system knows what is offered: it has more than the list of what is installed.
has_lists() {
  apt-cache policy 2>/dev/null | grep -q 'release .*c='
}

# The packages of the first version that is installed, else offered, else of all.
llvm_packages() {
  llvm=${llvm_versions%% *}
  for test in is_installed is_offered; do
    for version in $llvm_versions; do
      if $test "llvm-$version-dev"; then
        llvm=$version
        break 2
      fi
    done
  done
  for name in llvm-@-dev libclang-@-dev libclang-cpp@-dev libclang-common-@-dev libpolly-@-dev libclang-rt-@-dev; do
    echo "${name%@*}$llvm${name#*@}"
  done
}

# Sets `missing` and `absent` to what is not installed, and is offered or not.
compare_packages() {
  missing="" absent=""
  for package in $packages $(llvm_packages); do
    if is_installed "$package"; then
      continue
    elif is_offered "$package"; then
      missing="$missing $package"
    else
      absent="$absent $package"
    fi
  done
}

install_packages() {
  for program in apt-get apt-cache dpkg-query; do
    command -v $program >/dev/null ||
      fail_on_packages "$program is missing, so this is not a Debian system"
  done

  compare_packages
  if [ -n "$missing" ] || { [ -n "$absent" ] && ! has_lists; }; then
    if [ "$(id -u)" -eq 0 ]; then
      as_root="env"
    elif command -v sudo >/dev/null; then
      as_root="sudo env"
    else
      fail_on_packages "installing packages needs root or sudo; missing:$missing$absent"
    fi
    apt_get="$as_root DEBIAN_FRONTEND=noninteractive apt-get -q"
    $apt_get update || fail_on_packages "apt-get update failed; missing:$missing$absent"
    compare_packages
  fi
  if [ -n "$missing" ]; then
    echo "setup: installing$missing"
    $apt_get install -y --no-install-recommends $missing ||
      fail_on_packages "apt-get install failed; missing:$missing"
  elif [ -z "$absent" ]; then
    echo "setup: all packages are installed"
  fi
  if [ -n "$absent" ]; then
    echo "setup: not offered here, and left out:$absent"
  fi
  case $absent in
    *llvm-*)
      echo "setup: without LLVM only the host functions of kernels run; https://apt.llvm.org has packages for this" \
        "release: add them, run apt-get update, and run this script again"
      ;;
  esac
}

# Prints the version of CUDA that the driver supports, as 12020 for 12.2, and the lowest compute capability of its
# devices, as 70 for 7.0; 0 for what is not there. The driver is looked for where the library does (src/gpu/driver.cpp).
# TEST_ROOT, for tests: a folder that stands for /, and the loader is not asked.
driver_and_device() {
  python3 - "${OP2_CUDA_DRIVER:-}" "${TEST_ROOT:-}" <<'END'
import ctypes
import os
import sys

NAME = "libcuda.so.1"
FOLDERS = ("/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/usr/local/nvidia/lib")
MAJOR, MINOR = 75, 76  # attributes of a device


def capability(driver, ordinal):
    device, major, minor = ctypes.c_int(0), ctypes.c_int(0), ctypes.c_int(0)
    if driver.cuDeviceGet(ctypes.byref(device), ordinal) != 0:
        return 0
    driver.cuDeviceGetAttribute(ctypes.byref(major), MAJOR, device)
    driver.cuDeviceGetAttribute(ctypes.byref(minor), MINOR, device)
    return 10 * major.value + minor.value


def load(given, root):
    """The driver, from `given`, a file or a folder, or where it usually is; OSError if it is nowhere."""
    if given:
        files = [os.path.join(given, NAME) if os.path.isdir(given) else given]
    else:
        files = ([] if root else [NAME]) + [os.path.join(root + folder, NAME) for folder in FOLDERS]
    for file in files:
        try:
            return ctypes.CDLL(file)
        except OSError:
            pass
    raise OSError(f"no {NAME}")


version, count, lowest = ctypes.c_int(0), ctypes.c_int(0), 0
try:
    driver = load(*sys.argv[1:])
    driver.cuDriverGetVersion(ctypes.byref(version))
    if driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0:
        lowest = min((capability(driver, ordinal) for ordinal in range(count.value)), default=0)
except (OSError, AttributeError):
    pass
print(version.value, lowest)
END
}

install_cuda() {
  command -v python3 >/dev/null || fail "python3 is missing; run tools/setup.sh first"
  found=$(driver_and_device)
  version=${found% *} capability=${found#* }
  case $((version / 1000)) in
    0) why="no driver was found" package="nvidia-cuda-nvrtc-cu12==12.9.*" ;;
    12) why="the driver supports CUDA 12" package="nvidia-cuda-nvrtc-cu12==12.9.*" ;;
    [1-9] | 1[01]) fail "the NVIDIA driver is too old: it supports CUDA $((version / 1000)); install one for CUDA 12.0 or newer" ;;
    *) why="the driver supports CUDA $((version / 1000))" package="nvidia-cuda-nvrtc==13.*" ;;
  esac
  if [ $((version / 1000)) -gt 12 ] && [ "$capability" -gt 0 ] && [ "$capability" -lt 75 ]; then
    why="there is a device of sm_$capability, older than all of NVRTC 13" package="nvidia-cuda-nvrtc-cu12==12.9.*"
  fi

  folder="${HOME:?}/.local/share/op2/cuda"
  echo "setup: $why; installing $package in $folder"
  [ -x "$folder/bin/pip" ] || python3 -m venv "$folder" ||
    fail "no virtual environment could be made; install the Debian package python3-venv"
  "$folder/bin/pip" install --quiet --disable-pip-version-check "$package" ||
    fail "pip could not install $package"
  ls "$folder"/lib/python3*/site-packages/nvidia/cu*/lib/libnvrtc.so.* ||
    fail "$package has no libnvrtc.so where it was expected"
}

case "$#:${1:-}" in
  0:) install_packages ;;
  1:--style)
    packages="$packages clang-format-19 clang-tidy-19 shellcheck codespell"
    install_packages
    ;;
  1:--mpich)
    packages="$packages mpich libmpich-dev libhdf5-mpich-dev"
    install_packages
    ;;
  1:--cuda) install_cuda ;;
  1:--help | 1:-h) usage ;;
  *)
    usage >&2
    exit 2
    ;;
esac

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs NVIDIA's compiler library NVRTC from Python's package index in a folder, for tests. Does
# nothing if it is there, or if OP2_TEST_NVRTC names one or is "off".
set -eu

folder=${1:?usage: install.sh FOLDER REQUIREMENT}
requirement=${2:?usage: install.sh FOLDER REQUIREMENT}
if [ -n "${OP2_TEST_NVRTC:-}" ]; then
  echo "OP2_TEST_NVRTC is set to $OP2_TEST_NVRTC: nothing is installed"
  exit 0
fi
if ls "$folder"/nvidia/*/lib/libnvrtc.so.* >/dev/null 2>&1; then
  echo "NVRTC is in $folder"
  exit 0
fi
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --target "$folder" "$requirement"
echo "NVRTC was installed in $folder: $requirement"

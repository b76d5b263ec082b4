#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The kit for machines with a GPU, made of programs that are built already and run on the emulated device: every
# step runs, finds no failure, and writes the figures that docs/gpu.md describes.
#   kit_test.sh BUILD FOLDER      the emulated device is in OP2_CUDA_DRIVER and OP2_NVRTC
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1 folder=$2
rm -rf "$folder"
tools/gpu/bundle.sh --from "$build" "$folder"
# In place of NVIDIA's tools: they run the program that they are given, and print what the steps look for.
tools=$folder/tools
mkdir -p "$tools"
cat >"$tools/nvidia-smi" <<'END'
#!/bin/sh
echo "emulated device, 580.00, 2048 MiB"
END
cat >"$tools/compute-sanitizer" <<'END'
#!/bin/sh
while [ "${1#--}" != "$1" ]; do shift 2; done
"$@" && echo "========= ERROR SUMMARY: 0 errors"
END
cat >"$tools/ncu" <<'END'
#!/bin/sh
while ! [ -x "$1" ]; do shift; done
"$@" && echo '"ID","Kernel Name","Metric Value"' && echo '"0","op2_loop","7.5"'
END
chmod +x "$tools"/*
PATH=$tools:$PATH "$folder/check.sh" "$folder/results" --quick || { cat "$folder/results/log.txt" && exit 1; }

python3 -B - "$folder/results/results.jsonl" <<'END'
import json
import sys

STEPS = ["versions", "gpu", "compile", "device", "program", "kernels", "equivalence", "airfoil", "large", "cg", "tiny", "host"]
FIGURES = {"compile": "cpu_ms", "device": "gb_per_s", "equivalence": "found", "airfoil": "us_per_iteration",
           "airfoil_by_loop": "us_per_call", "airfoil_by_loop_unfused": "us_per_call", "cg": "library_ms_per_iter", "host": "us_per_chain", "gpu": "device",
           "sanitizer_memcheck": "found", "sanitizer_initcheck": "found", "sanitizer_racecheck": "found",
           "counters": "csv"}
lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
found = {line["step"] for line in lines}
assert set(STEPS) <= found, f"steps are missing: {set(STEPS) - found}"
for step, figure in FIGURES.items():
    assert any(line["step"] == step and line.get(figure) not in (None, "") for line in lines), f"{step}: no {figure}"
assert lines[-1] == {"step": "end", "failures": 0, "seconds": lines[-1]["seconds"]}, lines[-1]
for line in lines:
    assert line.get("status") in (None, "passed"), line
    # The events of the emulated device are a millisecond apart.
    assert line.get("us_per_call", 1000) >= 1000, line
print(f"checked {len(lines)} lines of {len(found)} steps")
END

# Without a driver the steps say what is missing, and nothing fails.
OP2_CUDA_DRIVER='' "$folder/check.sh" "$folder/without" --quick --steps "device sanitizer counters"
[ -e /dev/nvidiactl ] || command -v nvidia-smi >/dev/null || [ "$(grep -c '"missing", "what": "a GPU"' "$folder/without/results.jsonl")" = 3 ]

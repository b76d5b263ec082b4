#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The kit for machines with a GPU on the emulated device: every step runs, finds no failure, and writes the figures
# that bench/gpu/README.md describes. Made of programs that are built already, or as users get it: then it is built first, has
# all its libraries, and at most 40 MB, the compiler for CPUs and Open MPI included.
#   kit_test.sh BUILD|own FOLDER      the emulated device is in OP2_CUDA_DRIVER and OP2_NVRTC
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1 folder=$2
rm -rf "$folder"
if [ "$build" = own ]; then
  bench/gpu/bundle.sh "$folder"
  build=build/gpu
  [ "$(du -sk "$folder" | cut -f 1)" -le $((40 * 1024)) ]
  unpacked=$folder/unpacked
  for archive in "$folder"/*.tar.xz; do
    [ -e "$archive" ] || continue
    mkdir -p "$unpacked/$(basename "$archive" .tar.xz)"
    tar -C "$unpacked/$(basename "$archive" .tar.xz)" -xJf "$archive"
  done
  elsewhere=$({
    for program in airfoil cg_bench device_bench host_time_bench equivalence_test gpu_kernels_test \
      program_on_device_test op2-jitinspect; do env -i ldd "$folder/$program"; done
    find "$folder" -path "$unpacked/*" -type f -perm -u+x | while read -r file; do
      env -i LD_LIBRARY_PATH="$unpacked/ranks:$unpacked/llvm:$folder" ldd "$file"
    done
  } | awk '$2 == "=>" { print $3 }' |
    { grep -v -E -e "^$folder/" -e '/(libc|libm|libdl|librt|libpthread)\.so' || true; } | sort -u)
  [ -z "$elsewhere" ] || { echo "the bundle lacks $elsewhere" && exit 1; }
  rm -rf "$unpacked"
else
  bench/gpu/bundle.sh --from "$build" "$folder"
fi
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
# Nothing of this machine's environment but where the emulated device is.
env -i PATH="$tools:/usr/local/bin:/usr/bin:/bin" HOME="$folder" OP2_CUDA_DRIVER="$OP2_CUDA_DRIVER" \
  OP2_NVRTC="$OP2_NVRTC" "$folder/check.sh" "$folder/results" --quick || { cat "$folder/results/log.txt" && exit 1; }

has_llvm=no has_mpi=no
[ ! -e "$build/lib/libop2_llvm.so" ] || has_llvm=yes
[ ! -x "$folder/ranks/bin/orterun" ] && [ ! -e "$folder/ranks.tar.xz" ] || has_mpi=yes
python3 -B - "$folder/results/results.jsonl" $has_llvm $has_mpi <<'END'
import json
import sys

CELLS = 144  # of the tiny mesh

STEPS = ["versions", "facts", "scheme", "gpu", "compile", "device", "program", "kernels", "equivalence", "airfoil", "large", "cg", "tiny", "host"]
FIGURES = {"compile": "cpu_ms", "scheme": "us", "device": "gb_per_s", "equivalence": "found", "airfoil": "us_per_iteration",
           "airfoil_by_loop": "us_per_call", "airfoil_by_loop_unfused": "us_per_call", "cg": "library_ms_per_iter", "host": "us_per_chain", "gpu": "device",
           "sanitizer_memcheck": "found", "sanitizer_initcheck": "found", "sanitizer_racecheck": "found",
           "counters": "csv"}
has_llvm, has_mpi = sys.argv[2] == "yes", sys.argv[3] == "yes"
if has_llvm:
    FIGURES |= {"cpu_airfoil": "us_per_iteration", "cpu_large": "us_per_iteration", "cpu_cg": "library_ms_per_iter"}
if has_llvm and has_mpi:
    FIGURES |= {"ranks_airfoil": "us_per_iteration", "ranks_equivalence": "found"}
lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
found = {line["step"] for line in lines}
assert set(STEPS) <= found, f"steps are missing: {set(STEPS) - found}"
for step, figure in FIGURES.items():
    assert any(line["step"] == step and line.get(figure) not in (None, "") for line in lines), f"{step}: no {figure}"
assert lines[-1] == {"step": "end", "failures": 0, "seconds": lines[-1]["seconds"]}, lines[-1]
drivers = [line["driver"] for line in lines if line["step"] == "versions" and "driver" in line]
assert len(drivers) == 1 and drivers[0].startswith("CUDA 1"), drivers
for line in lines:
    lacks = (not has_llvm and line["step"] in ("cpu", "facts")) or (not (has_llvm and has_mpi) and line["step"] == "ranks")
    assert line.get("status") in ((None, "passed") if not lacks else ("missing",)), line
    # The events of the emulated device are a millisecond apart.
    assert line.get("us_per_call", 1000) >= 1000, line
    # Half a step that keeps no sums, as the sources prove with LLVM: 208 bytes for a cell, lists, and boundary edges.
    if has_llvm and line["step"] == "airfoil_by_loop" and line.get("loop", "").startswith("res_calc+bres_calc+update+save"):
        assert line["bytes_per_call"] < 250 * CELLS, line


def settings(step):
    return {line["settings"] for line in lines if line["step"] == step and "settings" in line}


assert not has_llvm or "OP2_THREADS=1 OP2_TARGET=cpu" in settings("cpu_airfoil"), settings("cpu_airfoil")
if has_llvm and has_mpi:
    assert settings("ranks_airfoil") == {f"RANKS=2 OP2_CHAIN={chain} OP2_GPU_INC={form}" for chain in ("on", "off") for form in ("rows", "pull")}
    assert all("on 2 ranks" in line["found"] for line in lines if line["step"] == "ranks_equivalence" and "found" in line)
print(f"checked {len(lines)} lines of {len(found)} steps")
END

expect() { # expect CODE WORDS COMMAND ...: its exit code, and words that it prints
  local code=0 words=$2 wanted=$1
  shift 2
  "$@" >"$folder/said" 2>&1 || code=$?
  { [ $code = "$wanted" ] && grep -q -e "$words" "$folder/said"; } || {
    echo "$*: exit code $code, expected $wanted and '$words'" && cat "$folder/said" && exit 1
  }
}

# Without a driver the steps say what is missing; that nothing was measured is not success.
if ! [ -e /dev/nvidiactl ] && ! command -v nvidia-smi >/dev/null; then
  expect 3 "not measured, because something is missing: device (a GPU) sanitizer (a GPU) counters (a GPU)" \
    env OP2_CUDA_DRIVER= "$folder/check.sh" "$folder/without" --quick --steps "device sanitizer counters"
  [ "$(grep -c '"missing", "what": "a GPU"' "$folder/without/results.jsonl")" = 3 ]
  expect 0 "not measured, because something is missing: device (a GPU)" \
    env OP2_CUDA_DRIVER= "$folder/check.sh" "$folder/without" --quick --steps "compile device"
fi
expect 0 "" env OP2_CUDA_DRIVER=/nonexistent "$folder/check.sh" "$folder/without" --quick --steps versions
grep -q '"driver": "unknown: no driver' "$folder/without/results.jsonl"

# Nor is it, if the kit has neither a compiler for CPUs nor Open MPI.
rm -rf "$folder"/llvm* "$folder"/ranks*
expect 3 "not measured, because something is missing: cpu (LLVM, .*) ranks (Open MPI 4)" \
  "$folder/check.sh" "$folder/without" --quick --steps "cpu ranks"

# Mistakes on command lines; a relative folder is the caller's.
expect 2 "^check: there is no step airfoils" "$folder/check.sh" "$folder/none" --steps "versions airfoils"
[ ! -e "$folder/none" ]
expect 2 "^check: --steps needs names" "$folder/check.sh" "$folder/none" --steps
expect 2 "^bundle: --from needs a build folder" bench/gpu/bundle.sh --from
expect 1 "^bundle: there is no folder $folder/nowhere" env -C "$folder" "$PWD/bench/gpu/bundle.sh" --from nowhere here

# The figures of a run whose residual after 100 iterations is not the known one.
printf '#!/bin/sh\ncat "%s"\nexit 1\n' "$folder/output" >"$folder/airfoil"
cat >"$folder/output" <<'END'
mesh: 721801 nodes, 720000 cells, 1438600 edges, 2800 boundary edges
   100 of 200   residual 5.0218612597476e-04    0.100000 s
   200 of 200   residual 4.0000000000000e-04    0.120000 s
iteration  100: residual 5.0218612597476e-04, reference 5.0218612497476e-04, relative deviation 2.0e-09 (at most 1e-10): FAILED
END
expect 1 "^check: failed: tiny" "$folder/check.sh" "$folder/other" --quick --steps tiny
grep -q '"us_per_iteration": 200.00, .*"residual_at_100": 5.0218612597476e-04, "deviation_at_100": 2.0e-09}' \
  "$folder/other/results.jsonl"
